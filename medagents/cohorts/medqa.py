"""MedQA-USMLE, US test split (jind11/MedQA), in the five- or four-option release.

`medqa-N` is the 0-based row of the file. Both releases hold the same questions in the same order
but letter the options differently: join them by text, never by letter. Six rows of the
five-option file pad option text with spaces; stem and options are stripped here, so a prompt
rebuilt from a case is not byte-equal to one made from the raw file.
"""

import random
from pathlib import Path

from medagents.cohorts.records import Record, Refusal, Selection, gold_of, json_lines, refusal, unfit
from medagents.types import LETTERS, Case, MedagentsError

ROWS = 1273
CASCADE_IDS = tuple(f"medqa-{row}" for row in range(60))
"""The questions the published cascade rows start with."""

SOLO_IDS = tuple(f"medqa-{row}" for row in sorted(random.Random(0).sample(range(ROWS), 100)))
"""The hundred questions of the published single-model cue rows, in row order."""


def read(file: Path) -> Selection:
    """Every record of a release, in file order."""
    cases: list[Case] = []
    refused: list[Refusal] = []
    for record in json_lines(file):
        made = _case(record)
        if isinstance(made, Case):
            cases.append(made)
        else:
            refused.append(made)
    return Selection(tuple(cases), tuple(refused))


def cascade(folder: Path) -> Selection:
    """Cohort `medqa`: ids medqa-0 to medqa-59."""
    return _pick(read(folder / "medqa" / "test.jsonl"), CASCADE_IDS)


def solo(folder: Path) -> Selection:
    """Cohort `medqa_solo`: the hundred sampled ids."""
    return _pick(read(folder / "medqa" / "test.jsonl"), SOLO_IDS)


def _pick(selection: Selection, ids: tuple[str, ...]) -> Selection:
    by_id = {case.id: case for case in selection.cases}
    if missing := [id for id in ids if id not in by_id]:
        raise MedagentsError(
            f"medqa/test.jsonl: {missing[0]} is absent or refused; use the 1,273-row five-option file"
        )
    return Selection(tuple(by_id[id] for id in ids), selection.refused)


def _case(record: Record) -> Case | Refusal:
    id = f"medqa-{record.index}"
    stem = record.text("question").strip()
    letters = record.get("options")
    if not isinstance(letters, dict) or not letters:
        raise record.fault("'options' is not a non-empty object of letters and texts")
    if "".join(sorted(letters)) != LETTERS[: len(letters)]:
        raise record.fault(f"option letters {', '.join(map(str, letters))} do not run from A")
    if not all(isinstance(text, str) for text in letters.values()):
        raise record.fault("an option is not text")
    options = tuple(letters[letter].strip() for letter in sorted(letters))
    letter = record.text("answer_idx")
    gold = gold_of(record, letter, len(options))
    if reason := unfit(stem, options):
        return refusal(record, id, reason)
    if record.text("answer").strip() != options[gold]:
        return refusal(record, id, "answer text is not the option of the answer letter", f"option {letter}")
    return Case(id, stem, options, gold, meta={"step": record.value.get("meta_info", "")})
