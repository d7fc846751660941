"""Names the metrics of a table that cannot fail, or nearly cannot, by construction.

Public as `medagents.stats.screen`. The paper withdrew five arms after such a screen and warns that a
near-constant predicate escapes one that looks for constants only (arXiv 2608.03744, section 4.6).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from medagents.types import MedagentsError

MINORITY = 5
"""A column with fewer observations than this off its commonest value is near-constant."""


@dataclass(frozen=True)
class Finding:
    """One degenerate metric: the `columns` concerned and one sentence on what follows.

    `kind` is `empty`, `constant`, `near-constant`, `equals label`, `identical`, `nested` or
    `shared baseline`.
    """

    kind: str
    columns: tuple[str, ...]
    detail: str


def screen(
    frame: pd.DataFrame,
    contrasts: Mapping[str, tuple[str, str]] | None = None,
    labels: Mapping[str, str] | None = None,
    by: str | None = None,
    minority: int = MINORITY,
) -> list[Finding]:
    """Degenerate metrics of a table with one outcome a column and one case a row.

    Findings are about these rows: two columns that agree on every case may still differ on the
    next, so a finding asks for a reason and does not give one. Order is by kind as listed in
    `Finding`, then by column.

    Args:
        frame: 0/1 or categorical outcomes; None or NaN where undefined. Leave identifiers out.
        contrasts: name of each reported difference -> (arm column, baseline column).
        labels: each detector's column -> the label column it is scored against.
        by: column of strata. Each outcome is also looked for in each stratum, and a categorical
            column's unobserved categories count as strata.
        minority: see `MINORITY`.

    Raises:
        MedagentsError: a column that `contrasts`, `labels` or `by` names is not in the table, or
            a column name is repeated.
    """
    contrasts, labels = contrasts or {}, labels or {}
    names = [str(name) for name in frame.columns]
    named = {name for pair in [*contrasts.values(), *labels.items()] for name in pair}
    named |= {by} if by else set()
    if named - set(names) or len(set(names)) < len(names):
        raise MedagentsError(f"screen: unknown or repeated columns in {sorted(named)} of {names}")
    columns = {name: frame[name].astype(object) for name in names if name != by}
    constant = {name for name, column in columns.items() if column.nunique() <= 1}
    found = _empty(frame, columns, by)
    found += _constant(columns, constant, contrasts)
    found += _near_constant(columns, constant, minority)
    found += _equals_label(columns, labels)
    declared = {frozenset(pair) for pair in labels.items()}
    # A constant contains every column; it is named once, above, unless declared a detector: a gate
    # that flags everything has recall 1.
    varying = [name for name in columns if name not in constant]
    pairs = [pair for pair in combinations(varying, 2) if frozenset(pair) not in declared]
    found += _identical(columns, pairs)
    found += _nested(columns, [*labels.items(), *pairs])
    return found + _shared_baseline(contrasts)


def _both(columns: Mapping[str, pd.Series], a: str, b: str) -> pd.DataFrame:
    return pd.DataFrame({"a": columns[a], "b": columns[b]}).dropna()


def _same(columns: Mapping[str, pd.Series], a: str, b: str) -> int:
    """Rows on which the two agree if they agree on every row where both are defined, else 0."""
    both = _both(columns, a, b)
    return len(both) if (both["a"] == both["b"]).all() else 0


def _word(value: object) -> str:
    """A value as in the table: a 0/1 column with gaps is stored as floats but holds no 1.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _empty(frame: pd.DataFrame, columns: Mapping[str, pd.Series], by: str | None) -> list[Finding]:
    found = [
        Finding("empty", (name,), f"{name} has n=0: no row defines it, so it has no rate.")
        for name, column in columns.items()
        if not column.notna().any()
    ]
    if by is None:
        return found
    strata = frame[by]
    # A category nobody has is the stratum that groupby drops without a word.
    for stratum in strata.astype("category").cat.categories:
        rows = strata == stratum
        if not rows.any():
            found.append(Finding("empty", (by,), f"{by}={stratum} has n=0: no case is in this stratum."))
            continue
        for name, column in columns.items():
            if column.notna().any() and not column[rows].notna().any():
                detail = f"{name} has n=0 where {by}={stratum}: no row of the stratum defines it."
                found.append(Finding("empty", (name, by), detail))
    return found


def _constant(
    columns: Mapping[str, pd.Series], constant: set[str], contrasts: Mapping[str, tuple[str, str]]
) -> list[Finding]:
    found = []
    for name, column in columns.items():
        defined = column.dropna()
        if name not in constant or defined.empty:
            continue
        detail = f"{name} is {_word(defined.iloc[0])} in all {len(defined)} rows: it cannot tell cases apart"
        users = [contrast for contrast, (_, baseline) in contrasts.items() if baseline == name]
        if users and defined.iloc[0] == 0:
            detail += f", and as the baseline of {', '.join(users)} it makes the difference a raw rate"
        found.append(Finding("constant", (name,), detail + "."))
    return found


def _near_constant(columns: Mapping[str, pd.Series], constant: set[str], minority: int) -> list[Finding]:
    found = []
    for name, column in columns.items():
        counts = column.value_counts()
        rest = int(counts.sum() - counts.max()) if len(counts) else 0
        if name not in constant and rest < minority:
            usual = _word(counts.index[0])
            detail = f"{name} is {usual} in all but {rest} of {counts.sum()} rows: near-constant."
            found.append(Finding("near-constant", (name,), detail))
    return found


def _equals_label(columns: Mapping[str, pd.Series], labels: Mapping[str, str]) -> list[Finding]:
    found = []
    for flag, label in labels.items():
        n = _same(columns, flag, label)
        if n:
            detail = f"{flag} equals its label {label} in all {n} rows: precision and recall measure nothing."
            found.append(Finding("equals label", (flag, label), detail))
    return found


def _identical(columns: Mapping[str, pd.Series], pairs: list[tuple[str, str]]) -> list[Finding]:
    found = []
    for a, b in pairs:
        n = _same(columns, a, b)
        if n:
            detail = f"{a} and {b} agree in all {n} rows: two names of one measurement."
            found.append(Finding("identical", (a, b), detail))
    return found


def _nested(columns: Mapping[str, pd.Series], pairs: list[tuple[str, str]]) -> list[Finding]:
    found = []
    for first, second in pairs:
        if not all(column.dropna().isin((0, 1)).all() for column in (columns[first], columns[second])):
            continue
        for inner, outer in ((first, second), (second, first)):
            both = _both(columns, inner, outer)
            inside = both[both["a"] == 1]
            if inside.empty or _same(columns, inner, outer):
                continue
            if not (inside["b"] == 1).all():
                continue
            detail = (
                f"Every {inner} is a {outer} ({len(inside)} of {len(both)} rows): "
                f"as a detector of {inner}, {outer} has recall 1 by that alone; in reverse, precision 1."
            )
            found.append(Finding("nested", (inner, outer), detail))
    return found


def _shared_baseline(contrasts: Mapping[str, tuple[str, str]]) -> list[Finding]:
    users: dict[str, list[str]] = {}
    for contrast, (_, baseline) in contrasts.items():
        users.setdefault(baseline, []).append(contrast)
    found = []
    for baseline, sharing in users.items():
        if len(sharing) > 1:
            arms = tuple(contrasts[contrast][0] for contrast in sharing)
            detail = f"{', '.join(sharing)} share the baseline {baseline}: they are not independent."
            found.append(Finding("shared baseline", (baseline, *arms), detail))
    return found
