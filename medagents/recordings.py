"""The committed call store: one JSON line a model call, in `<cohort>/<model>/<experiment>.jsonl`.

A line holds the request's key, the slot it fills, the canonical request (or, where the cohort's
text may not be published, a short digest of each field) and the reply. Appends are one locked
write, so concurrent writers and `kill -9` lose nothing but the line being written. A torn last
line is reported and left out; a damaged line elsewhere, two replies to one key, or two requests
for one slot are errors, never last-writer-wins.
"""

import fcntl
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from medagents import paths
from medagents.keys import Json, canonical, canonical_json, key_of, parts
from medagents.types import MedagentsError, Provenance, Reply, Request, Slot, Status, Usage


class ReplayMiss(MedagentsError):
    """No recording for a slot; the message names the command that would make it."""


class StaleRecording(MedagentsError):
    """A slot was recorded with another request; the message names the fields that changed."""


class ConflictingRecordings(MedagentsError):
    """Two replies to one key, or two requests for one slot."""


@dataclass(frozen=True)
class Record:
    """One recorded call. `request` is None where the text may not be stored; then `parts` tells
    which field changed when a later request differs.
    """

    key: str
    slot: Slot
    reply: Reply
    request: Json | None
    parts: dict[str, str]


def make_record(slot: Slot, request: Request, reply: Reply, publishable: bool) -> Record:
    """The record of a call, without the request's text unless it is publishable."""
    whole = canonical(request)
    return Record(key_of(whole), slot, reply, whole if publishable else None, parts(whole))


def to_line(record: Record) -> str:
    """One line of JSON, newline included."""
    reply = asdict(record.reply)
    body: Json = {"key": record.key, "slot": asdict(record.slot), "reply": reply}
    body |= {"parts": record.parts} if record.request is None else {"request": record.request}
    return canonical_json(body) + "\n"


def from_line(line: str) -> Record:
    """Read one line.

    Raises:
        ValueError, KeyError, TypeError: the line is no record.
    """
    body: dict[str, Any] = json.loads(line)
    reply = dict(body["reply"])
    reply["usage"] = Usage(**reply["usage"])
    reply["status"] = Status(reply["status"])
    reply["provenance"] = Provenance(reply["provenance"])
    request = body.get("request")
    pieces = body["parts"] if request is None else parts(request)
    return Record(body["key"], Slot(**body["slot"]), Reply(**reply), request, pieces)


def read_shard(path: Path) -> tuple[list[Record], str | None]:
    """All records of a shard, and its torn last line if it has one.

    Raises:
        MedagentsError: a damaged line that is not the last, or a key that is not its request's.
    """
    records = []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        try:
            records.append(from_line(line))
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines) and not line.endswith("\n"):
                return records, line
            raise MedagentsError(
                f"{path}:{number}: damaged recording ({error}); restore the line from version control"
            ) from error
    return records, None


def same_reply(one: Reply, other: Reply) -> bool:
    """Whether two replies say the same, whenever they were made."""
    return replace(one, time="") == replace(other, time="")


class Index:
    """Records by key and by slot; refuses a record that contradicts one it holds."""

    def __init__(self) -> None:
        self.by_slot: dict[Slot, Record] = {}
        self.by_key: dict[str, Record] = {}

    def add(self, record: Record, source: object) -> bool:
        """Take a record in; False if it was there already.

        Raises:
            ConflictingRecordings: another reply to its key, or another request for its slot.
        """
        held = self.by_key.get(record.key)
        if held and not same_reply(held.reply, record.reply):
            raise ConflictingRecordings(
                f"{source}: key {record.key[:12]} has two replies (case {record.slot.case}, "
                f"{record.slot.condition}); keep one line and delete the other"
            )
        placed = self.by_slot.get(record.slot)
        if placed and placed.key != record.key:
            raise ConflictingRecordings(
                f"{source}: case {record.slot.case}, {record.slot.condition} was recorded with two requests "
                f"({placed.key[:12]}, {record.key[:12]}); delete the stale line"
            )
        self.by_slot[record.slot] = record
        self.by_key.setdefault(record.key, record)
        return placed is None


class Store:
    """The recordings below one folder, read shard by shard as they are asked for."""

    def __init__(self, root: Path = paths.RECORDINGS) -> None:
        self.root = root
        self._indexes: dict[tuple[str, str], Index] = {}

    def shard(self, slot: Slot, model: str) -> Path:
        """File that holds a slot's record."""
        return self.root / slot.cohort / model / f"{slot.experiment}.jsonl"

    def index(self, cohort: str, model: str) -> Index:
        """Every record of one cohort and model, over all experiments."""
        if (cohort, model) not in self._indexes:
            index = Index()
            for path in sorted((self.root / cohort / model).glob("*.jsonl")):
                records, torn = read_shard(path)
                if torn:
                    warnings.warn(f"{path}: torn last line left out ({len(torn)} characters)", stacklevel=2)
                for record in records:
                    index.add(record, path)
            self._indexes[cohort, model] = index
        return self._indexes[cohort, model]

    def append(self, record: Record, model: str) -> None:
        """Add a record durably; a record that is there already is left alone.

        The lock is held over one read of the shard's tail and one write. A torn tail can only
        be a dead writer's, so it is cut off and reported.

        Raises:
            ConflictingRecordings: the record contradicts one that is held; nothing is written.
        """
        path = self.shard(record.slot, model)
        if self.index(record.slot.cohort, model).add(record, path):
            append_line(path, to_line(record))

    def tidy(self, cohort: str, model: str, experiment: str) -> None:
        """Sort a shard by key, so that a committed file does not depend on the order of calls."""
        path = self.root / cohort / model / f"{experiment}.jsonl"
        if path.exists():
            with locked(path):
                records, _ = read_shard(path)
                write_shard(path, records)


class locked:
    """Exclusive lock on a shard while in a `with` block, through a lock file beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_suffix(".lock")

    def __enter__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.handle = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o644)
        fcntl.flock(self.handle, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


def append_line(path: Path, line: str) -> None:
    """Append one line in a single write under the shard's lock."""
    with locked(path):
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
        try:
            _mend_tail(path, handle)
            os.write(handle, line.encode())
        finally:
            os.close(handle)


def _mend_tail(path: Path, handle: int) -> None:
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        kept = path.read_bytes().rfind(b"\n") + 1
        warnings.warn(f"{path}: torn last line cut off ({size - kept} bytes)", stacklevel=3)
        os.ftruncate(handle, kept)


def write_shard(path: Path, records: Iterable[Record]) -> None:
    """Replace a shard by these records, sorted by key then slot, in one atomic step."""
    ordered = sorted(records, key=lambda record: (record.key, record.slot.condition, record.slot.case))
    draft = path.with_suffix(".draft")
    draft.write_text("".join(map(to_line, ordered)), encoding="utf-8")
    draft.replace(path)


def merge(sources: Iterable[Path], target: Path) -> int:
    """Merge shards into one, without loss; returns how many records the target then holds.

    Raises:
        ConflictingRecordings: two sources contradict each other; the target is untouched.
    """
    index = Index()
    for path in [*sources, *([target] if target.exists() else [])]:
        for record in read_shard(path)[0]:
            index.add(record, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_shard(target, index.by_slot.values())
    return len(index.by_slot)


def shards(root: Path = paths.RECORDINGS) -> Iterator[tuple[str, str, str, Path]]:
    """(cohort, model, experiment, file) of every shard, in order."""
    for path in sorted(root.glob("*/*/*.jsonl")):
        yield path.parent.parent.name, path.parent.name, path.stem, path


def changed_fields(record: Record, request: Request) -> list[str]:
    """Fields in which a request differs from the recorded one."""
    now = parts(canonical(request))
    return sorted(
        name for name in now.keys() | record.parts.keys() if now.get(name) != record.parts.get(name)
    )
