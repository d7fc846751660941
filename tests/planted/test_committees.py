"""Committees of known members, through the tables: each table must give back what was planted.

Every combination of what the members say occurs in exactly one case, which is independence itself, so that
counts must be met to the last case. What each committee makes of such members by itself is tested beside the
committees (`committees/test_planted_committees.py`).
"""

import json
import re
from collections.abc import Callable
from math import comb
from pathlib import Path

import pandas as pd
import pytest
from seats import Script, Seats

from medagents import turns
from medagents.committee_tables import (
    cascade,
    decisions,
    dissents,
    equal_calls,
    ledger,
    moves,
    sample_curve,
    silent_agreement,
    triggers,
)
from medagents.committees.baselines import Debate, SelfConsistency, Voting
from medagents.committees.catfish import Catfish
from medagents.committees.dissent import Dissent
from medagents.committees.medorch import MedOrch
from medagents.committees.session import Committee
from medagents.committees.votes import plurality
from medagents.experiments.sitting import Sitting
from medagents.types import Case, Request

TWO, FOUR = "AB", "ABCD"
OPTIONS = ("Iron", "Zinc", "Lead", "Gold")


def number_of(request: Request) -> int:
    """Which case a member is asked about."""
    found = re.match(r"Case (\d+)\.", request.messages[-1].text)
    assert found
    return int(found[1])


def right(number: int, letters: str) -> str:
    """The letter that is right: it goes round, so that no bias for a letter can look like knowledge."""
    return letters[number % len(letters)]


def other(number: int, letters: str, place: int = 0) -> str:
    """A wrong letter of a case, by its place after the right one."""
    return letters[(number + 1 + place) % len(letters)]


def case(number: int, letters: str) -> Case:
    return Case(str(number), f"Case {number}. Which metal?", OPTIONS[: len(letters)], number % len(letters))


def of_two(place: int, number: int) -> str:
    """What member `place` of the design of two options says: right in three of five, its digit in base 5."""
    digit = number // 5**place % 5
    return right(number, TWO) if digit < 3 else other(number, TWO)


def of_four(place: int, number: int) -> str:
    """The same for four options: right in three of six, and each wrong option in one of six."""
    digit = number // 6**place % 6
    return right(number, FOUR) if digit < 3 else other(number, FOUR, digit - 3)


Design = Callable[[int, int], str]
DESIGNS: dict[Design, tuple[str, int]] = {of_two: (TWO, 5), of_four: (FOUR, 6)}
"""Letters, and how many cases each member multiplies the design by."""


def member(design: Design, place: int, moved: Script | None = None) -> Script:
    """One who knows what the design says, and says what `moved` says when spoken to."""

    def say(ask: str, request: Request) -> str:
        if "Do you want to say anything" in ask:
            return "Y"
        if moved and ("has challenged" in ask or "mediator says" in ask):
            return moved(ask, request)
        return f"{design(place, number_of(request))}. So it is."

    return say


def sit(
    root: Path, design: Design, committee: Committee, moved: Script | None = None, board: int = 0, **others
) -> pd.DataFrame:
    """Turns of three members over the whole design."""
    letters, base = DESIGNS[design]
    seats = Seats(root, [member(design, place, moved) for place in range(3)], **others)
    lines: list[turns.TurnRow] = []
    for number in range(base**3):
        asked = case(number, letters)
        plant = (asked.gold + 1) % len(letters)
        sitting = Sitting(asked, plant, "rule", seats.team(asked))
        session = committee(sitting.view, sitting.team, sitting.boards()[board])
        lines += turns.of_session(session, asked, plant, "rule")
    return turns.to_frame(lines)


def counts(found: pd.DataFrame) -> tuple[int, int]:
    """How many decisions are right, of how many."""
    table = decisions(found)
    return int(table["right"].sum()), int(table["right"].notna().sum())


# Self-consistency


def sampler(ask: str, request: Request) -> str:
    """A model whose sample number `repeat` says what that member of the design says."""
    return of_two(request.repeat - 1, number_of(request))


def test_self_consistency_is_the_binomial_of_its_samples(tmp_path: Path) -> None:
    """A case has three samples of the design; the fourth and the fifth are right in every case."""
    found = sit_samples(tmp_path, 5)
    curve = sample_curve(found)["rate"] * 125
    # One sample 75; two, which goes to the first at a tie, 75; three 27 + 54. Four: these, and of the 36 with
    # one right a tie, which goes to the first where that one is right, 12. Five: all but where all three are
    # wrong, 8.
    assert curve.tolist() == pytest.approx([75, 75, 81, 81 + 12, 125 - 8])
    assert counts(found) == (125 - 8, 125)


def sit_samples(root: Path, samples: int) -> pd.DataFrame:
    seats = Seats(root, [sampler])
    lines: list[turns.TurnRow] = []
    for number in range(125):
        asked = case(number, TWO)
        sitting = Sitting(asked, 1 - asked.gold, "rule", seats.team(asked))
        session = SelfConsistency(samples)(sitting.view, sitting.team)
        lines += turns.of_session(session, asked, 1 - asked.gold, "rule")
    return turns.to_frame(lines)


def test_three_calls_of_one_model_buy_what_three_equal_members_do(tmp_path: Path) -> None:
    """Equal accuracy, equal independence, equal calls: the difference must be nothing, case by case."""
    found = pd.concat([sit_samples(tmp_path / "one", 3), sit(tmp_path / "three", of_two, Voting())])
    [line] = equal_calls(decisions(found), found).to_dict("records")
    assert (line["calls"], line["n"], line["gain"], line["b/c"]) == (3, 125, 0, "0/0")
    assert line["rate"] == line["samples"] == pytest.approx(81 / 125)


# The Catfish


def named(ask: str) -> list[str]:
    """The letters that a board shows, a line each."""
    return re.findall(r"^(?:Dr\. \w+|Expert \d+|The \w+ team): ([A-D])\b", ask, re.MULTILINE)


def majority(ask: str, request: Request) -> str:
    """A chair who counts the letters on the board."""
    letters = named(ask)
    return max(letters, key=letters.count)


def follows_catfish(ask: str, request: Request) -> str:
    """Whoever is challenged takes what Dr. Flynn says."""
    found = re.findall(r"^Dr\. Flynn: ([A-D])\b", ask, re.MULTILINE)
    return f"{found[-1]}. You are right."


def always_right(ask: str, request: Request) -> str:
    return f"{right(number_of(request), TWO)}. I am certain."


def always_wrong(ask: str, request: Request) -> str:
    return f"{other(number_of(request), TWO)}. I am certain."


def catfish(trigger: float, level: str = "intermediate", source: str = "model") -> Catfish:
    return Catfish("catfish", 2, level, Dissent(source, trigger))


# Of 125 cases 27 are unanimous and right, 8 unanimous and wrong, 54 two to one right, 36 two to one wrong.


@pytest.mark.parametrize(
    ("says", "to_wrong", "to_right"), [(always_right, 0, 8), (always_wrong, 27, 0)], ids=["right", "wrong"]
)
def test_the_ledger_has_the_cases_that_a_catfish_whom_all_follow_turned(
    tmp_path: Path, says: Script, to_wrong: int, to_right: int
) -> None:
    """It speaks from an agreement of 0.9 on, so to the unanimous: what it says is new to those it turns."""
    found = sit(tmp_path, of_two, catfish(0.9), follows_catfish, catfish=says, chair=majority)
    table = decisions(found)
    assert counts(found) == (81 - to_wrong + to_right, 125)
    [line] = ledger(table, found).to_dict("records")
    assert line == {
        "committee": "catfish",
        "stage": "respond",
        "right to wrong": to_wrong,
        "wrong to right": to_right,
    }
    [spoke] = triggers(table).to_dict("records")
    assert (spoke["spoke"], spoke["n"]) == (35, 125)
    # Where it turns the committee it is heard twice: what leads has moved, and all agree anew.
    [challenged] = dissents(found).to_dict("records")
    turned = to_wrong + to_right
    assert (challenged["challenges"], challenged["dissents"]) == (35 + turned, turned)
    assert challenged["repeats"] == 35


def test_a_placebo_whom_all_follow_turns_every_majority_round(tmp_path: Path) -> None:
    """Of two options the other one is the only one to draw. It is taken, which moves the majority, so that a
    second challenge takes it back.
    """
    once = Catfish("catfish", 1, "intermediate", Dissent("random"))
    assert counts(sit(tmp_path / "1", of_two, once, follows_catfish, chair=majority)) == (125 - 81, 125)
    twice = Catfish("catfish", 2, "intermediate", Dissent("random"))
    assert counts(sit(tmp_path / "2", of_two, twice, follows_catfish, chair=majority)) == (81, 125)


@pytest.mark.parametrize(("says", "follow"), [(always_right, True), (always_wrong, False)])
@pytest.mark.parametrize("level", ["basic", "advanced"])
def test_the_other_levels_follow_too(tmp_path: Path, says: Script, follow: bool, level: str) -> None:
    def leads(ask: str, request: Request) -> str:
        if "You lead" in ask and "said:" in ask:
            return majority(ask.split("said:")[-1], request)
        return member(of_two, 0, follows_catfish)(ask, request)

    seats = Seats(
        tmp_path,
        [leads, *(member(of_two, place, follows_catfish) for place in (1, 2))],
        catfish=says,
        chair=majority,
    )
    decided = []
    for number in range(0, 125, 3):
        asked = case(number, TWO)
        sitting = Sitting(asked, 1 - asked.gold, "rule", seats.team(asked))
        # Two members of a team agree or tie, at 0.5: the trigger makes every team hear the Catfish.
        decided.append(catfish(0.5, level)(sitting.view, sitting.team).option == asked.gold)
    assert set(decided) == {follow}


def test_silent_agreement_is_what_was_planted(tmp_path: Path) -> None:
    """Unanimous 35 of 125, and 8 of the 44 that a committee which moves nobody gets wrong."""
    unchallenged = Catfish("no_catfish", 2, "intermediate", Dissent("nobody"))
    found = silent_agreement(decisions(sit(tmp_path, of_two, unchallenged, None, chair=majority)))
    assert found[["k", "n"]].to_numpy().tolist() == [[35, 125], [35, 125], [8, 44], [8, 44]]


# The mediator


def judge(ask: str, request: Request) -> str:
    """Counts the last letter of each expert."""
    last = dict(re.findall(r"^(Expert \d+): ([A-D])\b", ask, re.MULTILINE))
    letters = list(last.values())
    letter = max(letters, key=letters.count)
    return f"<answer> option: {letter}, {OPTIONS[FOUR.index(letter)]} </answer>"


def follows_mediator(ask: str, request: Request) -> str:
    found = re.findall(r"Why not ([A-D])\?", ask)
    return f"{found[-1]}. I see."


def mediator(points_to: Callable[[int, str], str], only_if_they_differ: bool, breaks: bool = False) -> Script:
    """Asks each expert why not the letter that it points to. `breaks` cuts its list off where the first
    member's digit is 0 (so that member is right).
    """

    def say(ask: str, request: Request) -> str:
        number = number_of(request)
        if only_if_they_differ and len(set(named(ask))) == 1:
            return '[{"Decision": "No"}]'
        asked = {f"Expert {n}": f"Why not {points_to(number, TWO)}?" for n in (1, 2, 3)}
        text = json.dumps([{"Decision": "Yes", **asked}])
        return text[:30] if breaks and number % 5 == 0 else text

    return say


# Where the first digit is 0 the first member is right, and the vote is wrong where both others are: 4 of 25.
MEDIATED = [
    ("right where they differ", mediator(right, True), 125 - 8, 0),
    ("wrong where they differ", mediator(other, True), 27, 0),
    ("right but for a fifth", mediator(right, False, breaks=True), 100 + 21, 25),
    ("wrong but for a fifth", mediator(other, False, breaks=True), 21, 25),
]


@pytest.mark.parametrize(
    ("says", "correct", "failed"), [row[1:] for row in MEDIATED], ids=[row[0] for row in MEDIATED]
)
def test_a_mediator_whom_all_follow_moves_accuracy_by_the_cases_it_asks_in(
    tmp_path: Path, says: Script, correct: int, failed: int
) -> None:
    found = sit(tmp_path, of_two, MedOrch(), follows_mediator, mediator=says, judge=judge)
    assert counts(found) == (correct, 125)
    assert (decisions(found)["mediation"] == "failed").sum() == failed


def test_moves_are_those_of_the_members_whom_the_mediator_turned(tmp_path: Path) -> None:
    """It asks in the 90 cases in which they differ. In 54 two are right and one is turned to them; in 36 two
    are wrong and turned away from what most named.
    """
    found = sit(tmp_path, of_two, MedOrch(), follows_mediator, mediator=mediator(right, True), judge=judge)
    [line] = moves(found, ["medorch"]).to_dict("records")
    assert line == {
        "committee": "medorch",
        "experts": 3 * 90,
        "stay": 2 * 54 + 36,
        "conforms": 54,
        "departs": 2 * 36,
        "falls silent": 0,
        "gained": 54 + 2 * 36,
        "lost": 0,
    }


# Wrong peers


def test_two_wrong_peers_take_the_votes_that_a_count_by_hand_gives_them(tmp_path: Path) -> None:
    """Three members against two who assert the plant, which is one of three wrong options.

    Right: three right, 27; two right and a third who does not name the plant, 3 * 9 * 2 = 54 (a tie, and
    the members spoke first). The plant without peers: by symmetry of the wrong options a third of what is
    not right, (216 - 126) / 3 = 30. With peers all that is not right but where members agree on another
    wrong option: two of them and one right or one at the third, 2 * 3 * (3 + 1), or all three, 2.
    """
    alone, beside = sit(tmp_path, of_four, Voting()), sit(tmp_path, of_four, Voting(), board=1)
    honest = sit(tmp_path, of_four, Voting(), board=2)
    assert counts(beside) == (27 + 54, 216)
    everything = decisions(pd.concat([alone, beside, honest]))
    [line] = cascade(everything).to_dict("records")
    planted = 216 - (27 + 54) - (24 + 2)
    assert line["contagion"] == pytest.approx((planted - 30) / 216)
    assert (line["n"], line["adopted"]) == (216 - 30, planted - 30)
    # Harmed: right alone, 126, and not beside peers.
    assert line["harmed"] == 126 - 81


def test_members_who_follow_the_majority_of_the_board_all_take_the_plant(tmp_path: Path) -> None:
    """A debate of conformists: whatever leads after the first answers is unanimous after the second."""

    def conforms(place: int) -> Script:
        return lambda ask, request: (
            majority(ask, request) if "said:" in ask else of_four(place, number_of(request))
        )

    seats = Seats(tmp_path, [conforms(place) for place in range(3)])
    for number in range(0, 216, 5):
        asked = case(number, FOUR)
        sitting = Sitting(asked, (asked.gold + 1) % 4, "rule", seats.team(asked))
        for board in sitting.boards():
            voted = Voting()(sitting.view, sitting.team, board)
            debated = Debate()(sitting.view, sitting.team, board)
            assert debated.option == voted.option == plurality(voted.turns)
            revised = [turn.option for turn in debated.turns if turn.stage == "revise"]
            assert set(revised) <= {voted.option}


def test_the_designs_are_full() -> None:
    """What the counts above rest on: accuracies, and every combination once."""
    for design, (letters, base) in DESIGNS.items():
        for place in range(3):
            correct = sum(design(place, n) == right(n, letters) for n in range(base**3))
            assert correct == 3 * base**2
        said = {
            tuple((design(place, n) == right(n, letters), n // base**place % base) for place in range(3))
            for n in range(base**3)
        }
        assert len(said) == base**3
    rights = [sum(of_two(place, n) == right(n, TWO) for place in range(3)) for n in range(125)]
    assert [rights.count(k) for k in range(4)] == [comb(3, k) * 3**k * 2 ** (3 - k) for k in range(4)]
