"""Columns, filters and quantities on a table small enough to count by hand."""

import math

import pandas as pd
import pytest

from medagents import stats
from medagents.audit import intervals, quantities
from medagents.audit.columns import column, where
from medagents.types import MedagentsError

TABLE = pd.DataFrame(
    {
        "case": ["a", "b", "c", "d", "e", "f"],
        "cluster": ["p", "p", "q", "q", "r", "r"],
        "arm": ["planted"] * 4 + ["clean"] * 2,
        "planted": ["Iron"] * 6,
        "shared": ["Iron", "Iron", "Zinc", "Iron", "Lead", None],
        "alone": ["Zinc", "Lead", "Zinc", "Iron", "Lead", "Lead"],
        "gold": ["Zinc", "Zinc", "Zinc", "Zinc", "Lead", "Lead"],
        "flag": [True, True, False, True, False, True],
        "label": [True, False, True, True, False, None],
        "left": [1, 1, 1, 0, 0, None],
        "right": [0, 0, 1, 1, 0, 1],
    }
)


def values(kind, *names, table=TABLE):
    return quantities.KINDS[kind](table, list(names)).values


def test_a_term_is_a_column_or_a_comparison_and_undefined_stays_so():
    assert column(TABLE, "shared==planted").tolist()[:5] == [1, 1, 0, 1, 0]
    assert math.isnan(column(TABLE, "shared==planted").iloc[5])
    assert column(TABLE, "alone!=gold").tolist() == [0, 1, 0, 1, 0, 0]
    assert column(TABLE, "right==1").tolist() == [0, 0, 1, 1, 0, 1]
    assert column(TABLE, "label").isna().sum() == 1


def test_a_quoted_word_is_a_word_even_where_a_column_has_its_name():
    assert column(TABLE, "arm=='planted'").sum() == 4
    assert column(TABLE, "arm==planted").sum() == 0, "the column planted holds answers"


def test_a_filter_keeps_rows_where_every_term_holds():
    assert where(TABLE, "arm=='planted'; flag==1")["case"].tolist() == ["a", "b", "d"]
    assert where(TABLE, "shared!=''")["case"].tolist() == ["a", "b", "c", "d", "e"]
    assert len(where(TABLE, "")) == 6


@pytest.mark.parametrize(
    ("term", "message"), [("nothing", "no column 'nothing'.*they have: case"), ("alone", "holds words")]
)
def test_a_column_that_is_not_there_or_no_outcome_is_named(term, message):
    with pytest.raises(MedagentsError, match=message):
        column(TABLE, term)


@pytest.mark.parametrize(
    ("kind", "names", "expected"),
    [
        ("rate", ["left"], (0.6, 3, 5)),
        ("count", ["left"], (3, 5)),
        ("rows", ["right"], (6, 4 - 1)),
        ("counts", ["left", "right"], (3, 3)),
        ("counts_by", ["right", "arm", "clean", "planted"], (1, 2)),
        ("distinct", ["cluster"], (3,)),
        ("rates", ["left", "right"], (0.6, 0.5)),
        ("least", ["left", "right"], (0.5,)),
        ("greatest", ["left", "right"], (0.6,)),
        ("greatest_gap", ["left", "right"], (0.1,)),
        ("spread", ["right", "arm"], (0.5, 0.5)),
        ("difference", ["left", "right"], (0.2,)),  # (1 + 1 + 0 - 1 + 0) / 5
        ("differences", ["left", "right", "right", "left"], (0.2, -0.2)),
        ("difference_of_differences", ["left", "right", "right", "left"], (0.4,)),
        ("mean_above", ["right", "left", "flag"], (1 / 6,)),  # 1 + 1 - 1/2 - 1/2 + 0 + 0, over six
        ("ratio", ["left", "right"], (1.2,)),
        ("discordant", ["left", "right"], (2, 1)),
        ("mcnemar", ["left", "right"], (1.0,)),
        ("mcnemar_greatest", ["left", "right", "flag"], (1.0,)),
        ("precision", ["flag", "label"], (2 / 3, 2, 3)),
        ("recall", ["flag", "label"], (2 / 3, 2, 3)),
        ("false_positive_rate", ["flag", "label"], (1 / 2, 1, 2)),
        ("false_positives", ["flag", "label"], (1, 2)),
        ("detector", ["flag", "label"], (2 / 3, 2 / 3, 1 / 2)),
        ("patients", [], (3, 2, 2, 2)),
        ("patients_at_ceiling", ["left"], (1, 3)),
        ("harmful", ["shared", "alone", "planted", "gold"], (1, 2)),
    ],
)
def test_every_kind_counts_as_by_hand(kind, names, expected):
    assert values(kind, *names) == pytest.approx(expected)


def test_every_kind_of_one_table_is_tested_here():
    tested = {kind for kind, *_ in test_every_kind_counts_as_by_hand.pytestmark[0].args[1]}
    elsewhere = {
        "mean",
        "mean_by_case",
        "rates_and_difference",
        "interval_by_case",
        "interval_by_patient",
        "stated",
        "stated_count",
    }
    assert tested | elsewhere == set(quantities.KINDS)


def test_rates_of_independent_cases_have_wilson_intervals_and_of_patients_clustered_ones():
    alone = TABLE.assign(cluster=TABLE["case"])
    found = quantities.rate(alone, ["right"])
    assert (found.low, found.high) == pytest.approx((stats.wilson(3, 6).low, stats.wilson(3, 6).high))
    clustered = quantities.rate(TABLE, ["right"])
    expected = stats.clustered_rate(TABLE["right"], TABLE["cluster"])
    assert (clustered.low, clustered.high) == (expected.low, expected.high)


def test_differences_of_independent_pairs_have_the_interval_of_bonett_and_price():
    found = intervals.mean(pd.Series([1, 1, 1, -1] + [0] * 6), pd.Series(range(10)))
    # One pair added to each count: (3 + 1 - 1 - 1) / 12, and 1.96 standard errors of that.
    half = 1.959964 * math.sqrt((4 / 12 + 2 / 12 - (2 / 12) ** 2) / 12)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 2 / 12 - half, 2 / 12 + half))


def test_differences_over_patients_have_the_jackknife_interval():
    values, patients = pd.Series([1, 1, 0, 0, -1, 0]), pd.Series(list("ppqqrr"))
    found = intervals.mean(values, patients)
    means = [-1 / 4, 1 / 4, 2 / 4]  # without p, q, r
    error = math.sqrt(2 / 3 * sum((mean - 1 / 6) ** 2 for mean in means))
    half = 4.302653 * error  # t of 3 - 1 degrees of freedom
    assert half > 5 / 6, "longer than the scale, and so cut at its end"
    assert (found.value, found.low, found.high) == pytest.approx((1 / 6, max(-1, 1 / 6 - half), 1))


def test_no_interval_of_a_mean_has_no_width():
    halves, patients = pd.Series([0.5] * 4), pd.Series(list("ppqq"))
    assert math.isnan(intervals.mean(halves, patients).low)
    zeros = intervals.mean(pd.Series([0] * 20), pd.Series(range(20)))
    assert (zeros.value, zeros.low, zeros.high) == pytest.approx((0, -0.126, 0.126), abs=5e-4)
    assert intervals.mean(pd.Series([float("nan")]), pd.Series(["p"])).n == 0


def test_a_mean_by_case_weighs_cases_alike_and_counts_them():
    table = pd.DataFrame({"case": list("aab"), "cluster": list("aab"), "hit": [1, 0, 1]})
    found = quantities.mean_by_case(table, ["hit"])
    assert (found.values, found.n) == ((0.75,), 2)


def test_interval_ends_of_many_seeds_hold_that_of_the_usual_one():
    for kind, ids in (("interval_by_patient", TABLE["cluster"]), ("interval_by_case", TABLE["case"])):
        found = quantities.KINDS[kind](TABLE, ["left", "right"])
        usual = stats.paired_difference(TABLE["left"], TABLE["right"], ids)
        assert found.values == (usual.low, usual.high)
        assert all(
            low <= value <= high for value, (low, high) in zip(found.values, found.ranges, strict=True)
        )


def test_rates_and_difference_go_together():
    assert values("rates_and_difference", "left", "right") == pytest.approx((0.6, 0.5, 0.2))


def test_a_mean_may_be_of_halves():
    assert values("mean", "share", table=pd.DataFrame({"share": [0.5, 0.0, -0.5, 1.0]})) == (0.25,)


def test_a_summary_states_its_values():
    summary = pd.DataFrame({"flag_rate": [2 / 23], "n": [23]})
    assert values("stated", "flag_rate", table=summary) == pytest.approx((2 / 23,))
    assert values("stated_count", "flag_rate", "n", table=summary) == (2, 23)
    with pytest.raises(MedagentsError, match="one record"):
        values("stated", "right")
