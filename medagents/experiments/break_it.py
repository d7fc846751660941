"""Break-it sweep (benchmaxxing, section 4.2): the arms of `committees.break_it`, after the holdout alone."""

from collections.abc import Iterator

from medagents.committees import break_it, cascade
from medagents.experiments.base import Trial
from medagents.experiments.peer_cascade import run_arms
from medagents.rows import Row


def run_case(trial: Trial) -> Iterator[Row]:
    """One row an arm that the case can have; their baselines are rows of the peer cascade."""
    return run_arms(trial, (cascade.arm("isolated"), *break_it.ARMS))
