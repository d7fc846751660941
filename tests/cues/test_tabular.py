"""Tabular cues: what they write, and that it says the very same in exact arithmetic."""

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import support2
from medagents.cues import tabular
from medagents.cues.tabular import Entry
from medagents.types import Case, MedagentsError, View

needs_support2 = pytest.mark.skipif(
    not ((paths.data() or Path("no-data")) / support2.FILE).exists(),
    reason=f"MEDAGENTS_DATA has no {support2.FILE}",
)

SMALL = (
    ("age", "12", "years"),
    ("sex", "female", ""),
    ("temperature", "36.59", "°C"),
    ("creatinine", None, "mg/dL"),
    ("heart rate", "60", "/min"),
)
LONG = "0.1234567890123456789012345678901234567890123456789"
ODD = (
    ("base excess", "-7.5", "mmol/L"),
    ("temperature", "-40", "°C"),
    ("bilirubin", "0", "mg/dL"),
    ("ratio", "-0.0", ""),
    ("creatinine", LONG, "mg/dL"),
    ("age", f"123456789{LONG[1:]}", "years"),
    ("pressure", "-0.05", "mmHg"),
    ("white cells", "+3.20", "×10^9/L"),
    ("albumin", None, "g/dL"),
    ("note", "not clear: see (later)", ""),
)
ALL_MISSING = (("albumin", None, "g/dL"), ("age", None, "years"))
WORDS = (("sex", "male", ""), ("diabetes", "no", ""))
OTHER_UNITS = (("age", "143", "months"), ("temperature", "100", "°F"), ("pressure", "9", "kPa"))
TABLES = {"small": SMALL, "odd": ODD, "all missing": ALL_MISSING, "words": WORDS, "other units": OTHER_UNITS}


def case_of(table: tuple[Entry, ...]) -> Case:
    stem = f"An adult in hospital.\n{tabular.render(table)}\nWill it end well?"
    return Case("t-1", stem, ("Yes", "No"), 0, meta={"table": table})


def written(view: View) -> list[str]:
    """The lines of the table as shown."""
    return view.stem.split("\n")[1:-1]


def random_table(seed: int) -> tuple[Entry, ...]:
    draw = random.Random(seed)
    table = []
    for place in range(draw.randint(1, 12)):
        digits = "".join(draw.choice("0123456789") for _ in range(draw.randint(0, 40)))
        value = f"{draw.choice(['', '-', '+'])}{draw.randint(0, 10**6)}" + (f".{digits}" if digits else "")
        unit = draw.choice([*tabular.SCALES, "/min", ""])
        table.append((f"field {place}", draw.choice([value, value, None]), unit))
    return tuple(table)


def exactly(table: tuple[Entry, ...]) -> dict[str, object]:
    """What a table says, in fractions, by this test's own reading of the entries."""
    said: dict[str, object] = {}
    for field, value, unit in table:
        try:
            said[field] = None if value is None else (Fraction(value), unit)
        except ValueError:
            said[field] = value
    return said


def exactly_read(view: View) -> dict[str, object]:
    """What a view's table says, in fractions: units are turned back by this test's own factors."""
    back = {
        "months": ("years", lambda v: v / 12),
        "°F": ("°C", lambda v: (v - 32) * 5 / 9),
        "cmHg": ("mmHg", lambda v: v * 10),
        "g/L": ("g/dL", lambda v: v / 10),
        "mg/L": ("mg/dL", lambda v: v / 10),
        "cells/µL": ("×10^9/L", lambda v: v / 1000),
    }
    said: dict[str, object] = {}
    for line in written(view):
        field, value = line.split(": ", 1)
        for part in value.strip().removesuffix(")").split(" (= "):
            number, _, unit = part.strip().partition(" ")
            first, turn = back.get(unit, (unit, lambda v: v))
            try:
                found: object = (turn(Fraction(number)), first)
            except ValueError:
                found = None if value.strip() in ("not measured", "NA") else value.strip()
            assert said.setdefault(field, found) == found, line
    return said


@pytest.mark.parametrize("name", tabular.INFORMATION_IDENTICAL)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_cued_table_reads_back_as_the_very_same_values(name: str, table: tuple[Entry, ...]) -> None:
    view = tabular.CUES[name](case_of(table))
    assert tabular.read("\n".join(written(view))) == tabular.meaning(table)
    if table in (SMALL, ALL_MISSING, WORDS):  # the test's own reader knows no brackets in a note
        assert exactly_read(view) == exactly(table)


@pytest.mark.parametrize("name", tabular.INFORMATION_IDENTICAL)
def test_any_table_of_numbers_reads_back_exactly(name: str) -> None:
    for seed in range(200):
        table = random_table(seed)
        assert exactly_read(tabular.CUES[name](case_of(table))) == exactly(table)


@needs_support2
@pytest.mark.parametrize("name", tabular.INFORMATION_IDENTICAL)
def test_every_case_of_support2_reads_back_exactly_under_every_cue(name: str) -> None:
    edited = 0
    for case in cohorts.load("support2"):
        view = tabular.CUES[name](case)
        edited += view.stem != case.stem
        table = view.stem.split("\n")[1:-1]
        assert tabular.read("\n".join(table)) == tabular.meaning(case.meta["table"])
        assert exactly_read(view) == exactly(case.meta["table"])
    with_missing = sum(
        any(value is None for _, value, _ in c.meta["table"]) for c in cohorts.load("support2")
    )
    assert edited == (with_missing if name == "missingness_recode" else 120)


def test_each_cue_writes_the_table_as_it_says() -> None:
    shown = {name: written(cue(case_of(SMALL))) for name, cue in tabular.CUES.items()}
    plain = ["age: 12 years", "sex: female", "temperature: 36.59 °C", "creatinine: not measured"]
    plain.append("heart rate: 60 /min")
    assert tabular.render(SMALL).split("\n") == plain
    assert shown["field_order"] == plain[::-1]
    assert shown["whitespace"] == [line.replace(": ", ":  ") for line in plain]
    # 12 years are 144 months; 36.59 °C are 36.59 * 1.8 + 32 = 97.862 °F
    assert shown["unit_rescaling"] == ["age: 144 months", plain[1], "temperature: 97.862 °F", *plain[3:]]
    assert shown["precision"] == [
        *("age: 12.0 years", plain[1], "temperature: 36.590 °C", plain[3], "heart rate: 60.0 /min")
    ]
    again = ["age: 12 years (= 144 months)", plain[1], "temperature: 36.59 °C (= 97.862 °F)"]
    assert shown["redundancy"] == [*again, *plain[3:]]
    assert shown["missingness_recode"] == [*plain[:3], "creatinine: NA", plain[4]]
    assert shown["administrative_hint"] == [*plain, "bed number: 12"]


@pytest.mark.parametrize(
    ("value", "unit", "other"),
    [
        ("-40", "°C", "-40 °F"),
        ("37", "°C", "98.6 °F"),
        ("0", "°C", "32 °F"),
        ("62.85", "years", "754.2 months"),
        ("388", "mmHg", "38.8 cmHg"),
        ("1.8", "g/dL", "18 g/L"),
        ("0.2", "mg/dL", "2 mg/L"),
        ("17.1", "×10^9/L", "17100 cells/µL"),
        ("0.00000000000000000000000000001", "g/dL", "0.0000000000000000000000000001 g/L"),
    ],
)
def test_units_are_turned_exactly(value: str, unit: str, other: str) -> None:
    assert written(tabular.unit_rescaling(case_of((("x", value, unit),)))) == [f"x: {other}"]


def test_all_but_the_administrative_line_is_information_identical() -> None:
    assert set(tabular.CUES) - set(tabular.INFORMATION_IDENTICAL) == {"administrative_hint"}
    said = tabular.read("\n".join(written(tabular.administrative_hint(case_of(SMALL)))))
    assert said.pop("bed number") == (Fraction(12), "")
    assert said == tabular.meaning(SMALL)


@pytest.mark.parametrize("name", tabular.CUES)
def test_a_cue_touches_the_table_only(name: str) -> None:
    case = case_of(SMALL)
    view = tabular.CUES[name](case)
    assert (view.cue, view.options, view.original) == (name, case.options, (0, 1))
    first, *_, last = view.stem.split("\n")
    assert (first, last) == ("An adult in hospital.", "Will it end well?") and view.stem != case.stem


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("missingness_recode", WORDS),
        ("unit_rescaling", WORDS),
        ("redundancy", ALL_MISSING),
        ("precision", WORDS),
    ],
)
def test_a_cue_with_nothing_to_edit_leaves_the_stem_as_it_is(name: str, table: tuple[Entry, ...]) -> None:
    case = case_of(table)
    assert tabular.CUES[name](case).stem == case.stem


@pytest.mark.parametrize(
    "changed",
    [
        ("temperature: 36.59 °C", "temperature: 36.590000000000000000000000001 °C"),
        ("temperature: 36.59 °C", "temperature: 36.59 °F"),
        ("age: 12 years", "age: 12 months"),
        ("age: 12 years", "age: 13 years"),
        ("sex: female", "sex: male"),
        ("creatinine: not measured", "creatinine: 0 mg/dL"),
        ("heart rate: 60 /min", "heart rate: NA"),
        ("heart rate: 60 /min", "pulse: 60 /min"),
        ("\nheart rate: 60 /min", ""),
    ],
)
def test_the_reader_sees_any_change_of_what_is_said(changed: tuple[str, str]) -> None:
    plain = tabular.render(SMALL)
    assert tabular.read(plain) == tabular.meaning(SMALL)
    assert tabular.read(plain.replace(*changed)) != tabular.meaning(SMALL)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("age 12", "no entry"),
        ("age: ", "no entry"),
        ("age:  ", "no entry"),
        ("age: 12 years\nage: 12 years", "stands twice"),
        ("age: 12 years (= 143 months)", "not the same"),
        ("age: 12 years (= 12 °F)", "not the same"),
    ],
)
def test_a_table_that_cannot_be_read_or_contradicts_itself_is_an_error(text: str, says: str) -> None:
    with pytest.raises(MedagentsError, match=says):
        tabular.read(text)


def test_digits_of_another_script_are_words_and_turned_into_no_other_unit() -> None:
    table = (("age", "\uff11\uff12", "years"), ("weight", "\u0663", "g/dL"), ("sodium", "129", "mmol/L"))
    said = tabular.read(tabular.render(table))
    assert said == tabular.meaning(table)
    assert said["age"] == "\uff11\uff12 years" and said["sodium"] == (Fraction(129), "mmol/L")
    assert written(tabular.unit_rescaling(case_of(table))) == tabular.render(table).split("\n")


@pytest.mark.parametrize("name", tabular.CUES)
@pytest.mark.parametrize(
    ("table", "says"),
    [
        ((("state", "NA", ""),), "state would no longer say the same"),
        ((("state", "not measured", ""),), "state would no longer say the same"),
        ((("state", "2 or more", "/min"),), "state would no longer say the same"),
        ((("time: in days", "2", ""),), "would no longer say the same"),
        ((("age", "", ""),), "no entry"),
        ((("age", "2", "years"), ("age", "3", "years")), "stands twice"),
    ],
)
def test_a_table_that_would_read_back_otherwise_gives_no_view(
    name: str, table: tuple[Entry, ...], says: str
) -> None:
    with pytest.raises(MedagentsError, match=says):
        tabular.CUES[name](case_of(table))


@pytest.mark.parametrize("cue", tabular.CUES.values(), ids=tabular.CUES)
def test_a_case_without_table_or_with_another_in_its_stem_is_an_error(
    cue: Callable[[Case], View], cases: tuple[Case, ...]
) -> None:
    with pytest.raises(MedagentsError, match="toy-1 has no table"):
        cue(cases[0])
    with pytest.raises(MedagentsError, match="t-1: its stem does not show its table"):
        cue(Case("t-1", "age: 13 years\nWell?", ("Yes", "No"), 0, meta={"table": (("age", "12", "years"),)}))
