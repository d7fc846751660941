"""Reading what moderator, mediator and judge reply. What cannot be read is None, and counted.

Strict about meaning, tolerant about form: small models wrap JSON in prose and fences.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

BASIC, INTERMEDIATE, ADVANCED = "basic", "intermediate", "advanced"

FORM = "question to expert {number}"
"""What the mediator's form has in place of each question."""

_EXPERT = re.compile(r"expert[\W_]*0*([1-9]\d?)")
_STRAIGHT = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u2033", '"'))
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

    Read in spite of: fences, prose around it, a trailing comma, curly quotes, other case or spacing of a
    key, an object without its list, one object a key. None, a failed mediation: no JSON, no decision or
    two that differ (a small model may copy both forms), or a decision to discuss that asks nobody
    anything.
    """
    found = _fields(text) or _fields(text.translate(_STRAIGHT))
    decisions = {_decision(value) for name, value in found if name == "decision"}
    if decisions == {False}:
        return Mediation(False, {})
    if decisions != {True}:
        return None
    asked: dict[int, str] = {}
    for name, value in found:
        named = _EXPERT.fullmatch(name)
        if named and (number := int(named[1])) <= experts and (words := _words(value, number)):
            asked.setdefault(number, words)
    return Mediation(True, dict(sorted(asked.items()))) if asked else None


def _decision(value: Any) -> bool | None:
    """Yes or no by the first word: the last one of "Yes, there is no agreement" is another."""
    said = re.match(r"\W*(?:(yes|true)|no|false)\b", str(value), re.IGNORECASE)
    return bool(said[1]) if said else None


def _words(value: Any, number: int) -> str:
    """What an expert is asked in one line; nothing where it is the form's own words or has none."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if re.search(r"\w", text) and text.casefold() != FORM.format(number=number) else ""


def _fields(text: str) -> list[tuple[str, Any]]:
    """Keys and values of every object in a text, the keys folded."""
    found = []
    for value in _json_values(text):
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                found += [(" ".join(name.split()).casefold(), held) for name, held in entry.items()]
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
