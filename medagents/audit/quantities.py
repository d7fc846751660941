"""One short function a kind of printed quantity, each over a table of rows and the columns named.

A function gets the table and its columns (`columns.column`) and returns `Recomputed`. `KINDS` names them as
the claims table does. What needs more than one table, or none, is in `families`, `replies` and
`arithmetic`; the intervals are those of `intervals`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from medagents import stats
from medagents.audit import intervals
from medagents.audit.columns import column, named
from medagents.types import MedagentsError


@dataclass(frozen=True)
class Recomputed:
    """The values of a claim in printed order, an interval where the first is an estimate, and n.

    `ranges` gives for each value the least and greatest it may be by the draws of a bootstrap; `note` says
    what the values alone do not.
    """

    values: tuple[float, ...]
    n: int | None = None
    low: float = math.nan
    high: float = math.nan
    ranges: tuple[tuple[float, float], ...] = ()
    note: str = ""


Kind = Callable[[pd.DataFrame, list[str]], Recomputed]


def _estimated(found: stats.Estimate, *more: float) -> Recomputed:
    return Recomputed((found.value, *more), found.n, found.low, found.high)


def _share(values: pd.Series, ids: pd.Series) -> Recomputed:
    """A rate with k and n."""
    found = intervals.share(values, ids)
    return _estimated(found, values.sum(), found.n)


def rate(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Share of 1 among the defined, then k and n."""
    return _share(column(table, names[0]), intervals.clusters(table))


def count(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many are 1, then n."""
    values = column(table, names[0])
    return Recomputed((values.sum(), float(values.notna().sum())), int(values.notna().sum()))


def rows(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many rows, then how many hold each of the named columns."""
    more = (float(column(table, name).sum()) for name in names)
    return Recomputed((float(len(table)), *more), len(table))


def counts(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many rows hold each of the named columns."""
    return Recomputed(tuple(float(column(table, name).sum()) for name in names), len(table))


def counts_by(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many rows hold the first column, for each named value of the second."""
    outcome, group, *values = names
    parts = [table[named(table, group) == value] for value in values]
    return Recomputed(tuple(float(column(part, outcome).sum()) for part in parts), len(parts[0]))


def distinct(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many different values."""
    return Recomputed((float(named(table, names[0]).nunique()),), len(table))


def mean(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Mean of a number, with its interval."""
    return _estimated(intervals.mean(column(table, names[0]), intervals.clusters(table)))


def mean_by_case(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Mean over cases of each case's mean, with its interval; n is the number of cases.

    For a case under several cues, as `mean_above` has it.
    """
    values = column(table, names[0]).groupby(table["case"], sort=True).mean()
    ids = intervals.clusters(table).groupby(table["case"], sort=True).first()
    return _estimated(intervals.mean(values, ids))


def rates(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Several shares in order."""
    return Recomputed(tuple(stats.rate(column(table, name)).value for name in names), len(table))


def rates_and_difference(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Two shares and their paired difference, whose interval is given."""
    found = difference(table, names)
    return Recomputed((*rates(table, names).values, found.values[0]), found.n, found.low, found.high)


def spread(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Least and greatest share of a column (first) over the groups of the others."""
    groups = [stats.rate(column(part, names[0])).value for _, part in table.groupby(names[1:], sort=True)]
    return Recomputed((min(groups), max(groups)), len(table))


def least(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Least share over columns."""
    return Recomputed((min(rates(table, names).values),), len(table))


def greatest(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Greatest share over columns."""
    return Recomputed((max(rates(table, names).values),), len(table))


def greatest_gap(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Greatest distance of the other columns' shares from that of the first."""
    floor, *others = rates(table, names).values
    return Recomputed((max(abs(other - floor) for other in others),), len(table))


def difference(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Paired difference of two columns, with its interval."""
    first, second = (column(table, name) for name in names)
    return _estimated(intervals.mean(first - second, intervals.clusters(table)))


def differences(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Paired differences of the first two columns, the next two, and so on."""
    pairs = [names[start : start + 2] for start in range(0, len(names), 2)]
    return Recomputed(tuple(difference(table, pair).values[0] for pair in pairs), len(table))


def difference_of_differences(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """(first - second) - (third - fourth), paired, with its interval."""
    a, b, c, d = (column(table, name) for name in names)
    return _estimated(intervals.mean((a - b) - (c - d), intervals.clusters(table)))


def mean_above(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Mean over the other columns' shares less that of the first, paired, with its interval."""
    floor, *others = (column(table, name) for name in names)
    above = pd.concat(others, axis=1).mean(axis=1) - floor
    return _estimated(intervals.mean(above, intervals.clusters(table)))


def ratio(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Share of the first over share of the second."""
    first, second = rates(table, names).values
    return Recomputed((first / second if second else math.nan,), len(table))


def discordant(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Pairs where only the first is 1, then where only the second is."""
    found = stats.mcnemar_from(*(column(table, name) for name in names))
    return Recomputed((float(found.b), float(found.c)), found.n)


def mcnemar(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """The p of the exact McNemar test."""
    found = stats.mcnemar_from(*(column(table, name) for name in names))
    return Recomputed((found.p,), found.n)


def mcnemar_greatest(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Greatest p of the exact McNemar tests of the first column against each other."""
    tests = [mcnemar(table, [names[0], name]) for name in names[1:]]
    return Recomputed((max(test.values[0] for test in tests),), tests[0].n)


def precision(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Of the flagged (first column), the share that is so labelled (second); then k and n."""
    flag, label = (column(table, name) for name in names)
    return _share(label.where(flag == 1), intervals.clusters(table))


def recall(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Of the labelled (second column), the share that is flagged (first); then k and n."""
    return precision(table, [names[1], names[0]])


def false_positive_rate(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Of those not labelled, the share that is flagged; then k and n."""
    flag, label = (column(table, name) for name in names)
    return _share(flag.where(label == 0), intervals.clusters(table))


def false_positives(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """How many of those not labelled are flagged, then how many those are."""
    found = false_positive_rate(table, names)
    return Recomputed(found.values[1:], found.n)


def detector(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Precision, recall and false-positive rate."""
    found = [kind(table, names).values[0] for kind in (precision, recall, false_positive_rate)]
    return Recomputed(tuple(found), int(column(table, names[1]).notna().sum()))


def _ends(table: pd.DataFrame, names: list[str], ids: pd.Series) -> Recomputed:
    first, second = (column(table, name) for name in names)
    plain, ranges = intervals.bootstrap_ends(first - second, ids)
    return Recomputed((plain.low, plain.high), plain.n, ranges=tuple(ranges))


def interval_by_case(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Ends of the authors' bootstrap interval of a paired difference, cases resampled as if independent."""
    return _ends(table, names, table["case"] + "/" + table.index.astype(str))


def interval_by_patient(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Ends of the authors' bootstrap interval of a paired difference, patients resampled."""
    return _ends(table, names, intervals.clusters(table))


def patients(table: pd.DataFrame, _: list[str]) -> Recomputed:
    """How many patients, then how many rows each gives, most first."""
    sizes = intervals.clusters(table).value_counts()
    return Recomputed((float(len(sizes)), *map(float, sizes)), len(table))


def patients_at_ceiling(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Patients whose every row is 1, then how many patients."""
    shares = column(table, names[0]).groupby(intervals.clusters(table)).mean()
    return Recomputed((float((shares == 1).sum()), float(len(shares))), len(shares))


def harmful(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Adoptions (Eq. 1) that replaced a right isolated answer, then all adoptions.

    Columns: shared, isolated, plant and gold answers, as texts.
    """
    texts = [named(table, name) for name in names]
    codes, _ = pd.factorize(pd.concat(texts, ignore_index=True))
    parts = [np.where(part < 0, np.nan, part) for part in codes.reshape(len(names), -1).astype(float)]
    shared, isolated, plant, gold = parts
    adopted = stats.adoption(shared, isolated, plant)
    return Recomputed(
        (float(np.nansum(stats.harmful(shared, isolated, plant, gold))), float(np.nansum(adopted))),
        int(np.nansum(adopted)),
    )


def stated(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """Values that a summary file states, the rows behind which are not released."""
    if len(table) != 1:
        raise MedagentsError(f"a summary is one record, not {len(table)}")
    return Recomputed(tuple(float(column(table, name).iloc[0]) for name in names))


def stated_count(table: pd.DataFrame, names: list[str]) -> Recomputed:
    """A count that a summary states as a rate, then its n. Columns: rate, n."""
    share, n = stated(table, names).values
    return Recomputed((round(share * n, 6), n))


KINDS: dict[str, Kind] = {
    function.__name__: function
    for function in (
        rate,
        count,
        rows,
        counts,
        counts_by,
        distinct,
        mean,
        mean_by_case,
        rates,
        rates_and_difference,
        spread,
        least,
        greatest,
        greatest_gap,
        difference,
        differences,
        difference_of_differences,
        mean_above,
        ratio,
        discordant,
        mcnemar,
        mcnemar_greatest,
        precision,
        recall,
        false_positive_rate,
        false_positives,
        detector,
        interval_by_case,
        interval_by_patient,
        patients,
        patients_at_ceiling,
        harmful,
        stated,
        stated_count,
    )
}
"""The kinds of the claims table that take one table of rows."""
