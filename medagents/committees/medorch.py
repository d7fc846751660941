"""MedOrch (arXiv 2508.05996, section 3.2): experts answer in parallel, a mediator compares and asks each
one Socratic question in a single pass, the experts answer anew in parallel, a judge decides.

Four model calls deep for any number of experts: the mediator asks everybody once and nothing is repeated.
Where its list cannot be read the mediation has failed: the first answers are put to the vote, and it counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from medagents.committees.baselines import by_turn, by_vote, sampled
from medagents.committees.reading import FORM, Mediation, mediation
from medagents.committees.session import (
    NO_PEERS,
    SENTENCE,
    Agent,
    Board,
    Session,
    Team,
    Utterance,
    first_answers,
    one_line,
    together,
    under,
)
from medagents.keys import seed_of
from medagents.prompts import fill
from medagents.types import Decoding, View

QUESTIONS = Decoding(temperature=0.0, max_tokens=160)
"""The mediator's list. 80 tokens, as for other turns, would cut three questions off."""

VERDICT_LINE = Decoding(temperature=0.0, max_tokens=60, stop=("\n",))
"""The judge's line."""

WARM = replace(SENTENCE, temperature=0.6)
"""Experts of one model differ by temperature alone (section 4.2, homogeneous agents)."""


@dataclass(frozen=True)
class MedOrch:
    """The mediated committee.

    Args:
        experts: how many of the team's experts sit, from the first; None for all.
        homogeneous: the first expert's model sits this many times at temperature 0.6 instead; 0 for no.
        judged: whether a judge decides; if not, the revised answers are put to the vote.
        decides: whether the mediator decides if there is need for discussion, as in the paper; if not, it
            must ask (a small model may never see the need, and would never be seen to mediate).
    """

    name: str = "medorch"
    experts: int | None = None
    homogeneous: int = 0
    judged: bool = True
    decides: bool = True

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Four calls deep; three where the mediator wants no discussion, two where its list is broken."""
        where = under(self.name, board)
        if self.homogeneous:
            agents = cloned(team.experts[0], self.homogeneous)
            drawn = sampled(view, team.experts[0], len(agents), WARM, self.name)
            first = [replace(said, agent=agent.name) for said, agent in zip(drawn, agents, strict=True)]
        else:
            agents = list(team.experts[: self.experts])
            first = first_answers(view, agents)
        said = [*first, *board.peers]
        asked = team.mediator.say(
            view,
            fill(
                f"medorch/{'mediate' if self.decides else 'question'}",
                board=numbered(said),
                fields=fields(len(said)),
            ),
            condition=where,
            stage="mediate",
            depth=2,
            role="mediator",
            decoding=QUESTIONS,
            votes=False,
            heard=said,
        )
        plan = mediation(asked.text, len(said))
        turns = [*said, asked]
        if plan is None:
            return replace(by_vote(self.name, board, turns, said), notes={"mediation": "failed"})
        heard, warm = [*first, asked], bool(self.homogeneous)
        revised = reflect(view, agents, heard, plan, where, warm) if plan.discuss else []
        turns += revised
        notes = {"mediation": "discussed" if plan.discuss else "agreed", "asked": str(len(plan.questions))}
        last_said = {turn.agent: turn for turn in [*said, *revised]}
        if not self.judged:
            return replace(by_vote(self.name, board, turns, list(last_said.values())), notes=notes)
        last = team.judge.say(
            view,
            fill("medorch/judge", dialogue=dialogue(said, plan, revised)),
            condition=where,
            stage="judge",
            depth=4 if revised else 3,
            role="judge",
            decoding=VERDICT_LINE,
            heard=turns,
        )
        return replace(by_turn(self.name, board, turns, last), notes=notes)


def numbered(said: Sequence[Utterance]) -> str:
    """Answers as the mediator sees them: experts by number."""
    return "\n".join(f"Expert {number}: {one_line(turn.text)}" for number, turn in enumerate(said, 1))


def fields(experts: int) -> str:
    """The part of the JSON form that has a question for every expert."""
    numbers = range(1, experts + 1)
    return ", ".join(f'"Expert {number}": "{FORM.format(number=number)}"' for number in numbers)


def cloned(agent: Agent, number: int) -> list[Agent]:
    """One agent under several names: other experts, one model."""
    return [replace(agent, name=f"{agent.name} {place}") for place in range(1, number + 1)]


def reflect(
    view: View,
    agents: Sequence[Agent],
    heard: Sequence[Utterance],
    plan: Mediation,
    where: str,
    warm: bool,
) -> list[Utterance]:
    """The new answer of each agent that was asked; who is scripted or was not asked keeps the old one.

    `heard` holds their first answers and the mediator's turn. `warm` draws at temperature 0.6, each agent
    with a seed of its own, as its first answer was drawn.
    """
    own = {turn.agent: turn.text for turn in heard}
    numbers = {agent.name: number for number, agent in enumerate(agents, 1) if number in plan.questions}

    def answer(agent: Agent) -> Utterance:
        number = numbers[agent.name]
        seed = seed_of(view.case.id, len(agents) + number)
        return agent.say(
            view,
            fill("medorch/reflect", own=one_line(own[agent.name]), question=plan.questions[number]),
            condition=where,
            stage="reflect",
            depth=3,
            decoding=replace(WARM, seed=seed) if warm else SENTENCE,
            heard=heard,
        )

    return together([agent for agent in agents if agent.name in numbers], answer)


def dialogue(said: Sequence[Utterance], plan: Mediation, revised: Sequence[Utterance]) -> str:
    """The whole conversation as the judge reads it: first answers, then question and new answer of each."""
    anew = {turn.agent: turn.text for turn in revised}
    text = ["The experts said:", numbered(said)]
    for number, turn in enumerate(said, 1):
        if number in plan.questions:
            answer = anew.get(turn.agent, turn.text)
            text += [
                f"The mediator to expert {number}: {plan.questions[number]}",
                f"Expert {number}: {one_line(answer)}",
            ]
    return "\n".join(text)
