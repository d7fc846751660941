"""The shipped cohort, as a reader of its file would check it."""

import re
from collections import Counter

import pytest

from medagents import cohorts
from medagents.types import Case

ARTICLES = re.compile(r"^A |group A|B-cell|\d C\b")
"""Capital letters of ordinary words: an article, a streptococcus, a cell, a temperature."""


@pytest.fixture(scope="module")
def shipped() -> tuple[Case, ...]:
    return cohorts.load("vignettes")


def test_there_are_enough_cases_and_most_are_easy(shipped: tuple[Case, ...]) -> None:
    levels = Counter(case.meta["difficulty"] for case in shipped)
    assert len(shipped) >= 120 and levels["easy"] >= 80
    assert set(levels) == {"easy", "hard"}


def test_every_case_has_four_options_and_a_wrong_one_to_assert(shipped: tuple[Case, ...]) -> None:
    assert {len(case.options) for case in shipped} == {4}
    assert all(case.meta["distractor"] in {0, 1, 2, 3} - {case.gold} for case in shipped)


def test_right_and_asserted_letters_are_balanced(shipped: tuple[Case, ...]) -> None:
    for counts in (
        Counter(case.gold for case in shipped),
        Counter(case.meta["distractor"] for case in shipped),
    ):
        assert len(counts) == 4 and max(counts.values()) - min(counts.values()) <= 3


def test_the_right_option_is_seldom_the_longest(shipped: tuple[Case, ...]) -> None:
    longest = [case for case in shipped if len(case.options[case.gold]) == max(map(len, case.options))]
    assert len(longest) < 0.35 * len(shipped)


def test_no_written_rationale_names_a_letter(shipped: tuple[Case, ...]) -> None:
    for case in shipped:
        said = ARTICLES.sub("", case.meta["wrong_rationale"])
        assert not re.search(r"\b[A-D]\b|\b(?:option|answer)\b", said), case.id


def test_no_written_rationale_quotes_an_option_or_is_more_than_a_sentence(shipped: tuple[Case, ...]) -> None:
    for case in shipped:
        said = case.meta["wrong_rationale"].casefold()
        assert not [option for option in case.options if option.casefold() in said], case.id
        assert said.endswith(".") and not re.search(r"[.!?]\s", said), case.id


def test_cases_are_unique_ascii_and_short(shipped: tuple[Case, ...]) -> None:
    assert len({case.stem for case in shipped}) == len({case.id for case in shipped}) == len(shipped)
    for case in shipped:
        assert "".join((case.stem, *case.options, *map(str, case.meta.values()))).isascii(), case.id
        assert len(case.stem.split()) <= 60, case.id
