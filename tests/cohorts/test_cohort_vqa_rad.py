"""VQA-RAD on small files of our own in the published format, and the real release where it is."""

import json
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import Selection, vqa_rad
from medagents.types import MedagentsError

DATA = paths.data() or Path("no-data")
needs_data = pytest.mark.skipif(
    not (DATA / vqa_rad.FILE).exists(), reason=f"MEDAGENTS_DATA has no {vqa_rad.FILE}"
)


def entry(**changes: object) -> dict[str, object]:
    record = {
        "qid": 12,
        "phrase_type": "test_freeform",
        "image_name": "synpic1.jpg",
        "image_organ": "CHEST",
        "question": "Is there an effusion?",
        "answer": "Yes",
        "answer_type": "CLOSED",
    }
    return {**record, **changes}


def made(folder: Path, *entries: dict[str, object]) -> Selection:
    file = folder / "public.json"
    file.write_text(json.dumps(list(entries), indent=1), encoding="utf-8")
    return vqa_rad.read(file)


@pytest.mark.parametrize(
    ("changes", "gold"),
    [({}, 0), ({"answer": "no "}, 1), ({"answer_type": "CLOSED "}, 0), ({"phrase_type": "test_para"}, 0)],
)
def test_closed_test_questions_are_cases_of_their_image(tmp_path: Path, changes: dict, gold: int) -> None:
    (case,) = made(tmp_path, entry(**changes)).cases
    assert (case.id, case.options, case.gold) == ("vqa-rad-12", ("yes", "no"), gold)
    assert (case.cluster, case.meta["image"]) == ("synpic1.jpg", f"{vqa_rad.IMAGES}/synpic1.jpg")


@pytest.mark.parametrize("changes", [{"phrase_type": "freeform"}, {"answer_type": "OPEN"}])
def test_training_and_open_questions_are_no_candidates(tmp_path: Path, changes: dict) -> None:
    assert made(tmp_path, entry(**changes)) == Selection((), ())


@pytest.mark.parametrize("answer", ["left", "MRI", 1, "yes and no"])
def test_an_answer_other_than_yes_or_no_is_refused_with_its_line(tmp_path: Path, answer: object) -> None:
    selection = made(tmp_path, entry(), entry(qid=13, answer=answer))
    assert len(selection.cases) == 1
    [refused] = selection.refused
    assert refused.id == "vqa-rad-13" and refused.reason == "the answer is neither yes nor no"
    assert refused.line == 11  # one line for the bracket, nine for the first entry


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1}', "not a JSON list"),
        ('[{"a": 1}, 2]', "not a JSON object"),
        ('[{"a": 1}\n{"b"', "line 2: not JSON"),
        ('[{"a": 1}', "not JSON"),
    ],
)
def test_a_file_that_is_no_list_of_objects_stops_the_load(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "public.json"
    file.write_text(text.replace('{"a": 1}', json.dumps(entry())) if text[0] == "[" else text)
    with pytest.raises(MedagentsError, match=words):
        vqa_rad.read(file)


@needs_data
def test_the_yes_or_no_questions_of_the_test_split_are_251() -> None:
    """The number that MedOrch's printed percentages fit, of the 451 it states."""
    found = cohorts.load("vqa_rad")
    assert len(found) == 251
    assert all((DATA / str(case.meta["image"])).exists() for case in found)
    assert len({case.cluster for case in found}) < len(found)
