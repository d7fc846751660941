"""Committees of members whose accuracy is known, against what can be worked out beforehand.

The key is always A. In a full design every combination of first answers comes as often as independent
experts would give it, so that counts must be exact: `SIX` is an expert who is right in half of all cases and
else wrong in three ways, each as often; `THREE` one who is right in two of three, on two options.
"""

import random
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import pytest
from scipy import stats
from seats import Script, Seats

from medagents.committees.baselines import SelfConsistency, Voting
from medagents.committees.catfish import Catfish
from medagents.committees.medorch import MedOrch
from medagents.committees.session import Committee, Session
from medagents.types import Case, Request, plain_view

SIX, THREE = "AAABCD", "AAB"
ALL = len(SIX) ** 3
"""Cases of a full design of three experts."""

VOTE = 126
"""Of `ALL`, those a vote gets right: 27 where all are right, 81 where two are, and 18 where the first one is
and the others are wrong in two ways (half of 216, times a quarter, times two thirds).
"""

DIFFER = 60
"""Of `ALL`, those with three opinions: one right and two ways to be wrong (54), or three ways (6)."""

FIRST = 18
"""Of `DIFFER`, those where the first expert is right."""


def case(number: int, options: int = 4) -> Case:
    return Case(f"case-{number}", f"Case {number}.", ("one", "two", "three", "four")[:options], 0)


def number_of(request: Request) -> int:
    """Number of the case that is asked about."""
    return int(request.messages[-1].text.split(".")[0].removeprefix("Case "))


def expert(place: int, letters: str = SIX) -> Script:
    """Answers by one digit of the case's number, so that experts of other places are independent of it."""
    return lambda _, request: letters[number_of(request) // len(letters) ** place % len(letters)]


def persuaded_by(speaker: str, place: int, wish: str = "N") -> Script:
    """Answers as `expert` does, and always gives in to what one speaker says."""
    own = expert(place)

    def say(ask: str, request: Request) -> str:
        told = [line.split(": ")[1][0] for line in ask.splitlines() if line.startswith(f"{speaker}: ")]
        return told[0] if told else wish if "Do you want" in ask else own(ask, request)

    return say


def majority(ask: str, _: object) -> str:
    """Decides for the letter that most experts named last, at a tie the one named first."""
    said = [line.split(": ", 1) for line in ask.splitlines() if line.startswith(("Dr. ", "Expert "))]
    letters = {speaker: text[0] for speaker, text in said if speaker != "Dr. Flynn"}
    return f"{Counter(letters.values()).most_common(1)[0][0]}. So be it."


def sessions(
    root: Path, committee: Committee, experts: Sequence[Script], size: int, options: int = 4, **others: Script
) -> list[Session]:
    seats = Seats(root, experts, **others)
    held = (case(number, options) for number in range(size))
    return [committee(plain_view(one), seats.team(one)) for one in held]


def right(held: Sequence[Session]) -> int:
    return sum(one.option == 0 for one in held)


# Voting


@pytest.mark.parametrize("experts", [1, 3, 5])
def test_a_vote_of_independent_experts_is_binomial(tmp_path: Path, experts: int) -> None:
    size = len(THREE) ** experts
    held = sessions(tmp_path, Voting(), [expert(place, THREE) for place in range(experts)], size, 2)
    assert right(held) == pytest.approx(size * stats.binom.sf(experts // 2, experts, 2 / 3))


def test_a_vote_of_experts_who_draw_by_chance_is_binomial_within_its_error(tmp_path: Path) -> None:
    def drawn(member: int) -> Script:
        return lambda _, request: "AB"[random.Random(f"{number_of(request)} {member}").random() > 0.7]

    held = sessions(tmp_path, Voting(), [drawn(member) for member in range(3)], 2000, 2)
    expected = stats.binom.sf(1, 3, 0.7)
    assert right(held) / 2000 == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 2000))


def test_at_a_tie_the_expert_who_spoke_first_decides(tmp_path: Path) -> None:
    """Of four: at least three right, or two right, one of whom spoke first, which is half of those."""
    held = sessions(tmp_path, Voting(), [expert(place, THREE) for place in range(4)], 81, 2)
    four = stats.binom(4, 2 / 3)
    assert right(held) == pytest.approx(81 * (four.sf(2) + four.pmf(2) / 2)) == pytest.approx(60)


def test_a_vote_over_four_options_is_right_as_often_as_its_rule_says(tmp_path: Path) -> None:
    held = sessions(tmp_path, Voting(), [expert(place) for place in range(3)], ALL)
    assert right(held) == VOTE
    assert sum(len({turn.option for turn in one.turns}) == 3 for one in held) == DIFFER


def test_experts_who_all_say_the_same_are_as_good_as_one(tmp_path: Path) -> None:
    held = sessions(tmp_path, Voting(), [expert(0, THREE)] * 5, 243, 2)
    assert right(held) == 162 < 243 * stats.binom.sf(2, 5, 2 / 3)


def test_experts_who_copy_each_other_in_half_of_all_cases_gain_half_as_much(tmp_path: Path) -> None:
    def copies(place: int) -> Script:
        own, shared = expert(place, THREE), expert(0, THREE)
        return lambda ask, request: (shared if number_of(request) >= 243 else own)(ask, request)

    held = sessions(tmp_path, Voting(), [copies(place) for place in range(5)], 486, 2)
    assert right(held) == pytest.approx(243 * stats.binom.sf(2, 5, 2 / 3) + 162)


@pytest.mark.parametrize("samples", [1, 5])
def test_self_consistency_of_a_known_sampler_is_binomial(tmp_path: Path, samples: int) -> None:
    def sampler(_: str, request: Request) -> str:
        return "AB"[random.Random(request.decoding.seed).random() > 0.7]

    held = sessions(tmp_path, SelfConsistency(samples), [sampler], 600, 2)
    expected = stats.binom.sf(samples // 2, samples, 0.7)
    assert right(held) / 600 == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 600))


# Catfish


@pytest.mark.parametrize(
    ("says", "wish", "expected"),
    [
        ("A", "Y", ALL - DIFFER + FIRST),  # three opinions are no consensus: there the first expert decides
        ("B", "Y", FIRST),
        ("A", "N", ALL),  # where nobody volunteers, every first round is silent and challenged
        ("B", "N", 0),
    ],
)
def test_a_catfish_that_all_follow_moves_accuracy_by_what_it_challenges(
    tmp_path: Path, says: str, wish: str, expected: int
) -> None:
    experts = [persuaded_by("Dr. Flynn", place, wish) for place in range(3)]
    dissenter = {"catfish": lambda *_: f"{says}. Look again.", "chair": majority}
    held = sessions(tmp_path, Catfish(level="intermediate"), experts, ALL, **dissenter)
    assert right(held) == expected
    challenged = [one for one in held if one.notes["challenged"] != "0"]
    assert len(challenged) == (ALL - DIFFER if wish == "Y" else ALL)
    assert {one.option for one in challenged} == {"ABCD".index(says)}


def test_a_catfish_that_nobody_follows_leaves_the_vote_as_it_is(tmp_path: Path) -> None:
    experts = [persuaded_by("Nobody", place) for place in range(3)]
    dissenter = {"catfish": lambda *_: "B. Look again.", "chair": majority}
    held = sessions(tmp_path, Catfish(level="intermediate"), experts, ALL, **dissenter)
    assert right(held) == VOTE and {one.notes["challenged"] for one in held} == {"1"}


# Mediator

REFLECTIVE = [persuaded_by("The mediator says to you", place) for place in range(3)]


def mediator(*numbers: int, says: str = "A", sound: int = ALL) -> Script:
    """Asks some experts about one option; from case number `sound` on its list is cut off."""
    asked = ", ".join(f'"Expert {number}": "{says} fits better, does it not?"' for number in numbers)
    return lambda _, request: f'[{{"Decision": "Yes", {asked}' + "}]" * (number_of(request) < sound)


def judge(ask: str, request: Request) -> str:
    return f"<answer> option: {majority(ask, request)[0]}, text </answer>"


@pytest.mark.parametrize(
    ("numbers", "says", "expected"),
    [
        ((1, 2, 3), "C", 0),
        ((1, 2), "A", ALL),
        ((1,), "A", 198),  # lost where the others are wrong in the same way: a quarter, times a third
        ((3,), "A", 162),  # lost where both others are wrong: they speak first
        ((1,), "C", 54),  # right only where both others are
    ],
)
def test_questions_that_carry_an_option_move_those_who_are_asked(
    tmp_path: Path, numbers: tuple[int, ...], says: str, expected: int
) -> None:
    others = {"mediator": mediator(*numbers, says=says), "judge": judge}
    assert right(sessions(tmp_path, MedOrch(decides=False), REFLECTIVE, ALL, **others)) == expected


def test_a_list_that_cannot_be_read_is_worth_the_vote(tmp_path: Path) -> None:
    others = {"mediator": mediator(1, 2, 3, sound=0), "judge": judge}
    held = sessions(tmp_path, MedOrch(decides=False), REFLECTIVE, ALL, **others)
    assert right(held) == VOTE and {one.notes["mediation"] for one in held} == {"failed"}
