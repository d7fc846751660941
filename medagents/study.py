"""Run one experiment over one cohort and one model, from recordings or with the model.

Where a cohort's text is not at hand, a replay falls back on the committed rows and says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from medagents import cohorts, models, paths, plants, rows
from medagents.experiments import EXPERIMENTS
from medagents.experiments.base import Trial
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, MedagentsError, Model, Slot

REPLAYED = "replayed from recordings"
FROM_ROWS = "read from committed rows, since the cohort's text is not on this machine (MEDAGENTS_DATA)"


@dataclass(frozen=True)
class Study:
    """Rows of one experiment, cohort and model, and where they came from."""

    rows: pd.DataFrame
    source: str
    recorder: Recorder | None = None


def run(
    experiment: str,
    cases: Sequence[Case],
    recorder: Recorder,
    cohort: str,
    plant_rule: str = "",
    progress: bool = False,
) -> pd.DataFrame:
    """Put cases through an experiment.

    Args:
        experiment: a name of `EXPERIMENTS`.
        cases: in cohort order; plants are planned over all of them.
        recorder: answers from the store or the model.
        cohort: name under which the calls are recorded.
        plant_rule: empty for the cohort's default rule.
        progress: show a bar.

    Raises:
        MedagentsError: unknown experiment or rule, or whatever `Recorder.ask` raises.
    """
    if experiment not in EXPERIMENTS:
        raise MedagentsError(f"unknown experiment {experiment!r}; known: {', '.join(EXPERIMENTS)}")
    rule = plant_rule or plants.default_rule(cases)
    planned = plants.planned(cases, rule)
    found: list[rows.Row] = []
    for case in tqdm(
        cases, desc=f"{experiment} {cohort} {recorder.model.name}", unit="case", disable=not progress
    ):
        trial = Trial(case, planned[case.id], rule, recorder, Slot(cohort, case.id, experiment, ""))
        found += EXPERIMENTS[experiment](trial)
    return rows.to_frame(found)


def replay(
    experiment: str,
    cohort: str,
    model: str,
    n: int | None = None,
    store: Store | None = None,
    root: Path = paths.ROWS,
) -> Study:
    """Rows from recordings; from committed rows where the cohort's data are missing.

    Args:
        experiment: a name of `EXPERIMENTS`.
        cohort: a name of `cohorts.names()`.
        model: a name of `models.names()`.
        n: the first n cases only; all of the recorded ones if None.
        store: the recordings.
        root: folder of committed rows.
    """
    chosen = engine(model, experiment)
    held = rows.path_of(cohort, chosen.name, experiment, root)
    try:
        cases = recorded_cases(cohort, model, experiment, n)
    except cohorts.MissingData:
        frame = rows.read(held)
        ids = list(dict.fromkeys(frame["case"]))
        if n is not None and not 1 <= n <= len(ids):
            raise MedagentsError(f"{held} has rows of {len(ids)} cases; n = {n} is out of range") from None
        return Study(frame[frame["case"].isin(ids[:n])].reset_index(drop=True), FROM_ROWS)
    recorder = Recorder(chosen, store or Store(), Mode.REPLAY, publishable(cohort))
    return Study(run(experiment, cases, recorder, cohort), REPLAYED, recorder)


SIZES: dict[tuple[str, str], int] = {
    ("engine_check", "vignettes"): 50,
    ("cue_sensitivity", "medqa_solo"): 60,
    ("cue_sensitivity", "medmcqa"): 60,
    ("peer_cascade", "medmcqa"): 60,
    ("peer_rationale", "medmcqa"): 60,
}
"""(experiment, cohort) -> how many cases are recorded, where not all."""


def recorded_cases(cohort: str, model: str, experiment: str, n: int | None = None) -> Sequence[Case]:
    """The cases that a recording covers: the cohort's first `n`."""
    return cohorts.load(cohort, SIZES.get((experiment, cohort)) if n is None else n)


def engine(model: str, experiment: str) -> Model:
    """The model of that name, without prefix reuse for the engine check."""
    chosen = models.get(model)
    if experiment == "engine_check":
        chosen.reuse = False  # type: ignore[attr-defined]
    return chosen


def publishable(cohort: str) -> bool:
    """Whether a cohort's text may be stored with its recordings."""
    return cohorts.cohort(cohort).publishable


def record(
    experiment: str, cohort: str, model: str, mode: Mode, n: int | None = None, progress: bool = True
) -> Study:
    """Record an experiment (resumable: what is recorded is not asked again) and write its rows."""
    cases = recorded_cases(cohort, model, experiment, n)
    recorder = Recorder(engine(model, experiment), Store(), mode, publishable(cohort))
    frame = run(experiment, cases, recorder, cohort, progress=progress)
    recorder.finish(cohort, experiment)
    if n is None and len(frame):
        rows.write(frame, rows.path_of(cohort, recorder.model.name, experiment))
    return Study(frame, mode.value, recorder)
