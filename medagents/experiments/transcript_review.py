"""Transcript review (benchmaxxing, section 4.3, and the cross-lineage arm it leaves open): the judge.

A model reads the discussions of every holdout whose `referee_detection` rows stand in the same cohort,
its own among them (same lineage), so record the holdouts first. Conditions are `judge@arm@holdout`, and
`referee@arm@holdout` where another model's holdout is compared with the model's own re-query.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from medagents import oversight, paths, rows
from medagents.experiments.base import Trial
from medagents.experiments.referee_detection import ARMS, transcript
from medagents.rows import Row, verdict_row
from medagents.types import MedagentsError, plain_view


def run_case(trial: Trial) -> Iterator[Row]:
    """One verdict a discussion of this case.

    Raises:
        MedagentsError: no holdout has been recorded.
    """
    view, cohort, own = plain_view(trial.case), trial.slot.cohort, trial.recorder.model.name
    holdouts = recorded_holdouts(cohort)
    if not holdouts:
        raise MedagentsError(f"no discussions of {cohort}: first record its referee_detection")
    for holdout in holdouts:
        for name in ARMS:
            said = discussions(cohort, holdout).get((trial.case.id, name))
            if said is None:
                continue
            seen = transcript(view, name, trial.plant, said.option)
            prompt = oversight.judge_prompt(seen)
            if prompt is None:
                continue
            record = trial.ask(f"judge@{name}@{holdout}", prompt, agent="judge")
            status, flag = oversight.verdict(record.reply)
            yield verdict_row(said, f"judge@{name}@{holdout}", flag, record, status)
            private = discussions(cohort, own).get((trial.case.id, "requery")) if holdout != own else None
            if private is not None:
                flag = oversight.referee(seen, private.option)
                yield verdict_row(said, f"referee@{name}@{holdout}", flag)


def recorded_holdouts(cohort: str) -> list[str]:
    """Models whose discussions stand in the committed rows of a cohort, in order."""
    return sorted(path.parent.name for path in (paths.ROWS / cohort).glob("*/referee_detection.csv"))


def discussions(cohort: str, holdout: str) -> dict[tuple[str, str], Row]:
    """(case, condition) -> row of a holdout's recorded discussions; empty where there are none."""
    path = rows.path_of(cohort, holdout, "referee_detection", paths.ROWS)
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


@cache
def _read(path: Path, changed: int) -> dict[tuple[str, str], Row]:
    return {(row.case, row.condition): row for row in rows.records(rows.read(path))}
