"""The reader of the authors' rows on a release of our own: sound, missing, cut short, edited."""

import hashlib
import json

import pandas as pd
import pytest

from medagents import paths
from medagents.audit import rows
from medagents.audit.rows import Rows
from medagents.types import MedagentsError

RECORDS = [
    {"case_id": "medqa-2", "arm": "planted", "adopted": True, "inner": {"board": "Iron"}},
    {"case_id": "medqa-2::clean", "arm": "clean", "adopted": False, "inner": {"board": "Zinc"}},
    {"case_id": "medqa-7", "arm": "planted", "adopted": None, "inner": {"board": None}},
]
FILE = "toy/results/rows.jsonl"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder with one pinned file of three rows."""
    file = tmp_path / "experiments" / FILE
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    known = pd.DataFrame(
        {"path": [FILE], "rows": [3], "sha256": [hashlib.sha256(file.read_bytes()).hexdigest()]}
    )
    monkeypatch.setattr(rows, "pinned", lambda: known.set_index("path"))
    return tmp_path


def test_sound_rows_are_a_table_with_case_and_nested_fields(release):
    table = Rows(release).table(FILE)
    assert table["case"].tolist() == ["medqa-2", "medqa-2", "medqa-7"]
    assert table["cluster"].tolist() == table["case"].tolist()
    assert table["inner.board"].tolist()[:2] == ["Iron", "Zinc"]
    assert table["adopted"].isna().tolist() == [False, False, True]


def test_a_table_handed_out_can_be_changed_without_harm(release):
    found = Rows(release)
    table = found.table(FILE)
    table["arm"] = "changed"
    assert found.table(FILE)["arm"].tolist() == ["planted", "clean", "planted"]


@pytest.mark.parametrize(
    ("image", "cluster"),
    [
        ("00000013_004.png", "00000013"),
        ("CheXpert-v1.0-small/train/patient06792/study1/view1_frontal.jpg", "patient06792"),
        ("medqa-13", "medqa-13"),
    ],
)
def test_the_cluster_is_the_patient_that_an_image_names(release, image, cluster):
    (release / "experiments" / FILE).write_text(json.dumps({"case_id": image}) + "\n", encoding="utf-8")
    assert Rows(release, pinned=False).table(FILE)["cluster"].tolist() == [cluster]


def test_a_missing_file_is_named_with_its_remedy(release):
    (release / "experiments" / FILE).unlink()
    with pytest.raises(MedagentsError, match=r"rows\.jsonl: no such file; .*fetch benchmaxxing"):
        Rows(release).table(FILE)


def test_a_truncated_file_says_how_much_is_left(release):
    file = release / "experiments" / FILE
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"rows\.jsonl: 2 of 3 lines, truncated .*fetch benchmaxxing"):
        Rows(release).table(FILE)


@pytest.mark.parametrize("lost", [1, 10, 30])
def test_a_file_that_keeps_its_number_of_lines_but_not_its_end_is_truncated_and_not_edited(release, lost):
    file = release / "experiments" / FILE
    file.write_bytes(file.read_bytes()[:-lost])
    with pytest.raises(MedagentsError, match=r"rows\.jsonl: cut within its last line, truncated \(SHA-256"):
        Rows(release).table(FILE)


def test_a_line_ends_at_a_newline_and_nowhere_else(release):
    file = release / "experiments" / FILE
    said = "one\u2028two\u0085three\x0bfour\x1cfive"
    lines = [json.dumps({"case_id": name, "reply": said}, ensure_ascii=False) for name in ("a", "b")]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # JSON has control characters escaped; those that Python alone takes for line breaks may stand bare.
    table = Rows(release, pinned=False).table(FILE)
    assert table["case"].tolist() == ["a", "b"] and set(table["reply"]) == {said}


def test_bytes_that_are_no_text_are_refused_where_edits_are_meant(release):
    file = release / "experiments" / FILE
    file.write_bytes(file.read_bytes().replace(b"Zinc", b"Z\xffnc"))
    with pytest.raises(MedagentsError, match=r"rows\.jsonl: byte \d+ is not UTF-8"):
        Rows(release, pinned=False).table(FILE)


def test_one_changed_cell_is_an_edit_unless_it_is_meant(release):
    file = release / "experiments" / FILE
    file.write_text(file.read_text(encoding="utf-8").replace("true", "false"), encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"rows\.jsonl: edited \(SHA-256 .*--unpinned"):
        Rows(release).table(FILE)
    assert Rows(release, pinned=False).table(FILE)["adopted"].tolist()[:2] == [False, False]


def test_a_file_that_ends_within_a_record_is_damaged_even_where_edits_are_meant(release):
    file = release / "experiments" / FILE
    file.write_text(file.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"rows\.jsonl:3: not JSON"):
        Rows(release, pinned=False).table(FILE)


@pytest.mark.parametrize("content", ["", "[1, 2]\n"])
def test_an_empty_or_foreign_file_is_refused(release, content):
    (release / "experiments" / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"rows\.jsonl"):
        Rows(release, pinned=False).table(FILE)


def test_a_file_that_is_not_pinned_is_refused(release):
    other = release / "experiments" / "toy/results/other.csv"
    other.write_text("case_index,adopted\n0,1\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"other\.csv: no file that the audit knows"):
        Rows(release).table("toy/results/other.csv")
    assert Rows(release, pinned=False).table("toy/results/other.csv")["case"].tolist() == ["0"]


def test_no_folder_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.delenv("MEDAGENTS_ARTEFACTS", raising=False)
    for folder in (None, tmp_path):
        with pytest.raises(MedagentsError, match="fetch benchmaxxing"):
            Rows(folder)


def test_the_folder_is_that_of_the_environment(release, monkeypatch):
    monkeypatch.setenv("MEDAGENTS_ARTEFACTS", str(release))
    assert Rows().folder == paths.artefacts()
