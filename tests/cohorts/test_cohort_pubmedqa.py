"""PubMedQA on small files of our own in the published format, and the real files where they are."""

import json
from collections import Counter
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import Selection, pubmedqa
from medagents.types import MedagentsError

DATA = paths.data() or Path("no-data")
needs_data = pytest.mark.skipif(
    not (DATA / pubmedqa.FILE).exists(), reason=f"MEDAGENTS_DATA has no {pubmedqa.FILE}"
)


def article(answer: str = "yes", **changes: object) -> dict[str, object]:
    record = {
        "QUESTION": "Does tea calm?",
        "CONTEXTS": ["Tea is drunk. ", "Ten people drank it."],
        "LABELS": ["BACKGROUND", "RESULTS"],
        "MESHES": ["Tea"],
        "YEAR": "2011",
        "final_decision": answer,
        "LONG_ANSWER": "Tea calms beyond doubt.",
    }
    return {**record, **changes}


def made(folder: Path, articles: dict[str, object], test: dict[str, object] | None = None) -> Selection:
    """The selection read from both files; by default every article is in the test part."""
    if test is None:
        test = {pmid: record["final_decision"] for pmid, record in articles.items()}
    for name, content in ((pubmedqa.FILE, articles), (pubmedqa.TEST, test)):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=4), encoding="utf-8")
    return pubmedqa.read(folder / pubmedqa.FILE, folder / pubmedqa.TEST)


def test_the_abstract_is_shown_without_the_conclusion_that_answers_it(tmp_path: Path) -> None:
    (case,) = made(tmp_path, {"11": article("no")}).cases
    assert case.stem == "Tea is drunk.\nTen people drank it.\nDoes tea calm?"
    assert (case.id, case.options, case.gold) == ("pubmedqa-11", ("yes", "no", "maybe"), 1)
    changed = made(tmp_path, {"11": article("no", LONG_ANSWER="Other words.", MESHES=[], LABELS=[])})
    assert changed.cases == (case,)


def test_only_test_articles_are_used(tmp_path: Path) -> None:
    articles = {"11": article(), "12": article("maybe")}
    assert [case.id for case in made(tmp_path, articles, {"12": "maybe"}).cases] == ["pubmedqa-12"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"CONTEXTS": []}, "no abstract"),
        ({"CONTEXTS": ["", " "]}, "no abstract"),
        ({"QUESTION": " "}, "empty stem"),
        ({"CONTEXTS": ["x" * 1186]}, "stem over 1200 characters"),
    ],
)
def test_an_unfit_article_is_refused_by_the_line_of_its_pmid(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    (entry,) = made(tmp_path, {"11": article(), "12": article(**changes)}).refused
    file = (tmp_path / pubmedqa.FILE).read_text().splitlines()
    assert (entry.id, entry.reason) == ("pubmedqa-12", reason)
    assert file[entry.line - 1].strip() == '"12": {'


def test_the_limit_counts_abstract_question_and_the_break_between(tmp_path: Path) -> None:
    question = "Does tea calm?"
    fits = article(CONTEXTS=["x" * (pubmedqa.STEM_LIMIT - 1 - len(question))])
    assert len(made(tmp_path, {"11": fits}).cases[0].stem) == 1200


def test_files_that_differ_in_the_answer_refuse_the_article(tmp_path: Path) -> None:
    (entry,) = made(tmp_path, {"11": article("yes")}, {"11": "no"}).refused
    assert entry.reason == "the two files differ in the answer"


@pytest.mark.parametrize(
    ("articles", "test", "says"),
    [
        ({"11": article()}, {"11": "YES"}, "line 2: PMID 11: answer 'YES' is none of yes, no, maybe"),
        ({"11": article()}, {"11": "yes", "12": "no"}, "no record of test PMID 12"),
        ({"11": ["x"]}, {"11": "yes"}, "line 2: PMID 11 is not a JSON object"),
        ({"11": article(CONTEXTS="x")}, {"11": "yes"}, "line 2: 'CONTEXTS' is not a list of texts"),
        ({"11": article(QUESTION=None)}, {"11": "yes"}, "line 2: 'QUESTION' is NoneType, not text"),
        ([article()], {"11": "yes"}, "not a JSON object"),
    ],
)
def test_files_that_break_the_format_stop_the_load(
    tmp_path: Path, articles: dict, test: dict, says: str
) -> None:
    with pytest.raises(MedagentsError, match=says):
        made(tmp_path, articles, test)


def test_a_file_that_is_not_json_is_a_clear_error(tmp_path: Path) -> None:
    made(tmp_path, {"11": article()})
    (tmp_path / pubmedqa.FILE).write_text('{"11": ')
    with pytest.raises(MedagentsError, match=r"ori_pqal\.json: not JSON"):
        pubmedqa.cohort(tmp_path)


def test_answers_take_turns_for_as_long_as_they_last_and_forty_at_most(tmp_path: Path) -> None:
    kinds = ["yes"] * 50 + ["no"] * 45 + ["maybe"] * 2
    made(tmp_path, {str(number): article(kind) for number, kind in enumerate(kinds)})
    cases = pubmedqa.cohort(tmp_path).cases
    assert Counter(case.gold for case in cases) == {0: 40, 1: 40, 2: 2}
    assert [case.gold for case in cases[:10]] == [0, 1, 2, 0, 1, 2, 0, 1, 0, 1]


@needs_data
def test_the_test_part_has_500_articles_of_the_published_answers() -> None:
    selection = pubmedqa.read(DATA / pubmedqa.FILE, DATA / pubmedqa.TEST)
    assert len(selection.cases) + len(selection.refused) == 500
    assert {entry.reason for entry in selection.refused} == {"stem over 1200 characters"}
    whole = json.loads((DATA / pubmedqa.FILE).read_text(encoding="utf-8"))
    for case in cohorts.load("pubmedqa"):
        record = whole[case.id.removeprefix("pubmedqa-")]
        assert record["LONG_ANSWER"] not in case.stem and case.options[case.gold] == record["final_decision"]
