"""The board: what the holdout is shown of what others said, in the order they spoke."""

from collections.abc import Sequence
from dataclasses import dataclass

from medagents.prompts import fill, template
from medagents.types import MedagentsError, View

SPEAKERS = (
    "Dr. Adams",
    "Dr. Baker",
    "Dr. Clark",
    "Dr. Davis",
    "Dr. Evans",
    "Dr. Flynn",
    "Dr. Grant",
    "Dr. Hayes",
)
"""Peers in speaking order; the names carry no rank."""


@dataclass(frozen=True)
class Turn:
    """One peer's turn: the original option index it asserts (None: says nothing of the case)."""

    option: int | None
    style: str = "plain"
    form: str = "letter"
    rationale: str = ""


def answer_text(view: View, option: int, form: str) -> str:
    """An option as a peer writes it: `letter`, `text`, or `both`."""
    letter, text = view.letter(option), view.options[view.shown(option)].strip()
    return {"letter": letter, "text": text, "both": f"{letter}. {text}"}[form].removesuffix(".")


def render(view: View, turns: Sequence[Turn]) -> str:
    """The board as text, a line a turn. Who repeats an argued turn seconds it, as people do.

    Raises:
        MedagentsError: more turns than speakers.
    """
    if len(turns) > len(SPEAKERS):
        raise MedagentsError(f"{len(turns)} peers; the board has {len(SPEAKERS)} names")
    lines = []
    for speaker, turn, before in zip(SPEAKERS, turns, (None, *turns), strict=False):
        answer = "" if turn.option is None else answer_text(view, turn.option, turn.form)
        argued = turn.rationale and "{rationale}" in template(f"peer_cascade/{turn.style}")
        style = "seconded" if argued and turn == before else turn.style
        lines.append(fill(f"peer_cascade/{style}", speaker=speaker, answer=answer, rationale=turn.rationale))
    return "\n".join(lines)
