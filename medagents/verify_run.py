"""One run made again from its recordings, without a model: the part of `verify` that needs the text.

Every request is built and compared with the line of its slot, every reply with its own letters, and the
rows with the committed ones.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from medagents import paths, plants, rows, sittings, study, turns
from medagents.cohorts import MissingData
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.experiments.base import Trial
from medagents.experiments.sitting import Sitting, seat
from medagents.keys import canonical, key_of, parts
from medagents.models.teams import roster
from medagents.recorder import Mode, Recorder, command, unquoted, where
from medagents.recordings import Record, ReplayMiss, Store
from medagents.types import Case, MedagentsError, Reply, Request, Slot

TIE = 1e-3
"""Nats by which another letter may be likelier than a greedy reply's own: a stored letter sums its
spellings, and the engine takes one of them."""

LETTER = re.compile(r"\s*(\w)(?=[\s.:,)]|$)")
"""A letter that stands by itself at the beginning of a reply."""


class Run(NamedTuple):
    """What shards are recorded for: `who` is a model, or the team of a committee experiment."""

    experiment: str
    cohort: str
    who: str

    @property
    def kind(self) -> str:
        """Name of the experiment, without the plant rule that may stand behind it (`plants.recorded_as`)."""
        return plants.parted(self.experiment)[0]

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models that are asked."""
        return roster(self.who).models if self.kind in SITTINGS else (self.who,)

    @property
    def table(self) -> Path:
        """Where its outcomes are committed: rows, or turns of a committee."""
        if self.kind in SITTINGS:
            return turns.path_of(self.cohort, self.who, self.experiment, paths.TURNS)
        return rows.path_of(self.cohort, self.who, self.experiment, paths.ROWS)

    def shards(self, root: Path) -> list[Path]:
        """Files of its recordings."""
        return [root / self.cohort / model / f"{self.experiment}.jsonl" for model in self.models]


def runs_of(cohort: str, model: str, experiment: str) -> list[Run]:
    """Every run that a shard is recorded for: the model's own, or those of every team it sits in whose turns
    are committed.
    """
    if plants.parted(experiment)[0] in SITTINGS:
        return [run for run in table_runs() if run[:2] == (experiment, cohort) and model in run.models]
    return [Run(experiment, cohort, model)]


def table_runs() -> Iterator[Run]:
    """The runs whose rows or turns are committed."""
    for root in (paths.ROWS, paths.TURNS):
        for path in sorted(root.glob("*/*/*.csv")):
            yield Run(path.stem, path.parts[-3], path.parts[-2])


@dataclass
class Outcome:
    """What came of a run. `asked`, `faults` and `missing` (recordings) are by model; `differences` are those
    of the committed table; `broken` names the cases that did not come to an end; `unbuilt` says why no
    request could be built, and is empty where they were.
    """

    asked: defaultdict[str, set[Slot]] = field(default_factory=lambda: defaultdict(set))
    faults: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    missing: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    differences: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    unbuilt: str = ""


class Checking(Recorder):
    """Replays, and notes what is wrong with the recording of each slot that is asked for."""

    def __init__(self, *arguments: Any, outcome: Outcome) -> None:
        super().__init__(*arguments)
        self.outcome = outcome

    def ask(self, slot: Slot, request: Request) -> Record:
        """The record of a slot, also where its request is another one.

        Raises:
            ReplayMiss: there is none.
        """
        name, noted = self.model.name, self.outcome.faults[self.model.name]
        self.outcome.asked[name].add(slot)
        record = self.store.index(slot.cohort, name).by_slot.get(slot)
        if record is None:
            self.outcome.missing[name].append(self._missing(slot))
            raise ReplayMiss(self._missing(slot))
        place = f"{slot.cohort} {where(slot)}"
        anew = f"ask anew with: {command(slot, name, 'refresh')}"
        whole = canonical(request)
        if record.key != key_of(whole):
            noted.append(self._stale(record, request))
        elif record.request is None and record.parts != parts(whole):
            noted.append(f"{place}: the digests of the request's fields are not those it has; {anew}")
        if not self.publishable and unquoted(record.reply, request) != record.reply:
            noted.append(f"{place}: the reply quotes its question; {anew}")
        if request.decoding.temperature == 0 and (fault := unlikely(record.reply)):
            noted.append(f"{place}: {fault}; restore the line from version control")
        return record


def unlikely(reply: Reply) -> str:
    """What is wrong with a greedy reply that begins with a letter: it is not the likeliest by the stored
    log-probabilities. Empty where nothing is, or nothing can be said.
    """
    said = LETTER.match(reply.text or "")
    letters = reply.letters or {}
    if not said or said[1] not in letters:
        return ""
    best = max(letters, key=lambda letter: letters[letter])
    if letters[best] - letters[said[1]] <= TIE:
        return ""
    return f"the reply says {said[1]}, though its own log-probabilities make {best} the likeliest letter"


def run_again(run: Run, store: Store) -> Outcome:
    """Make a run again from recordings, case by case; a case that fails stops no other."""
    outcome = Outcome()
    if run.kind not in {*EXPERIMENTS, *SITTINGS}:
        return outcome
    try:
        models = {name: study.engine(name, run.kind) for name in run.models}
    except MedagentsError as error:
        outcome.unbuilt = str(error)  # such as weights that were recorded by their path
        return outcome
    try:
        cases = _cases(run)
        rule = plants.parted(run.experiment)[1] or plants.default_rule(cases)
        planned = plants.planned(cases, rule)
        publishable = study.publishable(run.cohort)
    except MissingData:
        outcome.unbuilt = "the cohort's text is not on this machine (MEDAGENTS_DATA)"
        return outcome
    except MedagentsError as error:
        for name in run.models:
            outcome.faults[name].append(str(error))
        return outcome
    recorders = {
        name: Checking(model, store, Mode.REPLAY, publishable, outcome=outcome)
        for name, model in models.items()
    }
    lines: list[Any] = []
    for case in cases:
        try:
            lines += _lines(run, case, planned[case.id], rule, recorders)
        except ReplayMiss:  # noted already
            outcome.broken.add(case.id)
        except MedagentsError as error:
            outcome.broken.add(case.id)
            outcome.faults[run.models[0]].append(str(error))
    outcome.differences = _differences(run, lines, outcome.broken)
    return outcome


def _cases(run: Run) -> Sequence[Case]:
    if run.kind in SITTINGS:
        return sittings.recorded_cases(run.kind, run.cohort, None)
    return study.recorded_cases(run.cohort, run.who, run.kind)


def _lines(
    run: Run, case: Case, plant: int, rule: str, recorders: Mapping[str, Checking]
) -> list[rows.Row] | list[turns.TurnRow]:
    """Outcomes of one case, as they are committed."""
    slot = Slot(run.cohort, case.id, run.experiment, "")
    if run.kind in SITTINGS:
        sitting = Sitting(case, plant, rule, seat(roster(run.who), recorders, slot))
        held = SITTINGS[run.kind](sitting)
        return [line for session in held for line in turns.of_session(session, case, plant, rule)]
    return list(EXPERIMENTS[run.kind](Trial(case, plant, rule, recorders[run.who], slot)))


def _differences(run: Run, lines: list[Any], broken: set[str]) -> list[str]:
    """How committed outcomes differ from those of a run, the cases that it could not finish left out."""
    table = turns if run.kind in SITTINGS else rows
    made, remedy = table.to_frame(lines), f"write it anew with: {_replay(run)}"
    if not run.table.exists():
        return [f"{run.table}: missing; {remedy}"] if len(made) else []
    try:
        held = table.read(run.table)
    except MedagentsError as error:
        return [str(error)]
    made, held = (_plain(frame[~frame["case"].isin(broken)]) for frame in (made, held))
    if len(made) != len(held):
        return [f"{run.table}: {len(held)} lines, where the recordings give {len(made)}; {remedy}"]
    differs = made != held
    if not differs.to_numpy().any():
        return []
    first = differs.any(axis=1).to_numpy().argmax()
    column = differs.loc[first].idxmax()
    return [
        f"{run.table}: case {held['case'][first]}, line {first + 1} of those compared: {column} is "
        f"{held[column][first]!r}, where the recordings give {made[column][first]!r} "
        f"({differs.any(axis=1).sum()} lines differ); restore it from version control, or {remedy}"
    ]


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Every value as text, nothing as empty text."""
    return frame.reset_index(drop=True).map(lambda value: "" if pd.isna(value) else str(value))


def _replay(run: Run) -> str:
    return command(Slot(run.cohort, "", run.experiment, ""), run.who, "replay")
