"""The audit: every line of `claims.csv` recomputed and judged.

A claim names a kind of quantity, the file, a filter and columns, so that a reader can repeat it by hand.
Several files are joined on the case by ` + ` and stacked by ` | ` (the column `file` then tells them
apart). Its checks (`checks.py`) say what a matching number does not. Verdicts:

* `reproduced`: every printed number is what the rows give, by the rounding rule of `numbers`;
* `caveat`: so, but a check objects, the n differs, or the claim carries a note;
* `not reproduced`: some printed number is not;
* `not recomputable`: the rows it would need are not released.

Every verdict but the first has a reason that ends with the file and the filter.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from medagents.audit import arithmetic, checks, families, quantities, replies
from medagents.audit.columns import where
from medagents.audit.numbers import numbers
from medagents.audit.quantities import Recomputed
from medagents.audit.rows import Rows, table_of
from medagents.types import MedagentsError

REPRODUCED, CAVEAT, NOT_REPRODUCED, NOT_RECOMPUTABLE = VERDICTS = (
    "reproduced",
    "caveat",
    "not reproduced",
    "not recomputable",
)
COLUMNS = ("claim_id", "printed", "recomputed", "low", "high", "n", "verdict", "reason")
DIGITS = 4
"""Significant digits of a recomputed value in the table."""

CHECK = re.compile(r"(\w+)(?:\[(.*?)\])?\((.*?)\)")
"""A check in the claims table: its name, in brackets a filter of its own (`all`: none), and columns."""

WHOLE: dict[str, Callable[[Rows, list[str]], Recomputed]] = {**families.KINDS, **replies.KINDS}
"""Kinds that read their files themselves."""


class Claim(NamedTuple):
    """One line of `claims.csv`; `n` is empty where none is printed.

    `defect` names what is behind a claim that is not reproduced, in the same words for every claim that one
    fault touches, so that faults can be counted.
    """

    claim_id: str
    paper: str
    section: str
    experiment: str
    cohort: str
    quantity: str
    printed: str
    n: str
    where_printed: str
    kind: str
    file: str
    filter: str
    columns: str
    check: str
    note: str
    defect: str


@lru_cache(maxsize=1)
def claims() -> tuple[Claim, ...]:
    """Every claim, in order of the table."""
    file = files("medagents.audit").joinpath("claims.csv")
    table = pd.read_csv(file.open(encoding="utf-8"), dtype=str, keep_default_na=False)
    if tuple(table.columns) != Claim._fields:
        raise MedagentsError(f"claims.csv: columns are not {', '.join(Claim._fields)}")
    return tuple(Claim(*line) for line in table.itertuples(index=False))


def committed() -> pd.DataFrame:
    """The committed verdicts, a line a claim; columns as `COLUMNS`."""
    file = files("medagents.audit").joinpath("verdicts.csv")
    return pd.read_csv(file.open(encoding="utf-8"), dtype={"recomputed": str, "printed": str})


def audit(rows: Rows) -> pd.DataFrame:
    """The verdict on every claim; the same rows give the same table, byte for byte.

    Raises:
        MedagentsError: a file is missing, truncated or edited, or lacks a column; names the claim.
    """
    return pd.DataFrame([judge(claim, rows) for claim in claims()], columns=list(COLUMNS))


def write(table: pd.DataFrame, file: Path) -> None:
    """Write a verdict table as CSV."""
    file.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(file, index=False, lineterminator="\n", float_format=f"%.{DIGITS}g")


def judge(claim: Claim, rows: Rows) -> tuple[Any, ...]:
    """One line of the verdict table.

    Raises:
        MedagentsError: as `audit`.
    """
    try:
        if claim.kind == "none":
            return (claim.claim_id, claim.printed, "", None, None, None, *_reasoned(NOT_RECOMPUTABLE, claim))
        found = recompute(claim, rows)
        return _line(claim, found, objections(claim, rows))
    except MedagentsError as error:
        raise MedagentsError(f"claim {claim.claim_id}: {error}") from None


def recompute(claim: Claim, rows: Rows) -> Recomputed:
    """The value of a claim from the rows.

    Raises:
        MedagentsError: no such kind, or the rows lack what it needs.
    """
    names = [name.strip() for name in claim.columns.split(",") if name.strip()]
    if claim.kind in arithmetic.KINDS:
        return arithmetic.KINDS[claim.kind](None, names)
    if claim.kind in WHOLE:
        return WHOLE[claim.kind](rows, names)
    if claim.kind == "span":
        others = [recompute(other, rows).values[0] for other in claims() if other.claim_id in names]
        return Recomputed((min(others), max(others)))
    if claim.kind not in quantities.KINDS:
        raise MedagentsError(f"no kind {claim.kind!r}")
    table = where(table_of(rows, claim.file), claim.filter)
    if table.empty:
        raise MedagentsError(f"{claim.file}: no row where {claim.filter}")
    return quantities.KINDS[claim.kind](table, names)


def objections(claim: Claim, rows: Rows) -> list[str]:
    """What the claim's checks object, each with its filter where they looked at other rows than the claim."""
    found = []
    for name, terms, names in CHECK.findall(claim.check):
        columns = [column.strip() for column in names.split(",") if column.strip()]
        table = table_of(rows, claim.file)
        terms = "" if terms == "all" else terms or claim.filter
        found += checks.find(name, table, columns, claim.file, terms)
    return [_placed(finding, claim) for finding in found]


def _placed(finding: checks.Finding, claim: Claim) -> str:
    if finding.filter == claim.filter:
        return finding.sentence
    return f"{finding.sentence} (check over {finding.filter or 'all rows'})"


def _line(claim: Claim, found: Recomputed, objected: list[str]) -> tuple[Any, ...]:
    printed = numbers(claim.printed)
    if not printed or len(found.values) < len(printed):
        raise MedagentsError(f"{claim.printed!r} and {len(found.values)} recomputed values do not match up")
    values = found.values[: len(printed)]
    ranges = found.ranges or tuple((value, value) for value in values)
    match = all(number.reproduced_by(*ends) for number, ends in zip(printed, ranges, strict=False))
    objected = [*objected, found.note] if found.note else objected
    if claim.n and found.n is not None and int(claim.n) != found.n:
        objected = [*objected, f"the n is {found.n}, printed for {claim.n}"]
    if not match:
        verdict = NOT_REPRODUCED
        objected = [f"recomputed {_text(values)}, printed {claim.printed}", *objected]
    else:
        verdict = CAVEAT if objected or claim.note else REPRODUCED
    low, high = (None if pd.isna(end) else end for end in (found.low, found.high))
    return (
        claim.claim_id,
        claim.printed,
        _text(values),
        low,
        high,
        found.n,
        *_reasoned(verdict, claim, objected),
    )


def _reasoned(verdict: str, claim: Claim, objected: list[str] | None = None) -> tuple[str, str]:
    if verdict == REPRODUCED:
        return verdict, ""
    sentence = "; ".join([*(objected or []), *([claim.note] if claim.note else [])])
    source = claim.file or ("no rows" if verdict == NOT_RECOMPUTABLE else "printed numbers alone")
    rows = f", where {claim.filter}" if claim.filter else ""
    return verdict, f"{sentence[:1].upper()}{sentence[1:]} ({source}{rows})."


def _text(values: tuple[float, ...]) -> str:
    whole = [float(value).is_integer() and abs(value) < 10**6 for value in values]
    texts = [f"{v:.0f}" if w else f"{v:.{DIGITS}g}" for v, w in zip(values, whole, strict=True)]
    return " / ".join(texts)
