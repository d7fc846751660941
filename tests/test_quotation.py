"""Quotations are cut out of replies of cohorts whose text may not be published."""

import pytest

from medagents.quotation import MASK, without_quotations

QUESTION = (
    "A sailor of forty years has bled from the gums for three weeks and eats no fruit. "
    "Which vitamin does he lack?\n\nA. Vitamin D\nB. Vitamin C"
)


def test_a_sentence_taken_from_the_question_is_cut_out():
    reply = "Since a sailor of forty years has bled from the gums for three weeks, it is scurvy."
    assert without_quotations(reply, QUESTION) == f"Since {MASK}, it is scurvy."


@pytest.mark.parametrize(
    "reply",
    [
        "Since A SAILOR, of forty years, has: bled from the gums, it is scurvy.",
        "Since a sailor\nof forty  years has bled from the gums, it is scurvy.",
    ],
)
def test_case_punctuation_and_spacing_do_not_hide_a_quotation(reply):
    assert without_quotations(reply, QUESTION) == f"Since {MASK}, it is scurvy."


def test_seven_words_are_a_fact_and_eight_a_quotation():
    seven, eight = "has bled from the gums for three", "has bled from the gums for three weeks"
    assert len(seven.split()) == 7
    assert without_quotations(f"He {seven} days.", QUESTION) == f"He {seven} days."
    assert without_quotations(f"He {eight} now.", QUESTION) == f"He {MASK} now."


def test_two_quotations_are_two_masks_and_what_lies_between_stays():
    reply = (
        "A sailor of forty years has bled from the gums, I think, "
        "and eats no fruit which vitamin does he lack?"
    )
    assert without_quotations(reply, QUESTION) == f"{MASK}, I think, {MASK}?"


def test_a_question_repeated_whole_leaves_nothing_of_it():
    assert without_quotations(QUESTION, QUESTION) == MASK


@pytest.mark.parametrize("reply", ["", "B", "Vitamin C", "It is scurvy, from a lack of vitamin C."])
def test_a_reply_in_own_words_is_left_as_it_is(reply):
    assert without_quotations(reply, QUESTION) == reply


def test_a_source_shorter_than_a_quotation_has_none():
    assert without_quotations("Which vitamin does he lack?", "Which vitamin does he lack?") == (
        "Which vitamin does he lack?"
    )


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("B. Vitamin C is what he lacks, and he eats no fruit at sea.", "B. [...]."),
        (
            "<answer> B, Vitamin C is what he lacks, and he eats no fruit at sea </answer>",
            "<answer> B, [...] </answer>",
        ),
        ("It is b) B) Vitamin C is what he lacks, and he eats no fruit at sea", "It is b) B) [...]"),
    ],
)
def test_the_letter_of_an_answer_in_the_options_own_words_stays(reply, left):
    source = "Which?\n\nA. Vitamin D\nB. Vitamin C is what he lacks, and he eats no fruit at sea."
    assert without_quotations(reply, source) == left


def test_an_article_that_begins_a_quotation_is_no_letter():
    reply = "A sailor of forty years has bled from the gums."
    assert without_quotations(reply, QUESTION) == f"{MASK}."
