"""The project's own short vignettes: the default cohort, and the one whose text is committed."""

from pathlib import Path

from medagents.cohorts.records import Selection, json_lines, unfit, unique_id
from medagents.types import Case

FILE = "cases.jsonl"
_CASE_KEYS = ("id", "stem", "options", "gold")


def cohort(folder: Path) -> Selection:
    """Every vignette in file order; what a line holds besides the question is in `meta`.

    Nothing is refused here: the file is ours, so an unfit record is a fault to repair.
    """
    cases: list[Case] = []
    seen: dict[str, int] = {}
    for record in json_lines(folder / FILE):
        options, gold = record.get("options"), record.get("gold")
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            raise record.fault("'options' is not a list of texts", "repair the vignette")
        if not isinstance(gold, int) or isinstance(gold, bool) or not 0 <= gold < len(options):
            raise record.fault(f"gold {gold!r} is not an option index", "repair the vignette")
        distractor = record.value.get("distractor")
        if distractor is not None and (distractor == gold or distractor not in range(len(options))):
            raise record.fault(f"distractor {distractor!r} is not a wrong option", "repair the vignette")
        id, stem = unique_id(record, seen), record.text("stem").strip()
        texts = tuple(option.strip() for option in options)
        if reason := unfit(stem, texts):
            raise record.fault(reason, "repair the vignette")
        meta = {key: value for key, value in record.value.items() if key not in _CASE_KEYS}
        cases.append(Case(id, stem, texts, gold, meta=meta))
    return Selection(tuple(cases), ())
