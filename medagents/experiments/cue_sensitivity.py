"""Cue sensitivity (benchmaxxing, sections 3.2 and 4.1): one agent, the same case with and without a cue.

`clean` against each cue gives the flip rate; `resampled` against `clean` gives the noise floor;
`whitespace` is a cue without content, the floor at temperature 0. Two cues edit a distractor: the
plant of the run's rule, where the authors always took the first.

Options that are the same two in every case are no place for a cue. A tabular case has its table
written otherwise (section 4.2), and its options in another order.
"""

from collections.abc import Iterator

from medagents.cohorts.images import images_of
from medagents.cues import tabular, text
from medagents.experiments.base import LETTER, Trial, resampling
from medagents.prompts import case_text, examples, template
from medagents.rows import Row, make_row
from medagents.types import Case, Prompt, View, plain_view

CONDITIONS = (
    "clean",
    "resampled",
    "whitespace",
    "option_order",
    "longest_option",
    "lexical_overlap",
)
TABULAR = ("clean", "resampled", *tabular.CUES, "option_order")
"""The conditions of a case with a table, `whitespace` of the table among them."""


def views(case: Case, plant: int) -> dict[str, View]:
    """Condition -> the case as shown in it; `TABULAR` where the case has a table, else `CONDITIONS`."""
    uncued = {"clean": plain_view(case), "resampled": plain_view(case)}
    if "table" in case.meta:
        cued = {name: cue(case) for name, cue in tabular.CUES.items()}
        return uncued | cued | {"option_order": text.option_order(case)}
    return uncued | {
        "whitespace": text.whitespace(case),
        "option_order": text.option_order(case),
        "longest_option": text.longest_option(case, plant),
        "lexical_overlap": text.lexical_overlap(case, plant),
    }


def prompt(view: View) -> Prompt:
    """The question alone, just as the isolated arm of the cascade asks it.

    Where a cue edits the options, only the stem is common to the conditions of a case; where it
    edits the stem, nothing is.
    """
    whole = case_text(view)
    shared = whole if view.cue == "none" else whole[: whole.index(view.stem) + len(view.stem)]
    images = images_of(view.case)
    return Prompt(template("common/system"), shared, whole[len(shared) :], examples(), images=images)


def run_case(trial: Trial) -> Iterator[Row]:
    """One row a condition; the plant is the distractor that the cue edits, or would push towards."""
    for condition, view in views(trial.case, trial.plant).items():
        repeat = int(condition == "resampled")
        decoding = resampling(trial.case, repeat) if repeat else LETTER
        record = trial.ask(condition, prompt(view), decoding, repeat)
        yield make_row(view, condition, record, trial.plant, trial.plant_rule)
