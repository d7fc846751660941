"""Holdouts whose answers are known beforehand: every rate must come out as planted."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from medagents import stats
from medagents.committees.cascade import ARMS, PLANT
from medagents.types import LETTERS, Case, Request

ALL_PLANT = [arm.name for arm in ARMS if arm.peers and set(arm.peers) == {PLANT}]
PLANTS = {"toy-1": 0, "toy-2": 1, "toy-3": 1, "toy-4": 3, "toy-5": 2}


@pytest.fixture
def named(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """The cases with a distractor of their own file, so that the plants are those of `PLANTS`."""
    return tuple(
        replace(case, meta={"distractor": PLANTS[case.id], "wrong_rationale": "It is common."})
        for case in cases
    )


def at_hand(request: Request, cases: tuple[Case, ...]) -> Case:
    return next(case for case in cases if case.stem in request.messages[-1].text)


def asserted(request: Request, case: Case) -> list[int]:
    """The options the peers assert, in speaking order, read off the prompt as a reader would."""
    said = re.findall(
        r"^Dr\. \w+ (?:answers|is certain it is|is unsure but leans to) (.+)$",
        request.messages[-1].text,
        re.MULTILINE,
    )
    return [
        option
        for words in said
        for option, text in enumerate(case.options)
        if re.match(rf"(?:{LETTERS[option]}|{text})(?!\w)", words)
    ]


def follower(cases: tuple[Case, ...]) -> Callable[[Request], str]:
    """Knows every answer, and gives the last peer's instead where a peer asserts one."""

    def script(request: Request) -> str:
        case = at_hand(request, cases)
        return LETTERS[(asserted(request, case) or [case.gold])[-1]]

    return script


def chosen(frame: pd.DataFrame, condition: str, column: str = "option") -> list[int]:
    return frame.loc[frame["condition"] == condition, column].tolist()


def adopted(frame: pd.DataFrame, condition: str) -> list[float]:
    """Adoption case by case (Eq. 1)."""
    columns = chosen(frame, condition), chosen(frame, "isolated"), chosen(frame, condition, "plant")
    return list(stats.adoption(*(np.array(column, dtype=float) for column in columns)))


def test_every_case_gives_one_row_an_arm_in_their_order(ask: Callable, named: tuple[Case, ...]) -> None:
    frame, _ = ask("peer_cascade", follower(named), named)
    assert frame["condition"].tolist() == [arm.name for arm in ARMS] * 5
    assert frame["case"].tolist() == [case.id for case in named for _ in ARMS]
    assert chosen(frame, "two_peers", "plant") == list(PLANTS.values())


def test_who_follows_the_board_adopts_every_plant_and_none_alone(
    ask: Callable, named: tuple[Case, ...]
) -> None:
    frame, _ = ask("peer_cascade", follower(named), named)
    gold = [1, 3, 0, 2, 4]
    assert chosen(frame, "isolated") == chosen(frame, "irrelevant") == gold
    assert len(ALL_PLANT) == 11
    for arm in ALL_PLANT:
        assert adopted(frame, arm) == [1.0] * 5, arm
    assert adopted(frame, "isolated") == adopted(frame, "irrelevant") == [0.0] * 5
    assert adopted(frame, "split_right_first") == [1.0] * 5  # the wrong peer speaks last
    assert chosen(frame, "split_wrong_first") == chosen(frame, "honest_peers") == gold


def test_who_ignores_the_board_shows_no_contagion_in_any_arm(ask: Callable, named: tuple[Case, ...]) -> None:
    frame, _ = ask("peer_cascade", lambda request: LETTERS[at_hand(request, named).gold], named)
    clusters = chosen(frame, "isolated", "cluster")
    for arm in ARMS:
        assert adopted(frame, arm.name) == [0.0] * 5, arm.name
        plant = chosen(frame, arm.name, "plant")
        found = stats.contagion(chosen(frame, arm.name), chosen(frame, "isolated"), plant, clusters)
        assert found.value == 0, arm.name


def test_a_bias_for_a_letter_is_the_same_rate_alone_and_beside_peers(
    ask: Callable, named: tuple[Case, ...]
) -> None:
    frame, _ = ask("peer_cascade", lambda request: "B", named)  # the plant of toy-2 and toy-3
    for arm in ("isolated", "two_peers", "four_peers"):
        hits = np.array(chosen(frame, arm)) == np.array(chosen(frame, arm, "plant"))
        assert hits.tolist() == [False, True, True, False, False]
        assert adopted(frame, arm) == [0.0] * 5


def test_who_follows_only_honest_peers_is_right_with_them(ask: Callable, named: tuple[Case, ...]) -> None:
    def script(request: Request) -> str:
        case = at_hand(request, named)
        said = asserted(request, case)
        return LETTERS[said[0] if said else PLANTS[case.id]]

    frame, _ = ask("peer_cascade", script, named)
    assert chosen(frame, "isolated") == list(PLANTS.values())
    assert chosen(frame, "honest_peers") == chosen(frame, "honest_peers", "gold") == [1, 3, 0, 2, 4]
    assert adopted(frame, "two_peers") == [0.0] * 5  # it was there already


def test_the_holdouts_own_isolated_answer_is_shown_to_it(ask: Callable, named: tuple[Case, ...]) -> None:
    _, history = ask("peer_cascade", lambda request: "D", named)
    shown = [request for request in history if "Your own earlier answer was" in request.messages[-1].text]
    assert len(shown) == 5
    assert all("Your own earlier answer was D.\nDr. Adams" in request.messages[-1].text for request in shown)


@pytest.mark.parametrize("reply", [None, "I cannot answer this.", "Z"])
def test_without_an_isolated_answer_the_own_prior_arm_is_skipped(
    ask: Callable, named: tuple[Case, ...], reply: str | None
) -> None:
    def script(request: Request) -> str | None:
        unsure = at_hand(request, named).id == "toy-2" and "Dr. " not in request.messages[-1].text
        return reply if unsure else "A"

    frame, _ = ask("peer_cascade", script, named)
    arms = {case: set(rows["condition"]) for case, rows in frame.groupby("case")}
    everything = {arm.name for arm in ARMS}
    assert arms["toy-2"] == everything - {"own_prior"}
    assert all(arms[case.id] == everything for case in named if case.id != "toy-2")


def test_the_authors_plant_follows_the_isolated_answer_and_only_in_its_arm(
    ask: Callable, named: tuple[Case, ...]
) -> None:
    frame, _ = ask("peer_cascade", lambda request: "A", named)
    # gold is 1, 3, 0, 2, 4 and the own answer 0: the first option that is neither
    assert chosen(frame, "two_first_wrong", "plant") == [2, 1, 1, 1, 1]
    rules = frame.groupby("condition")["plant_rule"].unique().map(list).to_dict()
    assert rules.pop("two_first_wrong") == ["first-wrong"]
    assert all(rule == ["from-file"] for rule in rules.values()) and len(rules) == len(ARMS) - 1


def test_a_case_of_two_options_keeps_the_arms_it_can_have(ask: Callable) -> None:
    case = Case("two", "Is the lens clouded?", ("yes", "no"), 0)
    frame, _ = ask("peer_cascade", lambda request: "B", (case,))
    left_out = {arm.name for arm in ARMS} - set(frame["condition"])
    assert left_out == {"flag_misdirected", "two_first_wrong"}


def test_status_counts_survive_to_the_rows(ask: Callable, named: tuple[Case, ...]) -> None:
    def script(request: Request) -> str | Mapping[str, float] | None:
        text = request.messages[-1].text
        return "I cannot answer this." if "is certain" in text else None if "leans to" in text else "A"

    frame, _ = ask("peer_cascade", script, named)
    counts = frame["status"].value_counts().to_dict()
    assert counts == {"answered": 16 * 5, "refused": 5, "empty": 5}
    assert frame["option"].isna().sum() == 10
    assert chosen(frame, "two_confident", "status") == ["refused"] * 5


def test_the_files_own_argument_is_shown_without_asking_a_peer(
    ask: Callable, named: tuple[Case, ...]
) -> None:
    frame, history = ask("peer_cascade", follower(named), named)
    anchored = [request for request in history if "It is common." in request.messages[-1].text]
    assert len(history) == len({request.messages for request in history})
    assert len(anchored) == 5 and not any("argue" in request.messages[-1].text for request in history)
    assert set(frame["provenance"]) == {"scripted"}


def test_where_the_file_has_no_argument_a_peer_is_asked_for_one_once_a_case(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    def script(request: Request) -> str:
        return (
            "The gums point to it. And more."
            if "argue from one finding" in request.messages[-1].text
            else "A"
        )

    frame, history = ask("peer_cascade", script, cases)
    asked = [request for request in history if "argue from one finding" in request.messages[-1].text]
    anchored = [request for request in history if "The gums point to it.\n" in request.messages[-1].text]
    assert len(asked) == 5 and len(anchored) == 5
    assert len(frame) == 5 * len(ARMS)  # the peer's call is recorded, but no row of the holdout
