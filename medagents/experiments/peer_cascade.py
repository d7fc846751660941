"""Peer cascade (benchmaxxing, sections 3.2 and 4.2): the holdout alone, then beside peers.

The isolated answer comes first, since one plant rule and one arm need it. Arms and their prompts
are in `committees.cascade`; the anchored arms take the rationale that the case's own file gives
for its named distractor, else a recorded call to the peer model.
"""

from collections.abc import Iterator, Sequence

from medagents.committees import cascade
from medagents.committees.cascade import Arm
from medagents.experiments.base import Trial
from medagents.experiments.peer_rationale import rationale
from medagents.rows import Row, make_row
from medagents.types import plain_view


def run_case(trial: Trial) -> Iterator[Row]:
    """One row an arm that the case can have."""
    return run_arms(trial, cascade.ARMS)


def run_arms(trial: Trial, arms: Sequence[Arm]) -> Iterator[Row]:
    """One row for each of the arms that the case can have, `isolated` being the first of them."""
    view, own = plain_view(trial.case), None
    for arm in arms:
        plant, rule = trial.plant_by(arm.plant_rule, own)
        if plant is None:
            continue
        argued = rationale(trial, plant) if arm.style == "anchored" else ""
        prompt = cascade.prompt(view, arm, plant, own, argued)
        if prompt is None:
            continue
        row = make_row(view, arm.name, trial.ask(arm.name, prompt), plant, rule)
        if arm.name == "isolated":
            own = row.option
        yield row
