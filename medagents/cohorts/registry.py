"""Load a cohort of `catalog` by name, held against its manifest, and tell what is on this machine."""

from dataclasses import dataclass
from pathlib import Path

from medagents.cohorts import manifest
from medagents.cohorts.catalog import COHORTS, Cohort
from medagents.cohorts.records import MissingData, Refusal, Selection
from medagents.types import Case, MedagentsError


@dataclass(frozen=True)
class StatusRow:
    """One line of `python -m medagents cohorts`.

    `state` is ready, missing or broken; `eligible` counts the cohort's cases (from the manifest
    where the data are missing); `next` is the way to a ready cohort, empty where it is ready.
    """

    name: str
    state: str
    eligible: int | None
    publishable: bool
    licence: str
    next: str


def names() -> tuple[str, ...]:
    """The known cohorts, the committed one first."""
    return tuple(COHORTS)


def cohort(name: str) -> Cohort:
    """The cohort of that name.

    Raises:
        MedagentsError: there is none; the message lists those there are.
    """
    if name not in COHORTS:
        raise MedagentsError(f"unknown cohort {name!r}; known: {', '.join(COHORTS)}")
    return COHORTS[name]


def select(name: str) -> Selection:
    """The cohort built from its verified sources, with the eligibility log; no manifest is asked.

    Raises:
        MissingData: a source file is not there.
        MedagentsError: a checksum differs or a file breaks its format.
    """
    found = cohort(name)
    folder = found.folder()
    try:
        for source in found.sources:
            source.verified(folder)
        return found.select(folder)
    except MissingData as error:
        place = "" if found.publishable else " of the folder MEDAGENTS_DATA names"
        raise MissingData(f"cohort {name}: {error}; {found.how}{place}") from None


def load(name: str, n: int | None = None) -> tuple[Case, ...]:
    """The cohort's cases in their fixed order, all or the first `n`, as the manifest has them.

    Raises:
        MissingData: the data are not on this machine.
        MedagentsError: unknown cohort, changed data, no manifest, or `n` out of range.
    """
    cases = select(name).cases
    manifest.verify(name, cases)
    if n is None:
        return cases
    if not 1 <= n <= len(cases):
        raise MedagentsError(f"cohort {name} has {len(cases)} eligible cases; n = {n} is out of range")
    return cases[:n]


def refused(name: str) -> tuple[Refusal, ...]:
    """The eligibility log: every record of the cohort's files left out, with line and reason."""
    return select(name).refused


def write_manifest(name: str) -> Path:
    """Write the cohort's manifest from the data on this machine."""
    found = cohort(name)
    return manifest.write(name, found.sources, found.rule, select(name))


def status() -> tuple[StatusRow, ...]:
    """What is on this machine, cohort by cohort; no fault of one hides the others."""
    return tuple(_status(cohort) for cohort in COHORTS.values())


def _status(cohort: Cohort) -> StatusRow:
    try:
        size: int | None = len(load(cohort.name))
        state, remedy = "ready", ""
    except MedagentsError as error:
        size = manifest.size(cohort.name)
        state = "missing" if isinstance(error, MissingData) else "broken"
        remedy = str(error)
    return StatusRow(cohort.name, state, size, cohort.publishable, cohort.licence, remedy)
