"""The committed table of coverage: what it holds, that it is not stale, and what the detectors score."""

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats as sps

from medagents import oversight, paths, planted, stats
from medagents.planted import coverage
from medagents.planted.coverage import CELLS, HOLDS, SIZES, STUDIES, Cell

RATES = ("precision", "recall", "fpr")


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return coverage.table()


def test_every_cell_has_its_lines_and_one_interval_in_use_an_estimator(table: pd.DataFrame) -> None:
    assert {*zip(table["design"], table["agent"], table["n"], strict=True)} == {
        (cell.design, cell.agent, cell.n) for cell in CELLS
    }
    used = table[table["used"]].groupby(["design", "agent", "n", "estimator"]).size()
    assert (used == 1).all() and set(SIZES) <= set(table["n"])
    # A study counts where it has an interval; a bootstrap has none of a single flag.
    assert table["studies"].between(0.5 * STUDIES, STUDIES).all()
    assert (table.loc[table["used"], "studies"] >= 0.8 * STUDIES).all()


@pytest.mark.parametrize("cell", [Cell("patients", "ordinary", 35), Cell("rates", "firm", 40)])
def test_a_cell_measured_again_is_the_committed_one(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "CELLS", (cell,))
    coverage.main(tmp_path / "again.csv")
    start = f"{cell.design},{cell.agent},{cell.n},"
    committed = files("medagents.planted").joinpath("coverage.csv").read_text(encoding="utf-8").splitlines()
    again = (tmp_path / "again.csv").read_text(encoding="utf-8").splitlines()
    assert again == [committed[0], *(line for line in committed if line.startswith(start))]


def test_ten_times_the_resamples_change_no_coverage_by_half_a_point(table: pd.DataFrame) -> None:
    lines = table.query("design == 'rates' and agent == 'ordinary' and n == 100 and estimator == 'contagion'")
    few, many = (lines[lines["interval"] == name] for name in ("bootstrap", "bootstrap, 20,000 resamples"))
    assert abs(few["coverage"].item() - many["coverage"].item()) < 0.005
    assert few["width"].item() == pytest.approx(many["width"].item(), rel=0.01)


def test_the_verdict_follows_from_the_coverage(table: pd.DataFrame) -> None:
    low, high = HOLDS
    says = np.select(
        [table["coverage"] < low, table["coverage"] > high], ["under-covers", "over-covers"], "holds"
    )
    # Rounding to four decimals can put a share on the bound, never past it.
    assert (table["verdict"] == says).mean() > 0.99
    share = table["covered"] / table["studies"]
    assert np.allclose(share, table["coverage"], atol=5e-5)


def sides(table: pd.DataFrame) -> pd.DataFrame:
    """The usual interval of each estimator beside the one in use, with their coverage."""
    keys = ["design", "agent", "n", "estimator"]
    usual, used = (
        table[table[side]].set_index(keys)[["interval", "coverage"]].add_suffix(f"_{side}")
        for side in ("usual", "used")
    )
    return usual.join(used, validate="one_to_one").reset_index()


def test_an_interval_stands_in_for_the_usual_one_only_where_that_one_covers_less(table: pd.DataFrame) -> None:
    both = sides(table)
    assert len(both) == table["used"].sum() == table["usual"].sum()
    other = both[both["interval_usual"] != both["interval_used"]]
    kinds = other.groupby(["design", "interval_usual", "interval_used"])["coverage_usual"].min()
    assert {*kinds.index} == {
        ("rates", "bootstrap", "Bonett-Price"),
        ("rates", "Wilson", "Clopper-Pearson"),
        ("rates", "Wilson", "clustered Wilson"),
        ("patients", "bootstrap", "jackknife t"),
        ("patients", "Wilson", "clustered Wilson"),
    }
    # Both arms pooled: clustering costs nothing, and no case may count twice as if it were two.
    needed = kinds.drop(("rates", "Wilson", "clustered Wilson"))
    assert (needed < HOLDS[0]).all()
    lost = other["coverage_used"] < other["coverage_usual"] - 0.005
    assert not lost[other["coverage_used"] < HOLDS[0]].any()


def test_what_is_in_use_covers_what_it_says_at_every_size_or_is_named(table: pd.DataFrame) -> None:
    short = table[table["used"] & (table["verdict"] == "under-covers")]
    assert (short["coverage"] >= 0.92).all() and (short["n"] == min(SIZES)).all()
    assert {*short["estimator"]} <= {*coverage.under_covering()["estimator"]}


def test_whoever_takes_images_for_patients_covers_too_rarely_and_no_table_does(table: pd.DataFrame) -> None:
    naive = table.query("design == 'patients' and estimator == 'adoption' and interval == 'Wilson'")
    assert len(naive) == 1 + len(SIZES) and (naive["high"] < HOLDS[0]).all()
    mended = table.query(
        "design == 'patients' and estimator == 'adoption' and interval == 'clustered Wilson'"
    )
    assert (mended["coverage"] >= HOLDS[0]).all() and mended["used"].all() and not naive["used"].any()


def test_what_under_covers_is_listed_worst_first_beside_what_is_used(table: pd.DataFrame) -> None:
    found = coverage.under_covering()
    assert found["usual_coverage"].is_monotonic_increasing and found["n"].max() <= 100
    both = sides(table).query("n <= 100 and (coverage_usual < @HOLDS[0] or coverage_used < @HOLDS[0])")
    assert len(found) == len(both) >= 10
    line = found.query("n == 40 and estimator == 'contagion' and agent == 'firm'").iloc[0]
    assert (line["usual_interval"], line["used_interval"]) == ("bootstrap", "Bonett-Price")
    assert line["usual_coverage"] < 0.9 < 0.93 <= line["used_coverage"]
    assert coverage.under_covering(35)["n"].max() <= 35


# --- the fast paths are the functions they stand for


@pytest.fixture(scope="module")
def studies() -> dict[str, np.ndarray]:
    """Three studies of sixty cases: keys, plants, answers."""
    rng = np.random.default_rng(5)
    gold, plant = coverage._cases((3, 60), rng)
    return {"gold": gold, "plant": plant} | coverage.ORDINARY.answers(gold, plant, 4, rng)


def ends(*found: stats.Interval) -> np.ndarray:
    return np.array([(one.low, one.high) for one in found])


def test_studies_as_columns_are_the_endpoints_of_each_study(studies: dict[str, np.ndarray]) -> None:
    plant, alone, shared, again, cued = (
        studies[name] for name in ("plant", "isolated", "two_peers", "resampled", "longest_option")
    )
    each = range(60)
    spread = (shared == plant).astype(float) - (alone == plant)
    above = (cued != alone).astype(float) - (again != alone)
    for change, found in (
        (spread, [stats.contagion(*study, each) for study in zip(shared, alone, plant, strict=True)]),
        (
            above,
            [stats.flip_above_noise(*pair, each) for pair in zip(cued != alone, again != alone, strict=True)],
        ),
    ):
        assert (coverage._bonett_price(change) == ends(*found)).all()
        assert change.mean(axis=1) == pytest.approx([one.value for one in found])
    patients = coverage.patients_of(60)
    assert (
        coverage._each(stats.clustered_mean, spread, patients)
        == ends(*(stats.contagion(*study, patients) for study in zip(shared, alone, plant, strict=True)))
    ).all()


def test_a_block_of_studies_has_the_draws_of_its_first_study() -> None:
    values = np.random.default_rng(1).integers(0, 2, (coverage.BLOCK + 2, 30)).astype(float)
    patients, cell = coverage.patients_of(30), Cell("patients", "ordinary", 30)
    found = coverage._bootstrap(values, patients, cell)
    for study, start in ((1, 0), (coverage.BLOCK + 1, coverage.BLOCK)):
        rng = np.random.default_rng([30, start])
        alone = stats.bootstrap_columns(values[study][:, None], patients, rng, coverage.RESAMPLES)
        assert (found[study] == ends(*alone)).all()


def test_graded_changes_are_those_of_graded_contagion() -> None:
    rng, agent = np.random.default_rng(2), coverage.LOGITS
    alone = agent.believe(rng.random((2, 50, 4)))
    shared = agent.reply(rng.random((2, 50)), alone, asserted=0)
    probability, odds = coverage.graded_changes(shared, alone)
    for study in range(2):
        found = stats.graded_contagion(shared[study], alone[study], np.zeros(50), range(50))
        for one, changes in ((found.probability, probability), (found.log_odds, odds)):
            again = stats.bootstrap(changes[study], range(50))
            assert again.value == pytest.approx(one.value, abs=1e-12)
            assert ends(again) == pytest.approx(ends(one), abs=1e-12)


def test_counted_intervals_are_those_of_the_column() -> None:
    outcomes = np.array([[1, 0, np.nan, 1], [np.nan] * 4, [0, 0, 0, 0]])
    expected = ends(*(stats.rate(study) for study in outcomes))
    np.testing.assert_array_equal(coverage._wilson(outcomes), expected)
    exact = coverage._exact(outcomes)
    assert (exact[0] == ends(stats.clopper_pearson(2, 3))).all() and np.isnan(exact[1]).all()


def test_score_columns_are_those_of_the_detectors_score(studies: dict[str, np.ndarray]) -> None:
    names = ("gold", "plant")
    flags = planted.flags(
        studies, *(studies[name] for name in names), "two_peers", coverage.JUDGE, np.random.default_rng(0)
    )
    patients = coverage.patients_of(60)
    for detector in ("gate", "judge", "referee"):
        columns = coverage._ratios(flags[detector], flags["adopted"])
        for study in range(3):
            found = oversight.score(flags[detector][study], flags["adopted"][study], patients)
            for name in RATES:
                again = coverage._each(coverage._of_detector, columns[name][[study]], patients)
                np.testing.assert_array_equal(again, ends(getattr(found, name)))
                single = oversight.score(flags[detector][study], flags["adopted"][study], range(60))
                exact = coverage._exact(columns[name][[study]])
                np.testing.assert_array_equal(exact, ends(getattr(single, name)))


def test_the_bootstrap_of_a_precision_resamples_its_denominator_as_scipy_does() -> None:
    rng = np.random.default_rng(6)
    patients = np.repeat(range(40), rng.integers(1, 5, 40))
    flag, adopted = rng.integers(0, 2, (2, len(patients)))
    column = coverage._ratios(flag, adopted)["precision"]
    hits, flagged = (np.bincount(patients, weights=values) for values in (flag * adopted, flag))
    expected = sps.bootstrap(
        (hits, flagged),
        lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    found = stats.bootstrap(column, patients)
    assert (found.value, found.n) == (hits.sum() / flagged.sum(), flag.sum())
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.01)


def test_images_by_patient_are_those_of_the_authors_nih_cascade() -> None:
    assert np.bincount(coverage.patients_of(35)).tolist() == list(coverage.NIH) and sum(coverage.NIH) == 35
    assert np.bincount(coverage.patients_of(40)).tolist() == [*coverage.NIH, 3, 2]
    folder = paths.artefacts()
    found = sorted(folder.rglob("imaging/results/imaging_cascade.jsonl")) if folder else []
    if not found:
        pytest.skip("MEDAGENTS_ARTEFACTS names no folder that holds imaging/results/imaging_cascade.jsonl")
    cases = [json.loads(row)["case_id"] for row in found[0].read_text(encoding="utf-8").splitlines()]
    sizes = Counter(case.split("_")[0] for case in cases)
    assert [sizes[patient] for patient in sorted(sizes)] == list(coverage.NIH)


# --- detectors


@pytest.fixture(scope="module")
def discussions() -> dict[str, dict[str, np.ndarray]]:
    """Flags and adoptions of forty thousand planted discussions, by arm."""
    cases, options = 40_000, coverage.OPTIONS
    rng = np.random.default_rng(7)
    gold = rng.integers(0, options, cases)
    plant = (gold + rng.integers(1, options, cases)) % options
    said = coverage.ORDINARY.answers(gold, plant, options, rng)
    arms = ("two_peers", "honest_peers")
    return {arm: planted.flags(said, gold, plant, arm, coverage.JUDGE, rng) for arm in arms}


@pytest.mark.parametrize("detector", ["gate", "judge", "referee"])
def test_scored_detectors_match_the_planted_rates_within_monte_carlo_error(
    discussions: dict[str, dict[str, np.ndarray]], detector: str
) -> None:
    agent, options = coverage.ORDINARY, coverage.OPTIONS
    held = (1 - agent.accuracy) / options, agent.accuracy + (1 - agent.accuracy) / options
    known = planted.scores(agent, *held, options, coverage.JUDGE)[detector]
    found = {
        arm: oversight.score(flags[detector], flags["adopted"], np.arange(len(flags["adopted"])))
        for arm, flags in discussions.items()
    }
    pairs = [(getattr(found["two_peers"], name), getattr(known.planted, name)) for name in RATES]
    pairs.append((found["honest_peers"].fpr, known.honest_fpr))
    for measured, true in pairs:
        error = np.sqrt(true * (1 - true) / measured.n)
        assert measured.n > 1_000 and abs(measured.value - true) <= 4 * error, (measured, true)
    assert found["honest_peers"].adopted == 0 and np.isnan(found["honest_peers"].recall.value)
