import itertools
import json
import math
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import special
from scipy import stats as sps
from statsmodels.stats import contingency_tables, proportion

from medagents import paths, stats
from medagents.stats import inference
from medagents.types import MedagentsError

NAN = math.nan
Z = 1.959963984540054


def rows(path):
    """The authors' per-case rows; the tests that use them need a copy of the release."""
    folder = paths.artefacts()
    if folder is None or not (folder / path).is_file():
        pytest.skip(f"MEDAGENTS_ARTEFACTS names no folder that holds {path}")
    return [json.loads(line) for line in (folder / path).read_text(encoding="utf-8").splitlines()]


def interval(estimate):
    return estimate.low, estimate.high


# --- one proportion


def test_wilson_follows_its_formula():
    k, n = 15, 40
    centre = (k / n + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(k / n * (1 - k / n) / n + Z**2 / (4 * n**2))
    found = stats.wilson(k, n)
    assert found.value == 0.375
    assert interval(found) == pytest.approx((centre - half, centre + half), abs=1e-12)
    assert (found.n, found.clusters) == (40, None)


@pytest.mark.parametrize("k", [0, 1, 19, 20])
def test_wilson_agrees_with_statsmodels_to_the_ends(k):
    expected = proportion.proportion_confint(k, 20, method="wilson")
    assert interval(stats.wilson(k, 20)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 0), (1, 0), (3, 2), (-1, 4)])
def test_wilson_refuses_what_is_no_rate(k, n):
    with pytest.raises(MedagentsError):
        stats.wilson(k, n)


def test_rate_leaves_undefined_outcomes_out_of_the_denominator():
    expected = stats.wilson(2, 3)
    assert stats.rate([True, None, 0, 1.0, NAN, pd.NA]) == expected
    assert stats.rate(pd.Series([True, pd.NA, False, True], dtype="boolean")) == expected


def test_an_empty_stratum_prints_as_n_0_and_never_as_a_rate():
    found = stats.rate([NAN, None])
    assert (str(found), found.n) == ("n=0", 0)
    assert all(map(math.isnan, (found.value, found.low, found.high)))


def test_an_estimate_prints_its_interval():
    assert str(stats.wilson(15, 40)) == "0.38 [0.24, 0.53]"


@pytest.mark.parametrize("column", [[0, 2], ["yes"], [0.5], [[0, 1]], [object()]])
def test_rate_refuses_what_is_no_outcome(column):
    with pytest.raises(MedagentsError):
        stats.rate(column)


# --- McNemar and Fisher


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1.0), (1, 6, 0.125), (7, 2, 0.1796875), (5, 5, 1.0)])
def test_mcnemar_is_the_exact_two_sided_binomial(b, c, p):
    assert stats.mcnemar(b, c).p == pytest.approx(p, abs=1e-15)
    assert stats.mcnemar(c, b).p == pytest.approx(p, abs=1e-15)


def test_mcnemar_agrees_with_statsmodels():
    for b, c in itertools.product(range(6), range(6)):
        expected = contingency_tables.mcnemar([[3, b], [c, 2]], exact=True).pvalue
        assert stats.mcnemar(b, c).p == pytest.approx(expected, abs=1e-12)


def test_mcnemar_states_that_there_are_no_discordant_pairs():
    found = stats.mcnemar(0, 0, n=12)
    assert found.note == "no discordant pairs"
    assert math.isnan(found.odds.value)
    assert interval(found.odds) == (0.0, math.inf)
    assert stats.mcnemar(1, 0).note == ""


def test_matched_odds_ratio_has_the_clopper_pearson_interval():
    found = stats.mcnemar(29, 3).odds
    low, high = sps.beta.ppf(0.025, 29, 4), sps.beta.ppf(0.975, 30, 3)
    assert found.value == pytest.approx(29 / 3, abs=0)
    assert interval(found) == pytest.approx((low / (1 - low), high / (1 - high)), rel=1e-9)


def test_matched_odds_ratio_is_unbounded_on_the_side_without_pairs():
    above, below = stats.mcnemar(4, 0).odds, stats.mcnemar(0, 4).odds
    low = 0.025**0.25  # Clopper-Pearson of 4 of 4
    assert (above.value, above.high) == (math.inf, math.inf)
    assert above.low == pytest.approx(low / (1 - low))
    assert (below.value, below.low) == (0.0, 0.0)
    assert below.high == pytest.approx((1 - low) / low)


def test_mcnemar_from_counts_pairs_defined_on_both_sides():
    a = [1, 1, 0, 1, 0, 1, NAN, None]
    b = [0, 0, 1, 1, 0, None, 1, 0]
    found = stats.mcnemar_from(a, b)
    assert (found.b, found.c, found.n) == (2, 1, 5)
    assert found == stats.mcnemar(2, 1, 5)


def test_mcnemar_refuses_impossible_counts_and_unpaired_columns():
    for b, c, n in [(-1, 2, None), (2, -1, None), (3, 3, 5)]:
        with pytest.raises(MedagentsError):
            stats.mcnemar(b, c, n)
    assert stats.mcnemar(3, 2, 5).n == 5
    for a, b in [([1, 0], [1]), ([1], 1), ([1, NAN], [None, 0]), ([], [])]:
        with pytest.raises(MedagentsError):
            stats.mcnemar_from(a, b)


def test_fisher_of_the_lady_tasting_tea():
    found = stats.fisher(3, 4, 1, 4)
    assert found.p == pytest.approx(34 / 70, abs=1e-12)
    # At the ends of the exact interval the observed count has a tail of 2.5 %; at the estimate the
    # expected count is the observed one.
    tail = sps.nchypergeom_fisher
    assert tail.sf(2, 8, 4, 4, found.odds.low) == pytest.approx(0.025, rel=1e-5)
    assert tail.cdf(3, 8, 4, 4, found.odds.high) == pytest.approx(0.025, rel=1e-5)
    assert tail.mean(8, 4, 4, found.odds.value) == pytest.approx(3, rel=1e-5)


@pytest.mark.parametrize(
    ("counts", "note"),
    [((0, 5, 0, 7), "no success in either group"), ((5, 5, 7, 7), "no failure in either group")],
)
def test_fisher_states_a_zero_column(counts, note):
    found = stats.fisher(*counts)
    assert (found.p, found.note, *interval(found.odds)) == (1.0, note, 0.0, math.inf)
    assert math.isnan(found.odds.value)


def test_fisher_with_one_empty_cell_is_bounded_on_one_side():
    found = stats.fisher(0, 5, 4, 7)
    assert (found.odds.value, found.odds.low, found.note) == (0.0, 0.0, "")
    assert 0 < found.odds.high < math.inf


@pytest.mark.parametrize("counts", [(0, 0, 1, 2), (1, 2, 0, 0), (3, 2, 1, 2), (1, 2, 3, 2), (-1, 2, 1, 2)])
def test_fisher_refuses_empty_groups_and_impossible_counts(counts):
    with pytest.raises(MedagentsError):
        stats.fisher(*counts)


# --- the clustered bootstrap


def test_cluster_codes_follow_ids_and_not_rows():
    codes, groups = stats.cluster_codes(["b", "a", "b", "c"], 4)
    assert (codes.tolist(), groups) == ([1, 0, 1, 2], 3)


@pytest.mark.parametrize("missing", [None, NAN, "", pd.NA])
def test_a_missing_cluster_id_is_an_error_that_names_the_row(missing):
    with pytest.raises(MedagentsError, match="observation 1"):
        stats.bootstrap([1, 0, 1], ["a", missing, "b"])


def test_one_cluster_id_an_observation():
    with pytest.raises(MedagentsError, match="2 cluster ids for 3"):
        stats.bootstrap([1, 0, 1], ["a", "b"])


def test_bootstrap_weighs_a_cluster_by_its_observations():
    # Three clusters of sizes 1, 2, 3 with 1, 1, 0 successes: of 27 equally likely draws the lowest
    # (thrice the third) and the highest (thrice the first) each have 1/27 > 2.5 %.
    found = stats.bootstrap([1, 1, 0, 0, 0, 0], list("abbccc"))
    assert found == stats.Estimate(2 / 6, 0.0, 1.0, 6, 3)


def test_bootstrap_interval_has_the_width_theory_gives():
    rng = np.random.default_rng(7)
    values = rng.normal(3, 2, 900)
    found = stats.bootstrap(values, range(900))
    half = Z * values.std() / math.sqrt(900)
    assert interval(found) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.01)


def test_repeating_every_case_narrows_nothing():
    values = np.random.default_rng(3).integers(0, 2, 60)
    once = stats.bootstrap(values, range(60))
    thrice = stats.bootstrap(np.repeat(values, 3), np.repeat(range(60), 3))
    assert interval(once) == interval(thrice)
    assert (thrice.n, thrice.clusters) == (180, 60)
    naive = stats.bootstrap(np.repeat(values, 3), range(180))
    assert naive.high - naive.low < 0.7 * (thrice.high - thrice.low)


def test_bootstrap_agrees_with_scipy_on_sums_and_sizes():
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 6, 50)
    sums = rng.binomial(sizes, rng.beta(2, 3, 50))
    values = np.concatenate([[1] * s + [0] * (n - s) for s, n in zip(sums, sizes, strict=True)])
    found = stats.bootstrap(values, np.repeat(range(50), sizes))
    expected = sps.bootstrap(
        (sums, sizes),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(5),
    ).confidence_interval
    assert interval(found) == pytest.approx(tuple(expected), abs=0.006)


def test_clustered_interval_covers_a_planted_rate_as_often_as_it_says():
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(200):
        patient = np.repeat(rng.beta(2, 2, 40), 4)
        found = stats.bootstrap(rng.random(160) < patient, np.repeat(range(40), 4))
        inside += found.low <= 0.5 <= found.high
    assert sps.binomtest(inside, 200, 0.95).pvalue > 0.01


def test_bootstrap_does_not_depend_on_row_order():
    values, clusters = np.array([1, 1, 0, NAN, 0, 1]), np.array(list("abbcad"))
    order = np.array([4, 2, 0, 5, 1, 3])
    assert stats.bootstrap(values, clusters) == stats.bootstrap(values[order], clusters[order])


def test_bootstrap_is_repeatable_and_seeded_by_the_named_constant():
    values = np.random.default_rng(0).normal(size=30)
    again = [stats.bootstrap(values, range(30)) for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] == stats.bootstrap(values, range(30), np.random.default_rng(260803744))
    assert again[0] != stats.bootstrap(values, range(30), np.random.default_rng(1))


class Recorder:
    """Stands for a generator and keeps the sizes of the blocks asked of it."""

    def __init__(self):
        self.blocks = []
        self.rng = np.random.default_rng(0)

    def integers(self, low, high, size):
        self.blocks.append(size[0])
        return self.rng.integers(low, high, size=size)


def test_bootstrap_draws_20000_resamples_in_blocks_of_256_kibibytes():
    recorder = Recorder()
    stats.bootstrap([0, 1], ["a", "b"], recorder)
    assert recorder.blocks == [2**18 // (2 * 8), 20_000 - 2**14]


def test_bootstrap_does_not_depend_on_the_block_size(monkeypatch):
    values = np.random.default_rng(0).integers(0, 2, 40)
    expected = stats.bootstrap(values, range(40))
    for size in (1_000, 12_345):
        monkeypatch.setattr(inference, "CHUNK_BYTES", size)
        assert stats.bootstrap(values, range(40)) == expected


def test_bootstrap_of_834_cases_stays_under_100_megabytes():
    tracemalloc.start()
    stats.bootstrap_columns(np.zeros((834, 4)), range(834))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6


def test_columns_share_their_resamples():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 2, 50), rng.integers(0, 2, 50)
    both = stats.bootstrap_columns(pd.DataFrame({"a": a, "b": b}), range(50))
    assert both == (stats.bootstrap(a, range(50)), stats.bootstrap(b, range(50)))


def test_undefined_observations_leave_numerator_and_denominator():
    values = [1, 0, 1, NAN, None, 0]
    clusters = list("aabcdd")
    found = stats.bootstrap(values, clusters)
    assert (found.value, found.n, found.clusters) == (0.5, 4, 3)
    assert 0 <= found.low < found.high <= 1


def test_draws_without_a_defined_observation_are_left_out():
    # Two of ten clusters are defined: one draw in ten has neither, and its ratio is 0/0.
    found = stats.bootstrap([1.0, 0.0] + [NAN] * 8, range(10))
    assert (found.value, found.low, found.high, found.n, found.clusters) == (0.5, 0.0, 1.0, 2, 2)


def test_one_cluster_has_a_rate_but_no_interval():
    found = stats.bootstrap([1, 1, 0, NAN], ["a", "a", "a", "b"])
    assert (found.n, found.clusters, found.note) == (3, 1, "one cluster")
    assert str(found) == "0.67 [no interval: one cluster]"
    assert math.isnan(found.high)


def test_a_column_of_nothing_is_n_0():
    for values, clusters in ([], []), ([NAN, NAN], ["a", "b"]):
        found = stats.bootstrap(values, clusters)
        assert (str(found), found.clusters) == ("n=0", 0)


def test_all_right_has_the_interval_of_one_point():
    assert interval(stats.bootstrap([1, 1, 1], range(3))) == (1.0, 1.0)


def test_bootstrap_refuses_other_shapes_and_infinite_values():
    for call in (stats.bootstrap_columns, stats.bootstrap):
        with pytest.raises(MedagentsError):
            call(np.zeros((2, 2, 2)), range(2))
    for values in ([1, 0], [[math.inf], [0]]):
        with pytest.raises(MedagentsError):
            stats.bootstrap_columns(values, range(2))


def test_paired_difference_uses_pairs_where_both_are_defined():
    found = stats.paired_difference([1, 1, None, 0], [0, NAN, 1, 0], list("abcd"))
    assert (found.value, found.n, found.clusters) == (0.5, 2, 2)


def test_paired_difference_profits_from_pairing():
    rng = np.random.default_rng(9)
    easy = rng.normal(0, 5, 200)
    found = stats.paired_difference(easy + rng.normal(1, 0.1, 200), easy, range(200))
    assert interval(found) == pytest.approx((1, 1), abs=0.05)


# --- many tests


def test_benjamini_hochberg_and_holm_by_hand():
    ps = [0.01, 0.04, 0.03]
    assert stats.benjamini_hochberg(ps) == pytest.approx([0.03, 0.04, 0.04])
    assert stats.holm(ps) == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize("correct", [stats.benjamini_hochberg, stats.holm])
def test_undefined_tests_stay_undefined_and_do_not_enlarge_the_family(correct):
    found = correct([0.01, None, 0.04, NAN, 0.03])
    assert np.isnan(found[[1, 3]]).all()
    assert found[[0, 2, 4]] == pytest.approx(correct([0.01, 0.04, 0.03]))
    assert np.isnan(correct([None, NAN])).all()
    assert correct([]).size == 0
    assert correct([0.01, 1.0])[0] == pytest.approx(0.02)


def test_corrections_leave_their_input_alone():
    ps = np.array([0.01, 0.04])
    stats.holm(ps)
    assert ps.tolist() == [0.01, 0.04]


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_corrections_refuse_what_is_no_p_value(p):
    with pytest.raises(MedagentsError):
        stats.holm([p, 0.5])


# --- adoption and contagion


def test_adoption_is_equation_1_case_by_case():
    shared = [2, 2, 1, 2, None, NAN, 2]
    isolated = [0, 2, 0, None, 0, NAN, 1]
    plant = [2, 2, 2, 2, 2, 2, None]
    found = stats.adoption(shared, isolated, plant)
    assert found[:3].tolist() == [1, 0, 0]
    assert np.isnan(found[3:]).all()


def test_harm_is_an_adoption_that_replaced_the_right_answer():
    found = stats.harmful([2, 2, 2, 0, 2], [0, 1, 2, 0, 0], [2] * 5, [0, 0, 2, 0, None])
    assert found[:4].tolist() == [1, 0, 0, 0]
    assert math.isnan(found[4])


def test_contagion_is_the_difference_of_rates_and_can_be_below_adoption():
    shared, isolated, plant = [2, 2, 1, 1, None], [0, 2, 2, 0, 2], [2] * 5
    found = stats.contagion(shared, isolated, plant, range(5))
    assert (found.value, found.n) == (0.0, 4)
    assert np.nanmean(stats.adoption(shared, isolated, plant)) == 0.25


def test_contagion_recovers_a_planted_conformity():
    rng = np.random.default_rng(8)
    isolated = rng.integers(0, 4, 1500)
    plant = (isolated + rng.integers(1, 4, 1500)) % 4
    shared = np.where(rng.random(1500) < 0.3, plant, isolated)
    found = stats.contagion(shared, isolated, plant, range(1500))
    assert found.low < 0.3 < found.high
    assert found.high - found.low < 0.06


@pytest.mark.parametrize("bad", [["A"], [-1], [0.5], [math.inf]])
def test_an_option_is_an_index(bad):
    with pytest.raises(MedagentsError):
        stats.adoption(bad, [0], [1])


def test_flip_above_noise_is_the_paired_difference():
    found = stats.flip_above_noise([1, 1, 0, None], [0, 1, 0, 1], range(4))
    assert (found.value, found.n) == (pytest.approx(1 / 3), 3)
    with pytest.raises(MedagentsError):
        stats.flip_above_noise([2], [0], ["a"])


# --- graded contagion


def test_option_probabilities_are_renormalised_over_the_options():
    found = stats.option_probabilities(np.log([[0.2, 0.2, 0.1], [0.03, 0.01, 0.04]]))
    np.testing.assert_allclose(found, [[0.4, 0.4, 0.2], [0.375, 0.125, 0.5]])


def test_an_unlisted_letter_gets_the_floor_and_a_missing_option_nothing():
    found = stats.option_probabilities([[0.0, None, -math.inf]])
    np.testing.assert_allclose(found[0], [1, math.exp(-20), 0], rtol=1e-6, atol=0)
    assert found[0, 1] == pytest.approx(math.exp(-20), rel=1e-6)


def test_a_case_that_lists_nothing_is_undefined():
    found = stats.option_probabilities([[NAN, NAN, -math.inf], [-1.0, -1.0, -math.inf]])
    assert np.isnan(found[0]).all()
    assert found[1].tolist() == pytest.approx([0.5, 0.5, 0])


@pytest.mark.parametrize("table", [[0.0, 1.0], [[math.inf, 0.0]], [["A"]]])
def test_option_probabilities_refuse_what_is_no_table_of_logs(table):
    with pytest.raises(MedagentsError):
        stats.option_probabilities(table)


def test_graded_contagion_by_hand():
    shared = np.log([[0.5, 0.5], [0.2, 0.8], [0.5, 0.5]])
    isolated = np.log([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    isolated[2] = NAN
    found = stats.graded_contagion(shared, isolated, [1, 1, 1], list("abc"))
    assert found.probability.value == pytest.approx(0.4)
    assert found.log_odds.value == pytest.approx((math.log(9) + math.log(6)) / 2)
    assert found.probability.n == found.log_odds.n == 2


def test_graded_contagion_sees_a_push_that_flips_nobody():
    rng = np.random.default_rng(1)
    isolated = np.column_stack([np.zeros(300), rng.normal(-6, 1, 300)])
    shared = isolated + np.column_stack([np.zeros(300), rng.normal(2, 1, 300)])
    found = stats.graded_contagion(shared, isolated, np.ones(300), range(300))
    assert found.log_odds.low < 2 < found.log_odds.high
    assert found.log_odds.value == pytest.approx(2, abs=0.15)


def test_log_odds_of_a_certain_model_stay_finite():
    found = stats.graded_contagion([[NAN, 0.0]] * 2, [[0.0, NAN]] * 2, [1, 1], list("ab"))
    assert found.log_odds.value == pytest.approx(40)
    assert found.probability.value == pytest.approx(1)


def test_an_undefined_plant_leaves_its_case_out():
    found = stats.graded_contagion([[0.0, 0.0]] * 3, [[0.0, -1.0]] * 3, [1, None, 1], list("abc"))
    assert found.probability.n == 2
    nothing = stats.graded_contagion([[0.0, 0.0]], [[0.0, 0.0]], [None], ["a"])
    assert str(nothing.log_odds) == "n=0"


@pytest.mark.parametrize("plant", [[2], [3], [0, 0]])
def test_a_plant_must_be_an_option_of_its_case(plant):
    table = [[-1.0, -1.0, -math.inf]]
    with pytest.raises(MedagentsError):
        stats.graded_contagion(table, table, plant, ["a"])


def test_isolated_margin_is_the_lead_over_the_plant():
    table = [[-1.0, -3.0, -5.0], [-1.0, NAN, -5.0], [-1.0, -3.0, -5.0], [-1.0, -1.0, -9.0], [NAN] * 3]
    found = stats.isolated_margin(table, [2, 1, 0, 1, 1])
    np.testing.assert_array_equal(found, [4, 19, NAN, 0, NAN])


# --- susceptibility


def planted(n, intercept, slope, seed):
    rng = np.random.default_rng(seed)
    margin = rng.uniform(0, 6, n)
    return margin, (rng.random(n) < special.expit(intercept + slope * margin)).astype(float)


def test_susceptibility_recovers_a_planted_curve():
    margin, adopted = planted(3000, 1.5, -0.8, 1)
    found = stats.susceptibility(margin, adopted)
    assert found.intercept.low < 1.5 < found.intercept.high
    assert found.slope.low < -0.8 < found.slope.high
    assert found.slope.high - found.slope.low < 0.2
    assert (found.n, found.clusters, found.note) == (3000, 3000, "")
    middle, low, high = found.curve([0.0, 2.0, 5.0])
    truth = special.expit(1.5 - 0.8 * np.array([0.0, 2.0, 5.0]))
    assert ((low < truth) & (truth < high)).all()
    assert ((low < middle) & (middle < high)).all()


def test_susceptibility_agrees_with_a_binomial_glm():
    margin, adopted = planted(120, 1.0, -0.5, 2)
    glm = sm.GLM(adopted, sm.add_constant(margin), family=sm.families.Binomial()).fit()
    found = stats.susceptibility(margin, adopted)
    for i, part in enumerate((found.intercept, found.slope)):
        assert part.value == pytest.approx(glm.params[i], rel=1e-6)
        assert interval(part) == pytest.approx(tuple(glm.conf_int()[i]), rel=1e-5)


def test_the_band_is_the_delta_method_at_95_percent():
    margin, adopted = planted(120, 1.0, -0.5, 2)
    glm = sm.GLM(adopted, sm.add_constant(margin), family=sm.families.Binomial()).fit()
    at = np.array([-2.0, 0.0, 3.0])
    # statsmodels bands the mean the same way: delta method on the linear predictor, then the link.
    expected = glm.get_prediction(sm.add_constant(at)).summary_frame()
    found = stats.susceptibility(margin, adopted).curve(at)
    for column, values in zip(("mean", "mean_ci_lower", "mean_ci_upper"), found, strict=True):
        np.testing.assert_allclose(values, expected[column], rtol=1e-5)


def test_repeated_clusters_give_a_sandwich_covariance():
    margin, adopted = planted(80, 1.0, -0.5, 3)
    margin, adopted = np.tile(margin, 3), np.tile(adopted, 3)
    case = np.tile(range(80), 3)
    found = stats.susceptibility(margin, adopted, case)
    design = sm.add_constant(margin)
    p = special.expit(design @ [found.intercept.value, found.slope.value])
    bread = np.linalg.inv((design * (p * (1 - p))[:, None]).T @ design)
    scores = pd.DataFrame(design * (adopted - p)[:, None]).groupby(case).sum().to_numpy()
    correction = 80 / 79 * 239 / 238
    expected = bread @ scores.T @ scores @ bread * correction
    np.testing.assert_allclose(found.covariance, expected, rtol=1e-6)
    half = Z * math.sqrt(expected[1, 1])
    assert found.slope.high - found.slope.value == pytest.approx(half, rel=1e-6)
    assert (found.n, found.clusters) == (240, 80)
    naive = stats.susceptibility(margin, adopted)
    assert naive.slope.high - naive.slope.low < 0.75 * (found.slope.high - found.slope.low)


def test_susceptibility_leaves_undefined_cases_out():
    margin, adopted = planted(60, 1.0, -0.5, 4)
    expected = stats.susceptibility(margin, adopted)
    found = stats.susceptibility([*margin, NAN, 2.0], [*adopted, 1.0, None])
    assert found == expected
    assert found.n == 60


@pytest.mark.parametrize(
    ("margin", "adopted", "note"),
    [
        ([1, 2, 3, 4], [1, 1, 0, 0], "perfect separation at margin 2.00: the slope is unbounded"),
        ([1, 2, 3, 4], [0, 0, 1, 1], "perfect separation at margin 2.00: the slope is unbounded"),
        ([1, 2, 2, 4], [1, 1, 0, 0], "perfect separation at margin 2.00: the slope is unbounded"),
        ([1, 2, 2, 4], [0, 1, 0, 1], "perfect separation at margin 2.00: the slope is unbounded"),
        ([1, 2, 3], [1, 1, 1], "3 of 3 adopted: nothing to contrast"),
        ([1, 2, 3], [0, 0, 0], "0 of 3 adopted: nothing to contrast"),
        ([2, 2, 2], [0, 1, 0], "the margin is constant"),
        ([NAN, 2], [0, NAN], "n=0"),
    ],
)
def test_susceptibility_says_why_there_is_no_curve(margin, adopted, note):
    found = stats.susceptibility(margin, adopted)
    assert found.note == note
    assert math.isnan(found.slope.value)
    assert all(np.isnan(values).all() for values in found.curve([0.0, 1.0]))


def test_three_clusters_are_the_least_for_two_coefficients():
    margin, adopted = [1, 2, 3, 4, 5, 6], [1, 0, 1, 0, 1, 0]
    assert stats.susceptibility(margin, adopted, list("aaabbb")).note.startswith("2 clusters: too few")
    assert stats.susceptibility(margin, adopted, list("aabbcc")).note == ""


def test_a_fit_that_does_not_converge_is_not_reported():
    # The outcomes overlap by a hair, so a finite slope exists, too steep to reach or to mean anything.
    found = stats.susceptibility([0, 1, 2 + 1e-13, 2, 3, 4], [0, 0, 0, 1, 1, 1])
    assert found.note == "the fit did not converge"
    assert math.isnan(found.slope.low)


def test_susceptibility_refuses_infinite_margins_and_foreign_outcomes():
    for margin, adopted in ([math.inf, 1], [1, 0]), ([1, 2], [1, 2]), ([1, 2], [1]):
        with pytest.raises(MedagentsError):
            stats.susceptibility(margin, adopted)


# --- the screen


def kinds(findings):
    return [(f.kind, f.columns) for f in findings]


HALF = [0, 1] * 10
THIRD = [0, 0, 1, 1, 0, 0, 1, 0] * 2 + [1, 0, 1, 1]


def test_a_sound_table_has_no_findings():
    frame = pd.DataFrame({"a": HALF, "b": THIRD, "option": list("ABCDE") * 4})
    assert stats.screen(frame, {"x": ("a", "b")}, {"a": "b"}) == []


def test_screen_names_a_structurally_zero_control():
    frame = pd.DataFrame({"decoy": HALF, "control": [0] * 20})
    [found] = stats.screen(frame, {"uptake": ("decoy", "control")})
    assert (found.kind, found.columns) == ("constant", ("control",))
    assert found.detail == (
        "control is 0 in all 20 rows: it cannot tell cases apart, "
        "and as the baseline of uptake it makes the difference a raw rate."
    )


def test_a_constant_that_is_no_zero_baseline_is_only_constant():
    frame = pd.DataFrame({"arm": HALF, "control": [1] * 20, "read": ["no"] * 20, "gap": [0.0] * 19 + [NAN]})
    found = stats.screen(frame, {"x": ("arm", "control")})
    assert kinds(found) == [("constant", ("control",)), ("constant", ("read",)), ("constant", ("gap",))]
    assert [f.detail for f in found] == [
        "control is 1 in all 20 rows: it cannot tell cases apart.",
        "read is no in all 20 rows: it cannot tell cases apart.",
        "gap is 0 in all 19 rows: it cannot tell cases apart.",
    ]


@pytest.mark.parametrize(("minority", "flagged"), [(1, True), (4, True), (5, False), (15, False), (16, True)])
def test_screen_names_columns_with_fewer_than_five_off_the_mode(minority, flagged):
    frame = pd.DataFrame({"a": [1.0] * minority + [0.0] * (20 - minority) + [NAN]})
    found = stats.screen(frame)
    assert kinds(found) == ([("near-constant", ("a",))] if flagged else [])
    if flagged and minority == 4:
        assert found[0].detail == "a is 0 in all but 4 of 20 rows: near-constant."


def test_the_near_constant_threshold_is_a_parameter():
    frame = pd.DataFrame({"a": [1] * 3 + [0] * 17})
    assert stats.screen(frame, minority=3) == []


def test_screen_names_a_flag_that_equals_its_label():
    frame = pd.DataFrame({"flag": HALF, "label": [bool(v) for v in HALF]})
    [found] = stats.screen(frame, labels={"flag": "label"})
    assert (found.kind, found.columns) == ("equals label", ("flag", "label"))
    assert found.detail == "flag equals its label label in all 20 rows: precision and recall measure nothing."


def test_identity_is_judged_where_both_are_defined():
    frame = pd.DataFrame({"a": [*HALF, NAN], "b": [NAN, *HALF[1:], 1]})
    [found] = stats.screen(frame)
    assert (found.kind, found.columns) == ("identical", ("a", "b"))
    assert "in all 19 rows" in found.detail
    disjoint = pd.DataFrame({"a": [*HALF, *[NAN] * 20], "b": [*[NAN] * 20, *HALF]})
    assert stats.screen(disjoint) == []


def test_screen_compares_categories_with_text():
    frame = pd.DataFrame({"a": pd.Categorical(["yes", "no"] * 10), "b": ["yes", "no"] * 10})
    assert kinds(stats.screen(frame)) == [("identical", ("a", "b"))]


def test_screen_names_nested_columns_in_either_order():
    inner = [0, 1] * 5 + [0] * 10
    for columns in ({"inner": inner, "outer": HALF}, {"outer": HALF, "inner": inner}):
        [found] = stats.screen(pd.DataFrame(columns))
        assert (found.kind, found.columns) == ("nested", ("inner", "outer"))
        assert found.detail == (
            "Every inner is a outer (5 of 20 rows): as a detector of inner, outer has recall 1 by that "
            "alone; in reverse, precision 1."
        )


def test_only_a_declared_gate_is_reported_for_containing_everything():
    frame = pd.DataFrame({"gate": [1] * 20, "label": HALF})
    assert kinds(stats.screen(frame)) == [("constant", ("gate",))]
    declared = stats.screen(frame, labels={"gate": "label"})
    assert kinds(declared) == [("constant", ("gate",)), ("nested", ("label", "gate"))]


def test_disjoint_and_categorical_columns_are_not_nested():
    frame = pd.DataFrame({"a": HALF, "b": [1 - v for v in HALF], "c": list("xyyz") * 5})
    assert stats.screen(frame) == []
    gaps = pd.DataFrame({"a": [*HALF, *[NAN] * 20], "b": [*[0] * 20, *HALF]})
    assert stats.screen(gaps) == []


def test_screen_names_a_shared_baseline():
    frame = pd.DataFrame({"a": HALF, "b": THIRD, "base": [0] * 10 + [1] * 10})
    [found] = stats.screen(frame, {"x": ("a", "base"), "y": ("b", "base"), "z": ("a", "b")})
    assert (found.kind, found.columns) == ("shared baseline", ("base", "a", "b"))
    assert found.detail == "x, y share the baseline base: they are not independent."


def test_screen_names_empty_columns_and_strata():
    tier = pd.Categorical(["hard"] * 10 + ["easy"] * 10, categories=["easy", "hard", "expert"])
    frame = pd.DataFrame({"a": HALF, "b": [NAN] * 10 + HALF[:10], "c": [None] * 20, "tier": tier})
    found = [f for f in stats.screen(frame, by="tier") if f.kind == "empty"]
    assert [f.detail for f in found] == [
        "c has n=0: no row defines it, so it has no rate.",
        "b has n=0 where tier=hard: no row of the stratum defines it.",
        "tier=expert has n=0: no case is in this stratum.",
    ]
    assert [f.columns for f in found] == [("c",), ("b", "tier"), ("tier",)]
    text = frame.assign(tier=frame["tier"].astype(str))
    assert len([f for f in stats.screen(text, by="tier") if f.kind == "empty"]) == 2


def test_findings_come_in_a_fixed_order():
    frame = pd.DataFrame(
        {
            "zero": [0] * 20,
            "flag": HALF,
            "twin": HALF,
            "label": HALF,
            "rare": [1] + [0] * 19,
            "none": [NAN] * 20,
        }
    )
    contrasts = {"x": ("flag", "zero"), "y": ("twin", "zero")}
    found = stats.screen(frame, contrasts, {"flag": "label"})
    assert kinds(found) == [
        ("empty", ("none",)),
        ("constant", ("zero",)),
        ("near-constant", ("rare",)),
        ("equals label", ("flag", "label")),
        ("identical", ("flag", "twin")),
        ("identical", ("twin", "label")),
        ("shared baseline", ("zero", "flag", "twin")),
    ]
    assert stats.screen(frame, contrasts, {"flag": "label"}) == found


def test_screen_refuses_unknown_and_repeated_columns():
    frame = pd.DataFrame({"a": HALF})
    calls = [{"contrasts": {"x": ("a", "b")}}, {"labels": {"b": "a"}}, {"by": "b"}]
    for call in calls:
        with pytest.raises(MedagentsError, match="'b'"):
            stats.screen(frame, **call)
    with pytest.raises(MedagentsError):
        stats.screen(pd.concat([frame, frame], axis=1))


# --- the authors' rows (claim ids of the audit)


def test_two_peers_are_adopted_on_15_of_40_as_printed():  # C036, C037, C039
    table = rows("experiments/referee/results/referee_deployable.jsonl")
    gold = {row["case_id"]: row["inferred_shortcut"] for row in table if row["arm"] == "clean"}
    cases = [row for row in table if row["arm"] == "planted"]
    names = sorted({row[key] for row in table for key in ("board", "bare", "wrong", "inferred_shortcut")})
    shared, isolated, plant = ([names.index(row[key]) for row in cases] for key in ("board", "bare", "wrong"))
    right = [names.index(gold[row["case_id"] + "::clean"]) for row in cases]
    adopted = stats.adoption(shared, isolated, plant)
    assert (adopted.sum(), adopted.size) == (15, 40)
    # The paper prints 12 ending in harm; its own rows give 11.
    assert stats.harmful(shared, isolated, plant, right).sum() == 11
    assert stats.contagion(shared, isolated, plant, [row["case_id"] for row in cases]).value == 0.375
    # What the paper says of this arm: the control is 0 and the referee its own label, by construction.
    frame = pd.DataFrame(cases).assign(isolated=np.equal(isolated, plant))
    found = stats.screen(
        frame[["isolated", "deployable", "naive", "adopted"]],
        labels={"deployable": "adopted", "naive": "adopted"},
    )
    assert kinds(found) == [
        ("constant", ("isolated",)),
        ("constant", ("naive",)),
        ("equals label", ("deployable", "adopted")),
        ("nested", ("adopted", "naive")),
    ]


def test_confident_against_hedged_as_printed():  # C041-C044
    cases = rows("experiments/medqa/results/seed_confidence.jsonl")
    confident, hedged = ([row[key] for row in cases] for key in ("confident_adopt", "hedged_adopt"))
    assert (stats.rate(confident).value, stats.rate(hedged).value) == (0.42, 0.14)
    found = stats.mcnemar_from(confident, hedged)
    assert (found.b, found.c, found.n) == (29, 1, 100)
    assert f"{found.p:.0e}" == "6e-08"


def test_second_anchored_voice_as_printed():  # C046, C048, C050
    cases = rows("experiments/medqa/results/scale_c_per_case.jsonl")
    two, one = ([row[key] for row in cases] for key in ("anchored", "anchored_solo"))
    assert [round(stats.rate(arm).value, 2) for arm in (two, one)] == [0.85, 0.73]
    assert round(stats.mcnemar_from(two, one).p, 3) == 0.006


def test_patient_clustered_interval_as_printed():  # C179, C181, C182, C183
    cases = rows("experiments/imaging/results/imaging_cascade.jsonl")
    shared, isolated = ([row[key] for row in cases] for key in ("shared_adopt", "iso_adopt"))
    images = [row["case_id"] for row in cases]
    clustered = stats.paired_difference(shared, isolated, [image.split("_")[0] for image in images])
    by_image = stats.paired_difference(shared, isolated, images)
    assert (clustered.n, clustered.clusters, by_image.clusters) == (35, 10, 35)
    assert str(clustered) == "0.54 [0.36, 0.68]"
    assert str(by_image) == "0.54 [0.37, 0.71]"
