"""Arithmetic on printed numbers: MedOrch's tables and the first paper's own sums."""

import pytest

from medagents.audit import arithmetic


def test_the_averages_of_table_1_are_means_of_its_columns():
    table = arithmetic.medorch().drop(index="stated n")
    for method in table.index:
        [mean] = arithmetic.average(None, [method, "SLAKE", "VQA-RAD", "PathVQA", "PMC-VQA"]).values
        assert mean == pytest.approx(float(table.loc[method, "Average"]), abs=0.00501), method


@pytest.mark.parametrize(
    ("benchmark", "fitting"),
    [
        ("VQA-RAD", [251, 502, 753]),
        ("SLAKE", [416, 832]),
        ("PathVQA", [3391]),
        ("PMC-VQA", [2000]),
    ],
)
def test_the_least_denominators_that_make_every_percentage_a_whole_number_of_cases(benchmark, fitting):
    assert arithmetic.denominators(benchmark, 3400)[: len(fitting)] == fitting


def test_stated_denominators_of_closed_benchmarks_do_not_fit():
    table = arithmetic.medorch()
    for benchmark, fit in (("VQA-RAD", False), ("SLAKE", False), ("PathVQA", True), ("PMC-VQA", True)):
        percents = list(table.drop(index="stated n")[benchmark])
        assert arithmetic.fits(percents, int(table.loc["stated n", benchmark])) is fit, benchmark


def test_fits_rounds_the_nearest_whole_number_of_cases():
    assert arithmetic.fits(["33.33", "66.67", "100.00", "0.00"], 3)
    assert not arithmetic.fits(["33.34"], 3)
    assert arithmetic.fits(["12.5"], 8) and arithmetic.fits(["0.13"], 800), "0.125 may be printed as 0.13"


def test_gaps_are_over_the_agents_of_the_combination():
    assert arithmetic.gap(None, ["Ours large", "PathVQA"]).values == pytest.approx((11.06, -0.03))
    assert arithmetic.gap(None, ["Ours small", "OCT"]).values == pytest.approx((15.46, -9.71))


def test_the_range_of_gains_over_the_best_agent_is_over_all_benchmarks():
    # Table 1 for the large team: +4.33, +3.58, -0.03, +0.45.
    benchmarks = ["SLAKE", "VQA-RAD", "PathVQA", "PMC-VQA"]
    assert arithmetic.gain_range(None, ["Ours large", *benchmarks]).values == pytest.approx((-0.03, 4.33))


def test_the_best_method_of_a_column_is_found():
    assert arithmetic.leads(None, ["Ours mixed", "SLAKE"]).values == (76.20,)
    assert arithmetic.leads(None, ["Ours large", "PathVQA"]).values == (-1.0,)


def test_sums_products_and_fisher():
    assert arithmetic.total(None, ["24", "-17"]).values == (7.0,)
    assert arithmetic.product(None, ["15", "40"]).values == (0.375,)
    assert arithmetic.fisher(None, ["1", "10", "1", "134"]).values == pytest.approx((0.1345,), abs=1e-4)
    assert (
        arithmetic.fisher_least(None, ["0.08", "50", "0.08", "50", "0.1", "50", "0.5", "50"]).values[0] < 1e-4
    )
