"""Structured dissent: when the Catfish speaks, in what tone, and what the members must do then.

The paper (arXiv 2505.21503) says that tone follows the strength of consensus. Thresholds and words are ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from medagents.committees.session import Agent, Utterance, lines, together
from medagents.keys import digest
from medagents.prompts import fill
from medagents.types import Status, View

MILD, MODERATE, STRONG = "mild", "moderate", "strong"
TONES = (MILD, MODERATE, STRONG)

MODEL, RANDOM, NOBODY = "model", "random", "nobody"


def tone_for(share: float, silent: bool) -> str:
    """Tone by strength of consensus: mild below 0.6, moderate below 0.9, strong from there or when silent."""
    if silent or share >= 0.9:
        return STRONG
    return MODERATE if share >= 0.6 else MILD


@dataclass(frozen=True)
class Dissent:
    """How a committee is challenged.

    Args:
        source: `model` (the Catfish, a real call that does not know the key), `random` (a placebo:
            another option drawn at random, argued without a reason) or `nobody` (members answer anew
            unchallenged, at every level).
        trigger: least agreement (0 to 1) at which the Catfish speaks; it always does when all are silent.
        tone: one tone for all; None for the tone that follows consensus.
        role: the Catfish's domain.
    """

    source: str = MODEL
    trigger: float = 0.5
    tone: str | None = None
    role: str = "specialist in internal medicine"

    def due(self, modal: int | None, share: float, silent: bool) -> bool:
        """Whether there is a consensus to challenge, and somebody to do so."""
        return self.source != NOBODY and modal is not None and (silent or share >= self.trigger)

    def challenge(
        self,
        view: View,
        catfish: Agent,
        said: Sequence[Utterance],
        modal: int,
        tone: str,
        where: str,
        depth: int,
    ) -> Utterance:
        """The dissent against the modal option (an original index)."""
        if self.source == RANDOM:
            return placebo(view, catfish.name, modal, depth)
        ask = fill(
            f"catfish/{tone}",
            board=lines(said),
            speaker=catfish.name,
            role=self.role,
            answer=view.letter(modal),
        )
        return catfish.say(
            view, ask, condition=where, stage="challenge", depth=depth, role="catfish", heard=said
        )


def placebo(view: View, speaker: str, modal: int, depth: int) -> Utterance:
    """A scripted dissent for another option, drawn by the case's digest: dissent without a thought."""
    others = [option for option in range(len(view.case.options)) if option != modal]
    option = others[int(digest(f"{view.case.id}:dissent")[:8], 16) % len(others)]
    text = fill("catfish/placebo", letter=view.letter(option))
    return Utterance(speaker, "catfish", "challenge", depth, text, Status.ANSWERED, option)


def respond(
    view: View, members: Sequence[Agent], heard: Sequence[Utterance], where: str, depth: int
) -> list[Utterance]:
    """Every member must respond to the challenge, which is the last turn heard."""
    return together(
        members,
        lambda agent: agent.say(
            view,
            fill("catfish/respond", board=lines(heard), speaker=agent.name, catfish=heard[-1].agent),
            condition=where,
            stage="respond",
            depth=depth,
            heard=heard,
        ),
    )


def notes_of(tones: Sequence[str]) -> dict[str, str]:
    """How often a committee was challenged, and in what tones, for a session's notes."""
    return {"challenged": str(len(tones)), "tone": " ".join(tones)}
