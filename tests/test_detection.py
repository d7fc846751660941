"""Tables of notebook 04 on verdicts whose every rate is counted by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as sps

from medagents import detection, oversight, rows
from medagents.committees import hierarchy
from medagents.experiments.referee_detection import ARMS

# Four cases, gold 0, plant 1. Alone: 0, 0, 1, 2. Beside two wrong peers: 1, 0, 1, 1. So cases a and d
# adopt, c gave the plant alone. Beside honest peers: 0, 0, 0, 0, of which c and d changed.
SAID = {
    "isolated": (0, 0, 1, 2),
    "two_peers": (1, 0, 1, 1),
    "split_wrong_first": (1, 0, 1, 0),
    "honest_peers": (0, 0, 0, 0),
    "requery": (0, 0, 1, 0),
    "repeat": (0, 1, 1, 2),
    "senior_wrong": (1, 0, 1, None),
    "senior_wrong_swapped": (0, 0, 0, 0),
    "senior_right": (0, 0, 1, 0),
    "senior_right_swapped": (1, 0, 0, 1),
}
FLAGS = {
    "gate@two_peers": (1, 0, 1, 1),
    "referee@two_peers": (1, 0, 0, 1),
    "gate@honest_peers": (1, 1, 1, 1),
    "referee@honest_peers": (0, 0, 1, 0),
}
JUDGED = {
    "judge@two_peers@m": ((1, 2.0), (1, 0.5), (1, 1.0), (None, None)),
    "judge@honest_peers@m": ((1, 0.5), (1, 0.25), (1, 0.25), (1, 0.5)),
    "judge@two_peers@other": ((1, 1.0),) * 4,
}


def line(case: str, condition: str, option: int | None, logp: str = "") -> rows.Row:
    status = "unparseable" if option is None else "answered"
    return rows.Row(case, case, condition, 0, 1, "r", "A", "B", 0, status, option, logp, "scripted", "k")


def verdict(flag: int | None) -> int | None:
    return None if flag is None else 1 - flag


@pytest.fixture
def frame() -> pd.DataFrame:
    said = [line(c, name, v) for name, values in SAID.items() for c, v in zip("abcd", values, strict=True)]
    flags = [
        line(c, name, verdict(v))
        for name, values in FLAGS.items()
        for c, v in zip("abcd", values, strict=True)
    ]
    return rows.to_frame([*said, *flags])


@pytest.fixture
def table(frame: pd.DataFrame) -> pd.DataFrame:
    judged = rows.to_frame(
        line(c, name, verdict(flag), "" if odds is None else f"{odds};0.0")
        for name, values in JUDGED.items()
        for c, (flag, odds) in zip("abcd", values, strict=True)
    )
    return detection.verdicts(frame, {"m": judged, "qwen2.5-coder-1.5b": judged}, "m")


def scored(table: pd.DataFrame, arm: str, detector: str) -> pd.Series:
    found = detection.scores(table).set_index(["arm", "detector"])
    return found.loc[(arm, detector)]


def test_a_verdict_stands_beside_the_outcome_of_its_own_discussion(table: pd.DataFrame) -> None:
    planted = table[(table["arm"] == "two_peers") & (table["detector"] == "gate")].set_index("case")
    assert planted["adopted"].tolist() == planted["followed"].tolist() == [1, 0, 0, 1]
    honest = table[(table["arm"] == "honest_peers") & (table["detector"] == "gate")].set_index("case")
    assert honest["adopted"].tolist() == [0, 0, 0, 0]
    assert honest["followed"].tolist() == [0, 0, 1, 1]


def test_discussions_of_another_holdout_are_left_out(table: pd.DataFrame) -> None:
    judges = table[table["detector"].str.startswith("judge")]
    assert judges["detector"].value_counts().to_dict() == {
        "judge": 8,
        "judge of Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)": 8,
    }


@pytest.mark.parametrize(
    ("arm", "detector", "counts", "precision", "recall", "fpr"),
    [
        ("two_peers", "gate", (4, 2, 3), 2 / 3, 1.0, 1 / 2),
        ("two_peers", "referee", (4, 2, 2), 1.0, 1.0, 0.0),
        ("two_peers", "judge", (3, 1, 3), 1 / 3, 1.0, 1.0),  # of d there is no verdict
        ("honest_peers", "gate", (4, 0, 4), 0.0, np.nan, 1.0),
        ("honest_peers", "referee", (4, 0, 1), 0.0, np.nan, 1 / 4),
        ("planted + honest", "gate", (8, 2, 7), 2 / 7, 1.0, 5 / 6),
        ("planted + honest", "referee", (8, 2, 3), 2 / 3, 1.0, 1 / 6),
    ],
)
def test_precision_recall_and_false_positives_are_those_counted_by_hand(
    table: pd.DataFrame,
    arm: str,
    detector: str,
    counts: tuple[int, int, int],
    precision: float,
    recall: float,
    fpr: float,
) -> None:
    found = scored(table, arm, detector)
    assert (found["n"], found["adopted"], found["flagged"]) == counts
    np.testing.assert_allclose(found[["precision", "recall", "fpr"]].astype(float), [precision, recall, fpr])


def test_flags_on_answers_that_honest_peers_did_change_are_counted_apart(table: pd.DataFrame) -> None:
    assert scored(table, "honest_peers", "gate")["changed"] == 2
    assert scored(table, "honest_peers", "referee")["changed"] == 1
    assert scored(table, "two_peers", "gate")["changed"] == 0


def test_single_cases_have_wilson_intervals_by_another_library(table: pd.DataFrame) -> None:
    expected = sps.binomtest(2, 3).proportion_ci(method="wilson")
    found = scored(table, "two_peers", "gate")
    assert (found["precision_low"], found["precision_high"]) == pytest.approx((expected.low, expected.high))


def test_a_flag_without_an_adoption_to_compare_with_leaves_every_count() -> None:
    score = oversight.score([1, 1, 0, np.nan], [1, np.nan, 1, 0], list("abcd"))
    assert (score.n, score.flagged, score.adopted, score.caught) == (2, 1, 2, 1)
    assert np.isnan(score.fpr.value) and score.recall.value == 0.5


def test_a_referee_asks_only_where_the_gate_flags(table: pd.DataFrame) -> None:
    found = detection.costs(table).set_index("detector")
    assert found["calls"].to_dict() == {"gate": 0, "judge": 8, "referee": 7}
    assert found.loc["referee", "calls_per_flag"] == pytest.approx(7 / 3)
    assert found.loc["referee", "calls_per_adoption_caught"] == pytest.approx(7 / 2)
    assert found.loc["judge", "calls_per_adoption_caught"] == pytest.approx(8 / 1)


def test_the_requeries_own_disagreement_is_shown(frame: pd.DataFrame) -> None:
    found = detection.requeries(frame).set_index("requery")
    assert found["differ"].to_dict() == {"requery": 1, "repeat": 1}
    assert found["rate"].tolist() == [0.25, 0.25]


def test_a_judges_odds_are_scored_by_the_area_that_mann_and_whitney_count(table: pd.DataFrame) -> None:
    found = detection.judge_scores(table).set_index("detector").loc["judge"]
    positive, negative = [2.0], [0.5, 1.0, 0.5, 0.25, 0.25, 0.5]  # one adoption has odds: too few to say
    assert found["n"] == 7 and np.isnan(found["auc"])
    draw = np.random.default_rng(0)
    positive, negative = draw.normal(1, 1, 30).round(1), draw.normal(0, 1, 40).round(1)
    area = detection.auc(positive, negative)
    expected = sps.mannwhitneyu(positive, negative).statistic / (30 * 40)
    assert area.value == pytest.approx(expected) and area.low < expected < area.high


def test_delongs_interval_is_the_one_worked_out_by_hand() -> None:
    # Wins of 3 over 1, 2 and of 1.5 over 1 only: placements 1 and 1/2 above, 1 and 1/2 below.
    area = detection.auc([3.0, 1.5], [1.0, 2.0])
    error = (0.125 / 2 + 0.125 / 2) ** 0.5
    assert area.value == 0.75
    assert (area.low, area.high) == pytest.approx((0.75 - 1.959964 * error, 1.0))


def test_deference_is_counted_by_case_and_title(frame: pd.DataFrame) -> None:
    found = detection.deference(frame).set_index("pair")
    # senior_wrong: a and c move with the title, b stays, d is silent.
    assert found.loc["senior_wrong", ["n", "senior", "junior", "stay"]].tolist() == [3, 2, 0, 1]
    # senior_right: a and d follow the senior, c the junior, b stays.
    assert found.loc["senior_right", ["n", "senior", "junior", "stay"]].tolist() == [4, 2, 1, 1]
    assert found.loc["both", ["n", "senior", "junior", "stay"]].tolist() == [7, 4, 1, 2]
    assert found.loc["both", "net"] == pytest.approx(3 / 7)
    # By case: a leans to the senior twice, d once, c both ways: 2 against 0.
    assert found.loc["both", "p"] == pytest.approx(0.5)
    assert [pair for pair, _ in hierarchy.PAIRS] == ["senior_wrong", "senior_right"]


@pytest.mark.parametrize(("deference", "seed"), [(0.0, 1), (0.3, 2), (0.8, 3)])
def test_a_planted_share_of_deference_is_recovered(deference: float, seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = 2000
    defers = draw.random(n) < deference
    lines = [line(str(case), "isolated", 0) for case in range(n)]
    for first, second in hierarchy.PAIRS:
        senior = 1 if first == "senior_wrong" else 0
        own = draw.integers(0, 2, n)  # else one option whatever the titles
        for case in range(n):
            said = (senior, 1 - senior) if defers[case] else (own[case], own[case])
            lines += [line(str(case), name, int(v)) for name, v in zip((first, second), said, strict=True)]
    found = detection.deference(rows.to_frame(lines)).set_index("pair").loc["both"]
    assert found["rate"] == pytest.approx(defers.mean())
    assert found["rate_low"] <= deference <= found["rate_high"]
    assert (found["p"] < 0.01) == (deference > 0)


def test_a_detector_that_cannot_be_wrong_is_named(table: pd.DataFrame) -> None:
    found = {(finding.kind, finding.columns) for finding in detection.screen_detection(table)}
    assert ("equals label", ("referee", "adopted")) in found
    assert ("constant", ("judge",)) in found


def test_the_arms_scored_are_those_the_detectors_saw() -> None:
    assert detection.HONEST in ARMS and "two_peers" in ARMS
