from pathlib import Path

import pytest

from medagents import paths, prompts
from medagents.types import Case, MedagentsError, View, plain_view

TEMPLATES = sorted(
    str(path.relative_to(paths.PROMPTS).with_suffix("")) for path in paths.PROMPTS.rglob("*.txt")
)


def test_case_text_is_the_stem_and_one_lettered_line_an_option(cases: tuple[Case, ...]) -> None:
    assert prompts.case_text(plain_view(cases[0])) == (
        "A sailor without fruit has bleeding gums. Which vitamin is missing?\n\n"
        "A. Vitamin D\nB. Vitamin C\nC. Vitamin K\nD. Folate"
    )


def test_case_text_letters_follow_the_order_shown() -> None:
    case = Case("x", "Which?", ("Iron", "Zinc", "Lead"), 0)
    view = View(case, ("Lead", "Iron", "Zinc"), (2, 0, 1), case.stem)
    assert prompts.case_text(view) == "Which?\n\nA. Lead\nB. Iron\nC. Zinc"


def test_braces_in_a_case_are_text_not_fields() -> None:
    case = Case("x", "Given {stem} and {0}, which?", ("{options}", "{"), 0)
    assert prompts.case_text(plain_view(case)) == "Given {stem} and {0}, which?\n\nA. {options}\nB. {"


def test_the_worked_examples_are_questions_and_letters_and_use_each_letter_once() -> None:
    worked = prompts.examples()
    assert [letter for _, letter in worked] == ["C", "A", "D", "B"]
    for question, _ in worked:
        lines = question.splitlines()
        assert lines[0].endswith("?") and lines[1] == ""
        assert [line[:3] for line in lines[2:]] == ["A. ", "B. ", "C. ", "D. "]


def test_an_unknown_prompt_is_an_error_that_names_the_file() -> None:
    with pytest.raises(MedagentsError, match=r"peer_cascade/shouted\.txt: no such prompt"):
        prompts.template("peer_cascade/shouted")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"Answer {oops} now.", r"field 'oops' is none of letter"),
        (b"Answer {} now.", "is none of letter"),
        (b"Answer { now.", "is none of letter"),
        (b"Answer {letter} \xff", "not UTF-8"),
    ],
)
def test_a_damaged_prompt_is_one_line_that_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, fault: str
) -> None:
    monkeypatch.setattr(paths, "PROMPTS", tmp_path)
    (tmp_path / "ask.txt").write_bytes(content)
    prompts.template.cache_clear()
    with pytest.raises(MedagentsError, match=fault) as error:
        prompts.fill("ask", letter="B")
    prompts.template.cache_clear()
    assert str(error.value).startswith(f"{tmp_path / 'ask.txt'}: ") and "\n" not in str(error.value)
    assert "restore" in str(error.value)


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_prompt_file_holds_a_marker_or_a_stray_line_break(name: str) -> None:
    text = prompts.template(name)
    assert prompts.refuse_markers(text) == text
    assert text == text.strip() and text.isascii()


@pytest.mark.parametrize("marker", prompts.MARKERS)
def test_every_marker_is_refused_in_any_case(marker: str) -> None:
    for shown in (f"Dr. Adams: {marker}2", f"Dr. Adams: {marker.upper()}"):
        with pytest.raises(MedagentsError, match="nothing was sent"):
            prompts.refuse_markers(shown)


def test_a_label_within_a_name_is_refused_too() -> None:
    with pytest.raises(MedagentsError, match="planted"):
        prompts.refuse_markers("arm_planted answers B")


@pytest.mark.parametrize(
    "text", ["an implanted device", "a transplanted kidney", "the implant=12 mm", "it was marigold=yellow"]
)
def test_a_medical_word_that_contains_a_marker_is_no_leak(text: str) -> None:
    assert prompts.refuse_markers(text) == text


def test_the_words_of_the_case_itself_are_allowed_but_no_other_marker() -> None:
    allowed = "Planted crops were sprayed."
    assert prompts.refuse_markers("He ate planted crops.", allowed) == "He ate planted crops."
    with pytest.raises(MedagentsError, match="decoy"):
        prompts.refuse_markers("He ate planted crops, a decoy.", allowed)


def test_an_implanted_device_in_the_case_does_not_allow_the_label() -> None:
    with pytest.raises(MedagentsError, match="planted"):
        prompts.refuse_markers("a planted peer", allowed="An implanted pacemaker fails.")
