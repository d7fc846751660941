"""Accuracy, equal calls and gaps: every number of these small tables is worked out beside it."""

import numpy as np
import pandas as pd
import pytest
from minutes import ANN, firsts, held, said, table
from statsmodels.stats.proportion import proportion_confint

from medagents.committee_tables import accuracy, decisions, equal_calls, gaps, sample_curve, screen
from medagents.committees.session import Utterance

CASES = ("a", "b", "c", "d", "e")


def column(committee: str, *options: int | None, calls: int = 1) -> list:
    """A session a case of one committee, right where the option is 0."""
    agents = [said(f"x{number}", 0, depth=number) for number in range(1, calls + 1)]
    return [held(case, committee, agents, option) for case, option in zip(CASES, options, strict=False)]


def drawn(*options: int | None) -> list[Utterance]:
    """Samples of one model, in the order in which they were drawn."""
    samples = [said(ANN, option) for option in options]
    return [type(one)(**{**vars(one), "key": f"{number:064x}"}) for number, one in enumerate(samples, 1)]


# Accuracy


@pytest.fixture
def five() -> pd.DataFrame:
    """Alone 0 1 1 0 -, vote 0 0 0 1 0, chair 0 0 0 0 - of five cases; 0 is right."""
    return decisions(
        table(
            *column("single_1", 0, 1, 1, 0, None),
            *column("voting", 0, 0, 0, 1, 0, calls=3),
            *column("judgment", 0, 0, 0, 0, None, calls=4),
        )
    )


def test_accuracy_is_over_answered_cases_and_gains_over_those_both_answer(five: pd.DataFrame) -> None:
    found = accuracy(five).set_index("committee")
    assert list(found.index) == ["single_1", "voting", "judgment"]
    assert found["n"].tolist() == [4, 5, 4]
    assert found["right"].tolist() == [2, 4, 4]
    assert found["unanswered"].tolist() == [1, 0, 1]
    assert found["rate"].tolist() == pytest.approx([2 / 4, 4 / 5, 1.0])
    # Voting against alone: b and c gained, d lost, of a to d. The judgment: b and c gained.
    assert found["gain"].tolist()[1:] == pytest.approx([1 / 4, 2 / 4])
    assert found["b/c"].tolist()[1:] == ["2/1", "2/0"]
    # Exact: 2 of 3, two-sided, is 1; 2 of 2 is 2 / 4.
    assert found["p"].tolist()[1:] == pytest.approx([1.0, 0.5])
    # Holm over two: the smaller times two, the larger not below it.
    assert found["holm"].tolist()[1:] == pytest.approx([1.0, 1.0])
    assert found.loc["single_1", ["gain", "b/c", "p", "holm"]].isna().all()


def test_accuracy_has_wilson_intervals_where_each_case_is_its_own_cluster(five: pd.DataFrame) -> None:
    for line in accuracy(five).itertuples():
        low, high = proportion_confint(line.right, line.n, method="wilson")
        assert (line.rate_low, line.rate_high) == pytest.approx((low, high))


def test_accuracy_tells_what_a_case_costs(five: pd.DataFrame) -> None:
    found = accuracy(five).set_index("committee")
    assert found["calls"].to_dict() == found["depth"].to_dict() == {"single_1": 1, "voting": 3, "judgment": 4}
    assert found["prompt_tokens"].tolist() == [100, 300, 400]
    assert found["reply_tokens"].tolist() == [10, 30, 40]


def test_holm_corrects_over_the_committees_and_not_the_baseline() -> None:
    """Six cases gained of six: p is 2 / 64; three of three: 2 / 8. Over two tests: 4 / 64 and 2 / 8."""
    names = [f"case {number}" for number in range(6)]
    lines = [
        held(name, committee, firsts(0), option)
        for number, name in enumerate(names)
        for committee, option in (("single_1", 1), ("one", 0), ("two", int(number < 3)))
    ]
    found = accuracy(decisions(table(*lines))).set_index("committee")
    assert found["p"].tolist()[1:] == pytest.approx([2 / 64, 2 / 8])
    assert found["holm"].tolist()[1:] == pytest.approx([4 / 64, 2 / 8])


def test_another_baseline_and_another_board_may_be_asked_for(five: pd.DataFrame) -> None:
    beside = five[five["committee"] != "single_1"].assign(board="wrong_peers")
    found = accuracy(pd.concat([five, beside]), "voting", "wrong_peers").set_index("committee")
    assert list(found.index) == ["voting", "judgment"]
    assert found["b/c"]["judgment"] == "1/0"  # d; e is not decided by the judgment


def test_cases_of_one_patient_widen_the_interval() -> None:
    patients = {"a": "p", "b": "p", "c": "q", "d": "q", "e": "r", "f": "s"}

    def lines(clusters: dict[str, str]) -> pd.DataFrame:
        options = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 0, "f": 1}
        sessions = [
            held(case, "single_1", firsts(0), options[case], cluster=clusters.get(case, ""))
            for case in options
        ]
        others = [held(case, "voting", firsts(0), 0, cluster=clusters.get(case, "")) for case in options]
        return accuracy(decisions(table(*sessions, *others)))

    alone, shared = lines({}), lines(patients)
    assert alone["rate"].tolist() == shared["rate"].tolist() == [0.5, 1.0]
    assert shared["rate_low"][0] < alone["rate_low"][0] and shared["rate_high"][0] > alone["rate_high"][0]


# Equal calls


@pytest.fixture
def budget() -> pd.DataFrame:
    """Samples of three cases, a committee of one call, one of three, and one that makes one to six."""
    calls = [said(f"x{number}", 0) for number in range(6)]
    samples = {"a": drawn(1, 0, 0, 0), "b": drawn(0, 1, 1, 1), "c": drawn(None, 0, 1, 1)}
    return table(
        *(held(case, "self_consistency", spoken, 0) for case, spoken in samples.items()),
        *(held(case, "one", calls[:1], 0) for case in samples),
        *(held(case, "three", calls[:3], 0) for case in samples),
        *(
            held(case, "as needed", calls[:k], option)
            for case, k, option in (("a", 1, 0), ("b", 2, 1), ("c", 6, None))
        ),
    )


def test_each_committee_stands_beside_as_many_samples_as_it_made_calls(budget: pd.DataFrame) -> None:
    found = equal_calls(decisions(budget), budget).set_index("committee")
    assert list(found.index) == ["one", "three", "as needed"]
    # One sample: 1, 0, none. Three: 0, 1, 0 (a tie of 0 and 1 in c goes to 0, named first).
    # As needed: one of a is 1, two of b are 0 (a tie), all four of c are 1.
    assert found["n"].tolist() == [2, 3, 3]
    assert found["samples"].tolist() == pytest.approx([1 / 2, 2 / 3, 1 / 3])
    assert found["rate"].tolist() == pytest.approx([1.0, 1.0, 1 / 2])
    assert found["calls"].tolist() == pytest.approx([1, 3, 3])
    # Where both decide: one: a gained of a, b. three: b gained. As needed: a gained, b lost.
    assert found["gain"].tolist() == pytest.approx([1 / 2, 1 / 3, 0.0])
    assert found["b/c"].tolist() == ["1/0", "1/0", "1/1"]


def test_a_committee_that_made_more_calls_than_there_are_samples_is_counted(budget: pd.DataFrame) -> None:
    found = equal_calls(decisions(budget), budget).set_index("committee")
    assert found["capped"].to_dict() == {"one": 0, "three": 0, "as needed": 1}


def test_equal_calls_leave_sessions_beside_peers_out(budget: pd.DataFrame) -> None:
    beside = table(held("a", "three", firsts(1, 1, 1), 1, board="wrong_peers"))
    both = pd.concat([budget, beside], ignore_index=True)
    pd.testing.assert_frame_equal(equal_calls(decisions(both), both), equal_calls(decisions(budget), budget))


def test_the_sample_curve_is_the_accuracy_of_the_first_k_samples(budget: pd.DataFrame) -> None:
    found = sample_curve(budget)
    # k = 1: 1, 0, -. k = 2: a tie for 1, a tie for 0, 0. k = 3: 0, 1, a tie for 0. k = 4: 0, 1, 1.
    assert found["calls"].tolist() == [1, 2, 3, 4]
    assert found["n"].tolist() == [2, 3, 3, 3]
    assert found["rate"].tolist() == pytest.approx([1 / 2, 2 / 3, 2 / 3, 1 / 3])


def test_the_sample_curve_ends_with_the_case_that_has_the_fewest_samples() -> None:
    lines = table(
        held("a", "self_consistency", drawn(0, 0, 0), 0), held("b", "self_consistency", drawn(1, 1), 1)
    )
    assert sample_curve(lines)["rate"].tolist() == [0.5, 0.5]
    assert sample_curve(table(held("a", "voting", firsts(0), 0))).empty


# Gaps


def test_gaps_are_points_above_the_weakest_and_the_best_expert() -> None:
    found = decisions(
        table(
            *column("single_1", 0, 0, 0, 1, 1),  # 60
            *column("single_2", 0, 1, 1, 1, None),  # 20: undecided counts against it
            *column("medorch", 0, 0, 0, 0, None),  # 80
            *column("voting", 1, 1, 0, 0, 1),  # 40
        )
    )
    lines = gaps(found, ["medorch", "voting"], ["single_1", "single_2"]).set_index("committee")
    assert lines["n"].tolist() == [5, 5]
    assert lines["accuracy"].tolist() == pytest.approx([80, 40])
    assert lines["above weakest"].tolist() == pytest.approx([60, 20])
    assert lines["above best"].tolist() == pytest.approx([20, -20])


# Screens


def test_the_screen_names_columns_that_cannot_differ() -> None:
    found = decisions(
        table(
            *column("single_1", 0, 1, 1, 0, 1),
            *column("voting", 0, 1, 1, 0, 1),
            *column("always", 0, 0, 0, 0, 0),
        )
    )
    kinds = {(finding.kind, finding.columns) for finding in screen(found)}
    assert ("constant", ("always",)) in kinds
    assert any(kind == "identical" and set(names) == {"single_1", "voting"} for kind, names in kinds)
    assert any(kind == "shared baseline" for kind, _ in kinds)


def test_a_screen_without_the_baseline_still_looks_at_the_columns() -> None:
    found = decisions(table(*column("always", 0, 0, 0), *column("voting", 0, 1, 0)))
    assert {finding.columns for finding in screen(found) if finding.kind == "constant"} == {("always",)}


def test_a_table_of_the_baseline_alone_has_no_gain() -> None:
    found = accuracy(decisions(table(*column("single_1", 0, 1))))
    assert found["rate"].tolist() == [0.5] and np.isnan(found["holm"]).all()
