"""Cohorts: ordered, eligible, checksummed lists of cases, one file per data set family."""

from medagents.cohorts.catalog import COHORTS, Cohort
from medagents.cohorts.records import MissingData, Refusal, Selection
from medagents.cohorts.registry import (
    StatusRow,
    cohort,
    load,
    names,
    refused,
    status,
    write_manifest,
)

__all__ = [
    "COHORTS",
    "Cohort",
    "MissingData",
    "Refusal",
    "Selection",
    "StatusRow",
    "cohort",
    "load",
    "names",
    "refused",
    "status",
    "write_manifest",
]
