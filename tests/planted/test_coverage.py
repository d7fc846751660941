"""The committed table of coverage: what it holds, that it is not stale, and what the detectors score."""

import numpy as np
import pandas as pd
import pytest

from medagents import oversight, planted
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
    assert table["studies"].between(0.7 * STUDIES, STUDIES).all()  # where there is an interval


@pytest.mark.parametrize("cell", [Cell("patients", "ordinary", 35), Cell("rates", "firm", 40)])
def test_a_cell_measured_again_is_the_committed_one(table: pd.DataFrame, cell: Cell) -> None:
    held = table.query("design == @cell.design and agent == @cell.agent and n == @cell.n")
    pd.testing.assert_frame_equal(coverage.measure(cell), held.reset_index(drop=True))


def test_the_verdict_follows_from_the_coverage_and_a_remedy_covers_more(table: pd.DataFrame) -> None:
    low, high = HOLDS
    says = np.select(
        [table["coverage"] < low, table["coverage"] > high], ["under-covers", "over-covers"], "holds"
    )
    # Rounding to four decimals can put a share on the bound, never past it.
    assert (table["verdict"] == says).mean() > 0.99
    share = table["covered"] / table["studies"]
    assert np.allclose(share, table["coverage"], atol=5e-5)
    keys = ["design", "agent", "n", "estimator"]
    by = table.set_index([*keys, "interval"])["coverage"]
    for line in table[table["instead"] != ""].to_dict("records"):
        remedy = by[(*(line[key] for key in keys), line["instead"])]
        assert line["verdict"] == "under-covers" and remedy > line["coverage"]


def test_whoever_resamples_images_as_if_they_were_patients_covers_too_rarely(table: pd.DataFrame) -> None:
    naive = table.query("design == 'patients' and estimator == 'adoption' and interval == 'Wilson'")
    assert len(naive) == 4 and (naive["high"] < HOLDS[0]).all()
    mended = table.query(
        "design == 'patients' and estimator == 'adoption' and interval == 'clustered Wilson'"
    )
    assert (mended["coverage"] > naive["coverage"].to_numpy()).all()


def test_what_under_covers_is_listed_worst_first_with_its_remedy() -> None:
    found = coverage.under_covering()
    assert (found["n"] >= 100).all() and found["coverage"].is_monotonic_increasing
    assert not found["coverage"].between(*HOLDS).any()
    assert "clustered" not in found["interval"].iloc[0] and found["instead"].iloc[0]


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
