"""Keeps the text of fetched cohorts out of the recordings: a reply may repeat its question word for word.

Where a cohort's text may not be published, whatever a reply shares with its prompt over `RUN` words
or more is cut out before anything sees the reply, so that a replay reads what the recording run read.
"""

import re

RUN = 8
"""Words in a row that make a quotation: shorter runs are findings and names, which are facts."""

MASK = "[...]"
"""Stands where a quotation was."""

WORD = re.compile(r"\w+")

LABEL = re.compile(r"[A-J](?=[.,):])")
"""An option's letter as a list shows it. Where a quotation begins with one, the letter is the answer."""


def without_quotations(text: str, source: str) -> str:
    """The text with each run of `RUN` or more words that `source` holds too replaced by `MASK`.

    Words are compared without regard to case, punctuation and spacing. The letter that an answer
    begins with stays: "B. Vitamin C" answers with the option's own words.
    """
    words = list(WORD.finditer(text))
    spoken = [word[0].casefold() for word in words]
    read = [word.casefold() for word in WORD.findall(source)]
    runs = {tuple(read[start : start + RUN]) for start in range(len(read) - RUN + 1)}
    pieces: list[str] = []
    kept = quoted = 0
    for start in range(len(spoken) - RUN + 1):
        if tuple(spoken[start : start + RUN]) in runs:
            begin, end = words[start].start(), words[start + RUN - 1].end()
            if not pieces or begin > quoted:
                if LABEL.match(text, begin):
                    begin = words[start + 1].start()
                pieces += [text[kept:begin], MASK]
            kept = quoted = end
    return "".join(pieces) + text[kept:]
