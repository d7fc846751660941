"""The intervals of the audit: those it puts to a number of its own accord, and the authors' bootstrap.

The percentile bootstrap covers too rarely where patients are few (`medagents/planted/coverage.csv`), so it
serves only to recompute ends that the paper prints.
"""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from medagents import stats

SEEDS = 50
"""Bootstraps by which a printed end is judged: it may be any of theirs, so that the verdict does not hang
on the draws of one seed."""


def clusters(table: pd.DataFrame) -> pd.Series:
    """Patient or case of each row; rows that name neither count as independent."""
    return table["cluster"] if "cluster" in table else pd.Series(np.arange(len(table)), dtype=object)


def share(values: pd.Series, ids: pd.Series) -> stats.Estimate:
    """A rate: Wilson where cases are independent, of the effective sample size where they are not."""
    return stats.clustered_rate(values, ids)


def mean(values: pd.Series, ids: pd.Series) -> stats.Estimate:
    """A mean, such as a paired difference, NaN where undefined.

    Bonett and Price's interval where the values are those of independent pairs (-1, 0 or 1), else the
    jackknife over clusters, cut at the ends of the scale (1, or 2 for a difference of differences); none
    where that would have no width.
    """
    known = values.dropna()
    if known.isin((-1, 0, 1)).all() and len(known) and not ids[values.notna()].duplicated().any():
        return stats.bonett_price(int((known == 1).sum()), int((known == -1).sum()), len(known))
    found = stats.clustered_mean(values, ids)
    if math.isnan(found.low):
        return found
    if found.low == found.high:
        return replace(found, low=math.nan, high=math.nan, note="every cluster has the same mean")
    end = max(1, math.ceil(known.abs().max()))
    return replace(found, low=max(found.low, -end), high=min(found.high, end))


def bootstrap_ends(values: pd.Series, ids: pd.Series) -> tuple[stats.Estimate, list[tuple[float, float]]]:
    """The authors' interval (section 3.3), and the least and greatest of each end over `SEEDS` others."""
    draws = [stats.bootstrap(values, ids, np.random.default_rng([stats.SEED, k])) for k in range(SEEDS)]
    ends = [[draw.low for draw in draws], [draw.high for draw in draws]]
    return stats.bootstrap(values, ids), [(min(end), max(end)) for end in ends]
