"""Whether recordings are what their keys say: `python -m medagents recordings verify`.

Records that hold their request are hashed again; where the request's text may not be stored, every
request of the cohort is built again, its key compared, and its reply searched for quotations of it.
"""

from pathlib import Path
from typing import Any

from medagents import study
from medagents.cohorts import MissingData
from medagents.keys import key_of
from medagents.recorder import Mode, Recorder, command, unquoted
from medagents.recordings import (
    ConflictingRecordings,
    Index,
    Record,
    ReplayMiss,
    StaleRecording,
    Store,
    from_line,
    read_shard,
    shards,
)
from medagents.types import MedagentsError, Request, Slot


class _Checking(Recorder):
    """Replays, and keeps which slots were asked and what is wrong with a reply of a cohort whose text may
    not be published.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked: set[Slot] = set()
        self.faults: list[str] = []

    def ask(self, slot: Slot, request: Request) -> Record:
        record = super().ask(slot, request)
        self.asked.add(slot)
        if not self.publishable and unquoted(record.reply, request) != record.reply:
            self.faults.append(
                f"{slot.cohort} case {slot.case}, {slot.condition}: the reply quotes its question; "
                f"ask anew with: {command(slot, self.model.name, 'refresh')}"
            )
        return record


def verify_shard(path: Path) -> list[str]:
    """Faults of a shard, one a line: damaged or torn lines, contradictions, and records whose key is
    not that of the request they hold.

    Raises:
        MedagentsError: no such shard.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such shard; check the path")
    *closed, rest = path.read_bytes().split(b"\n")
    index, faults = Index(), []
    for number, line in enumerate([*closed, rest] if rest else closed, 1):
        try:
            record = from_line(line.decode())
            index.add(record, f"{path}:{number}")
        except ConflictingRecordings as error:
            faults.append(str(error))
        except (ValueError, KeyError, TypeError) as error:
            kind = "damaged recording" if number <= len(closed) else "torn last line"
            faults.append(f"{path}:{number}: {kind} ({error}); restore the line from version control")
        else:
            if record.request is not None and (key := key_of(record.request)) != record.key:
                faults.append(
                    f"{path}:{number}: case {record.slot.case}, {record.slot.condition}: the request's key "
                    f"is {key[:12]}, not {record.key[:12]}; restore the line from version control"
                )
    return faults


def verify_study(experiment: str, cohort: str, model: str, store: Store | None = None) -> list[str]:
    """Faults found by building every request of a study again: the first slot that is missing or
    stale, else replies that quote a question whose text may not be published, and the records of the
    shard that no request accounts for.

    Raises:
        MissingData: the cohort's text is not on this machine.
        MedagentsError: unknown experiment, cohort or model, or a damaged shard.
    """
    store = store or Store()
    cases = study.recorded_cases(cohort, model, experiment)
    recorder = _Checking(study.engine(model, experiment), store, Mode.REPLAY, study.publishable(cohort))
    recorded = store.index(cohort, recorder.model.name).by_slot
    try:
        study.run(experiment, cases, recorder, cohort)
    except (ReplayMiss, StaleRecording) as error:
        return [str(error)]
    return recorder.faults + [
        f"{cohort} case {slot.case}, {slot.condition} by {model}: no request of {experiment} accounts for "
        f"key {record.key[:12]}; delete the line"
        for slot, record in recorded.items()
        if slot.experiment == experiment and slot not in recorder.asked
    ]


def report(store: Store | None = None) -> int:
    """Print what was verified, shard by shard; returns the exit status (1 if there are faults)."""
    store, total = store or Store(), 0
    for cohort, model, experiment, path in shards(store.root):
        faults = verify_shard(path)
        records = read_shard(path)[0] if not faults else []
        withheld = sum(record.request is None for record in records)
        how = f"{len(records) - withheld} of {len(records)} hashed again"
        if withheld:
            try:
                faults += verify_study(experiment, cohort, model, store)
                how = f"{len(records)} of {len(records)} built and hashed again"
            except MissingData:
                how += f", {withheld} hold no text and need MEDAGENTS_DATA"
        print(f"{'FAULT' if faults else 'ok':5} {cohort:18} {model:20} {experiment:16} {how}")
        for fault in faults:
            print(f"      {fault}")
        total += len(faults)
    return int(total > 0)
