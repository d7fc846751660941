"""Experiments: one file each, which reads like its method section; `EXPERIMENTS` lists them by name."""

from collections.abc import Mapping

from medagents.experiments import (
    break_it,
    catfish_benchmark,
    committee_cascade,
    cue_sensitivity,
    engine_check,
    hidden_rubric,
    medorch_benchmark,
    peer_cascade,
    peer_rationale,
    prompt_format,
    referee_detection,
    transcript_review,
)
from medagents.experiments.base import Experiment
from medagents.experiments.sitting import CommitteeExperiment

EXPERIMENTS: Mapping[str, Experiment] = {
    "cue_sensitivity": cue_sensitivity.run_case,
    "peer_cascade": peer_cascade.run_case,
    "peer_rationale": peer_rationale.run_case,
    "break_it": break_it.run_case,
    "referee_detection": referee_detection.run_case,
    "hidden_rubric": hidden_rubric.run_case,
    "transcript_review": transcript_review.run_case,
    "prompt_format": prompt_format.run_case,
    "engine_check": engine_check.run_case,
}
"""Name -> the function that puts one case through every condition."""

SITTINGS: Mapping[str, CommitteeExperiment] = {
    "catfish_benchmark": catfish_benchmark.run_case,
    "medorch_benchmark": medorch_benchmark.run_case,
    "committee_cascade": committee_cascade.run_case,
}
"""Name -> the function that puts one case through every committee."""
