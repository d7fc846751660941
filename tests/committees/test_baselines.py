"""Baselines: what each member reads, who decides, and how many calls that takes."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from seats import Script, Seats, always

from medagents.committees.baselines import (
    Debate,
    Judgment,
    MixtureOfAgents,
    Routed,
    SelfConsistency,
    Single,
    Voting,
    singles,
)
from medagents.committees.session import Session
from medagents.experiments.sitting import Sitting
from medagents.types import Case, Request, Status, plain_view

REASONED = "its letter, then one short sentence that says why."


def opinions(*letters: str) -> list[Script]:
    return [always(f"{letter}. Reason {number}.") for number, letter in enumerate(letters, 1)]


@pytest.fixture
def case(cases: tuple[Case, ...]) -> Case:
    """The sailor; key B, of A to D."""
    return cases[0]


def held(
    root: Path, committee, case: Case, experts: Sequence[Script], board: int = 0, **others
) -> tuple[Session, Seats]:
    seats = Seats(root, experts, **others)
    sitting = Sitting(case, 2, "rule", seats.team(case))
    return committee(sitting.view, sitting.team, sitting.boards()[board]), seats


def test_a_single_expert_answers_alone_and_a_board_does_not_reach_it(tmp_path: Path, case: Case) -> None:
    found, seats = held(tmp_path, Single(1), case, opinions("B", "C", "D"), board=1)
    assert (found.committee, found.option, found.calls, found.depth) == ("single_2", 2, 1, 1)
    assert [turn.agent for turn in found.turns] == ["Dr. Baker"]
    assert seats.history == [("expert 2", f"Give your answer: {REASONED}")]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_there_is_a_single_expert_for_every_member_of_a_team(tmp_path: Path, case: Case, size: int) -> None:
    team = Seats(tmp_path, opinions(*"BCDAB"[:size])).team(case)
    found = [single(plain_view(case), team) for single in singles(team)]
    assert [one.committee for one in found] == [f"single_{number}" for number in range(1, size + 1)]
    assert [one.option for one in found] == [1, 2, 3, 0, 1][:size]


@pytest.mark.parametrize(
    ("letters", "board", "option"),
    [
        ("BCB", 0, 1),
        ("DCB", 0, 3),  # all differ: the first expert's
        ("BAB", 1, 1),  # two B against the two peers' C: named first
        ("DAB", 1, 2),  # the peers' two votes
        ("DAB", 2, 1),
    ],
)
def test_peers_vote_too(tmp_path: Path, case: Case, letters: str, board: int, option: int) -> None:
    found, _ = held(tmp_path, Voting(), case, opinions(*letters), board)
    assert (found.option, found.status, found.calls, found.depth) == (option, Status.ANSWERED, 3, 1)


def test_a_vote_without_an_option_is_not_answered(tmp_path: Path, case: Case) -> None:
    found, _ = held(tmp_path, Voting(), case, [always("I see."), always("Hm."), always("Well.")])
    assert (found.option, found.status) == (None, Status.UNPARSEABLE)


def test_a_chair_reads_all_answers_and_decides(tmp_path: Path, case: Case) -> None:
    found, seats = held(
        tmp_path, Judgment(), case, opinions("B", "C", "B"), 1, chair=always("D. None of you.")
    )
    assert (found.option, found.calls, found.depth) == (3, 4, 2)
    assert seats.heard("chair") == [
        "The committee said:\n"
        "Dr. Adams: B. Reason 1.\n"
        "Dr. Baker: C. Reason 2.\n"
        "Dr. Clark: B. Reason 3.\n"
        "Dr. Lewis: C. The findings of this case point to it.\n"
        "Dr. Moore: C. I agree, the findings point to it.\n\n"
        "You chair the committee. Weigh what was said and give its decision: the letter, then one short "
        "sentence that says why."
    ]


def test_a_chair_that_names_nothing_leaves_the_case_undecided(tmp_path: Path, case: Case) -> None:
    found, _ = held(tmp_path, Judgment(), case, opinions("B", "B", "B"), chair=always("It is hard to say."))
    assert (found.option, found.status) == (None, Status.UNPARSEABLE)


def test_the_second_layer_reads_the_first_and_the_aggregator_the_second(tmp_path: Path, case: Case) -> None:
    def proposer(letter: str) -> Script:
        return lambda ask, _: f"{letter}. {'Anew' if 'Combine' in ask else 'First'}."

    experts = [proposer(letter) for letter in "BCD"]
    found, seats = held(tmp_path, MixtureOfAgents(), case, experts, chair=always("C. So be it."))
    assert (found.option, found.calls, found.depth) == (2, 7, 3)
    combine = f"Combine their answers into one of your own, better than each: {REASONED}"
    board = "Dr. Adams: B. {0}.\nDr. Baker: C. {0}.\nDr. Clark: D. {0}."
    layers = [
        f"Several models answered this question:\n{board.format(word)}\n\n{combine}"
        for word in ("First", "Anew")
    ]
    assert [seats.heard(f"expert {number}")[1] for number in (1, 2, 3)] == layers[:1] * 3
    assert seats.heard("chair") == layers[1:]


def changes(first: str, then: str) -> Script:
    """Answers one letter alone and another once it has read the others."""
    return lambda ask, _: f"{then}. I was wrong." if "The committee said" in ask else f"{first}. Alone."


def test_a_debate_ends_in_a_vote_over_the_new_answers(tmp_path: Path, case: Case) -> None:
    experts = [changes("B", "C"), changes("C", "C"), changes("D", "D")]
    found, seats = held(tmp_path, Debate(), case, experts)
    assert (found.option, found.calls, found.depth) == (2, 6, 2)
    assert seats.heard("expert 3")[1] == (
        "The committee said:\nDr. Adams: B. Alone.\nDr. Baker: C. Alone.\nDr. Clark: D. Alone.\n\n"
        f"You are Dr. Clark. Give your final answer: {REASONED}"
    )


def test_a_debate_of_several_rounds_reads_the_round_before_and_ends_when_all_agree(
    tmp_path: Path, case: Case
) -> None:
    def last_to_move(ask: str, _: object) -> str:
        return "C. Convinced." if ask.count("C. I was wrong.") == 2 else "D. Not yet."

    experts = [changes("B", "C"), changes("C", "C"), last_to_move]
    found, seats = held(tmp_path, Debate(rounds=5), case, experts)
    # Round 1: C, C, D; round 2: C, C, C; no third round.
    assert (found.option, found.calls, found.depth) == (2, 9, 3)
    assert "Dr. Adams: C. I was wrong." in seats.heard("expert 3")[2]


@pytest.mark.parametrize(("board", "calls", "depth"), [(0, 3, 1), (2, 3, 1), (1, 6, 2)])
def test_a_debate_in_which_all_agree_asks_nobody_again(
    tmp_path: Path, case: Case, board: int, calls: int, depth: int
) -> None:
    """Peers who agree with the experts do not break unanimity; peers who do not make them debate."""
    found, _ = held(tmp_path, Debate(), case, opinions("B", "B", "B"), board)
    assert (found.calls, found.depth) == (calls, depth)


# Router's word, level taken, decision, calls, depth. Experts B, C, D, then all C; the chair says D.
ROUTES = [
    ("Low", "low", "read", 1, 2, 2),
    ("It is moderate.", "moderate", "read", 2, 7, 3),
    ("High", "high", "read", 3, 8, 4),
    ("Not high, rather low", "low", "read", 1, 2, 2),
    ("Medium", "moderate", "unread", 2, 7, 3),
    ("", "moderate", "unread", 2, 7, 3),
]


@pytest.mark.parametrize(("word", "level", "read", "option", "calls", "depth"), ROUTES)
def test_a_router_sends_a_case_to_one_expert_a_debate_or_a_chair(
    tmp_path: Path, case: Case, word: str, level: str, read: str, option: int, calls: int, depth: int
) -> None:
    def chair(ask: str, _: object) -> str:
        return word if "Low, Moderate or High" in ask else "D. Decided."

    experts = [changes(letter, "C") for letter in "BCD"]
    found, _ = held(tmp_path, Routed(), case, experts, chair=chair)
    assert found.notes == {"level": level, "routed": read} and found.committee == "routed"
    assert (found.option, found.calls, found.depth) == (option, calls, depth)
    assert found.turns[0].role == "router" and found.turns[0].option is None


def test_samples_of_one_model_differ_by_seed_and_repeat_and_are_the_same_in_every_run(
    tmp_path: Path, cases: tuple[Case, ...]
) -> None:
    seeds: list[list[int | None]] = []
    for run in ("one", "other"):
        drawn: list[Request] = []

        def script(ask: str, request: Request, drawn: list[Request] = drawn) -> str:
            drawn.append(request)
            return "B"

        for case in cases[:2]:
            held(tmp_path / run / case.id, SelfConsistency(5), case, [script])
        assert [request.repeat for request in drawn] == [1, 2, 3, 4, 5] * 2
        settings = [request.decoding for request in drawn]
        assert {(setting.temperature, setting.max_tokens) for setting in settings} == {(0.7, 1)}
        seeds.append([setting.seed for setting in settings])
        assert len(set(seeds[-1])) == 10
    assert seeds[0] == seeds[1]


def test_self_consistency_asks_the_first_expert_alone_and_takes_the_plurality(
    tmp_path: Path, case: Case
) -> None:
    letters = iter("DCBBD")
    experts = [lambda ask, _: next(letters), *opinions("A", "A")]
    found, seats = held(tmp_path, SelfConsistency(5), case, experts, board=1)
    # Two D, two B, one C: D was named first.
    assert (found.option, found.calls, found.depth) == (3, 5, 1)
    assert {seat for seat, _ in seats.history} == {"expert 1"}
