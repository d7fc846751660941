"""Reading what moderator, mediator and judge reply. What cannot be read is None, and counted.

Strict about meaning, tolerant about form: small models wrap JSON in prose and fences.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

BASIC, INTERMEDIATE, ADVANCED = "basic", "intermediate", "advanced"

_TRAILING = re.compile(r",(\s*[}\]])")


def last_word(text: str, words: Sequence[str]) -> str | None:
    """The last of some words that a text names, as a whole word in any case; None where it names none.

    The last one counts: a reply may discuss a level before it settles on another, and a search for the
    first (or for its number) takes the wrong one.
    """
    pattern = rf"\b({'|'.join(map(re.escape, words))})\b"
    found: list[str] = re.findall(pattern, text, re.IGNORECASE)
    return found[-1].casefold() if found else None


def level(text: str) -> str | None:
    """The Catfish moderator's level: basic, intermediate or advanced."""
    return last_word(text, (BASIC, INTERMEDIATE, ADVANCED))


@dataclass(frozen=True)
class Mediation:
    """What a mediator decided. `questions` maps an expert's number, from 1, to what it is asked."""

    discuss: bool
    questions: dict[int, str]


def mediation(text: str, experts: int) -> Mediation | None:
    """Read the mediator's list (MedOrch, appendix, prompt for Socratic questioning).

    Read in spite of: fences, prose around it, a trailing comma, other case or spacing of a key, an
    object without its list, one object a key. None, a failed mediation: no JSON, no decision, or a
    decision to discuss that asks nobody anything.
    """
    for value in _json_values(text):
        fields = _fields(value)
        if "decision" not in fields:
            continue
        decision = last_word(str(fields["decision"]), ("yes", "no"))
        asked = {
            number: words
            for number in range(1, experts + 1)
            if (words := _words(fields.get(f"expert {number}", "")))
        }
        if decision is None or (decision == "yes" and not asked):
            return None
        return Mediation(decision == "yes", asked if decision == "yes" else {})
    return None


def _words(value: Any) -> str:
    text = value if isinstance(value, str) else ""
    text = " ".join(text.split())
    return text if re.search(r"\w", text) else ""


def _fields(value: Any) -> dict[str, Any]:
    """Keys of an object, or of the objects of a list, folded: case and spacing do not count."""
    entries = value if isinstance(value, list) else [value]
    found: dict[str, Any] = {}
    for entry in entries:
        if isinstance(entry, dict):
            for name, held in entry.items():
                found.setdefault(re.sub(r"[\s_]*(\d+)$", r" \1", " ".join(name.split()).casefold()), held)
    return found


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON list or object in a text, outermost first, trailing commas forgiven."""
    text, decoder, place = _TRAILING.sub(r"\1", text), json.JSONDecoder(strict=False), 0
    while (opening := re.compile(r"[\[{]").search(text, place)) is not None:
        try:
            value, place = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            place = opening.start() + 1
            continue
        yield value
