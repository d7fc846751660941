from dataclasses import replace

import pytest

from medagents.types import Answer, Case, MedagentsError, Status, View, plain_view, same_text


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": ""}, "empty id"),
        ({"stem": " \n"}, "empty id or stem"),
        ({"options": ("one",), "gold": 0}, "1 options"),
        ({"options": tuple(map(str, range(11)))}, "11 options"),
        ({"options": ("one", "  ")}, "empty option"),
        ({"options": ("Iron", "Zinc", " iron ")}, "duplicate options"),
        ({"gold": -1}, "gold index -1"),
        ({"gold": 3}, "gold index 3"),
    ],
)
def test_an_impossible_case_is_refused_with_its_reason(change: dict, fault: str) -> None:
    sound = Case("x", "Which?", ("Iron", "Zinc", "Lead"), 0)
    with pytest.raises(MedagentsError, match=fault):
        replace(sound, **change)


def test_two_and_ten_options_are_the_bounds() -> None:
    assert Case("x", "Which?", ("a1", "b1"), 1).gold == 1
    assert len(Case("x", "Which?", tuple(map(str, range(10))), 9).options) == 10


def test_a_case_is_its_own_cluster_unless_it_names_one() -> None:
    assert Case("x", "Which?", ("a1", "b1"), 0).cluster == "x"
    assert Case("x", "Which?", ("a1", "b1"), 0, cluster="patient-7").cluster == "patient-7"


def test_option_texts_are_the_same_whatever_their_case_and_spacing() -> None:
    assert same_text(" Type  II\tdiabetes ") == same_text("type ii DIABETES")
    assert same_text("type ii") != same_text("typeii")


def test_a_plain_view_shows_every_option_under_its_own_letter(cases: tuple[Case, ...]) -> None:
    view = plain_view(cases[4])
    assert (view.stem, view.options, view.cue) == (cases[4].stem, cases[4].options, "none")
    assert [view.letter(option) for option in range(5)] == list("ABCDE")


def test_a_reordered_view_maps_letters_to_original_options_and_back() -> None:
    case = Case("x", "Which?", ("Iron", "Zinc", "Lead"), 0)
    view = View(case, ("Lead", "Iron", "Zinc"), (2, 0, 1), case.stem)
    assert [view.letter(option) for option in (0, 1, 2)] == ["B", "C", "A"]
    assert [view.original[view.shown(option)] for option in (0, 1, 2)] == [0, 1, 2]


@pytest.mark.parametrize("original", [(0, 0, 1), (0, 1), (1, 2, 3)])
def test_a_view_must_show_every_option_once(original: tuple[int, ...]) -> None:
    case = Case("x", "Which?", ("Iron", "Zinc", "Lead"), 0)
    with pytest.raises(MedagentsError, match="not a permutation"):
        View(case, case.options, original, case.stem)


def test_a_view_must_show_as_many_texts_as_options() -> None:
    case = Case("x", "Which?", ("Iron", "Zinc", "Lead"), 0)
    with pytest.raises(MedagentsError, match="option count changed"):
        View(case, ("Iron", "Zinc"), (0, 1, 2), case.stem)


@pytest.mark.parametrize("status", list(Status))
def test_only_an_answered_reply_carries_an_option(status: Status) -> None:
    sound, unsound = (0, None) if status is Status.ANSWERED else (None, 0)
    assert Answer(status, sound, None, "rule").option == sound
    with pytest.raises(MedagentsError, match="exactly when answered"):
        Answer(status, unsound, None, "rule")
