"""What every module of the reader shares: its bounds, and what a reading is."""

import re
from dataclasses import dataclass
from enum import IntEnum

FLOOR = 0.9
"""Least likeness of a misspelt option text: one slip in ten letters. A forced best match would be wrong
with confidence, so anything less like an option is not read as one."""

OPENING = 4
"""Letters in which each word must agree before likeness counts: tells hypo- from hyper-, inter- from
intra-, and keeps short words exact."""

REACH = 80
"""Characters from a cue or a peer's words to the option or the assent that belongs to it: a clause or two."""

CONTEXT = 300
"""Characters of a sentence looked at on either side of an option; bounds the work on a runaway reply. A
refusal further than this before a cut was an opening hedge, not the end of the reply."""

SHORT = 12
"""Words up to which a letter and what follows it on a line are an answer rather than a paragraph."""

DANGLING_WORDS, CUT_WORDS, RUNAWAY_WORDS = 3, 8, 40
"""A reply is cut when it ends on a dangling word ("because the") after at least the first number of
words; or, lacking a closing mark, when its last line has the second number and all of it the third.
Fewer words without a full stop are terse, not cut."""

CLOSED_SENTENCES = 2
"""Sentences with a full stop on the last line after which one of `CUT_WORDS` without it is left hanging:
a reply that never closed its sentences is terse, one that did and ceases to is cut."""


ENDS = 5_000
"""Characters read at either end of a longer reply: an answer given at once, and the last one. What a runaway
says between them is not read: each mention of an option takes time."""

SEAM = "\n…\n"
"""Stands for what is not read; no cue reaches across it."""


class Weight(IntEnum):
    """How firmly a finding commits the reply; see the package."""

    MENTIONED, HINTED, QUALIFIED, OPENING, STATED = range(5)


@dataclass(frozen=True)
class Mention:
    """An option named by letter or text; `option` is None where two options share the text.

    `loose` tells a text heard without its article, too little to count where it is merely mentioned.
    """

    start: int
    end: int
    option: int | None
    letter: bool
    loose: bool = False


@dataclass(frozen=True)
class Finding:
    """A reading: the mention, and where the statement that makes it begins."""

    start: int
    mention: Mention
    rule: str
    weight: Weight

    @property
    def order(self) -> tuple[int, int]:
        """Weight, then place: what a later or firmer reading has more of."""
        return self.weight, self.mention.start


def rx(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile `pattern`, in which a blank stands for any white space.

    Over several lines, indentation and what follows two blanks and a number sign stand for nothing.
    """
    if "\n" in pattern:
        pattern = "".join(line.split("  #")[0].strip() for line in pattern.split("\n"))
    return re.compile(pattern.replace(" ", r"\s+"), flags)


SENTENCE = re.compile(r"(?<=[a-z]{3})[.!?](?=\s)")
"""Where a sentence ends, and no abbreviation ("Dr.")."""
