"""Run one committee experiment over one cohort and one team, from recordings or with the models.

Calls are recorded under the model that made them, so that committees share what they ask alike; turns
are a table of the team's own. Where a cohort's text is not at hand, a replay falls back on the committed
turns and says so, as `study` does with rows.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from medagents import cohorts, models, paths, plants, rows, sums, turns
from medagents.committees.session import Session
from medagents.experiments import SITTINGS
from medagents.experiments.sitting import Sitting, seat
from medagents.models.teams import roster
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.study import FROM_ROWS, REPLAYED, figures_folder, publishable
from medagents.threads import in_order
from medagents.types import Case, MedagentsError, Model, Slot

SIZES = {"catfish_benchmark": 30, "medorch_benchmark": 30, "committee_cascade": 20}
"""Experiment -> how many of a cohort's first cases are recorded."""


def recorded_cases(experiment: str, cohort: str, n: int | None) -> Sequence[Case]:
    """The cases that a recording covers: the cohort's first `n`."""
    return cohorts.load(cohort, SIZES.get(experiment) if n is None else n)


@dataclass(frozen=True)
class Sittings:
    """Turns of one experiment, cohort and team, and where they came from. `sessions` holds what was said
    and `cases` what was asked, by case; both are empty where committed turns stand in for the recordings.
    `whole` says that these are the committed turns, no trial.
    """

    turns: pd.DataFrame
    source: str
    sessions: Mapping[str, list[Session]] = field(default_factory=dict)
    cases: Mapping[str, Case] = field(default_factory=dict)
    calls: int = 0
    whole: bool = False

    @property
    def figures(self) -> Path:
        """Where figures of it belong, as of a `Study`."""
        return figures_folder(self.whole)


def recorders_of(
    team: str, cohort: str, store: Store, mode: Mode, make: Callable[[str], Model] = models.get
) -> dict[str, Recorder]:
    """A recorder for every model of a team, over one store; `make` gives the model of a name."""
    return {name: Recorder(make(name), store, mode, publishable(cohort)) for name in roster(team).models}


def run(
    experiment: str,
    cases: Sequence[Case],
    team: str,
    recorders: Mapping[str, Recorder],
    cohort: str,
    plant_rule: str = "",
    progress: bool = False,
) -> Sittings:
    """Put cases through a committee experiment.

    Args:
        experiment: a name of `experiments.SITTINGS`.
        cases: in cohort order; plants are planned over all of them.
        team: a name of `teams.ROSTERS`, or models joined by `+`.
        recorders: one for every model of the team.
        cohort: name under which the calls are recorded.
        plant_rule: empty for the cohort's default rule.
        progress: show a bar.

    Raises:
        MedagentsError: unknown experiment or team, or whatever `Recorder.ask` raises.
    """
    if experiment not in SITTINGS:
        raise MedagentsError(f"unknown experiment {experiment!r}; known: {', '.join(SITTINGS)}")
    rule = plant_rule or plants.default_rule(cases)
    planned = plants.planned(cases, rule)
    name = plants.recorded_as(experiment, rule, cases)
    sessions: dict[str, list[Session]] = {}
    words = f"{experiment} {cohort} {team}"

    def put(case: Case) -> list[Session]:
        slot = Slot(cohort, case.id, name, "")
        return list(SITTINGS[experiment](Sitting(case, planned[case.id], rule, seat(seats, recorders, slot))))

    seats, threads = roster(team), min(recorder.concurrency for recorder in recorders.values())
    stopped = next(iter(recorders.values())).store.stopped
    with closing(in_order(put, cases, threads, stopped)) as done:
        for case, held in zip(
            cases, tqdm(done, total=len(cases), desc=words, unit="case", disable=not progress), strict=True
        ):
            sessions[case.id] = held
    lines = (
        line
        for case in cases
        for session in sessions[case.id]
        for line in turns.of_session(session, case, planned[case.id], rule)
    )
    calls = sum(recorder.calls for recorder in recorders.values())
    return Sittings(turns.to_frame(lines), REPLAYED, sessions, {case.id: case for case in cases}, calls)


def replay(
    experiment: str,
    cohort: str,
    team: str,
    n: int | None = None,
    store: Store | None = None,
    root: Path = paths.TURNS,
) -> Sittings:
    """Turns from recordings; from committed turns where the cohort's data are missing.

    Args:
        experiment: a name of `experiments.SITTINGS`.
        cohort: a name of `cohorts.names()`.
        team: a name of `teams.ROSTERS`, or models joined by `+`.
        n: the first n cases only; all of the recorded ones if None.
        store: the recordings.
        root: folder of committed turns.
    """
    try:
        cases = recorded_cases(experiment, cohort, n)
    except cohorts.MissingData:
        frame = turns.read(turns.path_of(cohort, team, experiment, root))
        ids = list(dict.fromkeys(frame["case"]))[:n]
        frame = frame[frame["case"].isin(ids)].reset_index(drop=True)
        return Sittings(frame, FROM_ROWS, whole=n is None)
    recorders = recorders_of(team, cohort, store or Store(), Mode.REPLAY)
    whole = n is None and turns.path_of(cohort, team, experiment, root).exists()
    return replace(run(experiment, cases, team, recorders, cohort), whole=whole)


def record(
    experiment: str,
    cohort: str,
    team: str,
    mode: Mode,
    n: int | None = None,
    progress: bool = True,
    make: Callable[[str], Model] = models.get,
) -> Sittings:
    """Record an experiment (resumable: what is recorded is not asked again) and write its turns."""
    cases = recorded_cases(experiment, cohort, n)
    store = Store()
    recorders = recorders_of(team, cohort, store, mode, make)
    done = run(experiment, cases, team, recorders, cohort, progress=progress)
    tables, shards = [], []
    for recorder in recorders.values():
        recorder.finish(cohort, experiment)
        if n is None:
            shards.append(store.shard(Slot(cohort, "", experiment, ""), recorder.model.name))
    if n is None and len(done.turns):
        tables.append(turns.path_of(cohort, team, experiment))
        rows.write(done.turns, tables[-1])
    sums.after_run([*store.written, *tables], [*shards, *tables])
    return done
