"""SUPPORT2: the unnamed first field, what is left out, and the published cases."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import support2
from medagents.types import MedagentsError

DATA = paths.data() or Path("no-data")
RESULTS = (paths.artefacts() or Path("no-artefacts")) / "experiments" / "support2" / "results"
needs_data = pytest.mark.skipif(
    not (DATA / support2.FILE).exists(), reason=f"MEDAGENTS_DATA has no {support2.FILE}"
)
needs_rows = pytest.mark.skipif(not RESULTS.exists(), reason="MEDAGENTS_ARTEFACTS has no support2 rows")

HEADER = (
    "age,death,sex,hospdead,slos,d.time,dzgroup,dzclass,num.co,edu,income,scoma,charges,totcst,totmcst,"
    "avtisst,race,sps,aps,surv2m,surv6m,hday,diabetes,dementia,ca,prg2m,prg6m,dnr,dnrday,meanbp,wblc,hrt,"
    "resp,temp,pafi,alb,bili,crea,sod,ph,glucose,bun,urine,adlp,adls,sfdm2,adlsc"
)


def patient(number: object, hospdead: object = 0, **changes: str) -> list[str]:
    """A made-up row as published: an unnamed number first, fields padded, values as short fractions."""
    row = dict.fromkeys(HEADER.split(","), "")
    row |= {"age": " 71.49600", "sex": "female", "hospdead": str(hospdead), "dzgroup": "CHF", "num.co": "3"}
    row |= {"diabetes": "1", "dementia": "0", "ca": "yes", "scoma": "  0", "temp": " 37.39844", "sod": "129"}
    row |= {"death": "1", "surv2m": " 0.4711914062", "sps": " 88.8789062", "charges": " 66666.000"}
    row |= {"crea": " 1.19995117", "meanbp": " 61.0", "alb": "", **changes}
    return [str(number), *row.values()]


def file_of(folder: Path, *rows: list[str], header: str = HEADER) -> Path:
    file = folder / support2.FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([header, *(",".join(row) for row in rows)]) + "\n")
    return file


def test_values_stay_in_their_columns_though_the_first_field_has_no_name(tmp_path: Path) -> None:
    (case,) = support2.read(file_of(tmp_path, patient(7, 1))).cases
    assert (case.id, case.gold, case.options[1]) == ("support2-7", 1, "Dies in hospital")
    shown = {field: (value, unit) for field, value, unit in case.meta["table"]}
    assert shown["age"] == ("71.5", "years") and shown["temperature"] == ("37.4", "°C")
    assert shown["creatinine"] == ("1.2", "mg/dL") and shown["mean arterial pressure"] == ("61", "mmHg")
    assert shown["sex"] == ("female", "") and shown["cancer"] == ("yes, not metastatic", "")
    assert shown["diabetes"] == ("yes", "") and shown["dementia"] == ("no", "")


def test_the_stem_says_every_entry_on_a_line_of_its_own_and_names_what_is_missing(tmp_path: Path) -> None:
    (case,) = support2.read(file_of(tmp_path, patient(7))).cases
    lines = case.stem.split("\n")
    assert len(lines) == len(support2.FIELDS) + 2
    assert "sodium: 129 mmol/L" in lines and "main disease: congestive heart failure" in lines
    assert "serum albumin: not measured" in lines and "coma score (0 awake, 100 deepest): 0" in lines
    assert lines[-1] == "Will this patient survive to hospital discharge?"


def test_nothing_of_a_leaking_column_is_in_the_stem(tmp_path: Path) -> None:
    plain = support2.read(file_of(tmp_path, patient(7))).cases
    for column in support2.LEAKS - {"hospdead"}:
        changed = file_of(tmp_path, patient(7, **{column: "4711"}))
        assert support2.read(changed).cases == plain, column
    assert support2.read(file_of(tmp_path, patient(7, 1))).cases[0].stem == plain[0].stem


def test_every_column_is_either_shown_or_left_out_for_a_stated_reason() -> None:
    parts = [{shown.column for shown in support2.FIELDS}, set(support2.LEAKS), set(support2.NOT_SHOWN)]
    assert Counter(name for part in parts for name in part) == Counter(["index", *HEADER.split(",")])
    assert len(support2.LEAKS) == 19  # the paper's count, section 4.2


@pytest.mark.parametrize(
    ("cell", "value"),
    [("39.68500", "39.69"), ("266.62500", "266.62"), (" 0.0000", "0"), ("120", "120"), ("1.0049", "1")],
)
def test_values_are_rounded_to_two_decimals_as_in_the_published_cases(
    tmp_path: Path, cell: str, value: str
) -> None:
    (case,) = support2.read(file_of(tmp_path, patient(1, age=cell))).cases
    assert case.meta["table"][0] == ("age", value, "years")


def test_a_row_without_outcome_is_refused_by_line(tmp_path: Path) -> None:
    selection = support2.read(file_of(tmp_path, patient(1), patient(2, "")))
    assert len(selection.cases) == 1
    assert [(r.id, r.line, r.reason) for r in selection.refused] == [("support2-2", 3, "no outcome")]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (patient(1, 2), "line 2: hospdead '2' is neither 0 nor 1"),
        (patient("a"), "line 2: first field 'a' is not the row's number"),
        (patient(1)[1:], "line 2: 47 columns, 48 needed"),
        (patient(1, dzgroup="Gout"), "line 2: dzgroup 'Gout' is none of ARF/MOSF w/Sepsis"),
        (patient(1, temp="warm"), "line 2: temp 'warm' is no number"),
        (patient(1, temp="nan"), "line 2: temp 'nan' is no number"),
        (patient(1, age="-5"), "line 2: age '-5' is no number of 0 or more"),
        (patient(1, age="6_2"), "line 2: age '6_2' is no number"),
        (patient(1, sod="1e2"), "line 2: sod '1e2' is no number"),
        (patient(1, crea="\u0663"), "line 2: crea '\u0663' is no number"),
        (patient("\u0663"), "line 2: first field '\u0663' is not the row's number"),
    ],
)
def test_a_row_that_breaks_the_format_stops_the_load(tmp_path: Path, row: list[str], says: str) -> None:
    with pytest.raises(MedagentsError, match=says):
        support2.read(file_of(tmp_path, row))


def test_a_row_twice_or_no_row_at_all_stops_the_load(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match="line 4: row 1 stands in line 2 too"):
        support2.read(file_of(tmp_path, patient(1), patient(2), patient(1, 1)))
    with pytest.raises(MedagentsError, match=r"support2\.csv: no row"):
        support2.read(file_of(tmp_path))


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (f"id,{HEADER}", "column 'id' where 'age' is needed"),
        (HEADER.replace("sod,ph", "ph,sod"), "column 'ph' where 'sod' is needed"),
        (HEADER.removesuffix(",adlsc"), "column None where 'adlsc' is needed"),
        (f"{HEADER},", "column '' where None is needed"),
    ],
)
def test_another_header_stops_the_load(tmp_path: Path, header: str, says: str) -> None:
    with pytest.raises(MedagentsError, match=f"line 1: {says}"):
        support2.read(file_of(tmp_path, patient(1), header=header))


def test_outcomes_take_turns_so_that_any_even_prefix_is_balanced(tmp_path: Path) -> None:
    rows = [patient(n, int(n > 70)) for n in range(1, 141)]
    cases = support2.cohort(file_of(tmp_path, *rows).parent.parent).cases
    assert [case.id for case in cases[:4]] == ["support2-1", "support2-71", "support2-2", "support2-72"]
    assert len(cases) == 120 and all(case.gold == place % 2 for place, case in enumerate(cases))


def test_too_few_deaths_are_an_error(tmp_path: Path) -> None:
    file = file_of(tmp_path, *(patient(n, int(n > 61)) for n in range(1, 121)))
    with pytest.raises(MedagentsError, match="59 patients of an outcome, 60 needed"):
        support2.cohort(file.parent.parent)


@needs_data
def test_the_cohort_is_sixty_survivors_and_sixty_deaths_short_enough_to_read() -> None:
    cases = cohorts.load("support2")
    assert Counter(case.gold for case in cases) == {0: 60, 1: 60} and not cohorts.refused("support2")
    assert max(len(case.stem) for case in cases) < 700
    assert all(len(case.meta["table"]) == len(support2.FIELDS) for case in cases)


@needs_data
def test_the_file_has_9105_patients_of_whom_2360_died_in_hospital() -> None:
    cases = support2.read(DATA / support2.FILE).cases
    assert Counter(case.gold for case in cases) == {0: 6745, 1: 2360}  # the release's own counts


@needs_data
@needs_rows
@pytest.mark.parametrize("name", ["solo", "cascade", "cascade_strength", "referee_judge"])
def test_the_cohort_holds_just_the_cases_of_the_published_rows(name: str) -> None:
    lines = (RESULTS / f"support2_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    published = {row["case_id"]: row["ground_truth"] for row in map(json.loads, lines)}
    assert {case.id: case.options[case.gold] for case in cohorts.load("support2")} == published
    assert len(lines) == 120


@needs_data
@needs_rows
def test_every_number_shown_is_the_one_the_authors_showed() -> None:
    with (RESULTS / "support2_manifest.csv").open(encoding="utf-8", newline="") as stream:
        published = {row["case_id"]: row for row in csv.DictReader(stream)}
    compared = 0
    for case in cohorts.load("support2"):
        theirs = published[case.id]
        assert case.options == tuple(json.loads(theirs["options"]))
        values = {entry["key"]: entry["value"] for entry in json.loads(theirs["meta"])["fields"]}
        for shown, (_, value, _) in zip(support2.FIELDS, case.meta["table"], strict=True):
            if not shown.words:
                assert value == values.get(shown.column), (case.id, shown.column)
                compared += value is not None
    assert compared > 120 * 10
