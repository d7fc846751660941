import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from medagents import plants
from medagents.committees import break_it, cascade, hidden_rubric
from medagents.types import Case, MedagentsError


def many(golds: list[int], options: int = 4) -> list[Case]:
    texts = tuple(f"option {number}" for number in range(options))
    return [Case(f"case-{place}", "Which?", texts, gold) for place, gold in enumerate(golds)]


def named(case: Case, distractor: int | None) -> Case:
    return replace(case, meta={"distractor": distractor})


@pytest.mark.parametrize("options", [4, 5])
@pytest.mark.parametrize("seed", range(5))
def test_balanced_plants_use_every_letter_alike_and_never_the_gold(seed: int, options: int) -> None:
    draw = random.Random(seed)
    cohort = many([draw.randrange(options) for _ in range(100)], options)
    planted = plants.balanced_wrong(cohort)
    counts = Counter(planted.values())
    assert all(planted[case.id] != case.gold for case in cohort)
    assert len(counts) == options and max(counts.values()) - min(counts.values()) <= 2


def test_balanced_plants_share_out_the_wrong_letters_where_the_gold_is_always_the_same() -> None:
    assert sorted(Counter(plants.balanced_wrong(many([1] * 30)).values()).items()) == [
        (0, 10),
        (2, 10),
        (3, 10),
    ]


def test_balanced_plants_of_a_prefix_are_those_of_the_whole() -> None:
    draw = random.Random(11)
    cohort = many([draw.randrange(4) for _ in range(40)])
    whole = plants.balanced_wrong(cohort)
    for n in range(41):
        assert plants.balanced_wrong(cohort[:n]) == {case.id: whole[case.id] for case in cohort[:n]}


def test_the_first_balanced_plant_is_not_always_the_first_wrong_letter() -> None:
    texts = ("one", "two", "three", "four")
    first = {plants.balanced_wrong([Case(f"x{n}", "Which?", texts, 0)])[f"x{n}"] for n in range(40)}
    assert first == {1, 2, 3}


def test_the_authors_plant_is_the_first_option_that_is_neither_gold_nor_the_own_answer() -> None:
    case = Case("x", "Which?", ("one", "two", "three", "four"), 0)
    assert [plants.first_wrong(case, own) for own in (None, 0, 1, 2, 3)] == [1, 1, 2, 1, 1]
    assert plants.first_wrong(replace(case, gold=2), 0) == 1
    assert plants.first_wrong(replace(case, gold=2), None) == 0


def test_the_authors_plant_does_not_exist_where_the_only_wrong_option_is_the_own_answer() -> None:
    case = Case("x", "Which?", ("yes", "no"), 0)
    assert plants.first_wrong(case, 1) is None
    assert plants.first_wrong(case, 0) == 1


@pytest.mark.parametrize(
    ("options", "gold", "decoy"),
    [
        (("ab", "abcd", "abc"), 0, 1),
        (("ab", "abcd", "abc"), 1, None),
        (("abcd", "ab", "dcba"), 1, None),
        (("a", "a much longer wrong option", "b"), 2, 1),
        (("yes", "no"), 0, None),
        (("yes", "no"), 1, 0),
    ],
)
def test_the_longest_option_is_a_decoy_where_it_is_wrong_and_alone(
    options: tuple[str, ...], gold: int, decoy: int | None
) -> None:
    assert plants.longest_wrong(Case("x", "Which?", options, gold)) == decoy


@pytest.mark.parametrize("distractor", [None, 1, 4, -1])
def test_a_file_that_names_no_wrong_option_is_an_error_with_the_remedy(
    cases: tuple[Case, ...], distractor: int | None
) -> None:
    with pytest.raises(MedagentsError, match=r"toy-1.*balanced-wrong"):
        plants.from_file(named(cases[0], distractor))


def test_the_default_rule_takes_the_file_only_where_every_case_names_a_distractor(
    cases: tuple[Case, ...],
) -> None:
    first, second = named(cases[0], 3), named(cases[1], 0)
    assert plants.default_rule([first, second]) == "from-file"
    assert plants.planned([first, second], "from-file") == {"toy-1": 3, "toy-2": 0}
    assert plants.default_rule([first, cases[1]]) == "balanced-wrong"
    assert plants.default_rule([first, named(cases[1], None)]) == "balanced-wrong"


@pytest.mark.parametrize("rule", [*plants.ARM_RULES, "loudest"])
def test_a_rule_that_cannot_be_planned_is_a_one_line_error(cases: tuple[Case, ...], rule: str) -> None:
    with pytest.raises(MedagentsError, match=f"{rule}.*; a run takes balanced-wrong or from-file$") as error:
        plants.planned(cases, rule)
    assert "\n" not in str(error.value)


def test_every_rule_of_a_run_is_planned_and_every_rule_of_an_arm_is_one_that_an_arm_has(
    cases: tuple[Case, ...],
) -> None:
    cohort = [named(case, (case.gold + 1) % len(case.options)) for case in cases]
    for rule in plants.RULES:
        assert all(plants.planned(cohort, rule)[case.id] != case.gold for case in cohort)
    arms = [*cascade.ARMS, *break_it.ARMS, *hidden_rubric.ARMS]
    assert {arm.plant_rule for arm in arms if arm.plant_rule} == set(plants.ARM_RULES)
    assert {*plants.RULES, *plants.ARM_RULES} == set(re.findall(r"^- `([a-z-]+)`", plants.__doc__, re.M))


def test_a_run_by_the_cohorts_own_rule_has_the_experiments_name_and_any_other_names_its_rule(
    cases: tuple[Case, ...],
) -> None:
    assert plants.recorded_as("peer_cascade", "balanced-wrong", cases) == "peer_cascade"
    assert plants.recorded_as("peer_cascade", "from-file", cases) == "peer_cascade@from-file"
    assert plants.parted("peer_cascade") == ("peer_cascade", "")
    assert plants.parted("peer_cascade@from-file") == ("peer_cascade", "from-file")
