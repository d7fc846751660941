import pytest

from medagents.committees.board import SPEAKERS, Turn, answer_text, render
from medagents.cues.text import option_order, whitespace
from medagents.types import Case, MedagentsError, plain_view


@pytest.mark.parametrize(
    ("form", "written"), [("letter", "C"), ("text", "Vitamin K"), ("both", "C. Vitamin K")]
)
def test_a_peer_writes_an_option_as_letter_text_or_both(
    cases: tuple[Case, ...], form: str, written: str
) -> None:
    assert answer_text(plain_view(cases[0]), 2, form) == written


def test_a_full_stop_that_ends_an_option_is_not_doubled_by_the_sentence() -> None:
    view = plain_view(Case("x", "Which?", ("Give 0.5 mg.", "Wait and see."), 0))
    assert render(view, [Turn(0, form="text"), Turn(1, form="both")]) == (
        "Dr. Adams answers Give 0.5 mg.\nDr. Baker answers B. Wait and see."
    )


def test_peers_name_the_letter_that_is_shown(cases: tuple[Case, ...]) -> None:
    view = option_order(cases[0])  # shown: Vitamin K, Folate, Vitamin D, Vitamin C
    assert render(view, [Turn(0), Turn(3, form="text")]) == "Dr. Adams answers C.\nDr. Baker answers Folate."
    assert answer_text(whitespace(cases[0]), 3, "text") == "Folate"


def test_peers_speak_in_order_a_line_each(cases: tuple[Case, ...]) -> None:
    board = render(plain_view(cases[0]), [Turn(0)] * len(SPEAKERS))
    assert board == "\n".join(f"{speaker} answers A." for speaker in SPEAKERS)
    assert len(set(SPEAKERS)) == 8


def test_more_peers_than_names_is_an_error_not_a_shorter_board(cases: tuple[Case, ...]) -> None:
    with pytest.raises(MedagentsError, match="9 peers"):
        render(plain_view(cases[0]), [Turn(0)] * 9)


def test_a_peer_without_an_option_says_nothing_of_the_case(cases: tuple[Case, ...]) -> None:
    board = render(plain_view(cases[0]), [Turn(None, "irrelevant")])
    assert board == "Dr. Adams says the next meeting is upstairs."


def test_who_repeats_an_argument_seconds_it(cases: tuple[Case, ...]) -> None:
    turn = Turn(2, "anchored", rationale="Gums bleed.")
    assert render(plain_view(cases[0]), [turn, turn, turn]) == (
        "Dr. Adams answers C. Gums bleed.\n"
        "Dr. Baker answers C for the same reason.\n"
        "Dr. Clark answers C for the same reason."
    )


def test_another_argument_or_another_option_is_spelt_out(cases: tuple[Case, ...]) -> None:
    turns = [
        Turn(2, "anchored", rationale="Gums bleed."),
        Turn(2, "anchored", rationale="No fruit."),
        Turn(1, "anchored", rationale="No fruit."),
    ]
    assert render(plain_view(cases[0]), turns) == (
        "Dr. Adams answers C. Gums bleed.\nDr. Baker answers C. No fruit.\nDr. Clark answers B. No fruit."
    )


def test_no_peer_seconds_a_reason_that_nobody_gave(cases: tuple[Case, ...]) -> None:
    turn = Turn(2, rationale="Gums bleed.")
    assert render(plain_view(cases[0]), [turn, turn]) == "Dr. Adams answers C.\nDr. Baker answers C."
