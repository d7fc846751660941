"""Named checks that any table of rows can be put through, beyond whether a number matches.

A check gets a table and the columns it looks at (`columns.column`), and says in sentences what it found;
`find` adds the file and the filter. No finding means that the check has nothing to object.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from medagents import stats
from medagents.audit import intervals, quantities
from medagents.audit.columns import column, named, where
from medagents.types import MedagentsError, same_text


@dataclass(frozen=True)
class Finding:
    """One objection: the sentence holds for the rows of `file` that pass `filter`."""

    check: str
    file: str
    filter: str
    sentence: str


FEW = 30
"""Patients below which a percentile bootstrap over them is objected to: at 10 it covers 90 % of what is
planted or less, at 30 as often as it says where shares are not rare (`planted/coverage.csv`)."""

Check = Callable[[pd.DataFrame, list[str]], list[str]]


def same_option_flips(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Flips that kept the option: the cue edited the option's text and the texts were compared.

    Columns: answer before, answer under the cue, the flip that a claim counts. A text that continues the
    other one by whole words is the same option with words appended. What is counted as a flip, and out of
    how many, is the third column's word, as in the claim itself; where the texts say otherwise, that is told.
    """
    first, second = (named(table, name).map(same_text, na_action="ignore") for name in names[:2])
    flipped = column(table, names[2])
    pairs = [(str(a), str(b)) for a, b, flip in zip(first, second, flipped, strict=True) if flip == 1]
    same = sum(a != b and (f"{a} ".startswith(f"{b} ") or f"{b} ".startswith(f"{a} ")) for a, b in pairs)
    differ = (first != second).where(first.notna() & second.notna())
    odd = int((differ.notna() & flipped.notna() & (differ.astype(float) != flipped)).sum())
    n = int(flipped.notna().sum())
    found = []
    if same:
        found.append(
            f"{same} of {len(pairs)} flips keep the option, whose text the cue edited; "
            f"without them {len(pairs) - same} of {n} flip"
        )
    if odd:
        found.append(f"in {odd} of {n} rows {names[2]} is not what the two answers say")
    return found


def harm(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Adoptions (Eq. 1) of answers that were wrong already. Columns: shared, isolated, plant, gold."""
    bad, adopted = quantities.harmful(table, names).values
    if bad == adopted:
        return []
    return [f"{bad:.0f} of {adopted:.0f} adoptions under Eq. 1 replaced a right answer, so are harmful"]


def hard(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Cases called hard that the holdout answers right alone. Columns: isolated answer, gold answer."""
    wrong = column(table, f"{names[0]}!={names[1]}")
    if wrong.mean() == 1:
        return []
    return [f"the holdout alone is wrong on {wrong.sum():.0f} of {wrong.notna().sum()} of these cases"]


def unmatched(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Groups compared as independent that share cases. Columns: the group; more columns that would agree
    if equal case numbers of two groups named the same case (de-identified rows number anew).
    """
    groups = [part.set_index("case") for _, part in table.groupby(names[0], sort=True)]
    if len(groups) != 2:
        raise MedagentsError(f"unmatched compares two groups, not {len(groups)}")
    shared = groups[0].index.intersection(groups[1].index)
    sizes = f"{len(groups[0])} and {len(groups[1])} rows"
    for name in names[1:]:
        one, other = (group.loc[shared, name] for group in groups)
        if len(shared) and not (one == other).all():
            agree = (one == other).mean()
            return [f"{sizes} number their cases apart ({name} agrees on {agree:.0%}), so cannot be paired"]
    if not len(shared):
        return []
    return [f"{len(shared)} cases are in both groups ({sizes}), which are compared as independent"]


def nested_cohorts(table: pd.DataFrame, names: list[str]) -> list[str]:
    """A cohort that contains another one is no second sample. Columns: the group."""
    sets = [set(part["case"]) for _, part in table.groupby(names[0], sort=True)]
    small, large = sorted(sets, key=len)
    inside = len(small & large)
    if not inside:
        return []
    return [f"{inside} of its {len(large)} cases are the smaller cohort's {len(small)}: no second sample"]


def clusters(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Several rows of one patient, taken as if independent. Columns: a rate, or two for a difference."""
    ids = named(table, "cluster")
    if not ids.duplicated().any():
        return []
    by_patient, by_row = (_estimate(table, names, which) for which in (ids, pd.Series(range(len(ids)))))
    return [
        f"{len(ids)} rows come from {ids.nunique()} patients: {by_patient} with patients as clusters, "
        f"{by_row} as if rows were independent"
    ]


def few_clusters(table: pd.DataFrame, names: list[str]) -> list[str]:
    """A percentile bootstrap of fewer than `FEW` patients. Columns: two for a paired difference."""
    ids = named(table, "cluster")
    if not ids.duplicated().any() or ids.nunique() >= FEW:
        return []
    return [
        f"a percentile bootstrap of {ids.nunique()} patients covers too rarely "
        f"(medagents/planted/coverage.csv); the jackknife over them gives {_estimate(table, names, ids)}"
    ]


def open_sign(table: pd.DataFrame, names: list[str]) -> list[str]:
    """An interval that holds 0 where a sign is claimed. Columns: two for a difference, four for one of
    two differences.
    """
    found = _estimate(table, names, intervals.clusters(table))
    if not found.low <= 0 <= found.high:
        return []
    return [f"with its interval the difference is {found}, so its sign is open"]


def _estimate(table: pd.DataFrame, names: list[str], ids: pd.Series) -> stats.Estimate:
    """A rate of one column, a difference of two, a difference of differences of four."""
    values = [column(table, name) for name in names]
    if len(values) == 1:
        return intervals.share(values[0], ids)
    pairs = [first - second for first, second in zip(values[::2], values[1::2], strict=True)]
    return intervals.mean(pairs[0] - pairs[1] if len(pairs) == 2 else pairs[0], ids)


def bootstrap_size(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Interval ends whose second decimal depends on the draws. Columns: two for a paired difference."""
    ends = quantities.interval_by_patient(table, names).ranges
    open_ends = [f"{low:.3f} to {high:.3f}" for low, high in ends if f"{low:.2f}" != f"{high:.2f}"]
    if not open_ends:
        return []
    return [
        f"over {intervals.SEEDS} bootstraps of {stats.RESAMPLES:,} an end is {' and '.join(open_ends)}, "
        "so its second decimal is open"
    ]


def ceiling(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Differences whose first column is at an end on all rows or nearly all (fewer than
    `stats.MINORITY` off), so that little but the second can vary. Columns: pairs of them.
    """
    found = []
    for name, other in zip(names[::2], names[1::2], strict=True):
        both = pd.DataFrame({name: column(table, name), other: column(table, other)}).dropna()
        values = both[name]
        end = round(values.mean())
        off = int((values != end).sum())
        if off < stats.MINORITY:
            rows, told = f"all {len(values)}", "nothing but"
            if off:
                rows, told = f"all but {off} of {len(values)}", "little but"
            share = both[other].mean()
            found.append(
                f"column {name} is {end} in {rows} rows, so the difference tells {told} {other} ({share:.3f})"
            )
    return found


def low_power(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Too few discordant pairs for p below 0.05, whatever their direction. Columns: two outcomes."""
    found = stats.mcnemar_from(*(column(table, name) for name in names))
    pairs = found.b + found.c
    best = stats.mcnemar(pairs, 0).p
    if best < 0.05:
        return []
    return [f"{pairs} discordant pairs cannot give p below {best:.3g}"]


def one_measurement(table: pd.DataFrame, names: list[str]) -> list[str]:
    """Columns of several experiments that are the same on every row: shared baselines of a family."""
    columns = pd.DataFrame({name: column(table, name) for name in names})
    groups: dict[tuple, list[str]] = {}
    for name in columns:
        groups.setdefault(tuple(columns[name].fillna(-1)), []).append(str(name))
    return [
        f"{len(sharing)} columns are one measurement on all {len(columns)} rows ({', '.join(sharing)}), "
        "so their tests are not independent"
        for sharing in groups.values()
        if len(sharing) > 1
    ]


def _screened(*wanted: str) -> Check:
    def check(table: pd.DataFrame, names: list[str]) -> list[str]:
        frame = pd.DataFrame({name: column(table, name) for name in names}).astype(object)
        labels = {names[0]: names[1]} if wanted[0] in ("equals label", "nested") else {}
        found = stats.screen(frame.where(frame.notna(), None), labels=labels)
        details = [finding.detail.rstrip(".") for finding in found if finding.kind in wanted]
        return [
            f"column {detail}" if detail.startswith(tuple(names)) else detail[:1].lower() + detail[1:]
            for detail in details
        ]

    return check


CHECKS: dict[str, Check] = {
    "same_option_flips": same_option_flips,
    "harm": harm,
    "hard": hard,
    "unmatched": unmatched,
    "nested_cohorts": nested_cohorts,
    "clusters": clusters,
    "few_clusters": few_clusters,
    "bootstrap_size": bootstrap_size,
    "open_sign": open_sign,
    "ceiling": ceiling,
    "low_power": low_power,
    "one_measurement": one_measurement,
    "constant": _screened("constant"),
    "near_constant": _screened("constant", "near-constant"),
    "own_label": _screened("equals label"),
    "nested": _screened("nested"),
}
"""The checks by name. `constant`, `near_constant` (constant or nearly), `own_label` (flag, label) and
`nested` (flag, label) are `stats.screen`."""


def find(
    check: str, table: pd.DataFrame, names: Sequence[str], file: str = "", terms: str = ""
) -> list[Finding]:
    """Put the rows of `table` that pass the filter `terms` through one check.

    Raises:
        MedagentsError: no such check, or a column the rows do not have.
    """
    if check not in CHECKS:
        raise MedagentsError(f"no check {check!r}; known: {', '.join(CHECKS)}")
    part = where(table, terms)
    return [Finding(check, file, terms, sentence) for sentence in CHECKS[check](part, list(names))]
