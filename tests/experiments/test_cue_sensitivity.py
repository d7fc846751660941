import hashlib
from collections.abc import Callable

import pandas as pd
import pytest

from medagents import tables
from medagents.committees import cascade
from medagents.cues.tabular import render
from medagents.experiments import cue_sensitivity
from medagents.experiments.base import resampling
from medagents.models.scripted import chat
from medagents.prompts import case_text
from medagents.types import LETTERS, Case, Request, plain_view


def shown(request: Request) -> list[str]:
    """Option texts in the order shown, read off the prompt."""
    lines = request.messages[-1].text.split("\n\n")[1].split("\n")
    return [line[3:] for line in lines]


def options(frame: pd.DataFrame, condition: str) -> list[int]:
    return frame.loc[frame["condition"] == condition, "option"].tolist()


def test_every_case_gives_one_row_a_condition(ask: Callable, cases: tuple[Case, ...]) -> None:
    frame, history = ask("cue_sensitivity", lambda request: "A")
    assert frame["condition"].tolist() == list(cue_sensitivity.CONDITIONS) * 5
    assert len(history) == 30
    planted = frame.groupby("case")["plant"].nunique()
    assert (planted == 1).all() and (frame["plant"] != frame["gold"]).all()


def test_who_knows_the_answer_never_flips(ask: Callable, cases: tuple[Case, ...]) -> None:
    golds = {case.options[case.gold] for case in cases}

    def script(request: Request) -> str:
        return LETTERS[next(i for i, text in enumerate(shown(request)) if text.strip() in golds)]

    frame, _ = ask("cue_sensitivity", script)
    assert all(options(frame, name) == [1, 3, 0, 2, 4] for name in cue_sensitivity.CONDITIONS)


def test_who_always_says_a_flips_under_reordering_only(ask: Callable) -> None:
    frame, _ = ask("cue_sensitivity", lambda request: "A")
    for name in cue_sensitivity.CONDITIONS:
        assert options(frame, name) == [2 if name == "option_order" else 0] * 5, name


def test_who_likes_the_longest_option_is_drawn_to_the_padded_plant(ask: Callable) -> None:
    def script(request: Request) -> str:
        texts = [text.strip() for text in shown(request)]
        return LETTERS[texts.index(max(texts, key=len))]

    frame, _ = ask("cue_sensitivity", script)
    padded = frame[frame["condition"] == "longest_option"]
    assert padded["option"].tolist() == padded["plant"].tolist()
    # toy-1: the first of three texts of nine letters; toy-5: Mercury is longest of all
    assert options(frame, "clean")[0] == options(frame, "whitespace")[0] == 0
    assert options(frame, "clean")[4] == options(frame, "option_order")[4] == 3


def test_who_likes_words_of_the_stem_is_drawn_to_the_plant_by_overlap(ask: Callable) -> None:
    def script(request: Request) -> str:
        found = [i for i, text in enumerate(shown(request)) if "with regard to" in text]
        return LETTERS[found[0]] if found else "A"

    frame, _ = ask("cue_sensitivity", script)
    drawn = frame[frame["condition"] == "lexical_overlap"]
    assert drawn["option"].tolist() == drawn["plant"].tolist()
    assert options(frame, "longest_option") == [0] * 5


def test_logprobs_follow_the_options_through_reordering(ask: Callable, cases: tuple[Case, ...]) -> None:
    said = {"A": -0.1, "B": -2.0, "C": -3.0, "D": -4.0}
    frame, _ = ask("cue_sensitivity", lambda request: said, cases[:1])
    logp = frame.set_index("condition")["logp"]
    assert logp["clean"] == "-0.1000;-2.0000;-3.0000;-4.0000"
    assert logp["option_order"] == "-3.0000;-4.0000;-0.1000;-2.0000"


def test_the_noise_floor_is_one_draw_at_temperature_one_of_the_clean_prompt(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    _, history = ask("cue_sensitivity", lambda request: "A", cases[:1])
    clean, resampled, *cues = history
    assert resampled.messages == clean.messages and resampled.repeat == 1
    assert (clean.decoding.temperature, resampled.decoding.temperature) == (0.0, 1.0)
    assert all(request.decoding == clean.decoding and request.repeat == 0 for request in cues)


def test_every_case_and_repeat_draws_its_noise_with_a_seed_of_its_own(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    # One seed for all would draw the same quantile of every case: no noise, but one tail of it.
    _, history = ask("cue_sensitivity", lambda request: "A", cases)
    seeds = [request.decoding.seed for request in history if request.repeat == 1]
    assert len(seeds) == len(set(seeds)) == len(cases)
    assert resampling(cases[0], 1) != resampling(cases[0], 2)
    assert resampling(cases[0], 1).seed == int(hashlib.sha256(b"toy-1:1").hexdigest()[:7], 16)


def test_the_clean_question_is_just_what_the_isolated_holdout_is_asked(cases: tuple[Case, ...]) -> None:
    for case in cases:
        view = plain_view(case)
        assert cue_sensitivity.prompt(view) == cascade.prompt(view, cascade.arm("isolated"), 0)


@pytest.mark.parametrize("place", range(5))
def test_conditions_that_edit_the_options_share_only_the_stem(cases: tuple[Case, ...], place: int) -> None:
    case = cases[place]
    for condition, view in cue_sensitivity.views(case, (case.gold + 1) % len(case.options)).items():
        made = cue_sensitivity.prompt(view)
        assert made.case + made.turn == case_text(view)
        assert made.case == (case_text(view) if condition in ("clean", "resampled") else case.stem)
        (message,) = chat(made)[-1:]
        assert message.text == case_text(view)


def patient(number: int, sodium: str | None = "140") -> Case:
    """A made-up patient as a table."""
    table = (("age", f"{50 + number}", "years"), ("sex", "male", ""), ("sodium", sodium, "mmol/L"))
    stem = f"An adult in hospital.\n{render(table)}\nWill this patient go home?"
    return Case(f"p-{number}", stem, ("Goes home", "Dies"), number % 2, meta={"table": table})


PATIENTS = tuple(patient(number, None if number == 2 else "140") for number in range(6))


def test_a_tabular_case_has_its_table_cued_and_its_options_only_reordered(ask: Callable) -> None:
    frame, history = ask("cue_sensitivity", lambda request: "A", PATIENTS)
    assert frame["condition"].tolist() == list(cue_sensitivity.TABULAR) * 6
    moved = {tuple(shown(request)) for request in history}
    assert moved == {("Goes home", "Dies"), ("Dies", "Goes home")}
    flipped = frame[frame["option"] == 1]["condition"]
    assert set(flipped) == {"option_order"} and len(flipped) == 6


def test_the_plant_of_a_tabular_case_is_its_wrong_option(ask: Callable) -> None:
    frame, _ = ask("cue_sensitivity", lambda request: "A", PATIENTS)
    assert (frame["plant"] + frame["gold"] == 1).all()


def test_cases_without_a_table_are_asked_as_ever(cases: tuple[Case, ...]) -> None:
    for case in cases:
        assert tuple(cue_sensitivity.views(case, (case.gold + 1) % 4)) == cue_sensitivity.CONDITIONS


@pytest.mark.parametrize("condition", cue_sensitivity.TABULAR)
def test_a_cued_table_is_the_part_read_first_and_the_options_come_after(condition: str) -> None:
    view = cue_sensitivity.views(PATIENTS[2], 1)[condition]
    made = cue_sensitivity.prompt(view)
    assert made.case + made.turn == case_text(view)
    assert made.case == (case_text(view) if condition in ("clean", "resampled") else view.stem)


def test_who_reads_months_as_years_flips_by_unit_and_a_missing_value_by_its_word(ask: Callable) -> None:
    def script(request: Request) -> str:
        text = request.messages[-1].text
        return "B" if ("months" in text and "(=" not in text) or "NA" in text else "A"

    frame, _ = ask("cue_sensitivity", script, PATIENTS)
    flips = tables.cue_flips(frame).set_index("condition")
    # 50 to 55 years are 600 to 660 months; only the patient whose sodium is missing has a word recoded
    assert (flips.loc["unit_rescaling", "flips"], flips.loc["unit_rescaling", "n"]) == (6, 6)
    assert (flips.loc["missingness_recode", "flips"], flips.loc["missingness_recode", "n"]) == (1, 1)
    still = ["resampled", "whitespace", "field_order", "precision", "redundancy", "administrative_hint"]
    assert (flips.loc[still, "flips"] == 0).all() and (flips.loc[still, "n"] == 6).all()
    assert flips["holm"].notna().sum() == len(cue_sensitivity.TABULAR) - 3  # all but clean and the two floors
