"""Run one experiment over one cohort and one model, from recordings or with the model.

Where a cohort's text is not at hand, a replay falls back on the committed rows and says so.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from medagents import cohorts, models, paths, plants, rows, sums
from medagents.experiments import EXPERIMENTS
from medagents.experiments.base import Trial
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.threads import in_order
from medagents.types import Case, MedagentsError, Model, Slot

REPLAYED = "replayed from recordings"
FROM_ROWS = "read from committed rows, since the cohort's text is not on this machine (MEDAGENTS_DATA)"


@dataclass(frozen=True)
class Study:
    """Rows of one experiment, cohort and model, where they came from, and the recorder that gave them.
    `whole` says that these are the committed rows, no trial of fewer cases or of another kind.
    """

    rows: pd.DataFrame
    source: str
    recorder: Recorder | None = None
    cohort: str = ""
    whole: bool = False

    @property
    def figures(self) -> Path:
        """Where figures of it belong: a trial must not replace those that are committed."""
        return figures_folder(self.whole)

    def replies(self, condition: str) -> dict[str, str]:
        """What was replied in a condition, by case; nothing where rows stand in for the recordings."""
        if self.recorder is None:
            return {}
        index = self.recorder.store.index(self.cohort, self.recorder.model.name)
        asked = self.rows[self.rows["condition"] == condition]
        return {
            case: index.by_key[key].reply.text or ""
            for case, key in zip(asked["case"], asked["key"], strict=True)
        }

    @property
    def calls(self) -> int:
        """Calls made to the model, over all experiments recorded together."""
        return self.recorder.calls if self.recorder else 0


def figures_folder(whole: bool) -> Path:
    """Where figures are saved: below `build/` unless they show all of a committed study."""
    return paths.FIGURES if whole else paths.BUILD / "figures"


def run(
    experiment: str,
    cases: Sequence[Case],
    recorder: Recorder,
    cohort: str,
    plant_rule: str = "",
    progress: bool = False,
) -> pd.DataFrame:
    """Put cases through an experiment; see `run_together`."""
    sizes = {experiment: len(cases)}
    return run_together(sizes, cases, recorder, cohort, plant_rule, progress)[experiment]


def run_together(
    sizes: Mapping[str, int],
    cases: Sequence[Case],
    recorder: Recorder,
    cohort: str,
    plant_rule: str = "",
    progress: bool = False,
) -> dict[str, pd.DataFrame]:
    """Put cases through several experiments, case by case: an engine that keeps the prompt it has just
    read then reads a case once for all of them. As many cases are worked on at a time as
    `Recorder.concurrency` says; the rows are in case order all the same.

    The first error, or an interrupt, ends the run once the calls in flight are recorded: no other is begun.

    Args:
        sizes: name of `EXPERIMENTS` -> how many of the cases it takes, the first ones.
        cases: in cohort order; plants are planned over all of them.
        recorder: answers from the store or the model.
        cohort: name under which the calls are recorded.
        plant_rule: empty for the cohort's default rule.
        progress: show a bar.

    Returns:
        Rows of each experiment.

    Raises:
        MedagentsError: unknown experiment or rule, or whatever `Recorder.ask` raises.
    """
    for experiment in sizes:
        if experiment not in EXPERIMENTS:
            raise MedagentsError(f"unknown experiment {experiment!r}; known: {', '.join(EXPERIMENTS)}")
    rule = plant_rule or plants.default_rule(cases)
    planned = plants.planned(cases, rule)
    names = {experiment: plants.recorded_as(experiment, rule, cases) for experiment in sizes}
    if names.get("transcript_review", "transcript_review") != "transcript_review":
        raise MedagentsError("transcript_review reads what the cohort's own rule planted; leave the rule out")
    found: dict[str, list[rows.Row]] = {experiment: [] for experiment in sizes}
    words = f"{' '.join(sizes)} {cohort} {recorder.model.name}"

    def put(numbered: tuple[int, Case]) -> dict[str, list[rows.Row]]:
        number, case = numbered
        made = {}
        for experiment in (name for name, size in sizes.items() if number < size):
            slot = Slot(cohort, case.id, names[experiment], "")
            trial = Trial(case, planned[case.id], rule, recorder, slot)
            made[experiment] = list(EXPERIMENTS[experiment](trial))
        return made

    with closing(in_order(put, enumerate(cases), recorder.concurrency, recorder.store.stopped)) as done:
        for made in tqdm(done, total=len(cases), desc=words, unit="case", disable=not progress):
            for experiment, lines in made.items():
                found[experiment] += lines
    return {experiment: rows.to_frame(held) for experiment, held in found.items()}


def replay(
    experiment: str,
    cohort: str,
    model: str,
    n: int | None = None,
    store: Store | None = None,
    root: Path = paths.ROWS,
    plant_rule: str = "",
) -> Study:
    """Rows from recordings; from committed rows where the cohort's data are missing.

    Args:
        experiment: a name of `EXPERIMENTS`.
        cohort: a name of `cohorts.names()`.
        model: a name of `models.names()`.
        n: the first n cases only; all of the recorded ones if None.
        store: the recordings.
        root: folder of committed rows.
        plant_rule: empty for the cohort's own.
    """
    chosen = engine(model, experiment)
    try:
        cases = recorded_cases(cohort, model, experiment, n)
    except cohorts.MissingData:
        held = rows.path_of(cohort, chosen.name, experiment + f"@{plant_rule}" * bool(plant_rule), root)
        frame = rows.read(held)
        ids = list(dict.fromkeys(frame["case"]))
        if n is not None and not 1 <= n <= len(ids):
            raise MedagentsError(f"{held} has rows of {len(ids)} cases; n = {n} is out of range") from None
        frame = frame[frame["case"].isin(ids[:n])].reset_index(drop=True)
        return Study(frame, FROM_ROWS, cohort=cohort, whole=n is None and not plant_rule)
    recorder = Recorder(chosen, store or Store(), Mode.REPLAY, publishable(cohort))
    whole = n is None and not plant_rule and rows.path_of(cohort, chosen.name, experiment, root).exists()
    found = run(experiment, cases, recorder, cohort, plant_rule)
    return Study(found, REPLAYED, recorder, cohort, whole)


def get(
    experiment: str,
    cohort: str,
    model: str,
    n: int | None = None,
    mode: str = Mode.REPLAY,
    plant_rule: str = "",
) -> Study:
    """A study as a notebook asks for it: replayed, after it was recorded where `mode` says so.

    Raises:
        MedagentsError: no such mode, or whatever `record` and `replay` raise.
    """
    if mode not in list(Mode):
        raise MedagentsError(f"unknown mode {mode!r}; known: {', '.join(Mode)}")
    if mode != Mode.REPLAY:
        record(experiment, cohort, model, Mode(mode), n, progress=False, plant_rule=plant_rule)
    return replay(experiment, cohort, model, n, plant_rule=plant_rule)


OVERSIGHT = ("break_it", "referee_detection", "hidden_rubric", "transcript_review")
"""The experiments of notebooks 03 to 05, recorded on the same cases of a cohort."""

SIZES: dict[tuple[str, str], int] = {
    ("engine_check", "vignettes"): 50,
    ("cue_sensitivity", "medqa_solo"): 60,
    **{(name, "medmcqa"): 60 for name in ("cue_sensitivity", "peer_cascade", "peer_rationale")},
    **{(name, "support2"): 30 for name in ("cue_sensitivity", "peer_cascade", "peer_rationale", *OVERSIGHT)},
    **{(name, "vignettes"): 50 for name in OVERSIGHT},
    **{(name, cohort): 30 for name in OVERSIGHT for cohort in ("mmlu_medical", "medqa")},
}
"""(experiment, cohort) -> how many cases are recorded, where not all."""


def recorded_cases(cohort: str, model: str, experiment: str, n: int | None = None) -> Sequence[Case]:
    """The cases that a recording covers: the cohort's first `n`."""
    return cohorts.load(cohort, SIZES.get((experiment, cohort)) if n is None else n)


def engine(model: str | Model, experiment: str) -> Model:
    """The model of that name (or one that is made already), without prefix reuse for the engine check."""
    chosen = models.get(model) if isinstance(model, str) else model
    if experiment == "engine_check":
        chosen.reuse = False  # type: ignore[attr-defined]
    return chosen


def publishable(cohort: str) -> bool:
    """Whether a cohort's text may be stored with its recordings."""
    return cohorts.cohort(cohort).publishable


def record(
    experiment: str,
    cohort: str,
    model: str,
    mode: Mode,
    n: int | None = None,
    progress: bool = True,
    plant_rule: str = "",
) -> Study:
    """Record an experiment (resumable: what is recorded is not asked again) and write its rows."""
    return record_together([experiment], cohort, model, mode, n, progress, plant_rule)[experiment]


def together(
    experiments: Sequence[str], cohort: str, model: str, n: int | None = None
) -> tuple[dict[str, int], Sequence[Case]]:
    """What `run_together` needs to record several experiments: their sizes, and the cases of the largest.

    Raises:
        MedagentsError: experiments that need the engine in two states.
    """
    if len(experiments) > 1 and "engine_check" in experiments:
        raise MedagentsError("engine_check reads every prompt whole; record it by itself")
    each = {experiment: recorded_cases(cohort, model, experiment, n) for experiment in experiments}
    return {experiment: len(cases) for experiment, cases in each.items()}, max(each.values(), key=len)


def record_together(
    experiments: Sequence[str],
    cohort: str,
    model: str | Model,
    mode: Mode,
    n: int | None = None,
    progress: bool = True,
    plant_rule: str = "",
) -> dict[str, Study]:
    """Record several experiments of one cohort and model in one pass, as `run_together` does. By a plant rule
    that is not the cohort's own, recordings and rows have names of their own (`plants.recorded_as`).

    Raises:
        MedagentsError: experiments that need the engine in two states.
    """
    chosen = engine(model, experiments[0])
    sizes, cases = together(experiments, cohort, chosen.name, n)
    recorder = Recorder(chosen, Store(), mode, publishable(cohort))
    frames = run_together(sizes, cases, recorder, cohort, plant_rule, progress)
    tables, shards = [], []
    for experiment, frame in frames.items():
        name = plants.recorded_as(experiment, plant_rule or plants.default_rule(cases), cases)
        recorder.finish(cohort, name)
        if n is None:
            shards.append(recorder.store.shard(Slot(cohort, "", name, ""), recorder.model.name))
        if n is None and len(frame):
            tables.append(rows.path_of(cohort, recorder.model.name, name))
            rows.write(frame, tables[-1])
    sums.after_run([*recorder.store.written, *tables], [*shards, *tables])
    return {experiment: Study(frame, mode.value, recorder, cohort) for experiment, frame in frames.items()}
