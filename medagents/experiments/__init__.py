"""Experiments: one file each, which reads like its method section; `EXPERIMENTS` lists them by name."""

from collections.abc import Mapping

from medagents.experiments import cue_sensitivity, engine_check, peer_cascade, peer_rationale, prompt_format
from medagents.experiments.base import Experiment

EXPERIMENTS: Mapping[str, Experiment] = {
    "cue_sensitivity": cue_sensitivity.run_case,
    "peer_cascade": peer_cascade.run_case,
    "peer_rationale": peer_rationale.run_case,
    "prompt_format": prompt_format.run_case,
    "engine_check": engine_check.run_case,
}
"""Name -> the function that puts one case through every condition."""
