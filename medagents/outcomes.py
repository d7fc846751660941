"""Tables of outcomes as files: written in one step, and read only if every value can be what it says.

`rows` and `turns` are such tables. Where a cohort's text is not at hand they are all that a figure rests
on, so a file that was cut off or edited must not pass.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import pandas as pd

from medagents import sums
from medagents.types import LETTERS, MedagentsError, Provenance, Status

RESTORE = "restore the file from version control"
KEY = re.compile(r"[0-9a-f]{64}|")
"""A verdict of a committee, and a scripted turn, has none."""


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table in one atomic step, same bytes for the same lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    frame.to_csv(draft, index=False, lineterminator="\n")
    draft.replace(path)


def read(
    path: Path, columns: Sequence[str], numbers: Collection[str], noun: str, remedy: str
) -> pd.DataFrame:
    """Read a table whose sum is the listed one (`sums`), if it is listed.

    Args:
        path: the file.
        columns: the columns it must have, in order.
        numbers: those that hold whole numbers, or nothing; the others hold text.
        noun: what its lines are called.
        remedy: what to do where there is no such file.

    Raises:
        MedagentsError: no such file, another sum, other columns, no lines, or a value that no outcome has;
            the message names the line.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such {noun}; {remedy}")
    if fault := sums.fault(path):
        raise MedagentsError(fault)
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, pd.errors.ParserError) as error:  # bytes that are no text, or no table
        raise MedagentsError(f"{path}: no table of {noun} ({error}); {RESTORE}") from None
    if tuple(frame.columns) != tuple(columns):
        raise MedagentsError(f"{path}: columns are not {', '.join(columns)}; {RESTORE}")
    if frame.empty:
        raise MedagentsError(f"{path}: holds no {noun}; {RESTORE}")
    for column in numbers:
        refuse(path, frame, column, ~frame[column].str.fullmatch(r"\d{1,9}|"), "a whole number")
    text = frame.drop(columns=list(numbers)).astype(object)
    counted = frame[list(numbers)].replace("", pd.NA).astype("Int64")
    frame = pd.concat([text, counted], axis=1)[list(columns)]
    _check(path, frame)
    return frame


def _check(path: Path, frame: pd.DataFrame) -> None:
    """Values that rows and turns have in common."""
    known = {"status": set(Status), "provenance": {*Provenance, ""}}
    for column, values in known.items():
        refuse(path, frame, column, ~frame[column].isin(values), f"one of {', '.join(sorted(values - {''}))}")
    refuse(path, frame, "case", frame["case"] == "", "the id of a case")
    refuse(path, frame, "key", ~frame["key"].str.fullmatch(KEY), "64 hex digits")
    refuse(path, frame, "logp", [not _are_logp(text) for text in frame["logp"]], "log-probabilities")
    answered = frame["status"] == Status.ANSWERED
    refuse(path, frame, "option", frame["option"].notna() & ~answered, "empty, as the status has it")


def _are_logp(text: str) -> bool:
    try:  # nan: the engine did not list the letter
        return not text or not any(float(value) > 0 for value in text.split(";"))
    except ValueError:
        return False


def option_counts(frame: pd.DataFrame) -> pd.Series:
    """How many options the case of each line has: as many as its longest `logp`, else as many as a case
    may have.
    """
    given = frame["logp"].str.count(";") + (frame["logp"] != "")
    return given.groupby(frame["case"]).transform("max").replace(0, len(LETTERS))


def refuse(path: Path, frame: pd.DataFrame, column: str, wrong: Iterable[bool], what: str) -> None:
    """Raise on the first line whose value in a column is wrong.

    Raises:
        MedagentsError: names file, line, case, value and what it should be.
    """
    places = [place for place, is_wrong in enumerate(wrong) if is_wrong]
    if places:
        line = frame.iloc[places[0]]
        value = "" if pd.isna(line[column]) else line[column]
        where = f"{path}, line {places[0] + 2}, case {line['case']}"
        raise MedagentsError(f"{where}: {column} is {str(value)!r}, not {what}; {RESTORE}")
