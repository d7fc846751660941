"""Teams: which models sit in a committee, and who plays which role."""

from collections.abc import Mapping
from dataclasses import dataclass

from medagents.models import catalog
from medagents.types import MedagentsError


@dataclass(frozen=True)
class Roster:
    """Names of models (`models.get`): the experts in speaking order, and the other roles."""

    experts: tuple[str, ...]
    chair: str
    catfish: str
    mediator: str
    judge: str

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that sits, once, experts first."""
        seats = (*self.experts, self.chair, self.catfish, self.mediator, self.judge)
        return tuple(dict.fromkeys(seats))


def led_by(leader: str, *others: str) -> Roster:
    """A roster whose first expert's model plays every other role too."""
    return Roster((leader, *others), leader, leader, leader, leader)


ROSTERS: Mapping[str, Roster] = {
    "trio": led_by("qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b", "gemma3-270m-base"),
}
"""Team name -> roster. `trio`: three sizes, two lineages; the largest leads, mediates and judges."""


def roster(name: str) -> Roster:
    """The roster of a team; several models joined by `+` make a team led by the first.

    Raises:
        MedagentsError: neither a known team nor two or more models.
    """
    if name in ROSTERS:
        return ROSTERS[name]
    models = name.split("+")
    if len(models) < 2 or not all(models):
        raise MedagentsError(
            f"unknown team {name!r}; known: {', '.join(ROSTERS)}, or models joined by +, the leader first"
        )
    return led_by(*models)


def title(name: str) -> str:
    """How a figure names a team: the weights of its experts, the leader first."""
    return f"{name} ({', '.join(catalog.title(model) for model in roster(name).experts)})"


def is_team(name: str) -> bool:
    """Whether a name means a team and not one model."""
    return name in ROSTERS or ("+" in name and not name.endswith(".gguf"))


def folder_name(name: str) -> str:
    """A team's name with its models as their folders are called, which `roster` reads as well."""
    if name in ROSTERS:
        return name
    return "+".join(catalog.get(model).name for model in roster(name).experts)
