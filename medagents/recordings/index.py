"""Records by slot and by key: those read first in memory, the others in a temporary file.

A run of 100,000 calls must not hold 100,000 records, though each of them may be looked up again. So what
a process adds goes to a temporary table of SQLite, which takes a few megabytes of memory however long it
grows, and is gone with the process. What a replay looks up stays in memory, up to a number of records.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any, TypeVar

from medagents.keys import to_bytes
from medagents.recordings.record import ConflictingRecordings, Record, from_line, same_reply, to_line
from medagents.types import Slot

IN_MEMORY = 25_000
"""Records of an index that stay in memory: about 125 MB of them."""

PLACE = ("case", "condition", "agent", "turn", "repeat", "experiment", "cohort")
"""Columns that tell where a record belongs: the fields of its slot."""

SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -4096;
CREATE TABLE held ("case", condition, agent, turn, repeat, experiment, cohort, key, line,
    UNIQUE ("case", condition, agent, turn, repeat, experiment, cohort));
CREATE INDEX held_by_key ON held (key);
BEGIN;
"""
"""4 MB of the table in memory. The transaction is never closed: to close one for each record costs most
of the time, and nobody else reads the table."""

K = TypeVar("K")
_values = attrgetter(*PLACE)


def _place(slot: Slot) -> tuple[Any, ...]:
    """Fields of a slot as SQLite takes them: it refuses texts with half of a surrogate pair."""
    values = _values(slot)
    return tuple(
        value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value for value in values
    )


class _Table:
    """Lines of records in a temporary file, made when the first is put in. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was put in yet."""
        return self._connection is None

    def put(self, record: Record, line: bytes) -> None:
        """Take a record in, in the place of one of the same slot."""
        with self._lock:
            if self._connection is None:
                self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
                self._connection.executescript(SCHEMA)
            row = (*_place(record.slot), record.key, line)
            self._connection.execute(f"INSERT OR REPLACE INTO held VALUES ({', '.join('?' * len(row))})", row)

    def first(self, query: str, *values: Any) -> Any:
        """The first value that a query finds; None if nothing."""
        if self._connection is None:
            return None
        with self._lock:
            row = self._connection.execute(query, values).fetchone()
        return row and row[0]

    def lines(self, which: str = "ORDER BY rowid") -> Iterator[bytes]:
        """Lines one after another; nothing may be put in meanwhile."""
        if self._connection is not None:
            for (line,) in self._connection.execute(f"SELECT line FROM held {which}"):
                yield line


class _View(Mapping[K, Record]):
    """Records by one of their attributes, wherever they are."""

    def __init__(
        self, table: _Table, name: str, where: str, values: Callable[[K], tuple[Any, ...]], each: str
    ) -> None:
        self.near: dict[K, Record] = {}
        self._table, self._name, self._values, self._each = table, name, values, each
        self._query = f"SELECT line FROM held WHERE {where}"

    def get(self, key: K, default: Any = None) -> Any:
        """The record, else `default`: of the two ways to look up the cheaper where most are not there."""
        found = self.near.get(key)
        if found is not None or self._table.empty:
            return default if found is None else found
        line = self._table.first(self._query, *self._values(key))
        return default if line is None else from_line(line.decode())

    def __getitem__(self, key: K) -> Record:
        found: Record | None = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __iter__(self) -> Iterator[K]:
        yield from self.near
        for line in self._table.lines(self._each):
            key = getattr(from_line(line.decode()), self._name)
            if key not in self.near:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Index:
    """Records by slot and by key; refuses a record that contradicts one it holds.

    Threads may share it; a process made by fork needs its own.

    Args:
        room: how many records stay in memory.
    """

    def __init__(self, room: int = IN_MEMORY) -> None:
        self._room, self._table = room, _Table()
        where = " AND ".join(f'"{column}" = ?' for column in PLACE)
        self._by_slot = _View(self._table, "slot", where, _place, "ORDER BY rowid")
        self._by_key: _View[str] = _View(
            self._table, "key", "key = ? LIMIT 1", lambda key: (key,), "GROUP BY key"
        )

    @property
    def by_slot(self) -> Mapping[Slot, Record]:
        """The record of each slot."""
        return self._by_slot

    @property
    def by_key(self) -> Mapping[str, Record]:
        """A record of each key: there may be several slots with one request."""
        return self._by_key

    def check(self, record: Record, source: object, remedy: str = "") -> Record | None:
        """The record held for the same slot, None if there is none.

        Raises:
            ConflictingRecordings: another reply to its key, or another request for its slot.
        """
        where = f"{source}: case {record.slot.case}, {record.slot.condition}"
        placed: Record | None = self._by_slot.get(record.slot)
        held: Record | None = self._by_key.get(record.key)
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
        if len(self._by_slot.near) < self._room:
            self._by_slot.near[record.slot] = record
            self._by_key.near.setdefault(record.key, record)
        else:
            self.put(record)
        return True

    def put(self, record: Record, line: bytes | None = None) -> None:
        """Take a record in unchecked, out of memory, in the place of one of the same slot.

        `line` is what stands in the shard, where it is known.
        """
        self._by_slot.near.pop(record.slot, None)
        self._table.put(record, line or to_bytes(to_line(record)))

    def records(self) -> Iterator[Record]:
        """Every record; none may be taken in meanwhile."""
        yield from self._by_slot.near.values()
        yield from (from_line(line.decode()) for line in self._table.lines())

    def sorted_lines(self) -> Iterator[bytes]:
        """The lines of all records out of memory, sorted by key, then slot."""
        return self._table.lines('ORDER BY key, condition, "case", agent, turn, repeat')
