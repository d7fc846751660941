"""Rates, exact tests, the clustered bootstrap and corrections for many tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats as sps
from statsmodels.stats.multitest import multipletests

from medagents.types import MedagentsError

CONFIDENCE = 0.95
"""Level of every interval."""

RESAMPLES = 20_000
"""Bootstrap resamples, as in section 3.3 of arXiv 2608.03744."""

SEED = 2608_03744
"""Seed of the bootstrap where no generator is given, so that a table can be rebuilt to the digit."""

CHUNK_BYTES = 256 * 2**10
"""Size of one block of the resample matrix, whatever the cohort's. Small enough for a core's cache,
which is several times faster than blocks of 16 MB; results do not depend on it."""

Array: TypeAlias = NDArray[np.float64]
Column: TypeAlias = Sequence[Any] | NDArray[Any] | pd.Series
"""Numbers or booleans by case; NaN, None or `pandas.NA` where undefined."""


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval; NaN where undefined, infinite where unbounded."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate(Interval):
    """A rate, or a difference of rates, from `n` defined observations in `clusters` clusters.

    `clusters` is None where the interval takes observations as independent. With `n == 0` the
    numbers are NaN and the text is `n=0`: this is how tables show an empty stratum. `note` says why
    an interval is missing.
    """

    n: int
    clusters: int | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.n == 0:
            return "n=0"
        if math.isnan(self.low):
            return f"{self.value:.2f} [no interval: {self.note}]"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class McNemar:
    """Exact McNemar test: `b` pairs where only the first is true, `c` where only the second is.

    `odds` is the matched odds ratio b/c. `n` is the number of pairs, None if only b and c are known.
    """

    p: float
    b: int
    c: int
    odds: Interval
    n: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Fisher:
    """Fisher's exact test; `odds` is the conditional maximum-likelihood odds ratio, first to second."""

    p: float
    odds: Interval
    note: str = ""


def floats(name: str, column: Any) -> Array:
    """A copy of `column`, of any shape, as floats with NaN where undefined; `name` is for the error."""
    values = np.asarray(column)
    try:
        if values.dtype.kind not in "biuf":
            flat = [math.nan if pd.isna(v) else float(v) for v in values.ravel()]
            values = np.array(flat, dtype=float).reshape(values.shape)
        return values.astype(float)
    except (TypeError, ValueError):
        raise MedagentsError(f"{name}: not a column of numbers, booleans or undefined values") from None


def together(**columns: Column) -> list[Array]:
    """The columns as float vectors of one length; broadcasting a scalar would invent pairs."""
    arrays = [floats(name, column) for name, column in columns.items()]
    shapes = [a.shape for a in arrays]
    if len(set(shapes)) > 1 or arrays[0].ndim != 1:
        raise MedagentsError(f"{', '.join(columns)}: columns of one length needed, not shapes {shapes}")
    return arrays


def binary(**columns: Column) -> list[Array]:
    """`together`, of outcomes that are 0, 1 or undefined."""
    arrays = together(**columns)
    for name, values in zip(columns, arrays, strict=True):
        if not np.isin(values[~np.isnan(values)], (0, 1)).all():
            raise MedagentsError(f"{name}: an outcome is 0, 1 or undefined")
    return arrays


def wilson(k: int, n: int) -> Estimate:
    """`k` of `n` independent observations as a rate with its Wilson score interval.

    For observations that share cases or patients use `bootstrap`.

    Raises:
        MedagentsError: n = 0 (no observations is not a rate of 0; `rate` shows it as `n=0`), or k is
            not within 0 to n.
    """
    if n == 0:
        raise MedagentsError("a rate of no observations is undefined; use `rate` to show n=0")
    if not 0 <= k <= n:
        raise MedagentsError(f"{k} of {n} is not a count of successes")
    low, high = sps.binomtest(k, n).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(k / n, float(low), float(high), n)


def rate(outcomes: Column) -> Estimate:
    """`wilson` over the defined entries of a 0/1 column; where there are none, the `n=0` estimate."""
    [values] = binary(outcomes=outcomes)
    known = values[~np.isnan(values)]
    if not known.size:
        return Estimate(math.nan, math.nan, math.nan, 0)
    return wilson(int(known.sum()), known.size)


def mcnemar(b: int, c: int, n: int | None = None) -> McNemar:
    """Exact two-sided McNemar test from the two counts of discordant pairs.

    The interval of b/c is the Clopper-Pearson interval of b/(b+c) taken to odds. Without discordant
    pairs p is 1, b/c is undefined and `note` says so.

    Raises:
        MedagentsError: a negative count, or more discordant pairs than pairs.
    """
    if min(b, c) < 0 or (n is not None and b + c > n):
        raise MedagentsError(f"b={b}, c={c}, n={n} are not counts of discordant pairs")
    if b + c == 0:
        return McNemar(1.0, 0, 0, Interval(math.nan, 0.0, math.inf), n, "no discordant pairs")
    test = sps.binomtest(b, b + c)
    low, high = test.proportion_ci(CONFIDENCE, method="exact")
    low, high = (math.inf if p == 1 else float(p / (1 - p)) for p in (low, high))
    odds = Interval(b / c if c else math.inf, low, high)
    return McNemar(float(test.pvalue), b, c, odds, n)


def mcnemar_from(a: Column, b: Column) -> McNemar:
    """`mcnemar` of two 0/1 columns of the same cases; a pair counts only where both are defined.

    Raises:
        MedagentsError: columns of different length or not 0/1, or no pair at all.
    """
    first, second = binary(a=a, b=b)
    known = ~np.isnan(first) & ~np.isnan(second)
    if not known.any():
        raise MedagentsError("McNemar needs a pair where both outcomes are defined")
    only_first = int(((first == 1) & (second == 0)).sum())
    only_second = int(((first == 0) & (second == 1)).sum())
    return mcnemar(only_first, only_second, int(known.sum()))


def fisher(k1: int, n1: int, k2: int, n2: int) -> Fisher:
    """Fisher's exact two-sided test of `k1` of `n1` against `k2` of `n2` independent observations.

    Where no observation, or every one, is a success the odds ratio is undefined and its interval 0
    to infinity; `note` says so.

    Raises:
        MedagentsError: an empty group, or a count out of range.
    """
    if min(n1, n2) < 1 or not (0 <= k1 <= n1 and 0 <= k2 <= n2):
        raise MedagentsError(f"{k1} of {n1} against {k2} of {n2}: two non-empty groups needed")
    table = [[k1, n1 - k1], [k2, n2 - k2]]
    ratio = sps.contingency.odds_ratio(table, kind="conditional")
    low, high = ratio.confidence_interval(CONFIDENCE)
    note = {0: "no success in either group", n1 + n2: "no failure in either group"}.get(k1 + k2, "")
    odds = Interval(float(ratio.statistic), float(low), float(high))
    return Fisher(float(sps.fisher_exact(table).pvalue), odds, note)


def cluster_codes(clusters: Column, n: int) -> tuple[NDArray[np.intp], int]:
    """Cluster of each of `n` observations as 0-based codes in sorted order of id, and their number.

    Codes follow the ids and not the rows, so sorting a table otherwise changes no interval.

    Raises:
        MedagentsError: a missing or empty id (it would make strangers into one cluster or drop a
            case), or not one id an observation.
    """
    ids = pd.Series(list(clusters), dtype=object)
    if len(ids) != n:
        raise MedagentsError(f"{len(ids)} cluster ids for {n} observations")
    missing = ids.isna() | (ids.astype(str) == "")
    if missing.any():
        raise MedagentsError(f"observation {int(missing.idxmax())}: no cluster id; give its case or patient")
    codes, unique = pd.factorize(ids, sort=True)
    return codes, len(unique)


def bootstrap_columns(
    values: Any, clusters: Column, rng: np.random.Generator | None = None, resamples: int = RESAMPLES
) -> tuple[Estimate, ...]:
    """Mean of each column of `values` (cases x arms) with a clustered percentile bootstrap interval.

    Clusters are drawn with replacement, the same draws for every column. A resampled mean is the
    ratio of summed values to summed observations, so a patient with many images weighs as many; a
    draw that holds no defined observation of a column is left out of that column's quantiles. A
    column defined in fewer than two clusters has no interval.

    Args:
        values: numbers or 0/1, NaN where undefined; for paired differences, one less the other.
        clusters: the id of what is resampled (case or patient), one a row; see `cluster_codes`.
        rng: generator of the draws; a fresh one from `SEED` if not given.
        resamples: how often. Only a simulation of very many studies takes fewer than `RESAMPLES`.

    Raises:
        MedagentsError: not a table, an infinite value, or a missing cluster id.
    """
    table = floats("values", values)
    if table.ndim != 2 or np.isinf(table).any():
        raise MedagentsError(f"values: a finite table of cases x arms needed, not shape {table.shape}")
    codes, groups = cluster_codes(clusters, len(table))
    known = ~np.isnan(table)
    arms = table.shape[1]
    # A cluster enters a resample only by its sums and sizes, so both are added up once and each
    # block of resamples costs one product with the matrix of how often each cluster was drawn.
    totals = np.zeros((groups, 2 * arms))
    np.add.at(totals, codes, np.hstack([np.where(known, table, 0.0), known]))
    draws = np.empty((resamples, arms))
    rng = rng or np.random.default_rng(SEED)
    step = max(1, CHUNK_BYTES // (8 * max(groups, 1)))
    for start in range(0, resamples if groups else 0, step):
        size = min(step, resamples - start)
        drawn = rng.integers(0, groups, size=(size, groups))
        drawn += groups * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * groups).reshape(size, groups)
        resampled = counts @ totals
        with np.errstate(invalid="ignore"):
            draws[start : start + size] = resampled[:, :arms] / resampled[:, arms:]
    return tuple(_percentiles(totals[:, j], totals[:, arms + j], draws[:, j]) for j in range(arms))


def _percentiles(sums: Array, sizes: Array, draws: Array) -> Estimate:
    n, occupied = int(sizes.sum()), int((sizes > 0).sum())
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    value = float(sums.sum() / n)
    if occupied == 1:  # every resample would repeat it: a width of zero, not certainty
        return Estimate(value, math.nan, math.nan, n, 1, "one cluster")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(draws[~np.isnan(draws)], (tail, 1 - tail))
    return Estimate(value, float(low), float(high), n, occupied)


def bootstrap(values: Column, clusters: Column, rng: np.random.Generator | None = None) -> Estimate:
    """`bootstrap_columns` of one column."""
    [column] = together(values=values)
    return bootstrap_columns(column[:, None], clusters, rng)[0]


def paired_difference(
    a: Column, b: Column, clusters: Column, rng: np.random.Generator | None = None
) -> Estimate:
    """Mean of `a` - `b` over the pairs where both are defined, with its clustered interval."""
    first, second = together(a=a, b=b)
    return bootstrap(first - second, clusters, rng)


def _adjusted(ps: Column, method: str) -> Array:
    [values] = together(ps=ps)
    known = ~np.isnan(values)
    if not ((values[known] >= 0) & (values[known] <= 1)).all():
        raise MedagentsError("ps: a p-value lies within 0 to 1")
    if known.any():
        values[known] = multipletests(values[known], method=method)[1]
    return values


def benjamini_hochberg(ps: Column) -> Array:
    """False-discovery-rate adjusted p-values, in the order given.

    An undefined member (a test that could not be run) stays NaN and does not count towards the size
    of the family. A test that ran and found nothing, p = 1, counts.
    """
    return _adjusted(ps, "fdr_bh")


def holm(ps: Column) -> Array:
    """Family-wise adjusted p-values (Holm); undefined members as in `benjamini_hochberg`."""
    return _adjusted(ps, "holm")
