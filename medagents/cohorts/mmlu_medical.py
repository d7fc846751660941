"""The six medical subjects of MMLU (hendrycks/test), test split: CSV without header.

`mmlu-<subject>-N` is the 0-based record of that subject's file. 78 questions stand in both
clinical_knowledge and college_medicine; the second copy is refused, since two copies of one
question are not two cases. A few options went through a spreadsheet before release (the ratio 30:2
stands as '30:02:00'); those records are refused too.
"""

import re
from itertools import chain
from pathlib import Path

from medagents.cohorts.records import (
    Record,
    Refusal,
    Selection,
    csv_rows,
    gold_of,
    refers_to_options,
    refusal,
    seeded_order,
    unfit,
)
from medagents.types import Case, MedagentsError, same_text

SUBJECTS = (
    "anatomy",
    "clinical_knowledge",
    "college_biology",
    "college_medicine",
    "medical_genetics",
    "professional_medicine",
)
PER_SUBJECT = 20
DEV_PER_SUBJECT = 12
"""Next in the same order, in no cohort: what the prompt format was chosen on. professional_medicine
has too few eligible questions to give any."""

STEM_LIMIT = 340
"""Characters; at 320 professional_medicine would keep only 16 of its 272 questions."""

OPTIONS_LIMIT = 240
"""Characters of all options together."""

_CLOCK = re.compile(r"\d+:0\d(:\d\d)?")


def read(file: Path, subject: str) -> Selection:
    """Every record of one subject's file, in file order."""
    cases: list[Case] = []
    refused: list[Refusal] = []
    for record in csv_rows(file, columns=6):
        made = _case(record, subject)
        if isinstance(made, Case):
            cases.append(made)
        else:
            refused.append(made)
    return Selection(tuple(cases), tuple(refused))


def cohort(folder: Path) -> Selection:
    """Cohort `mmlu_medical`: twenty a subject, subjects taking turns so that any prefix is balanced."""
    columns, refused = _columns(folder)
    for subject, column in columns.items():
        if len(column) < PER_SUBJECT:
            raise MedagentsError(
                f"{folder}/mmlu_medical/{subject}_test.csv: {len(column)} eligible, {PER_SUBJECT} needed"
            )
    return _turns([column[:PER_SUBJECT] for column in columns.values()], refused)


def dev(folder: Path) -> Selection:
    """Cohort `mmlu_medical_dev`: the next twelve of each subject that has them."""
    columns, refused = _columns(folder)
    stop = PER_SUBJECT + DEV_PER_SUBJECT
    return _turns([column[PER_SUBJECT:stop] for column in columns.values() if len(column) >= stop], refused)


def _turns(columns: list[list[Case]], refused: list[Refusal]) -> Selection:
    return Selection(tuple(chain.from_iterable(zip(*columns, strict=True))), tuple(refused))


def _columns(folder: Path) -> tuple[dict[str, list[Case]], list[Refusal]]:
    """Eligible cases of each subject in seeded order, and the refused records."""
    seen: dict[tuple[str, ...], str] = {}
    refused: list[Refusal] = []
    columns: dict[str, list[Case]] = {}
    for subject in SUBJECTS:
        file = folder / "mmlu_medical" / f"{subject}_test.csv"
        selection = read(file, subject)
        fresh: list[Case] = []
        refused.extend(selection.refused)
        for case in selection.cases:
            first = seen.setdefault((same_text(case.stem), *sorted(map(same_text, case.options))), case.id)
            if first == case.id:
                fresh.append(case)
            else:
                refused.append(
                    Refusal(case.id, file.name, case.meta["line"], "repeats another record", first)
                )
        columns[subject] = sorted(fresh, key=lambda case: seeded_order(case.id))
    return columns, refused


def _case(record: Record, subject: str) -> Case | Refusal:
    id = f"mmlu-{subject}-{record.index}"
    stem, *options, letter = (cell.strip() for cell in record.value)
    gold = gold_of(record, letter, len(options))
    if reason := unfit(stem, options):
        return refusal(record, id, reason)
    if any(map(refers_to_options, options)):
        return refusal(record, id, "an option refers to other options")
    if any(map(_CLOCK.fullmatch, options)):
        return refusal(record, id, "an option is a ratio turned into a time of day")
    if len(stem) > STEM_LIMIT:
        return refusal(record, id, f"stem over {STEM_LIMIT} characters")
    if sum(map(len, options)) > OPTIONS_LIMIT:
        return refusal(record, id, f"options over {OPTIONS_LIMIT} characters")
    return Case(id, stem, tuple(options), gold, meta={"subject": subject, "line": record.line})
