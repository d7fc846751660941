"""Asks a model, or the recordings in its place: the one way an experiment gets a reply.

Modes: `replay` never calls (a miss is an error naming the command that would fill it), `record`
fills misses, `refresh` asks again and replaces. In no mode is a slot whose request changed
silently asked anew: that is `StaleRecording`, the defect the first paper reports of its own cache
(section 4.6).
"""

import logging
import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from medagents.keys import canonical, key_of
from medagents.quotation import without_quotations
from medagents.recordings import (
    Record,
    ReplayMiss,
    StaleRecording,
    Store,
    append_line,
    changed_fields,
    locked,
    make_record,
    read_whole,
    same_reply,
    to_line,
    write_shard,
)
from medagents.types import MedagentsError, Model, Provenance, Reply, Request, Slot, Status

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

    `publishable` says whether request texts may be stored; where not, quotations of the request are
    cut out of replies too (`quotation`). `calls` counts calls made, `used` the
    keys handed out (for `recordings verify`).
    """

    def __init__(
        self, model: Model, store: Store, mode: Mode = Mode.REPLAY, publishable: bool = True
    ) -> None:
        self.model, self.store, self.mode, self.publishable = model, store, mode, publishable
        self.calls = 0
        self.used: dict[Slot, str] = {}
        self._drafts: dict[Path, _Draft] = {}

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record for a slot. Slots with one and the same request share one reply.

        Raises:
            ReplayMiss: replaying, and the slot was never recorded.
            StaleRecording: the slot was recorded with another request.
            ModelDrift: the reply comes from another model.
            ConflictingRecordings: another process recorded another reply meanwhile.
        """
        key = key_of(canonical(request))
        if self.mode is Mode.REFRESH:
            record = self._refresh(slot, request, key)
        else:
            record = self._recorded(slot, request, key) or self._record(slot, request, key)
        self.used[slot] = key
        return record

    def _recorded(self, slot: Slot, request: Request, key: str) -> Record | None:
        record = self.store.index(slot.cohort, self.model.name).by_slot.get(slot)
        if record is None and self.mode is Mode.REPLAY:
            raise ReplayMiss(
                f"no recording of {slot.cohort} case {slot.case}, {slot.condition} by {self.model.name}; "
                f"make it with: {command(slot, self.model.name, 'record')}"
            )
        if record is None:
            record = self.store.catch_up(slot.cohort, self.model.name).by_slot.get(slot)
        if record and record.key != key:
            raise StaleRecording(self._stale(record, request))
        return record

    def _record(self, slot: Slot, request: Request, key: str) -> Record:
        twin = self.store.index(slot.cohort, self.model.name).by_key.get(key)
        reply = twin.reply if twin else self._call(slot, request)
        return self.store.append(make_record(slot, request, reply, self.publishable), self.model.name)

    def _refresh(self, slot: Slot, request: Request, key: str) -> Record:
        path = refreshing(self.store.shard(slot, self.model.name))
        if path not in self._drafts:
            self._drafts[path] = _Draft(read_whole(path) if path.exists() else [])
        draft = self._drafts[path]
        record = draft.by_slot.get(slot)
        if record is None or record.key != key:
            reply = draft.replies.get(key) or self._call(slot, request)
            record = make_record(slot, request, reply, self.publishable)
            append_line(path, to_line(record))
            draft.add(record)
        return record

    def _call(self, slot: Slot, request: Request) -> Reply:
        try:
            reply = self.model.complete(request)
        except Exception:
            log.error("call failed: %s", slot)
            raise
        self.calls += 1
        if reply.provenance is Provenance.LIVE and not same_model(request.model, reply.model_returned):
            raise ModelDrift(f"asked {request.model}, answered by {reply.model_returned}; reply not stored")
        if reply.status is Status.ERROR:
            log.error("call failed: %s", slot)
            raise MedagentsError(
                f"case {slot.case}, {slot.condition}: the call failed; nothing stored, run again"
            )
        return reply if self.publishable else unquoted(reply, request)

    def finish(self, cohort: str, experiment: str) -> None:
        """Close a run: sort the shards, and put refreshed replies in place of the old ones.

        A refreshed reply also replaces the old one of the same request in other experiments.
        """
        path = self.store.root / cohort / self.model.name / f"{experiment}.jsonl"
        if self.mode is Mode.RECORD:  # a cascade may also have recorded its peers' arguments
            for shard in sorted(path.parent.glob("*.jsonl")):
                self.store.tidy(cohort, self.model.name, shard.stem)
        elif self.mode is Mode.REFRESH and refreshing(path).exists():
            draft = _Draft(read_whole(refreshing(path)))
            for other in sorted(path.parent.glob("*.jsonl")):
                if other != path:
                    self._pass_on(draft, other)
            with locked(path):
                old = {record.slot: record for record in read_whole(path)} if path.exists() else {}
                write_shard(path, draft.renewed((old | draft.by_slot).values()))
                refreshing(path).unlink()
            self._drafts.pop(refreshing(path), None)
            self.store.forget(cohort, self.model.name)

    def _pass_on(self, draft: "_Draft", shard: Path) -> None:
        with locked(shard):
            old = read_whole(shard)
            new = draft.renewed(old)
            changed = [record for record, was in zip(new, old, strict=True) if record is not was]
            if changed:
                write_shard(shard, new)
                log.warning(
                    "%s: %d replies replaced, their requests being the same; write its rows anew with: %s",
                    shard,
                    len(changed),
                    command(changed[0].slot, self.model.name, "record"),
                )

    def _stale(self, record: Record, request: Request) -> str:
        slot = record.slot
        return (
            f"{slot.cohort} case {slot.case}, {slot.condition} was recorded with another request; changed: "
            f"{', '.join(changed_fields(record, request))}; ask anew with: "
            f"{command(slot, self.model.name, 'refresh')}"
        )


class _Draft:
    """Replies of a refresh so far, also those of a run that was interrupted."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.by_slot: dict[Slot, Record] = {}
        self.replies: dict[str, Reply] = {}
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        self.by_slot[record.slot] = record
        self.replies[record.key] = record.reply

    def renewed(self, records: Iterable[Record]) -> list[Record]:
        """Records with the refreshed reply, where their request was asked and said something else."""
        return [
            record
            if same_reply(self.replies.get(record.key, record.reply), record.reply)
            else replace(record, reply=self.replies[record.key])
            for record in records
        ]


def unquoted(reply: Reply, request: Request) -> Reply:
    """The reply without what it quotes of its own request."""
    read = "\n".join(message.text for message in request.messages)
    return replace(reply, text=without_quotations(reply.text, read) if reply.text else reply.text)


def same_model(asked: str, returned: str) -> bool:
    """Whether a model's returned name is the one asked, or that with a version number or date.

    A shared beginning is not enough: `gpt-4o-mini` is no version of `gpt-4o`.
    """
    return re.fullmatch(re.escape(asked) + r"([-@]\d[\d-]*)?", returned) is not None


def refreshing(shard: Path) -> Path:
    """Where a refresh keeps its replies until it is finished; the shard stands untouched till then."""
    return shard.with_suffix(".refreshing")


def command(slot: Slot, model: str, mode: str) -> str:
    """The command line that would record a slot's experiment."""
    return f"python -m medagents {mode} --experiment {slot.experiment} --cohort {slot.cohort} --model {model}"
