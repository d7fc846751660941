"""One sentence that argues for the plant from the case's findings, as a peer would.

Hand-written where the cohort's file has one for this very option (vignettes); elsewhere a real call
to the peer model. The call shows no worked examples: with them, the model argued from the examples'
findings. Record this experiment before the cascade, which else makes the calls itself and has the
engine change its prompt within every case.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from medagents.cohorts.images import images_of
from medagents.committees.board import answer_text
from medagents.experiments.base import Trial
from medagents.prompts import case_text, fill, template
from medagents.quotation import MASK, WORD
from medagents.rows import Row
from medagents.types import Decoding, Prompt, plain_view

SENTENCE = Decoding(temperature=0.0, max_tokens=80, stop=("\n",))
"""One sentence of about 25 words, with room for a long one; a line break ends it."""

NO_RATIONALE = "The findings of this case point to it."
"""Stands in where the peer model gave no words of its own."""

END = re.compile(r"(?<!\bDr)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)")
"""Where a sentence ends, and an abbreviation does not."""


def rationale(trial: Trial, plant: int) -> str:
    """The sentence for one plant, from wherever the cascade stands."""
    written = trial.case.meta.get("wrong_rationale")
    if written and trial.case.meta.get("distractor") == plant:
        return str(written)
    view = plain_view(trial.case)
    ask = "\n\n" + fill("peer_rationale/argue", answer=answer_text(view, plant, "text"))
    prompt = Prompt(template("peer_rationale/system"), case_text(view), ask, images=images_of(view.case))
    slot = replace(trial.slot, experiment="peer_rationale", condition=f"argue_{plant}", agent="peer")
    return first_sentence(trial.call(slot, prompt, SENTENCE).reply.text)


def first_sentence(text: str | None) -> str:
    """First full sentence of a reply in one line; a reply cut off before its full stop gets one.

    A reply that is nothing but a quotation of the question argues nothing.
    """
    line = " ".join((text or "").split())
    if not WORD.search(line.replace(MASK, "")):
        return NO_RATIONALE
    end = END.search(line)
    return line[: end.end()] if end else line.rstrip(",;:") + "."


def run_case(trial: Trial) -> Iterator[Row]:
    """Ask for the sentence the cascade will need; an argument is no answer, so there are no rows."""
    rationale(trial, trial.plant)
    return iter(())
