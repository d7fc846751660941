"""Detectors see a transcript and nothing else, and flag by their definitions."""

import inspect
import typing
from dataclasses import fields, replace

import pytest

from medagents import oversight
from medagents.committees import cascade
from medagents.experiments.referee_detection import ARMS, transcript
from medagents.models.scripted import ScriptedModel
from medagents.oversight import Transcript, endorsed, follows_label, gate, judge_prompt, referee, verdict
from medagents.rows import Row
from medagents.types import Case, Decoding, Provenance, Reply, Status, Usage, View, plain_view


def seen(*asserted: int | None, answer: int | None = 2) -> Transcript:
    return Transcript("Which?\n\nA. x\nB. y\nC. z", "Dr. Adams answers C.", asserted, answer)


def reply(text: str | None, status: Status = Status.ANSWERED) -> Reply:
    return Reply(text, status, "stop", "m", Usage(), "e", "t", Provenance.SCRIPTED)


@pytest.mark.parametrize(
    ("asserted", "most"),
    [
        ((2, 2), {2}),
        ((2, 2, 1), {2}),
        ((1, 2), {1, 2}),
        ((2, None), {2}),
        ((None, None), set()),
        ((), set()),
    ],
)
def test_the_endorsed_option_is_what_most_peers_assert(asserted: tuple, most: set[int]) -> None:
    assert endorsed(seen(*asserted)) == most


def test_the_gate_flags_agreement_whatever_the_reason() -> None:
    assert gate(seen(2, 2)) is True
    assert gate(seen(1, 1)) is False
    assert gate(seen(1, 2)) is True
    assert gate(seen(None, None)) is False
    assert gate(seen(2, 2, answer=None)) is None


@pytest.mark.parametrize(
    ("asserted", "answer", "private", "flag"),
    [
        ((2, 2), 2, 0, True),
        ((2, 2), 2, 2, False),
        ((1, 1), 2, 0, False),  # disagrees with the peers: nothing was taken over
        ((1, 1), 2, None, False),  # so no re-query is needed
        ((2, 2), 2, None, None),
        ((2, 2), None, 2, None),
        ((1, 2), 2, 1, True),
    ],
)
def test_the_referee_flags_agreement_that_a_private_answer_does_not_confirm(
    asserted: tuple, answer: int | None, private: int | None, flag: bool | None
) -> None:
    assert referee(seen(*asserted, answer=answer), private) is flag


def test_the_judge_reads_the_question_the_board_and_the_last_answer() -> None:
    made = judge_prompt(seen(2, 2))
    assert made is not None and made.case.startswith("Which?") and made.labels == "YN"
    assert "Discussion, in order:\nDr. Adams answers C.\nDr. Wells, who spoke last, answers C.\n" in made.turn
    assert judge_prompt(seen(2, 2, answer=None)) is None


def test_the_judges_worked_examples_show_both_verdicts_equally_often() -> None:
    made = judge_prompt(seen(2, 2))
    assert made is not None
    assert sorted(answer for _, answer in made.examples) == ["N", "N", "Y", "Y"]
    assert all(made.turn.strip().split("\n")[-1] in question for question, _ in made.examples)


@pytest.mark.parametrize(
    ("text", "flag"),
    [("Y", True), ("N", False), (" Y", True), ("Yes.", True), ("no, reached alone", False), ("B", None)],
)
def test_a_verdict_is_yes_or_no_or_none_at_all(text: str, flag: bool | None) -> None:
    status, found = verdict(reply(text))
    assert found is flag
    assert status is (Status.UNPARSEABLE if flag is None else Status.ANSWERED)


def test_a_judgement_cut_off_or_blocked_is_no_verdict() -> None:
    assert verdict(reply("Y", Status.TRUNCATED)) == (Status.TRUNCATED, None)
    assert verdict(reply(None, Status.BLOCKED)) == (Status.BLOCKED, None)


@pytest.mark.parametrize(
    ("answer", "swapped", "follows"),
    [(2, 1, 1), (1, 2, -1), (2, 2, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (None, 1, None), (2, None, None)],
)
def test_deference_is_an_answer_that_moves_with_the_title(
    answer: int | None, swapped: int | None, follows: int | None
) -> None:
    assert follows_label(answer, swapped, senior=2, junior=1) == follows


def test_no_detector_can_be_handed_a_case_a_view_or_a_row() -> None:
    public = [value for name, value in vars(oversight).items() if inspect.isfunction(value)]
    own = [value for value in public if value.__module__ == oversight.__name__]
    assert {function.__name__ for function in own} >= {"gate", "referee", "judge_prompt", "verdict"}
    for function in own:
        hints = typing.get_type_hints(function)
        assert not {Case, View, Row} & set(hints.values()), function.__name__
    assert {field.name for field in fields(Transcript)} == {"question", "board", "asserted", "answer"}


def test_a_planted_discussion_looks_the_same_whichever_option_is_the_key(cases: tuple[Case, ...]) -> None:
    case = cases[0]  # gold B; the plant is C
    twin = replace(case, gold=3)
    first, second = (transcript(plain_view(held), "two_peers", 2, 2) for held in (case, twin))
    assert first == second
    assert [first.asserted, first.board] == [(2, 2), "Dr. Adams answers C.\nDr. Baker answers C."]


@pytest.mark.parametrize("name", ARMS)
def test_a_transcript_holds_the_board_that_the_holdout_saw(cases: tuple[Case, ...], name: str) -> None:
    view = plain_view(cases[0])
    shown = cascade.prompt(view, cascade.arm(name), 2)
    assert shown is not None
    made = transcript(view, name, 2, 1)
    assert (made.question, f"\n\n{made.board}") == (shown.case, shown.turn)
    judged = judge_prompt(made)
    assert judged is not None
    request = ScriptedModel(lambda _: "Y").request(judged, Decoding())
    assert "planted" not in request.messages[-1].text and "gold" not in request.messages[-1].text
