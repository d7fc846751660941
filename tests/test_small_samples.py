"""Intervals for few clusters and rare outcomes, against arithmetic and statsmodels."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats as sps

from medagents import stats
from medagents.types import MedagentsError

NAN = math.nan
Z = 1.959963984540054


def interval(estimate):
    return estimate.low, estimate.high


def test_a_clustered_rate_by_hand():
    # Patients of 1, 2 and 3 images with 1, 1 and 1 hits: p = 3/6. Residuals 1/2, 0, -1/2; CR2 variance
    # (1/4 / (5/6) + 1/4 / (1/2)) / 36 = 0.8/36, so 0.25 * 36/0.8 = 11.25 observations, at most 6.
    # Effective clusters 36/14.
    found = stats.clustered_rate([1, 1, 0, 1, 0, 0], list("abbccc"))
    t = sps.t.ppf(0.975, 36 / 14 - 1)
    half = t / (1 + t**2 / 6) * math.sqrt(0.25 / 6 + t**2 / (4 * 36))
    assert (found.value, found.n, found.clusters) == (0.5, 6, 3)
    assert interval(found) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-12)


def test_a_clustered_rate_counts_the_observations_that_a_correlated_sample_is_worth():
    # Twenty pairs that always agree are twenty observations: CR2 of equal clusters is their variance.
    hits = np.array([1] * 8 + [0] * 12)
    found = stats.clustered_rate(np.repeat(hits, 2), np.repeat(range(20), 2))
    t, worth = sps.t.ppf(0.975, 19), 19
    centre = (0.4 + t**2 / (2 * worth)) / (1 + t**2 / worth)
    half = t / (1 + t**2 / worth) * math.sqrt(0.24 / worth + t**2 / (4 * worth**2))
    assert interval(found) == pytest.approx((centre - half, centre + half), abs=1e-12)
    assert found.high - found.low > stats.rate(hits).high - stats.rate(hits).low


def test_a_clustered_rate_of_single_observations_is_the_plain_one():
    outcomes = [1, 0, 0, 1, 1, NAN, 0]
    found, plain = stats.clustered_rate(outcomes, range(7)), stats.rate(outcomes)
    assert (found.value, *interval(found), found.n) == (plain.value, *interval(plain), plain.n)
    assert found.clusters == 6


def test_outcomes_that_are_all_the_same_show_no_correlation():
    # Ten patients of four images, all flagged: the lower end is that of 40 of 40 with t of 9 degrees.
    found = stats.clustered_rate([1] * 40, np.repeat(range(10), 4))
    t2 = sps.t.ppf(0.975, 9) ** 2
    assert interval(found) == pytest.approx((40 / (40 + t2), 1.0), abs=1e-12)


def test_nearly_everything_in_one_cluster_says_next_to_nothing():
    found = stats.clustered_rate([1, 0] * 500 + [1], ["a"] * 1000 + ["b"])
    assert interval(found) == pytest.approx((0, 1), abs=1e-6)


def test_a_clustered_mean_of_equal_clusters_is_students_interval_of_their_means():
    values = np.random.default_rng(1).normal(1, 2, (12, 5))
    expected = sps.ttest_1samp(values.mean(axis=1), 0).confidence_interval(0.95)
    found = stats.clustered_mean(values.ravel(), np.repeat(range(12), 5))
    assert interval(found) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_clustered_mean_leaves_out_one_cluster_at_a_time():
    rng = np.random.default_rng(2)
    sizes = np.array([3, 1, 12, 2, 1, 4, 1, 8, 2, 1])
    clusters, values = np.repeat(range(10), sizes), rng.integers(-1, 2, 35).astype(float)
    values[4] = NAN
    known = ~np.isnan(values)
    left = [values[known & (clusters != g)].mean() for g in range(10)]
    error = math.sqrt(0.9 * ((np.array(left) - np.nanmean(values)) ** 2).sum())
    held = np.bincount(clusters[known])
    half = sps.t.ppf(0.975, held.sum() ** 2 / (held**2).sum() - 1) * error
    found = stats.clustered_mean(values, clusters)
    assert found.value == pytest.approx(np.nanmean(values), abs=1e-12)
    assert interval(found) == pytest.approx((found.value - half, found.value + half), abs=1e-12)


def test_with_many_clusters_both_agree_with_a_cluster_robust_regression():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 5, 600)
    clusters = np.repeat(range(600), sizes)
    outcomes = (rng.random(len(clusters)) < rng.beta(2, 3, 600)[clusters]).astype(float)
    fit = sm.OLS(outcomes, np.ones(len(outcomes))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    expected = pytest.approx(fit.conf_int()[0], abs=1e-3)
    assert interval(stats.clustered_rate(outcomes, clusters)) == expected
    assert interval(stats.clustered_mean(outcomes, clusters)) == expected


@pytest.mark.parametrize("function", [stats.clustered_rate, stats.clustered_mean])
def test_undefined_outcomes_one_cluster_and_nothing(function):
    whole = function([1, 0, 0, 1, NAN, NAN], list("aabbbc"))
    assert whole == function([1, 0, 0, 1], list("aabb"))
    one = function([1, 0, NAN], list("aab"))
    assert (one.value, one.n, one.clusters, one.note) == (0.5, 2, 1, "one cluster")
    assert math.isnan(one.low) and str(function([NAN], ["a"])) == "n=0"
    with pytest.raises(MedagentsError, match="no cluster id"):
        function([1, 0], ["a", None])


@pytest.mark.parametrize("k", [0, 1, 29, 30])
def test_clopper_pearson_has_half_the_error_beyond_each_end(k):
    found = stats.clopper_pearson(k, 30)
    assert (found.value, found.n) == (k / 30, 30)
    assert found.low == 0 if k == 0 else sps.binom.sf(k - 1, 30, found.low) == pytest.approx(0.025)
    assert found.high == 1 if k == 30 else sps.binom.cdf(k, 30, found.high) == pytest.approx(0.025)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (-1, 3), (4, 3)])
def test_clopper_pearson_refuses_what_is_no_rate(k, n):
    with pytest.raises(MedagentsError, match="not a count"):
        stats.clopper_pearson(k, n)


def test_bonett_price_by_hand():
    # 21 pairs, 1 and 7 discordant: (1 + 1)/23 - (7 + 1)/23 = -6/23, variance (10/23 - 36/529)/23.
    half = Z * math.sqrt((10 / 23 - 36 / 529) / 23)
    found = stats.bonett_price(1, 7, 21)
    assert (found.value, found.n) == (-6 / 21, 21)
    assert interval(found) == pytest.approx((-6 / 23 - half, -6 / 23 + half), abs=1e-12)


def test_bonett_price_has_a_width_without_discordant_pairs_and_stays_on_the_scale():
    none = stats.bonett_price(0, 0, 40)
    assert none.value == 0 and none.low == -none.high < 0
    assert stats.bonett_price(3, 0, 3).high == 1 and stats.bonett_price(0, 3, 3).low == -1


def test_a_difference_of_rates_is_bonett_and_prices_where_no_pair_shares_a_cluster():
    # Pairs 10, 11, 00, 01, 10 and one undefined: 2 against 1 discordant of 5.
    first, second = [1, 1, 0, 0, 1, NAN], [0, 1, 0, 1, 0, 1]
    found, expected = stats.rate_difference(first, second, list("abcdef")), stats.bonett_price(2, 1, 5)
    assert (found.value, found.n, found.clusters) == (1 / 5, 5, 5)
    assert interval(found) == interval(expected)


def test_a_difference_of_rates_is_the_jackknife_where_clusters_repeat():
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 2, (2, 40))
    patients = np.repeat(range(10), 4)
    found = stats.rate_difference(first, second, patients)
    assert found == stats.clustered_mean(first - second, patients)
    # Equal clusters: the jackknife is the t interval of the ten patients' means.
    means = (first - second).reshape(10, 4).mean(axis=1)
    half = sps.t.ppf(0.975, 9) * means.std(ddof=1) / math.sqrt(10)
    assert interval(found) == pytest.approx((means.mean() - half, means.mean() + half))


@pytest.mark.parametrize("difference", [1, 0, -1])
def test_no_difference_of_rates_has_an_interval_without_width(difference):
    first, second = [max(difference, 0)] * 20, [max(-difference, 0)] * 20
    apart = stats.rate_difference(first, second, range(20))
    assert apart.value == difference and apart.high - apart.low > 0.1
    together = stats.rate_difference(first, second, [*range(10)] * 2)
    assert together.value == difference and math.isnan(together.low) and together.note == "clusters alike"
    one = stats.rate_difference(first, second, ["a"] * 20)
    assert (one.value, one.note) == (difference, "one cluster") and math.isnan(one.high)


def test_a_rate_of_single_cases_is_exact_where_asked_and_wilsons_else():
    outcomes, each = [1] * 5 + [0] + [NAN], list("abcdefg")
    exact = stats.clopper_pearson(5, 6)
    assert interval(stats.clustered_rate(outcomes, each, exact=True)) == interval(exact)
    assert interval(stats.clustered_rate(outcomes, each)) == interval(stats.wilson(5, 6))
    twice = [1, 1, 0, 1, 0, 0], list("aabbcc")
    assert stats.clustered_rate(*twice, exact=True) == stats.clustered_rate(*twice)


@pytest.mark.parametrize(("b", "c", "n"), [(0, 0, 0), (-1, 0, 4), (3, 2, 4)])
def test_bonett_price_refuses_what_are_no_counts(b, c, n):
    with pytest.raises(MedagentsError, match="discordant"):
        stats.bonett_price(b, c, n)


def test_fewer_resamples_are_drawn_only_where_asked():
    values = np.random.default_rng(4).integers(0, 2, (30, 2))
    few = stats.bootstrap_columns(values, range(30), np.random.default_rng(5), resamples=50)
    assert few != stats.bootstrap_columns(values, range(30), np.random.default_rng(5))
    assert few[0].value == values[:, 0].mean()
