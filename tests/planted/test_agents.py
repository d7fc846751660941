"""Planted agents behave as their numbers say, and the closed forms are what they do on average."""

import numpy as np
import pytest

from medagents import planted, stats
from medagents.planted import NONE, Judge, LogitAgent, PlantedAgent
from medagents.types import MedagentsError

AGENT = PlantedAgent(accuracy=0.6, conformity=0.4, cue_bias=0.2, letter_bias=0.3, noise=0.1)
JUDGE = Judge(sensitivity=0.8, specificity=0.9)
CASES = 200_000
FEW = 1_000
"""Where a bootstrap of all cases would take long."""


@pytest.fixture(scope="module")
def study() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Keys, plants and answers of one study large enough to read a rate to the third digit."""
    rng = np.random.default_rng(8)
    gold = rng.integers(0, 4, CASES)
    plant = (gold + rng.integers(1, 4, CASES)) % 4
    return gold, plant, AGENT.answers(gold, plant, 4, rng)


def share(outcomes: np.ndarray) -> object:
    """The rate as a value that equals whatever lies within four standard errors of it."""
    outcomes = np.asarray(outcomes, dtype=float)
    return pytest.approx(outcomes.mean(), abs=4 * outcomes.std() / np.sqrt(outcomes.size))


def test_expected_rates_by_hand() -> None:
    # a = 0.6, c = 0.4, b = 0.2, w = 0.3, v = 0.1, k = 4, h = 0.1
    found = planted.expected(AGENT, 0.1, 4)
    assert found.adoption == pytest.approx(0.4 + 0.6 * 0.1 / 3)  # 0.42
    assert found.staying == pytest.approx(0.4 + 0.6 * 0.9)  # 0.94
    assert found.contagion == pytest.approx(0.9 * 0.42 + 0.1 * 0.94 - 0.1)  # 0.372
    assert found.contrast == pytest.approx(0.4 * (1 - 0.12))  # beside nobody 0.09 + 0.03 take it
    assert found.flip == pytest.approx(0.9 * 0.2 + 0.8 * 0.1)  # 0.26
    assert found.flip_above_noise == pytest.approx(0.26 - 0.1)
    assert found.order_flip == pytest.approx(0.88 * 0.1 + 0.12 * (1 - 0.1 / 3))  # 0.204


def test_expected_scores_by_hand() -> None:
    # Of 1,000 cases 378 adopt (0.9 * 0.42) and 94 agree honestly (0.1 * 0.94); 528 do not agree.
    # Beside honest peers 126 move to the key (0.3 * 0.42) and 658 hold it (0.7 * 0.94).
    found = planted.scores(AGENT, 0.1, 0.7, 4, JUDGE)
    gate, referee, judge = (found[name] for name in ("gate", "referee", "judge"))
    assert gate.planted.recall == 1
    assert gate.planted.precision == pytest.approx(378 / 472)
    assert gate.planted.fpr == pytest.approx(94 / 622)
    assert gate.honest_fpr == pytest.approx(0.784)
    assert gate.both.precision == pytest.approx(378 / (378 + 94 + 784))
    assert gate.both.fpr == pytest.approx((94 + 784) / 1622)
    assert referee.planted.recall == pytest.approx(29 / 30)
    assert referee.planted.precision == pytest.approx(365.4 / (365.4 + 9.4))
    assert referee.planted.fpr == pytest.approx(9.4 / 622)
    assert referee.honest_fpr == pytest.approx(0.126 * 29 / 30 + 0.0658)
    assert referee.both.fpr == pytest.approx((9.4 + 187.6) / 1622)
    assert judge.planted.recall == judge.both.recall == 0.8
    assert judge.planted.precision == pytest.approx(302.4 / (302.4 + 62.2))
    assert judge.planted.fpr == judge.honest_fpr == judge.both.fpr == pytest.approx(0.1)


def test_the_answers_of_a_large_study_have_the_expected_rates(study: tuple) -> None:
    gold, plant, said = study
    expected = planted.expected(AGENT, 0.1, 4)
    alone, shared = said["isolated"], said["two_peers"]
    assert share(alone == gold) == 0.7
    assert share(alone == plant) == 0.1
    assert expected.adoption == share((shared == plant)[alone != plant])
    assert expected.staying == share((shared == plant)[alone == plant])
    assert expected.contagion == share((shared == plant) - (alone == plant).astype(float))
    assert expected.contrast == share((shared == plant) - (said["irrelevant"] == plant).astype(float))
    flips = {name: (answers != alone).astype(float) for name, answers in said.items()}
    assert expected.flip == share(flips["longest_option"])
    assert expected.flip_above_noise == share(flips["longest_option"] - flips["resampled"])
    assert expected.order_flip == share(flips["option_order"])
    assert AGENT.noise == share(flips["requery"])


@pytest.mark.parametrize("arm", ["two_peers", "honest_peers"])
def test_the_flags_of_a_large_study_have_the_expected_scores(study: tuple, arm: str) -> None:
    gold, plant, said = study
    flags = planted.flags(said, gold, plant, arm, JUDGE, np.random.default_rng(2))
    adopted = flags["adopted"] == 1
    for name, scores in planted.scores(AGENT, 0.1, 0.7, 4, JUDGE).items():
        flag = flags[name] == 1
        if arm == "honest_peers":
            assert not adopted.any() and scores.honest_fpr == share(flag)
        else:
            assert scores.planted.precision == share(adopted[flag])
            assert scores.planted.recall == share(flag[adopted])
            assert scores.planted.fpr == share(flag[~adopted])


def test_balanced_plants_hide_a_bias_for_a_letter_and_others_show_it() -> None:
    biased = PlantedAgent(accuracy=0.6, letter_bias=1.0, favourite=1)
    gold, plant = np.array([0, 0, 2, 3]), np.array([1, 2, 3, 0])
    assert planted.holds(biased, plant, gold, 4).tolist() == pytest.approx([0.4, 0, 0, 0])
    assert planted.holds(biased, gold, gold, 4).tolist() == pytest.approx([0.6, 0.6, 0.6, 0.6])
    first_wrong = np.where(gold == 0, 1, 0)
    assert planted.holds(biased, plant, gold, 4).mean() == pytest.approx(0.1)
    assert planted.holds(biased, first_wrong, gold, 4).mean() == pytest.approx(0.2)


def test_peers_come_before_a_cue_and_a_cue_before_noise() -> None:
    sure, no_draw = PlantedAgent(conformity=1, cue_bias=1, noise=1), np.zeros(4)
    assert sure.reply(no_draw, 0, 4, asserted=2, edited=3) == 2
    assert sure.reply(no_draw, 0, 4, asserted=NONE, edited=3) == 3
    assert sure.reply(no_draw, 0, 4) == 1  # the first of the others
    assert PlantedAgent().reply(no_draw, 0, 4, asserted=2, edited=3) == 0


def test_noise_takes_every_other_option_alike_and_never_the_own() -> None:
    restless = PlantedAgent(noise=1)
    draws = np.vstack([np.zeros((3, 999)), (np.arange(999) + 0.5) / 999])
    assert np.bincount(restless.reply(draws, 2, 4), minlength=4).tolist() == [333, 333, 0, 333]


def test_the_favourite_letter_follows_the_letter_and_not_the_option() -> None:
    habit = PlantedAgent(accuracy=0, letter_bias=1, favourite=1)
    draws = np.full(3, 0.5)
    assert habit.believe(draws, 0, 4) == 1
    assert habit.believe(draws, 0, 4, favourite=3) == 3
    with pytest.raises(MedagentsError, match="letter 1 is not shown"):
        habit.believe(draws, 0, np.array([4, 1]))


@pytest.mark.parametrize("wrong", [{"noise": 1.1}, {"conformity": -0.1}, {"favourite": -1}])
def test_what_is_no_probability_is_an_error(wrong: dict) -> None:
    with pytest.raises(MedagentsError, match=next(iter(wrong))):
        PlantedAgent(**wrong)


def test_a_logit_agent_is_pushed_by_its_shift_and_adopts_along_its_curve() -> None:
    agent, rng = LogitAgent(shift=1.5, scale=0.8), np.random.default_rng(3)
    alone = agent.believe(rng.random((CASES, 4)))
    shared = agent.reply(rng.random(CASES), alone, asserted=0)
    graded = stats.graded_contagion(shared[:FEW], alone[:FEW], np.zeros(FEW), range(FEW))
    change = stats.option_probabilities(shared)[:, 0] - stats.option_probabilities(alone)[:, 0]
    assert planted.probability_shift(agent) == share(change)
    assert graded.probability.value == pytest.approx(change[:FEW].mean(), abs=1e-12)
    assert abs(graded.log_odds.value - 1.5) < 4 * 0.8 * np.pi / np.sqrt(3 * FEW)
    # log-odds of adopting: (shift - margin) / scale
    margin = stats.isolated_margin(alone, np.zeros(CASES))
    adopted = np.where(np.isnan(margin), np.nan, shared.argmax(axis=1) == 0)
    curve = stats.susceptibility(margin, adopted)
    assert curve.slope.low <= -1 / 0.8 <= curve.slope.high
    assert curve.intercept.low <= 1.5 / 0.8 <= curve.intercept.high
