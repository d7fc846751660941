from collections.abc import Callable
from dataclasses import replace

import pytest

from medagents.cues import text
from medagents.types import Case, MedagentsError, View

LONG = Case("x", "Which?", ("No", "a" * 400, "b" * 30, "Yes"), 3)


def wrong(case: Case) -> list[int]:
    return [option for option in range(len(case.options)) if option != case.gold]


@pytest.mark.parametrize(("place", "order"), [(0, (2, 3, 0, 1)), (4, (2, 3, 4, 0, 1))])
def test_option_order_moves_every_option_by_half_the_list(
    cases: tuple[Case, ...], place: int, order: tuple[int, ...]
) -> None:
    case = cases[place]
    view = text.option_order(case)
    assert view.original == order
    assert view.options == tuple(case.options[option] for option in order)
    assert all(view.shown(option) != option for option in range(len(order)))


def test_option_order_takes_any_shift_round_the_list(cases: tuple[Case, ...]) -> None:
    assert text.option_order(cases[0], 1).original == (1, 2, 3, 0)
    assert text.option_order(cases[0], -1).original == text.option_order(cases[0], 3).original == (3, 0, 1, 2)


def test_padding_makes_any_distractor_strictly_the_longest(cases: tuple[Case, ...]) -> None:
    for case in (*cases, LONG):
        for distractor in wrong(case):
            options = text.longest_option(case, distractor).options
            others = [len(option) for i, option in enumerate(options) if i != distractor]
            assert len(options[distractor]) > max(others)
            assert options[distractor].startswith(case.options[distractor])


def test_padding_adds_no_more_phrases_than_needed(cases: tuple[Case, ...]) -> None:
    assert text.longest_option(cases[0], 3).options == (
        "Vitamin D",
        "Vitamin C",
        "Vitamin K",
        "Folate, as this term is generally understood",
    )


def test_a_distractor_that_is_the_longest_already_is_left_alone(cases: tuple[Case, ...]) -> None:
    assert text.longest_option(cases[3], 3).options != cases[3].options  # as long as another: not yet
    assert text.longest_option(LONG, 1).options == LONG.options


def test_overlap_adds_the_longest_stem_words_that_no_option_has(cases: tuple[Case, ...]) -> None:
    # vitamin stands in the options; of bleeding 8, without 7, missing 7 and sailor 6 the last is left
    assert text.stem_words(cases[0]) == ["without", "bleeding", "missing"]
    assert text.lexical_overlap(cases[0], 2).options[2] == (
        "Vitamin K (with regard to without, bleeding, missing)"
    )


def test_overlap_leaves_out_words_of_every_stem_and_short_ones() -> None:
    case = Case(
        "x", "A patient presents with fever; the likely diagnosis should be ... ?", ("Gout", "Flu"), 0
    )
    assert text.stem_words(case) == []
    assert text.lexical_overlap(case, 1).options == case.options


def test_overlap_words_come_from_the_stem_and_from_no_option(cases: tuple[Case, ...]) -> None:
    for case in cases:
        words = text.stem_words(case)
        assert 1 <= len(words) <= text.OVERLAP_WORDS
        assert all(word in case.stem.casefold() for word in words)
        assert not any(word in option.casefold() for word in words for option in case.options)


def test_whitespace_is_one_space_before_every_option_and_nothing_else(cases: tuple[Case, ...]) -> None:
    view = text.whitespace(cases[0])
    assert view.options == (" Vitamin D", " Vitamin C", " Vitamin K", " Folate")
    assert view.original == (0, 1, 2, 3)


@pytest.mark.parametrize("cue", [text.longest_option, text.lexical_overlap])
def test_an_edited_distractor_is_the_only_option_that_changes(
    cases: tuple[Case, ...], cue: Callable[[Case, int], View]
) -> None:
    for case in cases:
        for distractor in wrong(case):
            view = cue(case, distractor)
            changed = [i for i, option in enumerate(view.options) if option != case.options[i]]
            assert changed in ([distractor], [])
            assert view.original == tuple(range(len(case.options)))


def test_no_cue_changes_the_gold_text_or_the_stem(cases: tuple[Case, ...]) -> None:
    for case in cases:
        for view in (
            text.option_order(case),
            text.whitespace(case),
            *(text.longest_option(case, distractor) for distractor in wrong(case)),
            *(text.lexical_overlap(case, distractor) for distractor in wrong(case)),
        ):
            assert view.options[view.shown(case.gold)].strip() == case.options[case.gold]
            assert view.stem == case.stem and view.cue != "none"


@pytest.mark.parametrize("cue", [text.longest_option, text.lexical_overlap])
@pytest.mark.parametrize("option", [1, -1, 4])
def test_padding_the_gold_or_no_option_at_all_is_an_error(
    cases: tuple[Case, ...], cue: Callable[[Case, int], View], option: int
) -> None:
    with pytest.raises(MedagentsError, match=f"toy-1: option {option} is no distractor"):
        cue(cases[0], option)


def test_the_distractor_to_pad_is_free_whatever_the_gold(cases: tuple[Case, ...]) -> None:
    case = replace(cases[0], gold=0)
    assert [text.longest_option(case, d).options[d] != case.options[d] for d in (1, 2, 3)] == [True] * 3
