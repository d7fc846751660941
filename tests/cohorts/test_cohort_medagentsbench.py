"""MedAgentsBench's hard subsets on small files of our own in the published format, and the real ones."""

import json
from collections import Counter
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import Selection, medagentsbench
from medagents.types import MedagentsError

DATA = paths.data() or Path("no-data")
needs_data = pytest.mark.skipif(
    not (DATA / medagentsbench.file_of("medqa")).exists(), reason="MEDAGENTS_DATA has no medagentsbench"
)


def row(**changes: object) -> dict[str, object]:
    record = {
        "realidx": 7,
        "question": "Which vitamin does a sailor without fruit lack?",
        "options": {"A": "Vitamin D", "B": "Vitamin C", "C": "Vitamin K"},
        "answer_idx": "B",
        "answer": "Vitamin C",
    }
    return {**record, **changes}


def made(folder: Path, *rows: dict[str, object], name: str = "medqa") -> Selection:
    file = folder / "test_hard.jsonl"
    file.write_text("".join(json.dumps(entry) + "\n" for entry in rows), encoding="utf-8")
    return medagentsbench.read(name, file)


def test_a_row_becomes_a_case_with_the_id_of_its_origin(tmp_path: Path) -> None:
    (case,) = made(tmp_path, row(realidx="Text-3"), name="medxpertqa-r").cases
    assert (case.id, case.gold, case.meta["set"]) == ("mab-medxpertqa-r-Text-3", 1, "medxpertqa-r")
    assert case.options == ("Vitamin D", "Vitamin C", "Vitamin K")


def test_options_repeated_at_the_end_of_a_question_are_cut_off(tmp_path: Path) -> None:
    question = "Which dose?\nAnswer Choices: (A) 50 Gy (B) 60 Gy"
    (case,) = made(tmp_path, row(question=question)).cases
    assert case.stem == "Which dose?"


def test_mmlu_counts_within_a_subject_so_the_subject_is_in_the_id(tmp_path: Path) -> None:
    other = row(subject="college medicine", question="Which mineral does a sailor without milk lack?")
    rows = (row(subject="anatomy"), other)
    ids = [case.id for case in made(tmp_path, *rows, name="mmlu").cases]
    assert ids == ["mab-mmlu-anatomy-7", "mab-mmlu-college_medicine-7"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"answer": "Vitamin K"}, "answer text is not the option of the answer letter"),
        ({"options": {"A": "vitamin c", "B": "Vitamin C", "C": "Iron"}}, "duplicate options"),
        ({"options": {"A": "All of the above", "B": "Vitamin C"}}, "an option refers to others"),
        ({"question": " "}, "empty stem"),
        ({"question": "x" * 1501}, "stem over 1500 characters"),
    ],
)
def test_unfit_rows_are_refused_with_a_reason(tmp_path: Path, changes: dict, reason: str) -> None:
    selection = made(tmp_path, row(**changes))
    assert not selection.cases
    assert [(entry.reason, entry.line) for entry in selection.refused] == [(reason, 1)]


def test_a_question_that_stands_twice_is_taken_once(tmp_path: Path) -> None:
    selection = made(tmp_path, row(), row(realidx=8))
    assert [case.id for case in selection.cases] == ["mab-medqa-7"]
    assert [(entry.id, entry.line) for entry in selection.refused] == [("mab-medqa-8", 2)]


@pytest.mark.parametrize(
    "changes",
    [
        {"options": ["Vitamin D", "Vitamin C"]},
        {"options": {"A": "Vitamin D", "C": "Vitamin C"}},
        {"options": {"A": "Vitamin D", "B": 5}},
        {"answer_idx": "E"},
        {"realidx": None},
    ],
)
def test_a_broken_format_stops_the_load_and_names_file_and_line(tmp_path: Path, changes: dict) -> None:
    with pytest.raises(MedagentsError, match=r"test_hard\.jsonl, line 2: "):
        made(tmp_path, row(), row(**{"realidx": 8, "question": "Which?", **changes}))


def test_one_id_with_two_questions_stops_the_load(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match="line 2: id mab-medqa-7 stands above too"):
        made(tmp_path, row(), row(question="Which mineral?"))


@needs_data
def test_sets_take_turns_and_sizes_are_the_published_ones() -> None:
    found = cohorts.load("medagentsbench")
    assert [case.meta["set"] for case in found[:7]] == list(medagentsbench.SETS)
    rows = Counter(case.meta["set"] for case in found)
    left = Counter(entry.id.split("-", 1)[1] for entry in cohorts.refused("medagentsbench"))
    assert len(found) + sum(left.values()) == 673  # 6 x 100 and 73 (the data set's own description)
    assert all(len(case.options) == 10 for case in found if case.meta["set"].startswith("medxpertqa"))
    assert rows["pubmedqa"] == sum(case.options == ("yes", "no", "maybe") for case in found)
