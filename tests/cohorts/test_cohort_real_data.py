"""What the real files hold; skipped where MEDAGENTS_DATA does not have them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import medmcqa, medqa
from medagents.cohorts.records import json_lines

DATA = paths.data() or Path("no-data")


def needs(path: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not (DATA / path).exists(), reason=f"MEDAGENTS_DATA has no {path}")


@needs("medqa/test.jsonl")
def test_medqa_has_1273_sound_rows_with_the_published_letter_balance() -> None:
    selection = medqa.read(DATA / "medqa" / "test.jsonl")
    assert len(selection.cases) == medqa.ROWS and not selection.refused
    assert Counter("ABCDE"[case.gold] for case in selection.cases) == Counter(
        A=273, B=277, C=252, D=269, E=202
    )


@needs("medqa/phrases_no_exclude_test.jsonl")
def test_both_medqa_releases_agree_by_text_on_every_row() -> None:
    five = medqa.read(DATA / "medqa" / "test.jsonl").cases
    four = medqa.read(DATA / "medqa" / "phrases_no_exclude_test.jsonl").cases
    assert all(a.options[a.gold] == b.options[b.gold] for a, b in zip(five, four, strict=True))
    assert any(a.gold != b.gold for a, b in zip(five, four, strict=True))


@needs("medqa/test.jsonl")
def test_the_medqa_cohorts_hold_the_published_ids() -> None:
    assert [case.id for case in cohorts.load("medqa")] == [f"medqa-{row}" for row in range(60)]
    solo = [case.id for case in cohorts.load("medqa_solo")]
    assert len(solo) == 100 and {"medqa-788", "medqa-829", "medqa-621"} <= set(solo)


@needs("mmlu_medical/anatomy_test.csv")
def test_mmlu_gives_120_cases_twenty_a_subject_and_no_question_twice() -> None:
    cases = cohorts.load("mmlu_medical")
    assert set(Counter(case.meta["subject"] for case in cases).values()) == {20}
    assert len(cases) == 120 and len({case.stem for case in cases}) == 120
    assert len({case.meta["subject"] for case in cases[:6]}) == 6
    copies = [entry for entry in cohorts.refused("mmlu_medical") if entry.reason.startswith("repeats")]
    assert len(copies) == 68 and all("college_medicine" in entry.id for entry in copies)


@needs("medmcqa/dev.json")
def test_medmcqa_counts_from_1_and_21_rows_repeat_an_option() -> None:
    file = DATA / "medmcqa" / "dev.json"
    records = list(json_lines(file))
    assert len(records) == 4183
    assert medmcqa.base_of(record.value["cop"] for record in records) == 1
    reasons = Counter(entry.reason for entry in cohorts.refused("medmcqa"))
    assert reasons["duplicate options"] == 21
    assert len(medmcqa.read(file).cases) + sum(reasons.values()) == 4183


@needs("medmcqa/dev.json")
def test_the_medmcqa_cohort_is_made_of_published_ids() -> None:
    ids = [case.id for case in cohorts.load("medmcqa")]
    eligible = [id for id in medmcqa.first_ids() if id in ids]
    assert len(ids) == 100 and ids == eligible


@pytest.mark.skipif(paths.artefacts() is None, reason="MEDAGENTS_ARTEFACTS is not set")
def test_the_solo_ids_are_those_of_the_published_rows() -> None:
    rows = (paths.artefacts() or Path()) / "experiments" / "medqa" / "results" / "solo_records.jsonl"
    ids = {json.loads(line)["case_id"] for line in rows.read_text(encoding="utf-8").splitlines()}
    assert ids == set(medqa.SOLO_IDS)
