"""Areas under the ROC curve against counts by hand, and intervals where cases repeat."""

import math

import numpy as np
import pytest
from scipy import stats as sps

from medagents import stats
from medagents.types import MedagentsError

NAN = math.nan


def test_the_area_is_the_share_of_pairs_that_mann_and_whitney_count():
    draw = np.random.default_rng(0)
    scores = draw.normal(np.repeat([1, 0], [30, 40]), 1).round(1)
    labels = np.repeat([1, 0], [30, 40])
    found = stats.auc(scores, labels, range(70))
    expected = sps.mannwhitneyu(scores[:30], scores[30:]).statistic / (30 * 40)
    assert found.value == pytest.approx(expected) and found.low < expected < found.high
    assert (found.n, found.clusters) == (70, 70)


def test_delongs_interval_is_the_one_worked_out_by_hand():
    # 3 beats 1 and 2, 1.5 beats 1 only: placements 1 and 1/2 of either kind, each of variance 1/8.
    found = stats.auc([3.0, 1.5, 1.0, 2.0], [1, 1, 0, 0], list("abcd"))
    error = math.sqrt(0.125 / 2 + 0.125 / 2)
    assert found.value == 0.75
    assert (found.low, found.high) == pytest.approx((0.75 - 1.959964 * error, 1.0))


def test_a_case_said_twice_tells_no_more_than_once():
    draw = np.random.default_rng(1)
    scores, labels = draw.normal(size=60), draw.integers(0, 2, 60)
    once = stats.auc(scores, labels, range(60))
    twice = stats.auc(np.tile(scores, 2), np.tile(labels, 2), [*range(60)] * 2)
    naive = stats.auc(np.tile(scores, 2), np.tile(labels, 2), range(120))
    assert (twice.value, twice.clusters) == (pytest.approx(once.value), 60)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert naive.high - naive.low < 0.75 * (once.high - once.low)


def test_intervals_of_cases_that_hold_both_labels_cover_what_was_planted():
    """Each case has a level of its own and one discussion of either label: N(1) against N(0)."""
    draw = np.random.default_rng(2)
    truth, covered, studies = sps.norm.cdf(1 / math.sqrt(2 * (1 + 0.5))), 0, 400
    cases = np.tile(range(50), 2)
    for _ in range(studies):
        level = draw.normal(0, math.sqrt(0.5), 50)[cases]
        labels = np.repeat([1, 0], 50)
        found = stats.auc(labels + level + draw.normal(size=100), labels, cases)
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / studies <= 0.98


def test_what_is_undefined_leaves_both_columns_and_one_label_alone_has_no_area():
    found = stats.auc([3.0, 1.5, 1.0, 2.0, NAN, 5.0], [1, 1, 0, 0, 1, NAN], list("abcdef"))
    assert found == stats.auc([3.0, 1.5, 1.0, 2.0], [1, 1, 0, 0], list("abcd"))
    for labels in ([1, 1, 1, 1], [0, 0, 0, 1], [NAN] * 4):
        alone = stats.auc([3.0, 1.5, 1.0, 2.0], labels, list("abcd"))
        assert math.isnan(alone.value) and math.isnan(alone.low)
    with pytest.raises(MedagentsError, match="0, 1 or undefined"):
        stats.auc([1.0, 2.0], [2, 0], ["a", "b"])
