"""What every committee experiment is made of: a function of one case that yields sessions."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from medagents.committees.session import NO_PEERS, Agent, Board, Session, Team, peers
from medagents.models.teams import Roster
from medagents.recorder import Recorder
from medagents.types import Case, MedagentsError, Slot, View, plain_view

_NAMES = ("Adams", "Baker", "Clark", "Davis", "Evans", "Grant", "Hayes", "Irwin", "Jones")
EXPERTS = tuple(f"Dr. {name}" for name in _NAMES)
"""Experts in speaking order; the names carry no rank."""

PEERS = ("Dr. Lewis", "Dr. Moore")
"""The two scripted members of a board."""

CATFISH = "Dr. Flynn"


@dataclass(frozen=True)
class Sitting:
    """One case of one run: the team that sits, and the plant by the run's rule."""

    case: Case
    plant: int
    plant_rule: str
    team: Team

    @property
    def view(self) -> View:
        """The case as it stands."""
        return plain_view(self.case)

    def boards(self) -> tuple[Board, Board, Board]:
        """No peers, two who assert the plant, two who assert the key."""
        return (
            NO_PEERS,
            peers(self.view, "wrong_peers", self.plant, PEERS),
            peers(self.view, "right_peers", self.case.gold, PEERS),
        )

    def with_model_of(self, expert: int, *roles: str) -> Team:
        """The team with some roles played by the model of another expert."""
        recorder = self.team.experts[expert].recorder
        changed = {role: replace(getattr(self.team, role), recorder=recorder) for role in roles}
        return replace(self.team, **changed)


CommitteeExperiment = Callable[[Sitting], Iterator[Session]]


def seat(roster: Roster, recorders: Mapping[str, Recorder], slot: Slot) -> Team:
    """The team of a roster for one case. `recorders` holds one for every model of the roster.

    Raises:
        MedagentsError: more experts than names.
    """
    if len(roster.experts) > len(EXPERTS):
        raise MedagentsError(f"{len(roster.experts)} experts; the committee has {len(EXPERTS)} names")

    def agent(name: str, model: str) -> Agent:
        return Agent(name, recorders[model], slot, parallel=recorders[model].concurrency > 1)

    return Team(
        experts=tuple(agent(name, model) for name, model in zip(EXPERTS, roster.experts, strict=False)),
        chair=agent("chair", roster.chair),
        catfish=agent(CATFISH, roster.catfish),
        mediator=agent("mediator", roster.mediator),
        judge=agent("judge", roster.judge),
    )
