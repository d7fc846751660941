"""Loading by name: checksums, manifests, missing data, status."""

import dataclasses
import json
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import MissingData, manifest, registry
from medagents.cohorts.records import Selection, Source, data_folder, json_lines, sha256
from medagents.types import Case, MedagentsError


def toy_cases(folder: Path) -> Selection:
    records = json_lines(folder / "toy.jsonl")
    return Selection(tuple(Case(r.text("id"), r.text("stem"), ("yes", "no"), 0) for r in records), ())


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registered cohort `toy` of three cases with its manifest; returns its source file."""
    data = tmp_path / "data"
    data.mkdir()
    file = data / "toy.jsonl"
    file.write_text("".join(json.dumps({"id": f"t-{n}", "stem": f"Case {n}?"}) + "\n" for n in range(3)))
    monkeypatch.setenv("MEDAGENTS_DATA", str(data))
    monkeypatch.setattr(paths, "MANIFESTS", tmp_path / "manifests")
    register(monkeypatch, file)
    cohorts.write_manifest("toy")
    return file


def register(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    made = cohorts.Cohort(
        "toy", (Source(file.name, sha256(file)),), "ours", False, "write it", "every record", toy_cases
    )
    monkeypatch.setitem(registry.COHORTS, "toy", made)


def test_a_cohort_loads_in_order_and_a_prefix_is_its_start(toy: Path) -> None:
    whole = cohorts.load("toy")
    assert [case.id for case in whole] == ["t-0", "t-1", "t-2"]
    assert cohorts.load("toy", 2) == whole[:2]


@pytest.mark.parametrize("n", [0, -1, 4])
def test_more_cases_than_there_are_is_an_error_not_a_shorter_list(toy: Path, n: int) -> None:
    with pytest.raises(MedagentsError, match="toy has 3 eligible cases"):
        cohorts.load("toy", n)


def test_an_unknown_cohort_lists_the_known_ones() -> None:
    with pytest.raises(MedagentsError) as error:
        cohorts.load("medqq")
    assert all(name in str(error.value) for name in cohorts.names())


def test_absent_data_is_its_own_error_and_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    for name in ("medqa", "medqa_solo", "medmcqa", "mmlu_medical"):
        with pytest.raises(MissingData) as error:
            cohorts.load(name)
        assert cohorts.cohort(name).how in str(error.value) and "MEDAGENTS_DATA" in str(error.value)


def test_without_medagents_data_the_users_cache_is_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEDAGENTS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "medagents" / "data"


def test_a_wrong_checksum_names_file_hashes_and_remedy(toy: Path) -> None:
    expected = sha256(toy)[:16]
    toy.write_text(toy.read_text() + "\n")
    with pytest.raises(MedagentsError) as error:
        cohorts.load("toy")
    message = str(error.value)
    assert str(toy) in message and expected in message and sha256(toy)[:16] in message
    assert "replace the file" in message and not isinstance(error.value, MissingData)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("Case 1?", "Case one?", "case t-1: digest differs"),
        ("t-1", "t-9", "place 1: case t-9 where the manifest has t-1"),
        ('{"id": "t-2", "stem": "Case 2?"}\n', "", "2 cases, the manifest has 3"),
    ],
)
def test_a_case_that_differs_from_the_manifest_is_named(
    toy: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, says: str
) -> None:
    toy.write_text(toy.read_text().replace(old, new))
    register(monkeypatch, toy)
    with pytest.raises(MedagentsError, match=says) as error:
        cohorts.load("toy")
    assert manifest.REMEDY in str(error.value)


def test_a_changed_answer_is_seen_though_the_text_is_the_same(toy: Path) -> None:
    cases = [dataclasses.replace(case, gold=1) for case in cohorts.load("toy")]
    with pytest.raises(MedagentsError, match="case t-0: gold differs"):
        manifest.verify("toy", cases)


def test_a_missing_or_broken_manifest_says_how_to_get_one(toy: Path) -> None:
    manifest.file_of("toy").write_text("{")
    with pytest.raises(MedagentsError, match="not a manifest"):
        cohorts.load("toy")
    manifest.file_of("toy").unlink()
    with pytest.raises(MedagentsError, match="--write-manifests"):
        cohorts.load("toy")


def test_a_manifest_is_the_same_bytes_each_time_and_holds_no_text(toy: Path) -> None:
    first = manifest.file_of("toy").read_bytes()
    assert cohorts.write_manifest("toy").read_bytes() == first
    assert b"Case 1?" not in first
    written = json.loads(first)
    assert written["size"] == 3 and written["sources"] == [{"path": "toy.jsonl", "sha256": sha256(toy)}]
    assert set(written["cases"][0]) == {"id", "digest", "gold", "cluster"}


def test_status_tells_ready_missing_and_broken_apart(toy: Path) -> None:
    def row() -> cohorts.StatusRow:
        return next(row for row in cohorts.status() if row.name == "toy")

    assert (row().state, row().eligible, row().next) == ("ready", 3, "")
    content = toy.read_text()
    toy.write_text(content + " ")
    assert row().state == "broken" and "SHA-256" in row().next
    toy.unlink()
    assert (row().state, row().eligible) == ("missing", 3) and "write it" in row().next


def test_only_the_vignettes_may_be_published() -> None:
    assert [name for name in cohorts.names() if cohorts.cohort(name).publishable] == ["vignettes"]


def test_every_committed_manifest_belongs_to_a_cohort_and_has_its_rule_and_sources() -> None:
    held = [name for name in cohorts.names() if name != "reports_mimic"]  # only its users may make one
    for name in held:
        written = manifest.read(name)
        assert written, name
        assert written["rule"] == cohorts.cohort(name).rule
        assert [s["sha256"] for s in written["sources"]] == [s.sha256 for s in cohorts.cohort(name).sources]
        assert len({entry["id"] for entry in written["cases"]}) == written["size"]
    assert {file.stem for file in paths.MANIFESTS.glob("*.json")} == set(held)


def test_the_vignettes_load_without_any_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEDAGENTS_DATA", raising=False)
    cases = cohorts.load("vignettes")
    assert len(cases) >= 100 and all(len(case.options) == 4 for case in cases)
    assert cohorts.refused("vignettes") == ()
