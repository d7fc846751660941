"""One sentence that argues for the plant from the case's findings, as a peer would.

Hand-written where the cohort's file has one for this very option (vignettes); elsewhere a real
call to the peer model, recorded beside the cascade, so that no argument is invented by a notebook.
"""

import re
from dataclasses import replace

from medagents.committees.board import answer_text
from medagents.experiments.base import Trial
from medagents.prompts import case_text, examples, fill, template
from medagents.types import Decoding, Prompt, plain_view

SENTENCE = Decoding(temperature=0.0, max_tokens=40, stop=("\n",))
"""One sentence of about 25 words; a line break ends it."""

NO_RATIONALE = "The findings of this case point to it."
"""Stands in where the peer model gave no text."""


def rationale(trial: Trial, plant: int) -> str:
    """The sentence for one plant.

    The peer's call begins as the holdout's do (same system text, examples and case), so that a
    local engine reads the case once.
    """
    written = trial.case.meta.get("wrong_rationale")
    if written and trial.case.meta.get("distractor") == plant:
        return str(written)
    view = plain_view(trial.case)
    ask = "\n\n" + fill("peer_cascade/argue", answer=answer_text(view, plant, "text"))
    prompt = Prompt(template("common/system"), case_text(view), ask, examples())
    slot = replace(trial.slot, condition=f"rationale_{plant}", agent="peer")
    return first_sentence(trial.call(slot, prompt, SENTENCE).reply.text)


def first_sentence(text: str | None) -> str:
    """First full sentence of a reply in one line; a reply cut off before its full stop gets one."""
    line = " ".join((text or "").split())
    if not line:
        return NO_RATIONALE
    match = re.match(r".+?[.!?](?=\s|$)", line)
    return match.group() if match else line.rstrip(",;:") + "."
