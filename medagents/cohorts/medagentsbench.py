"""MedAgentsBench, hard subsets (gersteinlab/medagents-benchmark): seven sets to compare committees on.

Each set is a JSON-lines file `<set>/test_hard.jsonl` with options by letter (three to ten) and the row's
id in its origin as `realidx`. The two MedXpertQA sets repeat the options at the end of the question.
MMLU counts `realidx` within a subject, so its id holds the subject.
"""

import re
from itertools import chain, zip_longest
from pathlib import Path

from medagents.cohorts.records import (
    Record,
    Refusal,
    Selection,
    gold_of,
    json_lines,
    refers_to_options,
    refusal,
    seeded_order,
    unfit,
)
from medagents.types import LETTERS, Case

SETS = ("medqa", "medmcqa", "pubmedqa", "mmlu", "mmlu-pro", "medxpertqa-r", "medxpertqa-u")
STEM_LIMIT = 1500
"""Characters of a question: what small models read in a few seconds; most abstracts fit."""

_CHOICES = re.compile(r"\s*\nAnswer Choices: \(A\).*\Z", re.DOTALL)


def file_of(name: str) -> str:
    """Path of a set below the data folder."""
    return f"medagentsbench/{name}/test_hard.jsonl"


def read(name: str, file: Path) -> Selection:
    """Every record of one set, in file order."""
    cases: dict[str, Case] = {}
    refused: list[Refusal] = []
    for record in json_lines(file):
        made = _case(name, record)
        if isinstance(made, Refusal):
            refused.append(made)
        elif any((made.stem, made.options) == (held.stem, held.options) for held in cases.values()):
            refused.append(refusal(record, made.id, "the same question stands above"))
        elif made.id in cases:
            raise record.fault(f"id {made.id} stands above too")
        else:
            cases[made.id] = made
    return Selection(tuple(cases.values()), tuple(refused))


def cohort(folder: Path) -> Selection:
    """Cohort `medagentsbench`: every eligible record, in seeded order, sets taking turns."""
    held = [read(name, folder / file_of(name)) for name in SETS]
    columns = [sorted(part.cases, key=lambda case: seeded_order(case.id)) for part in held]
    turns = chain.from_iterable(zip_longest(*columns))
    refused = tuple(entry for part in held for entry in part.refused)
    return Selection(tuple(case for case in turns if case), refused)


def _case(name: str, record: Record) -> Case | Refusal:
    origin = record.get("realidx")
    if not isinstance(origin, str | int):
        raise record.fault(f"'realidx' is {type(origin).__name__}, not text or a number")
    subject = f"{record.text('subject')}-" if name == "mmlu" else ""
    id = f"mab-{name}-{subject}{origin}".replace(" ", "_")
    letters = record.get("options")
    if not isinstance(letters, dict) or not all(isinstance(text, str) for text in letters.values()):
        raise record.fault("'options' is not an object of letters and texts")
    if "".join(sorted(letters)) != LETTERS[: len(letters)]:
        raise record.fault(f"option letters {', '.join(map(str, letters))} do not run from A")
    stem = _CHOICES.sub("", record.text("question")).strip()
    options = tuple(letters[letter].strip() for letter in sorted(letters))
    gold = gold_of(record, record.text("answer_idx"), len(options))
    if reason := unfit(stem, options):
        return refusal(record, id, reason)
    if record.text("answer").strip() != options[gold]:
        return refusal(record, id, "answer text is not the option of the answer letter")
    if any(refers_to_options(option) for option in options):
        return refusal(record, id, "an option refers to others")
    if len(stem) > STEM_LIMIT:
        return refusal(record, id, f"stem over {STEM_LIMIT} characters")
    return Case(id, stem, options, gold, meta={"set": name})
