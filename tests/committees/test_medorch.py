"""MedOrch: what mediator, experts and judge read, what comes of a broken list, and the depth of four."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from seats import Script, Seats, always

from medagents.committees.medorch import MedOrch, fields
from medagents.committees.session import Session
from medagents.experiments.sitting import Sitting
from medagents.types import Case, Request, Status

ASKED = MedOrch("asked", decides=False)
NO = '[{"Decision": "No"}]'
LETTER_AND_WHY = "its letter, then one short sentence that says why."


@pytest.fixture
def case(cases: tuple[Case, ...]) -> Case:
    """The sailor; key B, of A to D."""
    return cases[0]


def questions(*numbers: int, words: str = "Why, {0}?") -> str:
    asked = {f"Expert {number}": words.format(number) for number in numbers}
    return json.dumps([{"Decision": "Yes", **asked}])


def member(first: str, then: str) -> Script:
    """One letter alone, another after a mediator's question."""
    return lambda ask, _: f"{then}. Anew." if "mediator says to you" in ask else f"{first}. At first."


def held(
    root: Path, committee, case: Case, experts: Sequence[Script], board: int = 0, **others: Script
) -> tuple[Session, Seats]:
    seats = Seats(root, experts, **others)
    sitting = Sitting(case, 2, "rule", seats.team(case))
    return committee(sitting.view, sitting.team, sitting.boards()[board]), seats


# What each reads


def test_the_mediator_reads_all_answers_by_number_and_the_form_it_must_fill(
    tmp_path: Path, case: Case
) -> None:
    _, seats = held(tmp_path, MedOrch(), case, [always("B. Gums."), always("C. Clots.")], mediator=always(NO))
    [ask] = seats.heard("mediator")
    assert ask.startswith(
        "The experts said:\nExpert 1: B. Gums.\nExpert 2: C. Clots.\n\nYou are the mediator"
    )
    assert ask.endswith(
        'Reply with JSON only, in one of these two forms:\n[{"Decision": "Yes", "Expert 1": "question to '
        'expert 1", "Expert 2": "question to expert 2"}]\n[{"Decision": "No"}]'
    )


def test_a_mediator_that_must_ask_is_given_one_form(tmp_path: Path, case: Case) -> None:
    _, seats = held(tmp_path, ASKED, case, [always("B. Gums."), always("C. Clots.")], mediator=always(NO))
    [ask] = seats.heard("mediator")
    assert '"No"' not in ask and ask.endswith(
        'in this form:\n[{"Decision": "Yes", "Expert 1": "question to expert 1", "Expert 2": "question to '
        'expert 2"}]'
    )


def test_the_form_is_json_itself_with_a_key_for_every_expert() -> None:
    [form] = json.loads(f'[{{"Decision": "Yes", {fields(9)}}}]')
    assert list(form) == ["Decision", *(f"Expert {number}" for number in range(1, 10))]


def test_an_expert_reads_its_own_answer_and_its_own_question_alone(tmp_path: Path, case: Case) -> None:
    experts = [member("B", "B"), member("C", "C"), member("D", "D")]
    _, seats = held(tmp_path, ASKED, case, experts, mediator=always(questions(1, 2, 3)))
    assert seats.heard("expert 2")[1] == (
        "You answered before: C. At first.\nThe mediator says to you: Why, 2?\n\n"
        f"Reply to the mediator by giving your answer again, kept or changed: {LETTER_AND_WHY}"
    )


def test_the_judge_reads_first_answers_then_each_question_with_its_answer(tmp_path: Path, case: Case) -> None:
    experts = [member("B", "B"), member("C", "D"), member("B", "B")]
    _, seats = held(tmp_path, ASKED, case, experts, 1, mediator=always(questions(1, 2, 4)))
    [ask] = seats.heard("judge")
    assert ask == (
        "The experts said:\n"
        "Expert 1: B. At first.\n"
        "Expert 2: C. At first.\n"
        "Expert 3: B. At first.\n"
        "Expert 4: C. The findings of this case point to it.\n"
        "Expert 5: C. I agree, the findings point to it.\n"
        "The mediator to expert 1: Why, 1?\n"
        "Expert 1: B. Anew.\n"
        "The mediator to expert 2: Why, 2?\n"
        "Expert 2: D. Anew.\n"
        "The mediator to expert 4: Why, 4?\n"
        "Expert 4: C. The findings of this case point to it.\n\n"
        "You are the judge. Sort out where the experts agree and where they differ, and decide. Reply in "
        "this form only: <answer> option: X, text of option X </answer>"
    )


def test_who_is_not_asked_keeps_its_answer(tmp_path: Path, case: Case) -> None:
    experts = [member("B", "D"), member("B", "D"), member("B", "D")]
    found, seats = held(
        tmp_path, MedOrch(judged=False, decides=False), case, experts, mediator=always(questions(2))
    )
    assert [turn.agent for turn in found.turns if turn.stage == "reflect"] == ["Dr. Baker"]
    assert (found.option, found.notes["asked"], found.depth) == (1, "1", 3) and not seats.heard("judge")


# Depth


@pytest.mark.parametrize("experts", [3, 5, 9])
@pytest.mark.parametrize("board", [0, 1])
def test_medorch_is_four_calls_deep_for_any_number_of_experts(
    tmp_path: Path, case: Case, experts: int, board: int
) -> None:
    everybody = questions(*range(1, experts + 3))
    found, seats = held(
        tmp_path, ASKED, case, [member("B", "C")] * experts, board, mediator=always(everybody)
    )
    assert found.depth == 4 and found.calls == seats.calls == 2 * experts + 2


@pytest.mark.parametrize("experts", [3, 5, 9])
def test_one_model_in_several_copies_is_four_calls_deep_too(tmp_path: Path, case: Case, experts: int) -> None:
    everybody = always(questions(*range(1, experts + 1)))
    found, seats = held(
        tmp_path, MedOrch(homogeneous=experts), case, [member("B", "C"), always("A")], mediator=everybody
    )
    assert found.depth == 4 and found.calls == seats.calls == 2 * experts + 2
    assert {seat for seat, _ in seats.history} == {"expert 1", "mediator", "judge"}


def test_no_discussion_saves_a_step_and_a_broken_list_two(tmp_path: Path, case: Case) -> None:
    agreed, _ = held(tmp_path / "no", MedOrch(), case, [always("B. It is.")] * 3, mediator=always(NO))
    broken, _ = held(tmp_path / "broken", MedOrch(), case, [always("B. It is.")] * 3, mediator=always("Yes!"))
    assert (agreed.depth, agreed.notes["mediation"]) == (3, "agreed")
    assert (broken.depth, broken.notes["mediation"]) == (2, "failed")


# What comes of it


def test_a_broken_list_is_counted_and_the_first_answers_are_put_to_the_vote(
    tmp_path: Path, case: Case
) -> None:
    cut = questions(1, 2, 3)[:50]
    experts = [member("D", "A"), member("B", "A"), member("B", "A")]
    found, seats = held(tmp_path, MedOrch(), case, experts, mediator=always(cut), judge=always("A"))
    assert found.notes == {"mediation": "failed"}
    assert (found.option, found.status, found.calls) == (1, Status.ANSWERED, 4)
    assert not seats.heard("judge") and not any("mediator says" in ask for _, ask in seats.history)


def test_peers_vote_where_the_list_is_broken(tmp_path: Path, case: Case) -> None:
    experts = [always("D. Mine."), always("B. Mine."), always("A. Mine.")]
    found, _ = held(tmp_path, MedOrch(), case, experts, 1, mediator=always("I see."))
    assert (found.notes["mediation"], found.option) == ("failed", 2)


def test_a_pair_is_the_first_two_experts(tmp_path: Path, case: Case) -> None:
    experts = [member("B", "C"), member("B", "C"), always("D")]
    found, seats = held(
        tmp_path, MedOrch("pair", experts=2, decides=False), case, experts, mediator=always(questions(1, 2))
    )
    assert not seats.heard("expert 3") and found.calls == 6 and found.depth == 4
    assert "Expert 3" not in seats.heard("mediator")[0]


def test_copies_of_one_model_are_warm_and_each_draw_has_a_seed_of_its_own(tmp_path: Path, case: Case) -> None:
    drawn: list[Request] = []

    def copy(ask: str, request: Request) -> str:
        drawn.append(request)
        return "B. Copy."

    found, _ = held(tmp_path, MedOrch(homogeneous=3), case, [copy], mediator=always(questions(1, 2, 3)))
    assert {request.decoding.temperature for request in drawn} == {0.6}
    assert len({request.decoding.seed for request in drawn}) == len(drawn) == 6
    answers = [turn.agent for turn in found.turns if turn.stage == "answer"]
    assert answers == ["Dr. Adams 1", "Dr. Adams 2", "Dr. Adams 3"]


# The judge's line as models write it, and the option that it means (None: undecided).
JUDGES = [
    ("<answer> option: C, Vitamin K </answer>", 2),
    ("<answer>option: C, Vitamin K</answer>", 2),
    ("<answer> Option: C) Vitamin K </answer>", 2),
    ("<answer> option: c </answer>", 2),
    ("<answer> option: {C}, {Vitamin K} </answer>", 2),
    ("<answer> C </answer>", 2),
    ("<answer> option: Vitamin K </answer>", 2),
    ("<ANSWER> OPTION: C, VITAMIN K </ANSWER>", 2),
    ("<answer> option: C, Vitamin K", 2),
    ("**<answer> option: C, Vitamin K </answer>**", 2),
    ("```\n<answer> option: C, Vitamin K </answer>\n```", 2),
    ("Experts 1 and 3 say B, expert 2 says C. <answer> option: C, Vitamin K </answer>", 2),
    ("<answer> option: C, Vitamin K </answer> Expert 1 said B. Vitamin C.", 2),
    ("<answer> option: X, text of option X </answer>", None),
    ("<answer> option: , </answer>", None),
    ("<answer> option: Iron </answer>", None),
    ("<answer> option: E, Iron </answer>", None),
    ("The experts agree.", None),
]


@pytest.mark.parametrize(("reply", "option"), JUDGES)
def test_the_judges_line_is_read_as_it_means(
    tmp_path: Path, case: Case, reply: str, option: int | None
) -> None:
    experts = [member("B", "B"), member("C", "C"), member("B", "B")]
    found, _ = held(tmp_path, ASKED, case, experts, mediator=always(questions(1, 2, 3)), judge=always(reply))
    assert found.option == option and found.status is not Status.REFUSED
    assert (found.status is Status.ANSWERED) == (option is not None)
