"""Intervals for few clusters and rare outcomes, where the percentile bootstrap covers too rarely.

How often each interval covers what was planted is measured in `medagents/planted/coverage.csv`.
"""

import math

import numpy as np
from scipy import stats as sps

from medagents.stats.inference import (
    CONFIDENCE,
    Array,
    Column,
    Estimate,
    binary,
    cluster_codes,
    rate,
    together,
)
from medagents.types import MedagentsError


def clustered_rate(outcomes: Column, clusters: Column, exact: bool = False) -> Estimate:
    """A rate with the Wilson interval of its effective sample size, for few or unequal clusters.

    The variance is that of the ratio of clusters' sums (CR2: squared residuals over one less the
    cluster's share); the effective sample size is the number of independent observations that would
    have it, at most the number there are (Korn and Graubard, Survey Methodology 1998; Dean and Pagano,
    Journal of Survey Statistics and Methodology 2015). The quantile is of t with the effective number
    of clusters less one degrees of freedom: ten patients of whom one gave a third of the images weigh
    as five (Kish: the square of the sum of sizes over the sum of their squares).

    Where every outcome is the same no correlation can be seen, and the effective size is the number
    there are. Where every observation is its own cluster this is `rate`, or `clopper_pearson` if `exact`.

    Args:
        outcomes: 0/1, NaN where undefined. For a precision, undefined where nothing was flagged.
        clusters: patient or case of each; see `cluster_codes`.
        exact: for rates near 0 or 1 of few observations, such as a detector's, where Wilson's interval
            covers too rarely.
    """
    [values] = binary(outcomes=outcomes)
    sums, sizes = _totals(values, clusters)
    n, groups = int(sizes.sum()), len(sizes)
    if groups < 2:
        return _few(sums, n, groups)
    if groups == n:
        found = clopper_pearson(int(sums.sum()), n) if exact else rate(values)
        return Estimate(found.value, found.low, found.high, n, groups)
    p = sums.sum() / n
    variance = float(((sums - p * sizes) ** 2 / (1 - sizes / n)).sum()) / n**2
    effective = min(n, p * (1 - p) / variance) if variance else n
    # In 1 / z**2, which is 0 where nearly all lies in one cluster and the quantile overflows.
    flat = sps.t.ppf((1 + CONFIDENCE) / 2, _effective(sizes) - 1) ** -2.0
    centre = (p * flat + 0.5 / effective) / (flat + 1 / effective)
    half = math.sqrt(p * (1 - p) * flat / effective + 0.25 / effective**2) / (flat + 1 / effective)
    return Estimate(float(p), max(0.0, float(centre - half)), min(1.0, float(centre + half)), n, groups)


def clustered_mean(values: Column, clusters: Column) -> Estimate:
    """A mean, such as a paired difference, with its jackknife interval over clusters.

    Clusters are left out one at a time; the quantile is of t as in `clustered_rate`. The interval is
    symmetric and may pass the ends of the scale.

    Args:
        values: numbers, NaN where undefined; for a difference, one column less the other.
        clusters: patient or case of each; see `cluster_codes`.
    """
    [column] = together(values=values)
    sums, sizes = _totals(column, clusters)
    n, groups = int(sizes.sum()), len(sizes)
    if groups < 2:
        return _few(sums, n, groups)
    mean = sums.sum() / n
    without = (sums.sum() - sums) / (n - sizes)
    error = math.sqrt((groups - 1) / groups * float(((without - mean) ** 2).sum()))
    half = sps.t.ppf((1 + CONFIDENCE) / 2, _effective(sizes) - 1) * error
    return Estimate(float(mean), float(mean - half), float(mean + half), n, groups)


def rate_difference(a: Column, b: Column, clusters: Column) -> Estimate:
    """Mean of `a` - `b`, two 0/1 columns of the same cases, over the pairs where both are defined.

    The interval is `bonett_price` where every pair is its own cluster, and `clustered_mean` where
    clusters repeat: the percentile bootstrap covers too rarely in either case (`coverage.csv`). Clusters
    that are all alike show no variance to make an interval of; `note` then says so.
    """
    first, second = binary(a=a, b=b)
    change = first - second
    sums, sizes = _totals(change, clusters)
    n, groups = int(sizes.sum()), len(sizes)
    if groups < 2:
        return _few(sums, n, groups)
    if groups == n:
        found = bonett_price(int((change == 1).sum()), int((change == -1).sum()), n)
        return Estimate(found.value, found.low, found.high, n, groups)
    if np.ptp(sums / sizes) == 0:
        return Estimate(float(sums.sum() / n), math.nan, math.nan, n, groups, "clusters alike")
    return clustered_mean(change, clusters)


def clopper_pearson(k: int, n: int) -> Estimate:
    """`k` of `n` independent observations as a rate with its exact interval.

    It never covers less than it says, and so is wider than `wilson`: for a rate within a few
    observations of 0 or 1.

    Raises:
        MedagentsError: no observation, or k not within 0 to n.
    """
    if n < 1 or not 0 <= k <= n:
        raise MedagentsError(f"{k} of {n} is not a count of successes")
    low, high = sps.binomtest(k, n).proportion_ci(CONFIDENCE, method="exact")
    return Estimate(k / n, float(low), float(high), n)


def bonett_price(b: int, c: int, n: int) -> Estimate:
    """Paired difference of two rates, (b - c) / n, from the counts of discordant pairs.

    The interval is the normal one with one pair added to each count (Bonett and Price, Journal of
    Educational and Behavioral Statistics 2012). It needs pairs that are independent; unlike a
    bootstrap it has a width where no pair is discordant.

    Raises:
        MedagentsError: no pair, or more discordant pairs than pairs.
    """
    if n < 1 or min(b, c) < 0 or b + c > n:
        raise MedagentsError(f"b={b}, c={c}, n={n} are not counts of discordant pairs")
    first, second, pairs = (b + 1) / (n + 2), (c + 1) / (n + 2), n + 2
    centre = first - second
    half = sps.norm.ppf((1 + CONFIDENCE) / 2) * math.sqrt((first + second - centre**2) / pairs)
    return Estimate((b - c) / n, max(-1.0, float(centre - half)), min(1.0, float(centre + half)), n)


def _totals(values: Array, clusters: Column) -> tuple[Array, Array]:
    """Sum and number of the defined values of each cluster that has any."""
    codes, groups = cluster_codes(clusters, len(values))
    known = ~np.isnan(values)
    sums: Array = np.bincount(codes[known], values[known], minlength=groups).astype(float)
    sizes: Array = np.bincount(codes[known], minlength=groups).astype(float)
    return sums[sizes > 0], sizes[sizes > 0]


def _effective(sizes: Array) -> float:
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _few(sums: Array, n: int, groups: int) -> Estimate:
    value = float(sums.sum() / n) if n else math.nan
    return Estimate(value, math.nan, math.nan, n, groups, "one cluster" if n else "")
