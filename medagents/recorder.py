"""Asks a model, or the recordings in its place: the one way an experiment gets a reply.

Modes: `replay` never calls (a miss is an error naming the command that would fill it), `record`
fills misses, `refresh` asks again and replaces. In no mode is a slot whose request changed
silently asked anew: that is `StaleRecording`, the defect the first paper reports of its own cache
(section 4.6).
"""

import logging
import re
import threading
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from medagents import plants, prompts
from medagents.budget import BudgetReached
from medagents.keys import canonical, key_of
from medagents.quotation import without_quotations
from medagents.recordings import (
    Index,
    Record,
    ReplayMiss,
    StaleRecording,
    Store,
    change,
    changed_fields,
    last_of,
    locked,
    make_record,
    records_of,
    refreshing,
    same_reply,
    write_shard,
)
from medagents.threads import Stopped
from medagents.types import MedagentsError, Model, Provenance, Reply, Request, Slot, Status, Transport

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

    Threads may share a recorder, and several recorders a store: a request is asked once however many
    slots and threads want its reply. `publishable` says whether request texts may be stored; where not,
    quotations of the request are cut out of replies too (`quotation`). `calls` counts calls made.
    """

    def __init__(
        self, model: Model, store: Store, mode: Mode = Mode.REPLAY, publishable: bool = True
    ) -> None:
        self.model, self.store, self.mode, self.publishable = model, store, mode, publishable
        self.calls = 0
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(self.concurrency)

    @property
    def concurrency(self) -> int:
        """How many calls are made at a time: what the model's transport allows, 1 for an engine in this
        process. A replay, which makes none, is fastest with one thread.
        """
        transport: Transport | None = getattr(self.model, "transport", None)
        return transport.concurrency if transport and self.mode is not Mode.REPLAY else 1

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record for a slot. Slots with one and the same request share one reply.

        Raises:
            ReplayMiss: replaying, and the slot was never recorded.
            StaleRecording: the slot was recorded with another request.
            ModelDrift: the reply comes from another model.
            Stopped: another thread's error ends the run (`Store.stopped`), and the slot is not recorded.
            ConflictingRecordings: another process recorded another reply meanwhile.
        """
        key = key_of(canonical(request))
        if self.mode is Mode.REFRESH:
            return self._refresh(slot, request, key)
        return self._recorded(slot, request, key) or self._record(slot, request, key)

    def _recorded(self, slot: Slot, request: Request, key: str) -> Record | None:
        record = self.store.index(slot.cohort, self.model.name).by_slot.get(slot)
        if record is None and self.mode is Mode.REPLAY:
            raise ReplayMiss(self._missing(slot))
        if record is None:
            record = self.store.catch_up(slot.cohort, self.model.name).by_slot.get(slot)
        if record and record.key != key:
            raise StaleRecording(self._stale(record, request))
        return record

    def _record(self, slot: Slot, request: Request, key: str) -> Record:
        cohort, model = slot.cohort, self.model.name

        def keep(reply: Reply) -> Record:
            return self.store.append(make_record(slot, request, reply, self.publishable), model)

        twin = self.store.once(
            (cohort, model, key),
            held=lambda: self.store.index(cohort, model).by_key.get(key),
            make=lambda: keep(self._call(slot, request)),
        )
        return twin if twin.slot == slot else keep(twin.reply)

    def _refresh(self, slot: Slot, request: Request, key: str) -> Record:
        model = self.model.name
        draft = self.store.draft(slot, model)

        def held() -> Record | None:
            own = draft.by_slot.get(slot)
            return own if own and own.key == key else draft.by_key.get(key)

        def keep(reply: Reply) -> Record:
            return self.store.redo(make_record(slot, request, reply, self.publishable), model)

        twin = self.store.once(
            (self.store.shard(slot, model), key), held, make=lambda: keep(self._call(slot, request))
        )
        return twin if twin.slot == slot else keep(twin.reply)

    def _call(self, slot: Slot, request: Request) -> Reply:
        with self._places:
            if self.store.stopped.is_set():
                raise Stopped(f"{where(slot)}: not asked, since the run ends; run again")
            try:
                reply = self.model.complete(request)
            except MedagentsError as error:
                if not isinstance(error, BudgetReached):  # then no call was made
                    log.error("call failed: %s", slot)
                raise named(error, slot) from error
            except Exception as error:
                log.error("call failed: %s", slot)
                error.add_note(where(slot))
                raise
        with self._lock:
            self.calls += 1
        if reply.provenance is Provenance.LIVE and not same_model(request.model, reply.model_returned):
            raise ModelDrift(
                f"{where(slot)}: asked {request.model}, answered by {reply.model_returned}; reply not stored"
            )
        if reply.status is Status.ERROR:
            log.error("call failed: %s", slot)
            raise MedagentsError(f"{where(slot)}: the call failed; nothing stored, run again")
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
            draft = last_of(refreshing(path))
            for other in sorted(path.parent.glob("*.jsonl")):
                if other != path:
                    self._pass_on(draft, other)
            with locked(path):
                whole = last_of(path)
                for record in draft.records():
                    whole.put(record)
                write_shard(path, (renewed(draft, record) for record in whole.records()))
                self.store.written.add(path)
                refreshing(path).unlink()
            self.store.forget(cohort, self.model.name)

    def _pass_on(self, draft: Index, shard: Path) -> None:
        with locked(shard):
            changed = [record.slot for record in records_of(shard) if renewed(draft, record) is not record]
            if changed:
                write_shard(shard, (renewed(draft, record) for record in records_of(shard)))
                self.store.written.add(shard)
                log.warning(
                    "%s: %d replies replaced, their requests being the same; write its rows anew with: %s",
                    shard,
                    len(changed),
                    command(changed[0], self.model.name, "record"),
                )

    def _missing(self, slot: Slot) -> str:
        return (
            f"no recording of {slot.cohort} case {slot.case}, {slot.condition} by {self.model.name}; "
            f"make it with: {command(slot, self.model.name, 'record')}"
        )

    def _stale(self, record: Record, request: Request) -> str:
        slot, fields = record.slot, changed_fields(record, request)
        then, now = change(record, request)
        told = [f"{then!r} is now {now!r}"] if then or now else []
        told += prompts.holding(now or request.system * ("system" in fields))
        words = f" ({', '.join(told)})" if told else ""
        return (
            f"{slot.cohort} case {slot.case}, {slot.condition} was recorded with another request; changed: "
            f"{', '.join(fields)}{words}; restore what changed (git diff), or ask anew with: "
            f"{command(slot, self.model.name, 'refresh')}"
        )


def renewed(draft: Index, record: Record) -> Record:
    """A record with the refreshed reply, where its request was asked again and something else was said."""
    fresh = draft.by_key.get(record.key)
    if fresh is None or same_reply(fresh.reply, record.reply):
        return record
    return replace(record, reply=fresh.reply)


def unquoted(reply: Reply, request: Request) -> Reply:
    """The reply without what it quotes of its own request."""
    read = "\n".join(message.text for message in request.messages)
    return replace(reply, text=without_quotations(reply.text, read) if reply.text else reply.text)


def same_model(asked: str, returned: str) -> bool:
    """Whether a model's returned name is the one asked, or that with a version number or date.

    A shared beginning is not enough: `gpt-4o-mini` is no version of `gpt-4o`.
    """
    return re.fullmatch(re.escape(asked) + r"([-@]\d[\d-]*)?", returned) is not None


def where(slot: Slot) -> str:
    """How an error names a call."""
    return f"case {slot.case}, {slot.condition}"


def named(error: MedagentsError, slot: Slot) -> MedagentsError:
    """The same kind of error with the call named in front: of several calls at a time, nobody could tell
    whose it is. The error itself stays as it is, since a model may raise one for many calls.
    """
    told = type(error).__new__(type(error), f"{where(slot)}: {error}")
    vars(told).update(vars(error))
    return told


def command(slot: Slot, model: str, mode: str) -> str:
    """The command line that would record a slot's experiment."""
    experiment, rule = plants.parted(slot.experiment)
    words = f"{mode} --experiment {experiment} --cohort {slot.cohort} --model {model}"
    return f"python -m medagents {words}" + f" --plant-rule {rule}" * bool(rule)
