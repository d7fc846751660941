"""The recordings below one folder: looked up, and appended to beside other processes that do the same."""

import os
import threading
from pathlib import Path
from typing import NamedTuple

from medagents import paths
from medagents.keys import to_bytes
from medagents.recordings.index import Index
from medagents.recordings.record import Record, to_line
from medagents.recordings.shard import (
    Written,
    locked,
    records_of,
    refreshing,
    scan,
    warn_torn,
    write_line,
    write_shard,
)
from medagents.threads import Once
from medagents.types import Slot

_State = tuple[int, int, int]
"""Inode, size and time of a file: as long as these are the same, nothing was written to it."""


def _state(stat: os.stat_result) -> _State:
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


class _Seen(NamedTuple):
    """How far a shard was read: its state then, bytes and lines, and the last of these lines."""

    state: _State
    end: int = 0
    lines: int = 0
    last: bytes = b""

    def continues(self, path: Path) -> bool:
        """Whether a shard still begins with what was read of it."""
        with path.open("rb") as stream:
            stream.seek(self.end - len(self.last))
            same = os.fstat(stream.fileno()).st_ino == self.state[0]
            return same and stream.read(len(self.last)) == self.last


class _Folder:
    """What was read of one cohort and model: its records, and how far each shard was read."""

    def __init__(self) -> None:
        self.index = Index()
        self.seen: dict[str, _Seen] = {}

    def read_on(self, path: Path) -> None:
        """Take in what a shard holds beyond what was read of it."""
        with path.open("rb") as stream:
            held = self.seen.get(path.name)
            state = _state(os.fstat(stream.fileno()))
            _, end, lines, last = held or _Seen(state)
            stream.seek(end)
            for data, record in scan(stream, path, lines):
                if record is not None:
                    self.index.add(record, path)
                elif held is None:  # later on, an open last line is one that another process is writing
                    warn_torn(path, data)
                if data.endswith(b"\n"):
                    end, lines, last = end + len(data), lines + 1, data
            self.seen[path.name] = _Seen(state, end, lines, last)

    def wrote(self, record: Record, path: Path, line: bytes, written: Written) -> None:
        """Take in a line of one's own, which need not be read again if all before it was read."""
        self.index.put(record, line)
        seen = self.seen.get(path.name) or _Seen(_state(written.state))
        if written.begin == seen.end:
            end = seen.end + len(line)
            self.seen[path.name] = _Seen(_state(written.state), end, seen.lines + 1, line)


class Store:
    """The recordings below one folder, read shard by shard as they are asked for.

    Threads may share a store, and several recorders too; a process made by fork needs its own. `once`
    knows the calls that are being made; while `stopped` is set, no other call is begun. `written` names
    the shards that got another line or reply.
    """

    def __init__(self, root: Path = paths.RECORDINGS) -> None:
        self.root = root
        self.once: Once[Record] = Once()
        self.stopped = threading.Event()
        self.written: set[Path] = set()
        self._lock = threading.RLock()
        self._folders: dict[tuple[str, str], _Folder] = {}
        self._drafts: dict[Path, Index] = {}

    def shard(self, slot: Slot, model: str) -> Path:
        """File that holds a slot's record."""
        return self.root / slot.cohort / model / f"{slot.experiment}.jsonl"

    def index(self, cohort: str, model: str) -> Index:
        """Every record of one cohort and model, over all experiments, as first read."""
        held = self._folders.get((cohort, model))
        return self.catch_up(cohort, model) if held is None else held.index

    def catch_up(self, cohort: str, model: str) -> Index:
        """The index, with what other processes appended since; read anew if a shard was replaced."""
        with self._lock:
            return self._caught_up(cohort, model).index

    def _caught_up(self, cohort: str, model: str) -> _Folder:
        place = self.root / cohort / model
        folder = self._folders.pop((cohort, model), None) or _Folder()  # put back if all could be read
        states = _states(place)
        seen = folder.seen
        changed = [name for name in states if name not in seen or states[name] != seen[name].state]
        known = [name for name in changed if name in seen]
        if not (seen.keys() <= states.keys() and all(seen[name].continues(place / name) for name in known)):
            folder, changed = _Folder(), list(states)
        for name in sorted(changed):
            folder.read_on(place / name)
        self._folders[cohort, model] = folder
        return folder

    def forget(self, cohort: str, model: str) -> None:
        """Read the shards of a cohort and model anew when next asked, and what a refresh has of them."""
        with self._lock:
            self._folders.pop((cohort, model), None)
            place = self.root / cohort / model
            self._drafts = {path: draft for path, draft in self._drafts.items() if path.parent != place}

    def append(self, record: Record, model: str) -> Record:
        """Add a record, unless another process did so meanwhile; returns the one that is held.

        The lock is held over one look at what others appended and one write, so the first of two
        writers of a slot is kept and the second writes nothing.

        Raises:
            ConflictingRecordings: the record contradicts one that is held; nothing is written.
        """
        path = self.shard(record.slot, model)
        with self._lock, locked(path):
            folder = self._caught_up(record.slot.cohort, model)
            remedy = "nothing was written; run again to use what is recorded"
            held = folder.index.check(record, path, remedy)
            if held is None:
                line = to_bytes(to_line(record))
                folder.wrote(record, path, line, write_line(path, line))
                self.written.add(path)
        return held or record

    def draft(self, slot: Slot, model: str) -> Index:
        """Replies so far of a refresh of a slot's shard, also of one that was interrupted."""
        path = refreshing(self.shard(slot, model))
        with self._lock:
            if path not in self._drafts:
                self._drafts[path] = last_of(path)
            return self._drafts[path]

    def redo(self, record: Record, model: str) -> Record:
        """Add a record to the refresh of its shard, unless it is there; returns the one that is held."""
        path = refreshing(self.shard(record.slot, model))
        with self._lock, locked(path):
            draft = self.draft(record.slot, model)
            held = draft.by_slot.get(record.slot)
            if held is None or held.key != record.key:
                line = to_bytes(to_line(record))
                write_line(path, line)
                draft.put(record, line)
                held = record
        return held

    def tidy(self, cohort: str, model: str, experiment: str) -> None:
        """Sort a shard by key, so that a committed file does not depend on the order of calls.

        Raises:
            ConflictingRecordings: the shard contradicts itself; it stays as it is.
        """
        path = self.root / cohort / model / f"{experiment}.jsonl"
        if path.exists():
            with locked(path):
                write_shard(path, records_of(path))


def last_of(path: Path) -> Index:
    """The records of a file, if there is one; of those of one slot the last."""
    index = Index(room=0)
    for record in records_of(path) if path.exists() else ():
        index.put(record)
    return index


def _states(folder: Path) -> dict[str, _State]:
    """Name and state of each shard in a folder; none if there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: _state(entry.stat()) for entry in entries if entry.name.endswith(".jsonl")}
    except FileNotFoundError:
        return {}
