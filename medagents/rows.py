"""Per-case outcomes: one row a case and condition, as committed in `cache/rows/`.

Options are 0-based indices of the original case. `logp` holds the log-probability of each option
in that order (natural log, as first token of the answer), joined by `;`, empty where the engine
gave none. `edited` is 1 where the case was shown with another stem, options or order: a cue that finds
nothing to edit leaves 0. `key` names the recording the row comes from.

A condition `detector@arm`, and `why`, holds a verdict in place of an answer: `option` is 0 for yes (a
flag), 1 for no, and `logp` holds the two log-probabilities where a model was the judge.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from medagents import outcomes, paths
from medagents.answers import extract
from medagents.recordings import Record
from medagents.types import LETTERS, VERDICT, Reply, Status, View


@dataclass(frozen=True)
class Row:
    """One outcome; `option` and `plant` are None where there is none."""

    case: str
    cluster: str
    condition: str
    gold: int
    plant: int | None
    plant_rule: str
    gold_letter: str
    plant_letter: str
    edited: int
    status: str
    option: int | None
    logp: str
    provenance: str
    key: str


COLUMNS = tuple(field.name for field in fields(Row))
NUMBERS = ("gold", "plant", "edited", "option")


def make_row(
    view: View, condition: str, record: Record, plant: int | None = None, plant_rule: str = ""
) -> Row:
    """Read one reply: which option of the original case it chose, and how likely each option was."""
    status, option = outcome(record.reply, view)
    return Row(
        case=view.case.id,
        cluster=view.case.cluster,
        condition=condition,
        gold=view.case.gold,
        plant=plant,
        plant_rule=plant_rule,
        gold_letter=view.letter(view.case.gold),
        plant_letter="" if plant is None else view.letter(plant),
        edited=int((view.stem, view.options) != (view.case.stem, view.case.options)),
        status=status.value,
        option=option,
        logp=option_logprobs(record.reply, view),
        provenance=record.reply.provenance.value,
        key=record.key,
    )


def verdict_row(
    row: Row, condition: str, flag: bool | None, record: Record | None = None, status: Status | None = None
) -> Row:
    """The row of a verdict on the outcome `row`; `record` is the call that gave it, None if there was none.

    Where `status` is not given, a verdict that is missing counts as unparseable.
    """
    letters = (record.reply.letters or {}) if record else {}
    known = [letters.get(label) for label in VERDICT]
    return replace(
        row,
        condition=condition,
        status=(status or (Status.UNPARSEABLE if flag is None else Status.ANSWERED)).value,
        option=None if flag is None else int(not flag),
        logp=";".join(f"{value:.4f}" for value in known if value is not None) if None not in known else "",
        provenance=record.reply.provenance.value if record else row.provenance,
        key=record.key if record else row.key,
    )


def outcome(reply: Reply, view: View) -> tuple[Status, int | None]:
    """Status and original option. What the transport calls truncated, blocked or empty stays so:
    an option read out of a cut-off reply would be a guess.
    """
    if reply.status is not Status.ANSWERED:
        return reply.status, None
    answer = extract(reply.text, view.options)
    return answer.status, None if answer.option is None else view.original[answer.option]


def option_logprobs(reply: Reply, view: View) -> str:
    """Log-probability of each option in original order, four decimals; `nan` for a letter not given."""
    if not reply.letters:
        return ""
    values = (reply.letters.get(view.letter(option)) for option in range(len(view.options)))
    return ";".join("nan" if value is None else f"{value:.4f}" for value in values)


def logp_matrix(column: Iterable[str]) -> np.ndarray:
    """The `logp` column as an array, cases by options: NaN where the engine gave none, -inf where
    the case has no such option (the forms that `stats.option_probabilities` reads).
    """
    parsed = [[float(value) for value in text.split(";")] if text else [] for text in column]
    table = np.full((len(parsed), max(map(len, parsed), default=0)), np.nan)
    for line, values in zip(table, parsed, strict=True):
        if values:
            line[:] = -np.inf
            line[: len(values)] = values
    return table


def to_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a table of the same column types as `read` gives: nullable integers, else objects."""
    frame = pd.DataFrame(map(attrgetter(*COLUMNS), rows), columns=list(COLUMNS), dtype=object)
    return frame.astype(dict.fromkeys(NUMBERS, "Int64"))


def path_of(cohort: str, model: str, experiment: str, root: Path = paths.ROWS) -> Path:
    """File of committed rows."""
    return root / cohort / model / f"{experiment}.csv"


write = outcomes.write
"""Writes rows, or turns, as a file."""


def read(path: Path) -> pd.DataFrame:
    """Read committed rows.

    Raises:
        MedagentsError: no such file, one that is not the committed one, or a value that no row has.
    """
    place = path.resolve().parts
    remedy = (
        f"with the cohort's text (MEDAGENTS_DATA) make them with: python -m medagents replay "
        f"--experiment {path.stem} --cohort {place[-3]} --model {place[-2]}"
    )
    frame = outcomes.read(path, COLUMNS, NUMBERS, "rows", remedy)
    verdict = frame["condition"].str.contains("@") | (frame["condition"] == "why")
    counts = outcomes.option_counts(frame.assign(logp=frame["logp"].mask(verdict, "")))
    limits = {"gold": counts, "plant": counts, "option": counts.mask(verdict, len(VERDICT))}
    for column, limit in limits.items():
        outcomes.refuse(path, frame, column, (frame[column] >= limit).fillna(False), "an option of the case")
    outcomes.refuse(path, frame, "gold", frame["gold"].isna(), "an option of the case")
    outcomes.refuse(path, frame, "edited", ~frame["edited"].isin([0, 1]), "0 or 1")
    unanswered = frame["option"].isna() & (frame["status"] == Status.ANSWERED)
    outcomes.refuse(path, frame, "option", unanswered, "an option, as the status has it")
    twice = frame.duplicated(["case", "condition"])
    outcomes.refuse(path, frame, "condition", twice, "a new condition of the case")
    return frame


def records(frame: pd.DataFrame) -> Iterator[Row]:
    """The lines of a table as rows."""
    for line in frame[list(COLUMNS)].astype(object).to_dict("records"):
        values: dict[str, Any] = {
            str(name): None if pd.isna(value) else value for name, value in line.items()
        }
        yield Row(**values)


def letters(options: Iterable[int | None]) -> list[str]:
    """Letters of original option indices, empty for None."""
    return ["" if option is None or pd.isna(option) else LETTERS[int(option)] for option in options]
