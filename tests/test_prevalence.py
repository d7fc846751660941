"""The correction of a rate for the errors of the test that measured it."""

import itertools
import math

import pytest
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from medagents import stats
from medagents.stats import Estimate
from medagents.types import MedagentsError


def of(share, n):
    """A share as if measured on `n`, without an interval, which the correction does not read."""
    return Estimate(share, 0.0, 1.0, n)


def test_the_point_is_that_of_a_worked_example():
    # Brucellosis in the manual of the R package epiR: 23 of 150 cows, sensitivity 0.96, specificity
    # 0.89; the true prevalence is printed as 5.1 per 100.
    assert stats.rogan_gladen(23, 150, of(0.96, 1000), of(0.89, 1000)).value == pytest.approx(0.051, abs=5e-4)


@pytest.mark.parametrize(("k", "n"), [(15, 40), (90, 300)])
def test_a_test_known_to_be_perfect_leaves_the_interval_of_agresti_and_coull(k, n):
    found = stats.rogan_gladen(k, n, of(1.0, 10**9), of(1.0, 10**9))
    assert found.value == pytest.approx(k / n)
    expected = proportion_confint(k, n, method="agresti_coull")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)


def test_a_known_imperfect_test_stretches_that_interval_by_youdens_index():
    low, high = proportion_confint(120, 300, method="agresti_coull")
    found = stats.rogan_gladen(120, 300, of(0.9, 10**9), of(0.8, 10**9))
    assert found.value == pytest.approx((0.4 - 0.2) / 0.7)
    assert (found.low, found.high) == pytest.approx(((low - 0.2) / 0.7, (high - 0.2) / 0.7), abs=1e-6)


def test_swapping_the_two_outcomes_mirrors_the_result():
    found = stats.rogan_gladen(7, 30, of(0.8, 40), of(0.95, 60))
    other = stats.rogan_gladen(23, 30, of(0.95, 60), of(0.8, 40))
    assert (other.value, other.low, other.high) == pytest.approx(
        (1 - found.value, 1 - found.high, 1 - found.low)
    )


def test_fewer_labels_make_a_wider_interval():
    widths = [
        found.high - found.low
        for found in (stats.rogan_gladen(40, 100, of(0.8, m), of(0.9, m)) for m in (20, 40, 200))
    ]
    assert widths[0] > widths[1] > widths[2]


def test_a_rate_that_no_true_rate_could_give_is_held_within_nought_and_one_and_said():
    rare, often, between = (stats.rogan_gladen(k, 20, of(0.9, 30), of(0.9, 30)) for k in (0, 20, 10))
    assert (rare.value, often.value) == (0, 1)
    assert "false positives" in rare.note and "sensitivity" in often.note
    assert between.note == "" and between.low < between.high
    # 0 of 20 would collapse to [0, 0], which no sample can show: there is no interval.
    assert all(math.isnan(end) for found in (rare, often) for end in (found.low, found.high))
    assert str(rare) == "0.00 [no interval: rarer than the test's own false positives]"


@pytest.mark.parametrize(("truth", "n"), [(0.02, 10), (0.1, 10), (0.5, 10), (0.1, 40), (0.3, 100)])
def test_the_interval_covers_the_truth_as_often_as_it_says(truth, n):
    """Exact: every outcome of the three samples that has an interval, each with its probability."""
    sensitivity, specificity, m = 0.85, 0.96, 30
    seen = truth * sensitivity + (1 - truth) * (1 - specificity)
    counts = range(n + 1), range(m + 1), range(m + 1)
    chances = binom.pmf(counts[0], n, seen), *(binom.pmf(counts[1], m, p) for p in (sensitivity, specificity))
    covered = made = 0.0
    for k, found, clear in itertools.product(*counts):
        chance = chances[0][k] * chances[1][found] * chances[2][clear]
        if chance > 1e-9 and found + clear > m:
            interval = stats.rogan_gladen(k, n, of(found / m, m), of(clear / m, m))
            made += chance * (not interval.note)
            covered += chance * (interval.low <= truth <= interval.high)
    assert covered / made > 0.93


@pytest.mark.parametrize(
    ("k", "n", "sensitivity", "specificity", "fault"),
    [
        (3, 2, of(0.9, 10), of(0.9, 10), "3 of 2"),
        (-1, 2, of(0.9, 10), of(0.9, 10), "-1 of 2"),
        (0, 0, of(0.9, 10), of(0.9, 10), "0 of 0"),
        (1, 2, of(0.9, 0), of(0.9, 10), "labelled sample"),
        (1, 2, of(0.5, 10), of(0.5, 10), "no better than chance"),
        (1, 2, of(0.1, 10), of(0.6, 10), "no better than chance"),
    ],
)
def test_what_cannot_be_corrected_is_a_one_line_error(k, n, sensitivity, specificity, fault):
    with pytest.raises(MedagentsError, match=fault) as error:
        stats.rogan_gladen(k, n, sensitivity, specificity)
    assert "\n" not in str(error.value)
