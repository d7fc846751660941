"""Committees of scripted models: each seat has a model of its own name, and every call is kept."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from medagents.committees.session import Team
from medagents.experiments.sitting import seat
from medagents.models.scripted import ScriptedModel
from medagents.models.teams import Roster
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, Request, Slot, Transport

Script = Callable[[str, Request], str]
"""What a member is asked (the case and its options left out), the request -> what it says."""

OTHERS = ("chair", "catfish", "mediator", "judge")

A_CASE = re.compile(r".*?\n\n(?:[A-J]\. [^\n]*\n)+\n", re.DOTALL)
"""Stem, options and the empty lines behind each: what comes before the question to a member."""


def asked(request: Request) -> str:
    """What a prompt asks: what comes after the case and its options."""
    return A_CASE.sub("", request.messages[-1].text, count=1)


def always(text: str) -> Script:
    """A member that says one thing whatever it is asked."""
    return lambda ask, request: text


class Provider(ScriptedModel):
    """A scripted model of which several calls may be made at a time."""

    transport = Transport(concurrency=8)


class Seats:
    """The models of a committee by seat, and one store for all: `expert 1` and so on, then `OTHERS`, who say
    A where no script is given.

    `history` holds (seat, what it was asked) of every call that was made, in order.
    """

    def __init__(
        self,
        root: Path,
        experts: Sequence[Script],
        kind: type[ScriptedModel] = ScriptedModel,
        **others: Script,
    ) -> None:
        scripts = {f"expert {number}": script for number, script in enumerate(experts, 1)}
        scripts |= {role: others.get(role, always("A. It fits.")) for role in OTHERS}
        self.roster = Roster(tuple(scripts)[: len(experts)], *OTHERS)
        self.history: list[tuple[str, str]] = []
        self.store = Store(root)
        self.recorders = {
            name: Recorder(kind(self._kept(name, script), name), self.store, Mode.RECORD)
            for name, script in scripts.items()
        }

    def _kept(self, name: str, script: Script) -> Callable[[Request], str]:
        def say(request: Request) -> str:
            self.history.append((name, asked(request)))
            return script(asked(request), request)

        return say

    def team(self, case: Case) -> Team:
        """The team that sits for a case."""
        return seat(self.roster, self.recorders, Slot("cohort", case.id, "experiment", ""))

    @property
    def calls(self) -> int:
        """Calls that were billed."""
        return sum(recorder.calls for recorder in self.recorders.values())

    def heard(self, name: str) -> list[str]:
        """What a seat was asked, in order."""
        return [ask for seat, ask in self.history if seat == name]
