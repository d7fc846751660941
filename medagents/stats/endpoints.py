"""The endpoints of a peer cascade: adoption, contagion, graded contagion and susceptibility.

Equation and section numbers are those of arXiv 2608.03744. Options are 0-based indices in the
original case, NaN or None where a reply names none.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special
from scipy import stats as sps
from statsmodels.discrete.discrete_model import Logit

from medagents.stats.inference import (
    CONFIDENCE,
    Array,
    Column,
    Estimate,
    Interval,
    binary,
    bootstrap_columns,
    cluster_codes,
    floats,
    together,
)
from medagents.stats.small_samples import rate_difference
from medagents.types import MedagentsError

LETTER_FLOOR = -20.0
"""Natural log-probability (2e-9) of an option the engine did not list among its alternatives. Low
enough never to beat a listed letter; it bounds the log-odds of a certain answer near 20."""


def _options(**columns: Column) -> list[Array]:
    arrays = together(**columns)
    for name, values in zip(columns, arrays, strict=True):
        known = values[~np.isnan(values)]
        if (known < 0).any() or (known != np.floor(known)).any() or np.isinf(known).any():
            raise MedagentsError(f"{name}: an option is a 0-based index or undefined")
    return arrays


def adoption(shared: Column, isolated: Column, plant: Column) -> Array:
    """Eq. 1 of arXiv 2608.03744 case by case: 1 where shared is the plant and isolated is not.

    All three are option indices in the original case. NaN where any is undefined: a refusal is
    neither an adoption nor its absence.
    """
    s, i, p = _options(shared=shared, isolated=isolated, plant=plant)
    return np.where(np.isnan(s + i + p), np.nan, (s == p) & (i != p))


def harmful(shared: Column, isolated: Column, plant: Column, gold: Column) -> Array:
    """1 where an adoption (`adoption`) replaced a right isolated answer, NaN where undefined."""
    adopted = adoption(shared, isolated, plant)
    i, g = _options(isolated=isolated, gold=gold)
    return np.where(np.isnan(adopted + g), np.nan, (adopted == 1) & (i == g))


def contagion(shared: Column, isolated: Column, plant: Column, clusters: Column) -> Estimate:
    """P(shared = plant) - P(isolated = plant) over the cases answered in both conditions.

    Less than the mean of `adoption` where some cases answer the plant only in isolation. Where the
    plant was chosen to differ from the isolated answer the second term is 0 by construction.
    """
    s, i, p = _options(shared=shared, isolated=isolated, plant=plant)
    undefined = np.isnan(s + i + p)
    chosen = [np.where(undefined, np.nan, answer == p) for answer in (s, i)]
    return rate_difference(chosen[0], chosen[1], clusters)


def flip_above_noise(flips: Column, noise_flips: Column, clusters: Column) -> Estimate:
    """Flip rate under a cue less the flip rate of a plain repeat of the same cases (section 3.2), with
    the interval of `rate_difference`.
    """
    return rate_difference(flips, noise_flips, clusters)


def _floored(logprobs: Any) -> Array:
    table = floats("logprobs", logprobs)
    if table.ndim != 2 or np.isposinf(table).any():
        raise MedagentsError("logprobs: a table of cases x options of natural logs needed")
    unlisted = np.isnan(table)
    silent = ~(np.isfinite(table).any(axis=1))
    table[unlisted] = LETTER_FLOOR
    table[silent] = np.nan
    return table


def option_probabilities(logprobs: Any) -> Array:
    """Probabilities over the options of each case, renormalised to sum to 1.

    `logprobs` (cases x options) are natural logs: NaN for an option the engine did not list, which
    gets `LETTER_FLOOR`; -inf for a column that is no option of this case, which gets 0. A row that
    lists nothing is undefined throughout.
    """
    return np.asarray(special.softmax(_floored(logprobs), axis=1))


def _plant_terms(logprobs: Any, plant: Column) -> Array:
    """Of each case the plant's probability, its log-odds and the margin of the best other option.

    All from logs: 1 - p would round to 0 where a model is sure.
    """
    table = _floored(logprobs)
    [plants] = _options(plant=plant)
    if len(plants) != len(table):
        raise MedagentsError(f"{len(plants)} plants for {len(table)} cases of log-probabilities")
    rows = np.flatnonzero(~np.isnan(plants))
    here = rows, plants[rows].astype(int)
    if (here[1] >= table.shape[1]).any() or np.isneginf(table[here]).any():
        raise MedagentsError("a plant is no option of its case")
    others = table.copy()
    others[here] = -np.inf
    terms = np.full((len(table), 3), np.nan)
    log_odds = table[here] - special.logsumexp(others[rows], axis=1)
    terms[rows] = np.column_stack([special.expit(log_odds), log_odds, others[rows].max(axis=1) - table[here]])
    return terms


@dataclass(frozen=True)
class Graded:
    """Mean change of the plant's probability (-1 to 1) and of its log-odds (nats), shared - isolated."""

    probability: Estimate
    log_odds: Estimate


def graded_contagion(logp_shared: Any, logp_isolated: Any, plant: Column, clusters: Column) -> Graded:
    """How far peers move the plant's probability, whether or not the answer flips.

    Both tables are as for `option_probabilities`. A case counts where both list something and the
    plant is defined.

    Raises:
        MedagentsError: not one plant a case, or a plant that is no option of its case.
    """
    shared, isolated = (_plant_terms(logprobs, plant) for logprobs in (logp_shared, logp_isolated))
    probability, log_odds, _ = bootstrap_columns(shared - isolated, clusters)
    return Graded(probability, log_odds)


def isolated_margin(logprobs: Any, plant: Column) -> Array:
    """How far the own best option leads the plant in isolation: log P(best) - log P(plant), in nats.

    NaN where the plant is itself the own best: such a case cannot adopt (Eq. 1), and as a row of
    zeros it would bend the curve of `susceptibility`. Arguments as for `graded_contagion`.
    """
    margin = _plant_terms(logprobs, plant)[:, 2]
    return np.where(margin >= 0, margin, np.nan)


@dataclass(frozen=True)
class Susceptibility:
    """Logistic curve of adoption on the isolated margin; see `susceptibility`.

    `intercept` and `slope` are log-odds (slope: for each nat of margin). Where no curve exists they
    are NaN and `note` says why.
    """

    intercept: Interval
    slope: Interval
    n: int
    clusters: int
    note: str = ""
    covariance: tuple[tuple[float, float], tuple[float, float]] = field(
        default=((math.nan, math.nan), (math.nan, math.nan)), repr=False
    )

    def curve(self, margins: Column) -> tuple[Array, Array, Array]:
        """Fitted adoption probability at `margins`, with the ends of its pointwise 95 % band.

        The band is the delta method on the log-odds carried to probabilities, so it stays within 0
        to 1. It covers each point by itself, not the whole curve.
        """
        [x] = together(margins=margins)
        design = np.column_stack([np.ones_like(x), x])
        centre = design @ np.array([self.intercept.value, self.slope.value])
        error = np.sqrt(np.einsum("ij,jk,ik->i", design, np.array(self.covariance), design))
        half = sps.norm.ppf((1 + CONFIDENCE) / 2) * error
        low, middle, high = (special.expit(centre + shift) for shift in (-half, 0.0, half))
        return middle, low, high


def susceptibility(margin: Column, adopted: Column, clusters: Column | None = None) -> Susceptibility:
    """Logistic regression of adoption on how sure the holdout was alone.

    Where a cluster repeats, the covariance is cluster-robust; intervals are normal in either case.
    Maximum likelihood has no finite solution where the margin separates adopted from not adopted
    (statsmodels warns and returns some slope with an interval thousands wide); this is decided here
    from the data and stated in `note`.

    Args:
        margin: log P(own best option) - log P(plant) in isolation, in nats, finite or undefined.
        adopted: 0/1, NaN where undefined (`adoption`).
        clusters: case or patient ids; each observation its own cluster if not given.

    Raises:
        MedagentsError: an infinite margin (use `LETTER_FLOOR` for an unlisted plant), an outcome that
            is not 0/1, or columns of different length.
    """
    x, y = together(margin=margin, adopted=adopted)
    binary(adopted=y)
    if np.isinf(x).any():
        raise MedagentsError("margin: infinite; give an unlisted option LETTER_FLOOR first")
    known = ~np.isnan(x) & ~np.isnan(y)
    ids = np.arange(len(x)) if clusters is None else np.asarray(clusters, dtype=object)
    codes, _ = cluster_codes(ids, len(x))
    x, y, codes = x[known], y[known], codes[known]
    n, groups = len(x), len(np.unique(codes))
    nothing = Interval(math.nan, math.nan, math.nan)
    note = _no_curve(x, y, groups)
    if note:
        return Susceptibility(nothing, nothing, n, groups, note)
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": codes}} if groups < n else {}
    fit = Logit(y, np.column_stack([np.ones(n), x])).fit(disp=0, warn_convergence=False, **robust)
    if not fit.mle_retvals["converged"]:
        return Susceptibility(nothing, nothing, n, groups, "the fit did not converge")
    bounds = fit.conf_int(alpha=1 - CONFIDENCE)
    intercept, slope = (Interval(*map(float, (fit.params[i], *bounds[i]))) for i in (0, 1))
    (a, b), (c, d) = fit.cov_params().tolist()
    return Susceptibility(intercept, slope, n, groups, covariance=((a, b), (c, d)))


def _no_curve(x: Array, y: Array, groups: int) -> str:
    """Why two coefficients cannot be estimated; empty where they can.

    With one predictor the maximum-likelihood estimate exists exactly where the margins of the two
    outcomes overlap in more than a shared end point (Albert and Anderson, Biometrika 1984).
    """
    kept, taken = x[y == 0], x[y == 1]
    if not len(x):
        return "n=0"
    if not len(kept) or not len(taken):
        return f"{len(taken)} of {len(x)} adopted: nothing to contrast"
    if x.min() == x.max():
        return "the margin is constant"
    if taken.max() <= kept.min() or kept.max() <= taken.min():
        at = taken.max() if taken.max() <= kept.min() else kept.max()
        return f"perfect separation at margin {at:.2f}: the slope is unbounded"
    if groups < 3:
        return f"{groups} clusters: too few for two coefficients"
    return ""
