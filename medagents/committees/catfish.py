"""The Catfish committee (arXiv 2505.21503): a moderator routes a case to one of three levels.

- basic: an initial diagnosis, the Catfish's objection, a correction;
- intermediate: a debate in rounds in which the Catfish breaks silent agreement, and a moderator's decision;
- advanced: three teams one after another (`teams`).

The paper states the levels; prompts, thresholds and the number of rounds are ours.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medagents.committees.baselines import by_turn, chaired, revise, route
from medagents.committees.dissent import MILD, NOBODY, Dissent, notes_of, respond, tone_for
from medagents.committees.reading import ADVANCED, BASIC, INTERMEDIATE, level
from medagents.committees.session import (
    NO_PEERS,
    Agent,
    Board,
    Session,
    Team,
    Utterance,
    first_answers,
    lines,
    together,
    under,
)
from medagents.committees.teams import advanced
from medagents.committees.votes import agreement, plurality, unanimous
from medagents.prompts import fill
from medagents.types import VERDICT, Decoding, View

YES_NO = Decoding(temperature=0.0, max_tokens=1)
"""One letter: whether a member wants to speak."""


USUAL = Dissent()
"""A real dissenter, whose tone follows consensus."""


@dataclass(frozen=True)
class Catfish:
    """The committee with a Catfish.

    Args:
        rounds: most challenges in an intermediate case; the debate ends before when a challenge leaves
            the modal option where it was.
        level: sends every case to one level; None for the moderator's word.
        dissent: when and how the committee is challenged.
    """

    name: str = "catfish"
    rounds: int = 5
    level: str | None = None
    dissent: Dissent = USUAL

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Route the case, then run its level. A reply that names no level means intermediate."""
        routed: list[Utterance] = []
        found = self.level
        if found is None:
            routed = [route(view, team.chair, "catfish/level", "level")]
            found = level(routed[0].text)
        chosen = found or INTERMEDIATE
        if chosen == ADVANCED:
            held = advanced(self.name, self.dissent, view, team, board)
        else:
            held = (self._basic if chosen == BASIC else self._intermediate)(view, team, board)
        notes = {"level": chosen, "routed": "read" if found else "unread"}
        return replace(held, turns=(*routed, *held.turns), notes={**notes, **held.notes})

    def _basic(self, view: View, team: Team, board: Board) -> Session:
        where = under(self.name, board)
        said = [*first_answers(view, team.experts[:1]), *board.peers]
        modal = plurality(said)
        if modal is None:
            return replace(by_turn(self.name, board, said[1:], said[0]), notes=notes_of([]))
        if self.dissent.source == NOBODY:
            [answer] = revise(view, team.experts[:1], said, where, 2)
            return replace(by_turn(self.name, board, said, answer), notes=notes_of([]))
        tone = self.dissent.tone or MILD
        objection = self.dissent.challenge(view, team.catfish, said, modal, tone, where, 2)
        [answer] = respond(view, team.experts[:1], [*said, objection], where, 3)
        return replace(by_turn(self.name, board, [*said, objection], answer), notes=notes_of([tone]))

    def _intermediate(self, view: View, team: Team, board: Board) -> Session:
        where = under(self.name, board)
        said = [*first_answers(view, team.experts), *board.peers]
        wishes = volunteers(view, team.experts, said, where)
        unopposed, wished = unanimous(said), [wants(wish) for wish in wishes]
        silent, tones, depth = unopposed or True not in wished, list[str](), 2
        turns = [*said, *wishes]
        for _ in range(self.rounds):
            modal, share = plurality(said), agreement(said)
            if self.dissent.source == NOBODY:
                answers = revise(view, team.experts, said, where, depth + 1)
                depth += 1
            elif modal is not None and self.dissent.due(modal, share, silent):
                tones.append(self.dissent.tone or tone_for(share, silent))
                objection = self.dissent.challenge(
                    view, team.catfish, said, modal, tones[-1], where, depth + 1
                )
                turns.append(objection)
                answers = respond(view, team.experts, [*said, objection], where, depth + 2)
                depth += 2
            else:
                break
            turns += answers
            said, silent = [*answers, *board.peers], False
            if plurality(said) == modal:
                break
        last = chaired(view, team.chair, said, where, depth + 1)
        notes = {
            "unanimous": str(int(unopposed)),
            "willing": str(wished.count(True)),
            "unread_wishes": str(wished.count(None)),
        }
        return replace(by_turn(self.name, board, turns, last), notes=notes | notes_of(tones))


def volunteers(
    view: View, experts: Sequence[Agent], said: Sequence[Utterance], where: str
) -> list[Utterance]:
    """What each expert says when asked whether it wants to speak."""
    return together(
        experts,
        lambda agent: agent.say(
            view,
            fill("catfish/speak", board=lines(said), speaker=agent.name),
            condition=where,
            stage="speak",
            depth=2,
            role="member",
            decoding=YES_NO,
            labels=VERDICT,
            votes=False,
            heard=said,
        ),
    )


def wants(wish: Utterance) -> bool | None:
    """Whether a member wants to speak, by its first word; None where that is neither yes nor no, which is
    no wish and is counted.
    """
    said = re.match(r"\W*(?:(y|yes)|n|no)\b", wish.text, re.IGNORECASE)
    return bool(said[1]) if said else None
