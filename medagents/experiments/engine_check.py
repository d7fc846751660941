"""Engine noise floor: arms of the cascade asked again with every prompt evaluated whole.

`models.local` reads the part that arms share once; that differs by rounding from one pass over
the prompt. Rows here, made without reuse, against the cascade's rows show by how much.
"""

from collections.abc import Iterator

from medagents.committees import cascade
from medagents.experiments.base import Trial
from medagents.rows import Row, make_row
from medagents.types import plain_view

ARMS = ("isolated", "two_peers")


def run_case(trial: Trial) -> Iterator[Row]:
    """One row for each of `ARMS`, same prompts as the cascade's."""
    view = plain_view(trial.case)
    for name in ARMS:
        prompt = cascade.prompt(view, cascade.arm(name), trial.plant)
        assert prompt is not None  # neither arm depends on the case
        yield make_row(view, name, trial.ask(name, prompt), trial.plant, trial.plant_rule)
