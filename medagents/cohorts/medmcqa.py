"""MedMCQA, official dev split: JSON lines in a file named dev.json, `id` a UUID.

`cop` counts from 1 in the official release and from 0 in the hub copy; a silent guess shifts
every gold option by one, so the base is read off the whole file or given. `choice_type: multi`
does not mean that several options are right. Text is kept as it is; `meta["entities"]` tells
where the stem, the options or the explanation hold HTML entities.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from medagents import paths
from medagents.cohorts.records import (
    Record,
    Refusal,
    Selection,
    json_lines,
    refers_to_options,
    refusal,
    seeded_order,
    unfit,
    unique_id,
)
from medagents.types import Case, MedagentsError

SIZE = 100
STEM_LIMIT = 400
OPTIONS_LIMIT = 300
FIRST = paths.MANIFESTS / "medmcqa_first.txt"
"""Ids of the published per-case rows, cascade experiments before single-model ones."""

_OPTIONS = ("opa", "opb", "opc", "opd")
_ENTITY = re.compile(r"&(#\d+|[A-Za-z]+);")
_FIGURE = re.compile(r"\b(shown|depicted|given)\s+below\b|\bgiven below device\b|^figure\b", re.IGNORECASE)


def base_of(values: Iterable[int]) -> int:
    """Whether `cop` counts from 0 or 1 in a file with these values.

    Raises:
        MedagentsError: a label is hidden (-1) or no option at all, both bases occur, or neither
            0 nor 4 does, so that the values fit both.
    """
    seen = set(values)
    if not seen:
        raise MedagentsError("no record; use the official dev split")
    if -1 in seen:
        raise MedagentsError("cop -1 is a hidden label: the test split has no answers; use dev.json")
    if stray := sorted(seen - set(range(5))):
        raise MedagentsError(f"cop {stray[0]} names none of four options")
    if {0, 4} <= seen:
        raise MedagentsError("cop holds both 0 and 4: records of two releases are mixed; keep one release")
    if not seen & {0, 4}:
        raise MedagentsError("cop holds neither 0 nor 4, so it may count from 0 or 1: base must be given")
    return 1 if 4 in seen else 0


def read(file: Path, base: int | None = None) -> Selection:
    """Every record of a file, in file order; `base` overrides what `base_of` would read off it."""
    if base not in (None, 0, 1):
        raise MedagentsError(f"base {base} is not 0 or 1")
    records = list(json_lines(file))
    answers = [_cop(record) for record in records]
    if base is None:
        try:
            base = base_of(answers)
        except MedagentsError as error:
            raise MedagentsError(f"{file}: {error}") from None
    seen: dict[str, int] = {}
    made = [
        _case(record, unique_id(record, seen), cop - base)
        for record, cop in zip(records, answers, strict=True)
    ]
    return Selection(
        tuple(case for case in made if isinstance(case, Case)),
        tuple(entry for entry in made if isinstance(entry, Refusal)),
    )


def cohort(folder: Path) -> Selection:
    """Cohort `medmcqa`: a hundred eligible records, those of the published rows first."""
    file = folder / "medmcqa" / "dev.json"
    selection = read(file)
    by_id = {case.id: case for case in selection.cases}
    first = dict.fromkeys(id for id in first_ids() if id in by_id)
    rest = sorted((id for id in by_id if id not in first), key=seeded_order)
    chosen = [*first, *rest][:SIZE]
    if len(chosen) < SIZE:
        raise MedagentsError(
            f"{file}: {len(chosen)} eligible records, {SIZE} needed; use the official dev split"
        )
    return Selection(tuple(by_id[id] for id in chosen), selection.refused)


def first_ids() -> tuple[str, ...]:
    """The ids of `FIRST`, in order."""
    lines = FIRST.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def _cop(record: Record) -> int:
    cop = record.get("cop")
    if not isinstance(cop, int) or isinstance(cop, bool):
        raise record.fault(f"'cop' is {cop!r}, not an option number")
    return cop


def _case(record: Record, id: str, gold: int) -> Case | Refusal:
    stem = record.text("question").strip()
    options = tuple(record.text(key).strip() for key in _OPTIONS)
    if not 0 <= gold < len(options):
        raise record.fault(f"'cop' {record.value['cop']} is no option in this base", "check the base")
    if reason := unfit(stem, options):
        return refusal(record, id, reason)
    if any(map(refers_to_options, options)):
        return refusal(record, id, "an option refers to other options")
    if _FIGURE.search(stem):
        return refusal(record, id, "the stem points at a figure or table that is not there")
    if len(stem) > STEM_LIMIT:
        return refusal(record, id, f"stem over {STEM_LIMIT} characters")
    if sum(map(len, options)) > OPTIONS_LIMIT:
        return refusal(record, id, f"options over {OPTIONS_LIMIT} characters")
    explanation = record.value.get("exp") or ""
    meta = {
        "subject": record.value.get("subject_name") or "",
        "topic": record.value.get("topic_name") or "",
        "choice_type": record.value.get("choice_type") or "",
        "explanation": explanation,
        "entities": bool(_ENTITY.search(" ".join((stem, *options, explanation)))),
    }
    return Case(id, stem, options, gold, meta=meta)
