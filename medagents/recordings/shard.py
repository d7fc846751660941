"""The files of the recordings: one line a call, read as a stream, appended in one locked write."""

import fcntl
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from medagents import paths
from medagents.recordings.index import Index
from medagents.recordings.record import Record, from_line, wrong_key
from medagents.types import MedagentsError


class Line(NamedTuple):
    """A line as it stands in a shard; `record` is None where the last line ends before its JSON does."""

    data: bytes
    record: Record | None


def scan(stream: BinaryIO, path: Path, before: int = 0) -> Iterator[Line]:
    """Read on in a shard, of which `before` lines are read.

    A last line that lacks only its newline is a record like the others.

    Raises:
        MedagentsError: a damaged line that is not a torn last one.
    """
    for number, data in enumerate(stream, before + 1):
        try:
            record = from_line(data.decode())
        except (ValueError, KeyError, TypeError) as error:
            if not torn(data):
                raise MedagentsError(
                    f"{path}:{number}: damaged recording ({error}); restore the line from version control"
                ) from error
            record = None
        yield Line(data, record)


def torn(data: bytes) -> bool:
    """Whether a line that is no record may be the beginning of one: it has no newline, and is no JSON."""
    with suppress(ValueError):
        json.loads(data)
        return False
    return not data.endswith(b"\n")


def read_shard(path: Path) -> tuple[list[Record], str | None]:
    """All records of a shard, and its torn last line if it has one.

    Raises:
        MedagentsError: no such shard, or a damaged line that is not a torn last one.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such shard; check the path")
    records, torn = [], None
    with path.open("rb") as stream:
        for data, record in scan(stream, path):
            if record is None:
                torn = data.decode(errors="replace")
            else:
                records.append(record)
    return records, torn


def records_of(path: Path) -> Iterator[Record]:
    """The records of a shard one after another; warns of a torn last line.

    Raises:
        MedagentsError: no such shard, or a damaged line that is not a torn last one.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such shard; check the path")
    with path.open("rb") as stream:
        for data, record in scan(stream, path):
            if record is None:
                warn_torn(path, data)
            else:
                yield record


def warn_torn(path: Path, data: bytes) -> None:
    """Say that a torn last line is not read."""
    size = len(data.decode(errors="replace"))
    warnings.warn(f"{path}: torn last line left out ({size} characters)", stacklevel=3)


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


class Written(NamedTuple):
    """Where in its shard a line begins, and the state of the file after it."""

    begin: int
    state: os.stat_result


def refreshing(shard: Path) -> Path:
    """Where a refresh keeps its replies until it is finished; the shard stands untouched till then."""
    return shard.with_suffix(".refreshing")


def write_line(path: Path, data: bytes) -> Written:
    """Append one line in a single write; the caller holds the shard's lock.

    Raises:
        MedagentsError: the disk is full; the shard is as it was.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
    try:
        _mend_tail(path, handle)
        size = os.fstat(handle).st_size
        if os.write(handle, data) < len(data):
            os.ftruncate(handle, size)
            raise MedagentsError(f"{path}: no room for a record of {len(data)} bytes; free space, run again")
        return Written(size, os.fstat(handle))
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
        try:
            from_line(data[kept:].decode())
        except (ValueError, KeyError, TypeError):
            warnings.warn(f"{path}: torn last line cut off ({size - kept} bytes)", stacklevel=3)
            os.ftruncate(handle, kept)
        else:
            os.write(handle, b"\n")


def write_shard(path: Path, records: Iterable[Record]) -> None:
    """Replace a shard by these records, sorted by key then slot, in one atomic step.

    Raises:
        ConflictingRecordings: the records contradict each other; the shard stays as it is.
    """
    index = Index(room=0)
    for record in records:
        index.add(record, path)
    _replace(path, index.sorted_lines())


def _replace(path: Path, lines: Iterable[bytes]) -> None:
    draft = path.with_suffix(".draft")
    with draft.open("wb") as stream:
        stream.writelines(lines)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


def merge(sources: Iterable[Path], target: Path) -> int:
    """Merge shards into one, without loss; returns how many records the target then holds.

    Raises:
        MedagentsError: a source is absent, damaged or empty, or a key is not that of its request; the target
            is untouched.
        ConflictingRecordings: two sources contradict each other; the target is untouched.
    """
    index = Index(room=0)
    count = 0

    def take(path: Path) -> tuple[int, int]:
        """How many records a shard holds, and how many of them are new."""
        held = new = 0
        for record in records_of(path):
            if fault := wrong_key(record):
                raise MedagentsError(f"{path}: case {record.slot.case}, {record.slot.condition}: {fault}")
            new += index.add(record, path)
            held += 1
        return held, new

    for path in sources:  # before the lock, whose file would be left beside a target that is never made
        held, new = take(path)
        if not held:
            raise MedagentsError(f"{path}: holds no recordings; check the path")
        count += new
    with locked(target):
        count += take(target)[1] if target.exists() else 0
        _replace(target, index.sorted_lines())
    return count


def shards(root: Path = paths.RECORDINGS) -> Iterator[tuple[str, str, str, Path]]:
    """(cohort, model, experiment, file) of every shard, in order."""
    for path in sorted(root.glob("*/*/*.jsonl")):
        yield path.parent.parent.name, path.parent.name, path.stem, path
