"""PubMedQA, expert-labelled part (PQA-L): does the abstract answer its own question yes, no or maybe?

The case is the abstract without its conclusion, which the file keeps apart as LONG_ANSWER and which
gives the answer away. Only the 500 test PMIDs of `test_ground_truth.json` are used, as in the
published comparisons. Answers are as unequal as in the data (276 yes, 169 no, 55 maybe), so the
cohort takes the three by turns for as long as the short abstracts last.
"""

from itertools import chain, zip_longest
from pathlib import Path

from medagents.cohorts.records import (
    Record,
    Refusal,
    Selection,
    json_entries,
    refusal,
    seeded_order,
    unfit,
)
from medagents.types import Case, MedagentsError

FILE = "pubmedqa/ori_pqal.json"
TEST = "pubmedqa/test_ground_truth.json"
OPTIONS = ("yes", "no", "maybe")
PER_ANSWER = 40
STEM_LIMIT = 1200
"""Characters of abstract and question together; at 1,000 only nine maybes would be left."""


def read(file: Path, test: Path) -> Selection:
    """Every test record, in the order of `file`."""
    answers = dict(json_entries(test))
    cases: list[Case] = []
    refused: list[Refusal] = []
    for pmid, record in json_entries(file):
        if pmid in answers:
            made = _case(pmid, record, answers.pop(pmid))
            if isinstance(made, Case):
                cases.append(made)
            else:
                refused.append(made)
    if answers:
        raise MedagentsError(
            f"{file}: no record of test PMID {min(answers)}; use the published file unchanged"
        )
    return Selection(tuple(cases), tuple(refused))


def cohort(folder: Path) -> Selection:
    """Cohort `pubmedqa`: at most forty an answer, in seeded order, answers taking turns."""
    selection = read(folder / FILE, folder / TEST)
    cases = sorted(selection.cases, key=lambda case: seeded_order(case.id))
    columns = [[case for case in cases if case.gold == gold][:PER_ANSWER] for gold in range(len(OPTIONS))]
    turns = chain.from_iterable(zip_longest(*columns))
    return Selection(tuple(case for case in turns if case), selection.refused)


def _case(pmid: str, record: Record, answer: Record) -> Case | Refusal:
    id = f"pubmedqa-{pmid}"
    if answer.value not in OPTIONS:
        raise answer.fault(f"PMID {pmid}: answer {answer.value!r} is none of {', '.join(OPTIONS)}")
    if not isinstance(record.value, dict):
        raise record.fault(f"PMID {pmid} is not a JSON object")
    contexts = record.get("CONTEXTS")
    if not isinstance(contexts, list) or not all(isinstance(part, str) for part in contexts):
        raise record.fault("'CONTEXTS' is not a list of texts")
    stem = "\n".join(part.strip() for part in (*contexts, record.text("QUESTION")))
    if reason := unfit(record.text("QUESTION"), OPTIONS):
        return refusal(record, id, reason)
    if not any(part.strip() for part in contexts):
        return refusal(record, id, "no abstract")
    if record.text("final_decision") != answer.value:
        return refusal(record, id, "the two files differ in the answer")
    if len(stem) > STEM_LIMIT:
        return refusal(record, id, f"stem over {STEM_LIMIT} characters")
    return Case(id, stem, OPTIONS, OPTIONS.index(answer.value), meta={"year": record.value.get("YEAR")})
