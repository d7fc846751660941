"""The readers of each data set, on small files of our own in the published formats."""

import json
from pathlib import Path

import pytest

from medagents.cohorts import MissingData, medmcqa, medqa, mmlu_medical, vignettes
from medagents.cohorts.records import digest, refers_to_options
from medagents.types import Case, MedagentsError


def write_lines(file: Path, *records: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


def medqa_record(**changes: object) -> dict:
    letters = dict(zip("ABCDE", ("a1", "b1", "c1", "d1", "e1"), strict=True))
    record = {"question": "Cause of calf pain?", "options": letters, "answer": "e1", "answer_idx": "E"}
    return {**record, **changes}


def medmcqa_record(id: str = "m-1", cop: object = 1, **changes: object) -> dict:
    record = {"id": id, "question": "Which vessel?", "cop": cop, "exp": None, "choice_type": "multi"}
    return {**record, "opa": "aorta", "opb": "vena cava", "opc": "portal", "opd": "renal", **changes}


# MedQA


def test_medqa_reads_five_options_and_logs_broken_records_by_line(tmp_path: Path) -> None:
    four = {"A": "a", "B": "b", "C": "c", "D": "d"}
    file = write_lines(
        tmp_path / "test.jsonl",
        medqa_record(),
        medqa_record(question="", options=four, answer="b", answer_idx="B"),
        medqa_record(question="Next step?", options=four, answer="c", answer_idx="B"),
    )
    selection = medqa.read(file)
    (case,) = selection.cases
    assert (case.id, case.gold, len(case.options)) == ("medqa-0", 4, 5)
    assert [(r.id, r.line, r.reason) for r in selection.refused] == [
        ("medqa-1", 2, "empty stem"),
        ("medqa-2", 3, "answer text is not the option of the answer letter"),
    ]


def test_medqa_strips_padded_options_and_still_matches_the_answer(tmp_path: Path) -> None:
    letters = {"A": "opsonin  ", "B": " lysis"}
    file = write_lines(
        tmp_path / "t.jsonl", medqa_record(options=letters, answer="opsonin  ", answer_idx="A")
    )
    assert medqa.read(file).cases[0].options == ("opsonin", "lysis")


def test_medqa_options_follow_their_letters_not_their_place_in_the_file(tmp_path: Path) -> None:
    letters = {"B": "second", "A": "first"}
    file = write_lines(tmp_path / "t.jsonl", medqa_record(options=letters, answer="second", answer_idx="B"))
    case = medqa.read(file).cases[0]
    assert (case.options, case.gold) == (("first", "second"), 1)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"answer_idx": "F"}, "answer letter 'F' is not one of ABCDE"),
        ({"answer_idx": ""}, "answer letter '' is not one of ABCDE"),
        ({"answer_idx": 4}, "'answer_idx' is int, not text"),
        ({"options": {}}, "'options' is not a non-empty object"),
        ({"options": ["a", "b"]}, "'options' is not a non-empty object"),
        ({"options": {"A": "a", "C": "c"}}, "option letters A, C do not run from A"),
        ({"options": {"A": "a", "B": None}}, "an option is not text"),
    ],
)
def test_a_malformed_medqa_record_stops_the_load_with_file_and_line(
    tmp_path: Path, changes: dict, says: str
) -> None:
    file = write_lines(tmp_path / "t.jsonl", medqa_record(), medqa_record(**changes))
    with pytest.raises(MedagentsError) as error:
        medqa.read(file)
    assert f"{file}, line 2: {says}" in str(error.value)
    assert ";" in str(error.value) and "\n" not in str(error.value)


def test_a_cohort_whose_case_is_refused_says_which(tmp_path: Path) -> None:
    write_lines(tmp_path / "medqa" / "test.jsonl", medqa_record(), medqa_record(question=" "))
    with pytest.raises(MedagentsError, match="medqa-1 is absent or refused"):
        medqa.cascade(tmp_path)


# JSON lines in general


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"question": "x"\n', "line 1: not JSON"),
        (b'\n\n["x"]\n', "line 3: not a JSON object"),
        (b'{"question": "x"}\n', "line 1: no key 'options'"),
        (b"\xff\xfe", "byte 0: not UTF-8"),
    ],
)
def test_a_broken_json_lines_file_is_named_with_its_line(tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(content)
    with pytest.raises(MedagentsError) as error:
        medqa.read(file)
    assert str(file) in str(error.value) and says in str(error.value)
    assert "\n" not in str(error.value)


def test_bom_crlf_blank_lines_and_unicode_line_separators_do_not_disturb_a_file(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    first = json.dumps(medqa_record(question="Pain\u2028and fever?"), ensure_ascii=False)
    second = json.dumps(medqa_record())
    file.write_bytes(f"\ufeff{first}\r\n\r\n{second}\r\n".encode())
    assert [case.id for case in medqa.read(file).cases] == ["medqa-0", "medqa-1"]
    assert medqa.read(file).cases[0].stem == "Pain\u2028and fever?"


def test_a_missing_file_is_missing_data(tmp_path: Path) -> None:
    with pytest.raises(MissingData):
        medqa.read(tmp_path / "none.jsonl")


# MedMCQA


def gold_options(tmp_path: Path, *cops: int, base: int | None = None) -> list[int]:
    records = [medmcqa_record(f"m-{place}", cop) for place, cop in enumerate(cops)]
    return [case.gold for case in medmcqa.read(write_lines(tmp_path / "dev.json", *records), base).cases]


def test_medmcqa_reads_off_the_file_whether_cop_counts_from_0_or_1(tmp_path: Path) -> None:
    assert gold_options(tmp_path, 0, 3) == [0, 3]
    assert gold_options(tmp_path, 4, 1) == [3, 0]


@pytest.mark.parametrize(
    ("cops", "says"),
    [
        ((1, 2, 3), "base must be given"),
        ((0, 4), "mixed"),
        ((-1,), "hidden label"),
        ((1, 4, -1), "hidden label"),
        ((7,), "names none of four options"),
        ((), "no record"),
    ],
)
def test_medmcqa_refuses_a_file_whose_answers_cannot_be_placed(
    tmp_path: Path, cops: tuple[int, ...], says: str
) -> None:
    with pytest.raises(MedagentsError, match=says) as error:
        gold_options(tmp_path, *cops)
    assert str(tmp_path / "dev.json") in str(error.value)


def test_a_given_base_decides_and_is_held_to(tmp_path: Path) -> None:
    assert gold_options(tmp_path, 1, 2, 3, base=1) == [0, 1, 2]
    assert gold_options(tmp_path, 1, 2, 3, base=0) == [1, 2, 3]
    with pytest.raises(MedagentsError, match="line 2: 'cop' 4 is no option in this base"):
        gold_options(tmp_path, 1, 4, base=0)
    with pytest.raises(MedagentsError, match="base 2 is not 0 or 1"):
        gold_options(tmp_path, 1, base=2)


@pytest.mark.parametrize("cop", [None, "1", True, 1.0])
def test_a_cop_that_is_no_whole_number_stops_the_load(tmp_path: Path, cop: object) -> None:
    file = write_lines(tmp_path / "dev.json", medmcqa_record(cop=cop))
    with pytest.raises(MedagentsError, match=r"line 1: 'cop' is .* not an option number"):
        medmcqa.read(file)


def test_a_repeated_id_names_both_lines_even_when_one_record_is_refused(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "dev.json", medmcqa_record(cop=1, opb="aorta"), medmcqa_record(cop=4), medmcqa_record("z")
    )
    with pytest.raises(MedagentsError, match="line 2: id 'm-1' stands in line 1 too"):
        medmcqa.read(file)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"opb": " Aorta "}, "duplicate options"),
        ({"opd": "All of the above"}, "an option refers to other options"),
        ({"opd": ""}, "empty option"),
        ({"question": "Diagnosis in the CT shown below?"}, "the stem points at a figure or table"),
        ({"question": "x" * 401}, "stem over 400 characters"),
        ({"opa": "y" * 301}, "options over 300 characters"),
    ],
)
def test_medmcqa_logs_an_unfit_record_with_line_and_reason(
    tmp_path: Path, changes: dict, reason: str
) -> None:
    file = write_lines(tmp_path / "dev.json", medmcqa_record("ok", 4), medmcqa_record("bad", 1, **changes))
    selection = medmcqa.read(file)
    assert [case.id for case in selection.cases] == ["ok"]
    (entry,) = selection.refused
    assert (entry.id, entry.line) == ("bad", 2) and entry.reason.startswith(reason)


def test_html_entities_are_kept_and_flagged(tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "dev.json", medmcqa_record("e", 4, opa="pH &lt; 7"), medmcqa_record("p", 1, opa="A&E ward")
    )
    flagged, plain = medmcqa.read(file).cases
    assert flagged.options[0] == "pH &lt; 7"
    assert (flagged.meta["entities"], plain.meta["entities"]) == (True, False)


def test_the_cohort_takes_published_ids_first_whatever_their_place_in_the_file(tmp_path: Path) -> None:
    last, second = medmcqa.first_ids()[:2]
    others = [medmcqa_record(f"other-{place}", 4) for place in range(120)]
    write_lines(tmp_path / "medmcqa" / "dev.json", *others, medmcqa_record(second), medmcqa_record(last))
    ids = [case.id for case in medmcqa.cohort(tmp_path).cases]
    assert ids[:2] == [last, second]
    assert len(set(ids)) == medmcqa.SIZE


# MMLU


def write_mmlu(folder: Path, subject: str, rows: str) -> None:
    file = folder / "mmlu_medical" / f"{subject}_test.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(rows, encoding="utf-8")


def mmlu_rows(subject: str, count: int) -> str:
    return "".join(f"{subject} question {place}?,one,two,three,four,B\n" for place in range(count))


def test_mmlu_keeps_none_and_na_as_text_and_reads_quoted_newlines(tmp_path: Path) -> None:
    file = tmp_path / "anatomy_test.csv"
    file.write_text('"Which nerve,\nif any?",NA,"left, right",ulnar,median,C\nNext?,NA,a,b,c,A\n')
    first, second = mmlu_medical.read(file, "anatomy").cases
    assert first.stem == "Which nerve,\nif any?"
    assert first.options == ("NA", "left, right", "ulnar", "median")
    assert (first.id, second.id, second.meta["line"]) == ("mmlu-anatomy-0", "mmlu-anatomy-1", 3)
    assert second.gold == 0


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Nerve?,None,a,b,c,A", "an option refers to other options"),
        ("Ratio?,30:02:00,1:01,5:02,9:01,A", "an option is a ratio turned into a time of day"),
        ("Twice?,a,A ,b,c,A", "duplicate options"),
        (f"{'s' * 341},a,b,c,d,A", "stem over 340 characters"),
        (f"Long?,{'o' * 241},b,c,d,A", "options over 240 characters"),
    ],
)
def test_mmlu_logs_an_unfit_record(tmp_path: Path, row: str, reason: str) -> None:
    file = tmp_path / "anatomy_test.csv"
    file.write_text(row + "\n")
    assert [entry.reason for entry in mmlu_medical.read(file, "anatomy").refused] == [reason]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("Q?,a,b,c,D", "line 2: 5 columns, 6 needed"),
        ("Q?,a,b,c,d,E", "line 2: answer letter 'E' is not one of ABCD"),
        ("Q?,a,b,c,d,AB", "line 2: answer letter 'AB'"),
        ('"Q?,a,b,c,d,A', "line 2: unexpected end of data"),
    ],
)
def test_a_malformed_mmlu_row_stops_the_load_with_file_and_line(tmp_path: Path, row: str, says: str) -> None:
    file = tmp_path / "anatomy_test.csv"
    file.write_text("Fine?,a,b,c,d,A\n" + row)
    with pytest.raises(MedagentsError) as error:
        mmlu_medical.read(file, "anatomy")
    assert f"{file}, {says}" in str(error.value)


def test_every_prefix_of_mmlu_is_balanced_and_a_shared_question_counts_once(tmp_path: Path) -> None:
    for subject in mmlu_medical.SUBJECTS:
        write_mmlu(tmp_path, subject, mmlu_rows(subject, 21))
    shared = mmlu_rows("clinical_knowledge", 1)
    write_mmlu(tmp_path, "college_medicine", shared + mmlu_rows("college_medicine", 20))
    selection = mmlu_medical.cohort(tmp_path)
    subjects = [case.meta["subject"] for case in selection.cases]
    assert subjects == [*mmlu_medical.SUBJECTS] * 20
    (entry,) = selection.refused
    assert (entry.id, entry.detail) == ("mmlu-college_medicine-0", "mmlu-clinical_knowledge-0")


def test_a_subject_with_too_few_eligible_records_is_named(tmp_path: Path) -> None:
    for subject in mmlu_medical.SUBJECTS:
        write_mmlu(tmp_path, subject, mmlu_rows(subject, 19))
    with pytest.raises(MedagentsError, match=r"anatomy_test\.csv: 19 eligible, 20 needed"):
        mmlu_medical.cohort(tmp_path)


# Vignettes


def vignette(**changes: object) -> dict:
    record = {"id": "v-1", "specialty": "cardiology", "stem": "Chest pain?", "options": ["a", "b", "c", "d"]}
    return {**record, "gold": 2, "distractor": 0, "fact": "f", **changes}


def test_vignettes_keep_what_they_know_besides_in_meta(tmp_path: Path) -> None:
    write_lines(tmp_path / "cases.jsonl", vignette())
    (case,) = vignettes.cohort(tmp_path).cases
    assert (case.gold, case.options) == (2, ("a", "b", "c", "d"))
    assert case.meta == {"specialty": "cardiology", "distractor": 0, "fact": "f"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gold": 4}, "gold 4 is not an option index"),
        ({"gold": "C"}, "gold 'C' is not an option index"),
        ({"options": []}, "gold 2 is not an option index"),
        ({"options": "abcd"}, "'options' is not a list of texts"),
        ({"options": ["a", "A", "c"]}, "duplicate options"),
        ({"distractor": 2}, "distractor 2 is not a wrong option"),
        ({"stem": "  "}, "empty stem"),
        ({"id": ""}, "'id' is empty"),
        ({"id": "v-0"}, "id 'v-0' stands in line 1 too"),
    ],
)
def test_a_vignette_with_a_fault_stops_the_load(tmp_path: Path, changes: dict, says: str) -> None:
    file = write_lines(tmp_path / "cases.jsonl", vignette(id="v-0"), vignette(**changes))
    with pytest.raises(MedagentsError) as error:
        vignettes.cohort(tmp_path)
    assert f"{file}, line 2: {says}" in str(error.value)


# Shared rules


MEANING_OTHERS = """\
All of the above|none of above.|Both|None|A and C|Both (A) & (C)|Both 1 and 2|Both AB|A,B
Any of the above|a, b true c,d false|all three structures.|d)\tNone of the above
First can be any of the above"""

OF_THEIR_OWN = """\
Twisting of the spermatic cord|Age above 50 years|Both kidneys|Vitamin A and D|E. coli
A&E ward|98% or above.|Hepatitis B core antibody|I and III only|All nucleated cells
C-reactive protein|A or E globulins"""


def listed(text: str) -> list[str]:
    return text.replace("\n", "|").split("|")


@pytest.mark.parametrize("option", listed(MEANING_OTHERS))
def test_options_that_mean_other_options_are_found(option: str) -> None:
    assert refers_to_options(option)


@pytest.mark.parametrize("option", listed(OF_THEIR_OWN))
def test_options_with_a_meaning_of_their_own_stay(option: str) -> None:
    assert not refers_to_options(option)


def test_the_digest_sees_text_and_order_of_options_but_not_the_answer() -> None:
    case = Case("x", "Stem?", ("a", "b"), 0)
    assert digest(case) == digest(Case("y", "Stem?", ("a", "b"), 1))
    others = (Case("x", "Stem", ("a", "b"), 0), Case("x", "Stem?", ("b", "a"), 1))
    assert digest(case) not in map(digest, others)
