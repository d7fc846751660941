"""Whether recordings are what they say: `python -m medagents recordings verify`.

Of each shard it asks: is it the file that was committed (`sums`)? Is each line the recording of the request
it holds, in its place, and contradicted by no other line of its cohort and model, in this shard or another?
Does every run that it is of, made again without a model (`verify_run`), find all of its requests and leave
no line over? Do the replies say what the committed rows say? The last two need the cohort's text: without
it a shard is called partly checked. No fault hides another.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from medagents import paths, sums
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.plants import parted
from medagents.recorder import where
from medagents.recordings import ConflictingRecordings, Index, Record, Store, from_line, torn, wrong_key
from medagents.types import MedagentsError, Slot
from medagents.verify_run import Outcome, Run, run_again, runs_of, table_runs

SHOWN = 3
"""Faults of a shard, of one kind, that are printed; the others are counted."""

RESTORE = "restore the line from version control"
TORN = "torn last line"


class Held(Store):
    """Recordings of which every line that can be read is held; what is wrong with lines is in `faults`."""

    def __init__(self, root: Path | None = None) -> None:
        super().__init__(root or paths.RECORDINGS)
        self.faults: defaultdict[Path, list[str]] = defaultdict(list)
        self._indexes: dict[tuple[str, str], Index] = {}

    def index(self, cohort: str, model: str) -> Index:
        """Every record of one cohort and model that can be read; of two that contradict each other both,
        but for one slot the first.
        """
        if (cohort, model) not in self._indexes:
            index = self._indexes[cohort, model] = Index()
            for path in sorted((self.root / cohort / model).glob("*.jsonl")):
                self.faults[path] = list(_read(path, index))
        return self._indexes[cohort, model]


def _read(path: Path, index: Index) -> Iterator[str]:
    """Take the lines of a shard into an index; yields what is wrong with them."""
    *closed, rest = path.read_bytes().split(b"\n")
    for number, line in enumerate([*closed, rest] if rest else closed, 1):
        try:
            record = from_line(line.decode())
        except (ValueError, KeyError, TypeError) as error:
            kind = TORN if number > len(closed) and torn(line) else "damaged recording"
            yield f"{path}:{number}: {kind} ({error}); {RESTORE}"
            continue
        try:
            index.add(record, f"{path}:{number}")
        except ConflictingRecordings as error:
            yield str(error)
            if record.slot not in index.by_slot:
                index.put(record)
        if fault := _misplaced(record, path):
            yield f"{path}:{number}: {where(record.slot)}: {fault}"


def _misplaced(record: Record, path: Path) -> str:
    """Why a record does not belong where it is; empty where it does."""
    slot = record.slot
    if (slot.cohort, slot.experiment) != (path.parts[-3], path.stem):
        return f"it belongs to {slot.experiment} of {slot.cohort}; {RESTORE}"
    return wrong_key(record)


def verify_shard(path: Path) -> list[str]:
    """Faults of a shard's lines, one a line, also where they contradict another shard of its folder.

    Raises:
        MedagentsError: no such shard.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such shard; check the path")
    held = Held(path.parent.parent.parent)
    held.index(path.parent.parent.name, path.parent.name)
    return held.faults[path]


class Line(NamedTuple):
    """What was found of a shard. `state` is what it is without faults: ok, partly (checked: the text is
    missing) or new (a recording in progress). Faults are by kind: of files, of lines, of calls, and so on.
    """

    state: str
    experiment: str
    how: str
    faults: list[list[str]]


class _Report:
    """What is known of a store: sums, lines and runs, each looked at once."""

    def __init__(self, store: Held) -> None:
        self.store, self.listed = store, sums.listed()
        self.sums = {path: fault for path in self.listed if (fault := sums.fault(path))}
        self.outcomes: dict[Run, Outcome] = {}

    def outcome(self, run: Run) -> Outcome:
        """A run made again, once however many shards it has."""
        if run not in self.outcomes:
            self.outcomes[run] = run_again(run, self.store)
        return self.outcomes[run]

    def folder(self, cohort: str, model: str, experiments: Iterable[str]) -> Iterator[Line]:
        """What was found of each shard of a cohort and model."""
        index = self.store.index(cohort, model)
        slots: defaultdict[str, set[Slot]] = defaultdict(set)
        for slot in index.by_slot:
            slots[slot.experiment].add(slot)
        runs = {name: runs_of(cohort, model, name) for name in experiments}
        asked: set[Slot] = set()
        for run in (run for held in runs.values() for run in held):
            asked |= self.outcome(run).asked[model]
        for name, held in runs.items():
            yield self._shard(self.store.root / cohort / model / f"{name}.jsonl", held, slots[name], asked)

    def _shard(self, path: Path, runs: list[Run], slots: set[Slot], asked: set[Slot]) -> Line:
        cohort, model, experiment = path.parts[-3], path.parts[-2], path.stem
        outcomes, tables = [self.outcome(run) for run in runs], [run.table for run in runs]
        unbuilt = next((outcome.unbuilt for outcome in outcomes if outcome.unbuilt), "")
        how = f"{len(slots & asked)} of {len(slots)} calls built again" + f": {unbuilt}" * bool(unbuilt)
        files = [fault for file in (path, *tables) if (fault := self.sums.pop(file.resolve(), ""))]
        lines = self.store.faults[path]
        calls = [fault for outcome in outcomes for fault in outcome.faults[model]]
        if parted(experiment)[0] not in {*EXPERIMENTS, *SITTINGS}:
            files.append(f"{path}: no experiment {experiment!r}; rename the shard, or delete it")
        if path.resolve() not in self.listed:
            if not any(table.exists() for table in tables):
                how += f"; a recording in progress, once it is finished: {sums.COMMAND} {path}"
                lines = [fault for fault in lines if TORN not in fault]
                return Line("new", experiment, how, [files, lines, calls])
            missing = f"not in {paths.SUMS.name}, though rows of it are here"
            files.append(f"{path}: {missing}; run: {sums.COMMAND} {path}")
        absent = [fault for outcome in outcomes for fault in outcome.missing[model]]
        differences = [fault for outcome in outcomes for fault in outcome.differences]
        spare: list[str] = []
        if not unbuilt:
            broken = {case for outcome in outcomes for case in outcome.broken}
            by_slot = self.store.index(cohort, model).by_slot
            spare = [
                f"{cohort} {where(slot)} by {model}: no request of {experiment} accounts for key "
                f"{by_slot[slot].key[:12]}; delete the line"
                for slot in sorted(slots - asked, key=repr)
                if slot.case not in broken
            ]
        faults = [files, lines, calls, absent, differences, spare]
        return Line("partly" if unbuilt else "ok", experiment, how, faults)


def report(store: Held | None = None) -> int:
    """Print what was verified, shard by shard; returns the exit status (1 if there are faults)."""
    known = _Report(store or Held())
    root, counts = known.store.root, defaultdict[str, int](int)
    shards = {path.resolve() for path in root.glob("*/*/*.jsonl")}
    wanted = {path for path in known.listed if path.suffix == ".jsonl"}
    wanted |= {path for run in table_runs() for path in run.shards(root)}
    folders: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in shards | wanted:
        folders[path.parts[-3], path.parts[-2]].add(path.stem)
    for cohort, model in sorted(folders):
        for line in known.folder(cohort, model, sorted(folders[cohort, model])):
            state = "FAULT" if any(line.faults) else line.state
            print(f"{state:6} {cohort:18} {model:20} {line.experiment:18} {line.how}", flush=True)
            for faults in map(list, map(dict.fromkeys, line.faults)):
                print(*(f"       {fault}\n" for fault in faults[:SHOWN]), sep="", end="")
                if len(faults) > SHOWN:
                    print(f"       and {len(faults) - SHOWN} more of this kind")
            counts[state] += 1
    for fault in known.sums.values():  # of a file that is no run's
        print(f"FAULT  {fault}")
        counts["FAULT"] += 1
    print(", ".join(f"{number} {state}" for state, number in sorted(counts.items())))
    return int(counts["FAULT"] > 0)
