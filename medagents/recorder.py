"""Asks a model, or the recordings in its place: the one way an experiment gets a reply.

Modes: `replay` never calls (a miss is an error naming the command that would fill it), `record`
fills misses, `refresh` asks again and replaces. In no mode is a slot whose request changed
silently asked anew: that is `StaleRecording`, the defect the first paper reports of its own cache
(section 4.6).
"""

import logging
from enum import StrEnum
from pathlib import Path

from medagents.keys import canonical, key_of
from medagents.recordings import (
    Record,
    ReplayMiss,
    StaleRecording,
    Store,
    append_line,
    changed_fields,
    locked,
    make_record,
    read_shard,
    to_line,
    write_shard,
)
from medagents.types import MedagentsError, Model, Provenance, Request, Slot, Status

log = logging.getLogger(__name__)


class Mode(StrEnum):
    """Whether the recordings or the model answers."""

    REPLAY = "replay"
    RECORD = "record"
    REFRESH = "refresh"


class ModelDrift(MedagentsError):
    """Another model answered than the one asked; the reply is not stored."""


class Recorder:
    """Replies for the slots of one model, from a store and, outside replay, from the model.

    `publishable` says whether request texts may be stored. `calls` counts calls made, `used` the
    keys handed out (for `recordings verify`).
    """

    def __init__(
        self, model: Model, store: Store, mode: Mode = Mode.REPLAY, publishable: bool = True
    ) -> None:
        self.model, self.store, self.mode, self.publishable = model, store, mode, publishable
        self.calls = 0
        self.used: dict[Slot, str] = {}
        self._refreshed: dict[Path, dict[Slot, Record]] = {}

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record for a slot.

        Raises:
            ReplayMiss: replaying, and the slot was never recorded.
            StaleRecording: the slot was recorded with another request.
            ModelDrift: the reply comes from another model.
        """
        key = key_of(canonical(request))
        index = self.store.index(slot.cohort, self.model.name)
        record = index.by_slot.get(slot)
        if self.mode is Mode.REFRESH:
            record = self._fresh(slot).get(slot)
            record = record if record and record.key == key else self._call(slot, request)
        elif record and record.key != key:
            raise StaleRecording(self._stale(record, request))
        elif record is None and (twin := index.by_key.get(key)) and self.mode is Mode.RECORD:
            record = Record(key, slot, twin.reply, twin.request, twin.parts)
            self.store.append(record, self.model.name)
        elif record is None and self.mode is Mode.REPLAY:
            raise ReplayMiss(
                f"no recording of {slot.cohort} case {slot.case}, {slot.condition} by {self.model.name}; "
                f"make it with: {command(slot, self.model.name, 'record')}"
            )
        elif record is None:
            record = self._call(slot, request)
        self.used[slot] = key
        return record

    def _call(self, slot: Slot, request: Request) -> Record:
        reply = self.model.complete(request)
        self.calls += 1
        if reply.provenance is Provenance.LIVE and not reply.model_returned.startswith(request.model):
            raise ModelDrift(f"asked {request.model}, answered by {reply.model_returned}; reply not stored")
        if reply.status is Status.ERROR:
            log.error("call failed: %s", slot)
            raise MedagentsError(
                f"case {slot.case}, {slot.condition}: the call failed; nothing stored, run again"
            )
        record = make_record(slot, request, reply, self.publishable)
        if self.mode is Mode.REFRESH:
            append_line(refreshing(self.store.shard(slot, self.model.name)), to_line(record))
            self._fresh(slot)[slot] = record
        else:
            self.store.append(record, self.model.name)
        return record

    def _fresh(self, slot: Slot) -> dict[Slot, Record]:
        """Replies of this refresh so far, also those of a run that was interrupted."""
        path = refreshing(self.store.shard(slot, self.model.name))
        if path not in self._refreshed:
            records = read_shard(path)[0] if path.exists() else []
            self._refreshed[path] = {record.slot: record for record in records}
        return self._refreshed[path]

    def finish(self, cohort: str, experiment: str) -> None:
        """Close a run: sort the shard, and put refreshed replies in place of the old ones."""
        path = self.store.root / cohort / self.model.name / f"{experiment}.jsonl"
        draft = refreshing(path)
        if self.mode is Mode.REFRESH and draft.exists():
            with locked(path):
                old = read_shard(path)[0] if path.exists() else []
                fresh = {record.slot: record for record in read_shard(draft)[0]}
                write_shard(path, ({record.slot: record for record in old} | fresh).values())
                draft.unlink()
        elif self.mode is Mode.RECORD:
            self.store.tidy(cohort, self.model.name, experiment)

    def _stale(self, record: Record, request: Request) -> str:
        slot = record.slot
        return (
            f"{slot.cohort} case {slot.case}, {slot.condition} was recorded with another request; changed: "
            f"{', '.join(changed_fields(record, request))}; ask anew with: "
            f"{command(slot, self.model.name, 'refresh')}"
        )


def refreshing(shard: Path) -> Path:
    """Where a refresh keeps its replies until it is finished; the shard stands untouched till then."""
    return shard.with_suffix(".refreshing")


def command(slot: Slot, model: str, mode: str) -> str:
    """The command line that would record a slot's experiment."""
    return f"python -m medagents {mode} --experiment {slot.experiment} --cohort {slot.cohort} --model {model}"
