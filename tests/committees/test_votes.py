"""Counting votes: ties, silence and unanimity."""

import pytest

from medagents.committees.session import Utterance
from medagents.committees.votes import agreement, decided, plurality, unanimous
from medagents.types import Status


def turns(*options: int | None) -> list[Utterance]:
    return [
        Utterance(f"Dr. {number}", "expert", "answer", 1, "", Status.ANSWERED, option)
        for number, option in enumerate(options)
    ]


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ((2,), 2),
        ((0, 1, 1), 1),
        ((3, 1, 1, 3, 3), 3),
        ((2, 0, 1), 2),  # all differ: the one named first
        ((3, 1, 1, 3), 3),  # two each: the one named first, not the lower index
        ((1, 3, 3, 1), 1),
        ((None, 0, 2, None, 2), 2),
        ((None, 2, 0), 2),
        ((None, None), None),
        ((), None),
    ],
)
def test_the_option_named_most_wins_and_at_a_tie_the_one_named_first(options, want) -> None:
    assert plurality(turns(*options)) == want


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ((1, 1, 1), 1.0),
        ((0, 1, 1), 2 / 3),
        ((2, 0, 1), 1 / 3),
        ((1, 1, 2, 1, 0), 0.6),
        ((1, None, 1), 1.0),  # of those who name an option
        ((None, None), 0.0),
        ((), 0.0),
    ],
)
def test_agreement_is_the_share_of_the_modal_option_among_those_who_name_one(options, share: float) -> None:
    assert agreement(turns(*options)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ((0,), True),
        ((2, 2, 2), True),
        ((2, 2, 1), False),
        ((2, None, 2), False),
        ((None, None), False),
        ((), False),
    ],
)
def test_who_names_nothing_breaks_unanimity(options, want: bool) -> None:
    assert unanimous(turns(*options)) is want


def test_a_vote_that_nobody_cast_is_unparseable() -> None:
    assert (decided(None), decided(0), decided(3)) == ("unparseable", "answered", "answered")
