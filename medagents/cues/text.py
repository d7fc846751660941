"""Text cues (benchmaxxing, section 3.2). Each returns a `View`: the case as shown, with the map
from shown positions back to the options of the original case.

A distractor can be padded wherever it stands (`distractor`, an original option index); the
authors always edited the first one.
"""

import re
from itertools import cycle

from medagents.types import Case, MedagentsError, View, plain_view

PADDING = (
    ", as this term is generally understood",
    " in current clinical practice",
    " and in the usual textbooks of medicine",
)
"""Added to a distractor, one phrase after another and round again, until it is the longest option."""

OVERLAP_WORDS = 3
"""Stem words worked into a distractor by the lexical cue."""

CONTENT_WORD = re.compile(r"[A-Za-z]{6,}")
"""A run of six or more letters: short words are mostly function words."""

NOT_CONTENT = frozenset(
    {"patient", "following", "likely", "diagnosis", "history", "presents", "physician", "should"}
)
"""Words of nearly every stem, which tie an option to none."""


def option_order(case: Case, shift: int | None = None) -> View:
    """Rotate the options by `shift` places (default: half of them), so that every option moves."""
    count = len(case.options)
    shift = count // 2 if shift is None else shift % count
    original = tuple((place + shift) % count for place in range(count))
    return View(case, tuple(case.options[i] for i in original), original, case.stem, "option_order")


def longest_option(case: Case, distractor: int) -> View:
    """Pad a wrong option with empty words until it is the longest (unchanged if it already is)."""
    text = case.options[_wrong(case, distractor)]
    longest = max(len(option) for i, option in enumerate(case.options) if i != distractor)
    for phrase in cycle(PADDING):
        if len(text) > longest:
            break
        text += phrase
    return _edited(case, distractor, text, "longest_option")


def lexical_overlap(case: Case, distractor: int) -> View:
    """Work the stem's longest content words into a wrong option."""
    text = case.options[_wrong(case, distractor)]
    words = stem_words(case)
    if words:
        text += f" (with regard to {', '.join(words)})"
    return _edited(case, distractor, text, "lexical_overlap")


def stem_words(case: Case) -> list[str]:
    """The longest content words of the stem that no option contains, in stem order."""
    taken = " ".join(case.options).casefold()
    found = dict.fromkeys(word.lower() for word in CONTENT_WORD.findall(case.stem))
    free = [word for word in found if word not in NOT_CONTENT and word not in taken]
    chosen = sorted(free, key=lambda word: (-len(word), free.index(word)))[:OVERLAP_WORDS]
    return sorted(chosen, key=free.index)


def whitespace(case: Case) -> View:
    """A control without content: one more space before every option."""
    plain = plain_view(case)
    return View(case, tuple(f" {text}" for text in plain.options), plain.original, case.stem, "whitespace")


def _wrong(case: Case, distractor: int) -> int:
    if distractor == case.gold or not 0 <= distractor < len(case.options):
        raise MedagentsError(f"case {case.id}: option {distractor} is no distractor")
    return distractor


def _edited(case: Case, distractor: int, text: str, cue: str) -> View:
    options = tuple(text if i == distractor else option for i, option in enumerate(case.options))
    return View(case, options, tuple(range(len(options))), case.stem, cue)
