"""The committed call store: one JSON line a model call, in `<cohort>/<model>/<experiment>.jsonl`.

A line holds the request's key, the slot it fills, the canonical request (or, where the cohort's
text may not be published, a short digest of each field) and the reply. Appends are one locked
write, so concurrent writers and `kill -9` lose nothing but the line being written. A torn last
line is reported and left out; a damaged line elsewhere, two replies to one key, or two requests
for one slot are errors, never last-writer-wins.

A line ends at a newline byte and nowhere else: texts may hold U+2028 or U+0085, at which
`str.splitlines` splits too.
"""

import fcntl
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from medagents import paths
from medagents.keys import Json, canonical, canonical_json, key_of, parts, to_bytes
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
    which field changed when a later request differs, and is empty elsewhere.
    """

    key: str
    slot: Slot
    reply: Reply
    request: Json | None
    parts: dict[str, str]

    def field_digests(self) -> dict[str, str]:
        """Short digest of each field of the recorded request."""
        return self.parts if self.request is None else parts(self.request)


def make_record(slot: Slot, request: Request, reply: Reply, publishable: bool) -> Record:
    """The record of a call, without the request's text unless it is publishable."""
    whole: Json = json.loads(canonical_json(canonical(request)))
    kept = (whole, {}) if publishable else (None, parts(whole))
    return Record(key_of(whole), slot, reply, *kept)


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
    pieces = body["parts"] if request is None else {}
    return Record(body["key"], Slot(**body["slot"]), Reply(**reply), request, pieces)


class Parsed(NamedTuple):
    """Records of a piece of a shard; `torn` is a last line that ends before its JSON does, `end`
    how many bytes its closed lines take.
    """

    records: list[Record]
    torn: str | None
    end: int


def parse(data: bytes, path: Path, before: int = 0) -> Parsed:
    """Read the lines of a shard from `data`, which follows `before` lines.

    A last line that lacks only its newline is a record like the others.

    Raises:
        MedagentsError: a damaged line that is not a torn last one.
    """
    records = []
    *closed, rest = data.split(b"\n")
    end = len(data) - len(rest)
    for number, line in enumerate([*closed, rest] if rest else closed, before + 1):
        try:
            records.append(from_line(line.decode()))
        except (ValueError, KeyError, TypeError) as error:
            if number > before + len(closed):
                return Parsed(records, rest.decode(errors="replace"), end)
            raise MedagentsError(
                f"{path}:{number}: damaged recording ({error}); restore the line from version control"
            ) from error
    return Parsed(records, None, end)


def read_shard(path: Path) -> tuple[list[Record], str | None]:
    """All records of a shard, and its torn last line if it has one.

    Raises:
        MedagentsError: no such shard, or a damaged line that is not a torn last one.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such shard; check the path")
    return parse(path.read_bytes(), path)[:2]


def read_whole(path: Path) -> list[Record]:
    """All records of a shard; warns of a torn last line."""
    records, torn = read_shard(path)
    _warn_torn(path, torn)
    return records


def _warn_torn(path: Path, torn: str | None) -> None:
    if torn:
        warnings.warn(f"{path}: torn last line left out ({len(torn)} characters)", stacklevel=3)


def same_reply(one: Reply, other: Reply) -> bool:
    """Whether two replies say the same, whenever they were made."""
    return replace(one, time="") == replace(other, time="")


class Index:
    """Records by key and by slot; refuses a record that contradicts one it holds."""

    def __init__(self) -> None:
        self.by_slot: dict[Slot, Record] = {}
        self.by_key: dict[str, Record] = {}

    def check(self, record: Record, source: object, remedy: str = "") -> Record | None:
        """The record held for the same slot, None if there is none.

        Raises:
            ConflictingRecordings: another reply to its key, or another request for its slot.
        """
        where = f"{source}: case {record.slot.case}, {record.slot.condition}"
        placed, held = self.by_slot.get(record.slot), self.by_key.get(record.key)
        if placed and placed.key != record.key:
            raise ConflictingRecordings(
                f"{where}: recorded with two requests ({placed.key[:12]}, {record.key[:12]}); "
                f"{remedy or 'delete the stale line'}"
            )
        if held and not same_reply(held.reply, record.reply):
            raise ConflictingRecordings(
                f"{where}: key {record.key[:12]} has two replies, the other for case {held.slot.case}, "
                f"{held.slot.condition} of {held.slot.experiment}; "
                f"{remedy or 'keep one line and delete the other'}"
            )
        return placed

    def add(self, record: Record, source: object) -> bool:
        """Take a record in; False if it was there already, and the one that was there stays.

        Raises:
            ConflictingRecordings: another reply to its key, or another request for its slot.
        """
        if self.check(record, source):
            return False
        self.by_slot[record.slot] = record
        self.by_key.setdefault(record.key, record)
        return True


class _Seen(NamedTuple):
    """How far a shard was read: its file, bytes and lines, and the last of these lines."""

    inode: int
    end: int = 0
    lines: int = 0
    last: bytes = b""


class Store:
    """The recordings below one folder, read shard by shard as they are asked for."""

    def __init__(self, root: Path = paths.RECORDINGS) -> None:
        self.root = root
        self._indexes: dict[tuple[str, str], Index] = {}
        self._seen: dict[Path, _Seen] = {}

    def shard(self, slot: Slot, model: str) -> Path:
        """File that holds a slot's record."""
        return self.root / slot.cohort / model / f"{slot.experiment}.jsonl"

    def index(self, cohort: str, model: str) -> Index:
        """Every record of one cohort and model, over all experiments, as first read."""
        held = self._indexes.get((cohort, model))
        return self.catch_up(cohort, model) if held is None else held

    def catch_up(self, cohort: str, model: str) -> Index:
        """The index, with what other processes appended since; read anew if a shard was replaced."""
        folder = self.root / cohort / model
        index = self._indexes.pop((cohort, model), Index())
        if not all(self._continues(path) for path in list(self._seen) if path.parent == folder):
            self.forget(cohort, model)
            index = Index()
        try:
            for path in sorted(folder.glob("*.jsonl")):
                self._read_on(path, index)
        except BaseException:
            self.forget(cohort, model)
            raise
        self._indexes[cohort, model] = index
        return index

    def _continues(self, path: Path) -> bool:
        """Whether a shard still begins with what was read of it."""
        inode, end, _, last = self._seen[path]
        if not path.exists():
            return False
        with path.open("rb") as stream:
            stream.seek(end - len(last))
            return os.fstat(stream.fileno()).st_ino == inode and stream.read(len(last)) == last

    def _read_on(self, path: Path, index: Index) -> None:
        with path.open("rb") as stream:
            seen = self._seen.get(path) or _Seen(os.fstat(stream.fileno()).st_ino)
            stream.seek(seen.end)
            data = stream.read()
        parsed = parse(data, path, seen.lines)
        if not seen.end:  # later on, an open last line is one that another process is writing
            _warn_torn(path, parsed.torn)
        for record in parsed.records:
            index.add(record, path)
        if parsed.end:
            closed = data[: parsed.end]
            last = closed[closed.rfind(b"\n", 0, -1) + 1 :]
            self._seen[path] = _Seen(
                seen.inode, seen.end + parsed.end, seen.lines + closed.count(b"\n"), last
            )

    def forget(self, cohort: str, model: str) -> None:
        """Read the shards of a cohort and model anew when next asked."""
        self._indexes.pop((cohort, model), None)
        folder = self.root / cohort / model
        self._seen = {path: seen for path, seen in self._seen.items() if path.parent != folder}

    def append(self, record: Record, model: str) -> Record:
        """Add a record, unless another process did so meanwhile; returns the one that is held.

        The lock is held over one look at what others appended and one write, so the first of two
        writers of a slot is kept and the second writes nothing.

        Raises:
            ConflictingRecordings: the record contradicts one that is held; nothing is written.
        """
        path = self.shard(record.slot, model)
        with locked(path):
            index = self.catch_up(record.slot.cohort, model)
            held = index.check(record, path, "nothing was written; run again to use what is recorded")
            if held is None:
                _write_line(path, to_line(record))
                index.add(record, path)
        return held or record

    def tidy(self, cohort: str, model: str, experiment: str) -> None:
        """Sort a shard by key, so that a committed file does not depend on the order of calls.

        Raises:
            ConflictingRecordings: the shard contradicts itself; it stays as it is.
        """
        path = self.root / cohort / model / f"{experiment}.jsonl"
        if path.exists():
            with locked(path):
                write_shard(path, read_whole(path))


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
        _write_line(path, line)


def _write_line(path: Path, line: str) -> None:
    data = to_bytes(line)
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
    try:
        _mend_tail(path, handle)
        size = os.fstat(handle).st_size
        if os.write(handle, data) < len(data):
            os.ftruncate(handle, size)
            raise MedagentsError(f"{path}: no room for a record of {len(data)} bytes; free space, run again")
    finally:
        os.close(handle)


def _mend_tail(path: Path, handle: int) -> None:
    """Close an open last line, which under the lock can only be a dead writer's: a whole record gets
    its newline, anything else is cut off and reported.
    """
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        data = path.read_bytes()
        kept = data.rfind(b"\n") + 1
        if parse(data[kept:], path).torn is None:
            os.write(handle, b"\n")
        else:
            warnings.warn(f"{path}: torn last line cut off ({size - kept} bytes)", stacklevel=3)
            os.ftruncate(handle, kept)


def write_shard(path: Path, records: Iterable[Record]) -> None:
    """Replace a shard by these records, sorted by key then slot, in one atomic step.

    Raises:
        ConflictingRecordings: the records contradict each other; the shard stays as it is.
    """
    index = Index()
    for record in records:
        index.add(record, path)
    draft = path.with_suffix(".draft")
    with draft.open("wb") as stream:
        stream.writelines(to_bytes(to_line(record)) for record in sorted(index.by_slot.values(), key=_place))
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


def _place(record: Record) -> tuple[Any, ...]:
    slot = record.slot
    return record.key, slot.condition, slot.case, slot.agent, slot.turn, slot.repeat


def merge(sources: Iterable[Path], target: Path) -> int:
    """Merge shards into one, without loss; returns how many records the target then holds.

    Raises:
        MedagentsError: a source is absent or damaged; the target is untouched.
        ConflictingRecordings: two sources contradict each other; the target is untouched.
    """
    index = Index()
    with locked(target):
        for path in [*sources, *([target] if target.exists() else [])]:
            for record in read_whole(path):
                index.add(record, path)
        write_shard(target, index.by_slot.values())
    return len(index.by_slot)


def shards(root: Path = paths.RECORDINGS) -> Iterator[tuple[str, str, str, Path]]:
    """(cohort, model, experiment, file) of every shard, in order."""
    for path in sorted(root.glob("*/*/*.jsonl")):
        yield path.parent.parent.name, path.parent.name, path.stem, path


def changed_fields(record: Record, request: Request) -> list[str]:
    """Fields in which a request differs from the recorded one."""
    now, then = parts(canonical(request)), record.field_digests()
    return sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))
