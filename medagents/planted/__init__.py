"""Planted-truth agents: scripted holdouts of known habits, for judging the estimators and detectors.

`agents` defines them, `truth` says in closed form what a study of them should find, `script` puts them
through a whole experiment, and `coverage` measures how often each 95 % interval covers the truth
(`coverage.csv`, made by `make coverage`). They are for tests and for that table, never drawn as results.
"""

from medagents.planted.agents import NONE, LogitAgent, PlantedAgent
from medagents.planted.script import logit_script, script
from medagents.planted.truth import (
    Expected,
    Judge,
    Score,
    Scores,
    expected,
    flags,
    holds,
    probability_shift,
    scores,
)

__all__ = [
    "NONE",
    "Expected",
    "Judge",
    "LogitAgent",
    "PlantedAgent",
    "Score",
    "Scores",
    "expected",
    "flags",
    "holds",
    "logit_script",
    "probability_shift",
    "scores",
    "script",
]
