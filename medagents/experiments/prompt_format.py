"""Which prompt format reads the model best, chosen on cases outside every cohort.

The winner (`examples`) is what all arms of all experiments use; notebook 00 shows the table.
"""

from collections.abc import Iterator

from medagents.cohorts.images import images_of
from medagents.experiments.base import Trial
from medagents.prompts import case_text, examples, template
from medagents.rows import Row, make_row
from medagents.types import Prompt, plain_view

FORMATS = {
    "letter": ("common/system", False),
    "committee": ("prompt_format/system_committee", False),
    "examples": ("common/system", True),
}
"""Format -> system text, and whether worked examples come first."""


def run_case(trial: Trial) -> Iterator[Row]:
    """One row a format."""
    view = plain_view(trial.case)
    for name, (system, worked) in FORMATS.items():
        shown = examples() if worked else ()
        prompt = Prompt(template(system), case_text(view), "", shown, images=images_of(trial.case))
        yield make_row(view, name, trial.ask(name, prompt))
