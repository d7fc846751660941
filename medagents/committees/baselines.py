"""What a committee has to beat: the same agents alone, by vote, under a judge, in layers or in debate.

Every baseline starts from the same first answers (`session.first_answers`), so it pays only for what it
adds. Beside a board the scripted peers are members: their answers are on the board and count as votes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from medagents.committees.reading import last_word
from medagents.committees.session import (
    NO_PEERS,
    Agent,
    Board,
    Session,
    Team,
    Utterance,
    first_answers,
    latest,
    lines,
    together,
    under,
)
from medagents.committees.votes import decided, plurality, unanimous
from medagents.keys import seed_of
from medagents.prompts import fill
from medagents.types import Decoding, View

SAMPLE = Decoding(temperature=0.7, max_tokens=1, top_logprobs=60)
"""A sample for self-consistency. The letter comes first, so the words after it cannot change it."""

WORD = Decoding(temperature=0.0, max_tokens=8, stop=("\n",))
"""One word, such as a level."""


def by_vote(name: str, board: Board, turns: Sequence[Utterance], voters: Sequence[Utterance]) -> Session:
    """A session that the plurality of `voters` decides."""
    option = plurality(voters)
    return Session(name, board.name, tuple(turns), decided(option), option)


def by_turn(name: str, board: Board, turns: Sequence[Utterance], last: Utterance) -> Session:
    """A session that its last turn decides."""
    return Session(name, board.name, (*turns, last), last.status, last.option)


@dataclass(frozen=True)
class Single:
    """One expert alone, by its place in the team."""

    expert: int = 0

    @property
    def name(self) -> str:
        """Name with the expert's number, from 1."""
        return f"single_{self.expert + 1}"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Its first answer; a board does not reach it."""
        [said] = first_answers(view, [team.experts[self.expert]])
        return by_turn(self.name, board, (), said)


def singles(team: Team) -> list[Single]:
    """Every expert of a team alone."""
    return [Single(expert) for expert in range(len(team.experts))]


@dataclass(frozen=True)
class SelfConsistency:
    """The first expert's model, asked `samples` times at temperature 0.7; the plurality decides."""

    samples: int = 5
    name: str = "self_consistency"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Samples differ by `repeat` and by the seed drawn from case and repeat."""
        said = sampled(view, team.experts[0], self.samples, SAMPLE, self.name)
        return by_vote(self.name, board, said, said)


def sampled(view: View, agent: Agent, samples: int, decoding: Decoding, condition: str) -> list[Utterance]:
    """First answers of one agent drawn anew, each with a seed of its own."""
    ask = fill("committee/answer")
    copies = [replace(agent, slot=replace(agent.slot, repeat=repeat)) for repeat in range(1, samples + 1)]
    return together(
        copies,
        lambda copy: copy.say(
            view,
            ask,
            condition=condition,
            stage="answer",
            depth=1,
            decoding=replace(decoding, seed=seed_of(view.case.id, copy.slot.repeat)),
            repeat=copy.slot.repeat,
        ),
    )


@dataclass(frozen=True)
class Voting:
    """First answers, and the plurality decides; no exchange."""

    name: str = "voting"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """One call deep."""
        said = [*first_answers(view, team.experts), *board.peers]
        return by_vote(self.name, board, said, said)


@dataclass(frozen=True)
class Judgment:
    """First answers, and a chair who reads them decides (MedOrch's own baseline, section 4.1)."""

    name: str = "judgment"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Two calls deep."""
        said = [*first_answers(view, team.experts), *board.peers]
        return by_turn(self.name, board, said, chaired(view, team.chair, said, under(self.name, board), 2))


def chaired(view: View, chair: Agent, said: Sequence[Utterance], where: str, depth: int) -> Utterance:
    """The chair's decision over what was said."""
    ask = fill("committee/decide", board=lines(said))
    return chair.say(view, ask, condition=where, stage="decide", depth=depth, role="chair", heard=said)


@dataclass(frozen=True)
class MixtureOfAgents:
    """Two layers of proposers, the second reading the first, and an aggregator (MoA)."""

    name: str = "moa"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Three calls deep."""
        first = [*first_answers(view, team.experts), *board.peers]
        ask = fill("baselines/aggregate", board=lines(first))
        where = under(self.name, board)
        second = together(
            team.experts,
            lambda agent: agent.say(view, ask, condition=where, stage="layer", depth=2, heard=first),
        )
        last = team.chair.say(
            view,
            fill("baselines/aggregate", board=lines([*second, *board.peers])),
            condition=where,
            stage="aggregate",
            depth=3,
            role="chair",
            heard=second,
        )
        return by_turn(self.name, board, [*first, *second], last)


@dataclass(frozen=True)
class Debate:
    """Experts read each other and answer anew, up to `rounds` times or until all agree; then a vote."""

    rounds: int = 1
    name: str = "debate"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """At most 1 + `rounds` calls deep."""
        said = [*first_answers(view, team.experts), *board.peers]
        turns = list(said)
        for depth in range(2, self.rounds + 2):
            if unanimous(said):
                break
            revised = revise(view, team.experts, said, under(self.name, board), depth)
            said = [*revised, *board.peers]
            turns += revised
        return by_vote(self.name, board, turns, said)


def revise(
    view: View, experts: Sequence[Agent], said: Sequence[Utterance], where: str, depth: int
) -> list[Utterance]:
    """Every expert reads what was said and answers anew."""
    return together(
        experts,
        lambda agent: agent.say(
            view,
            fill("committee/revise", board=lines(said), speaker=agent.name),
            condition=where,
            stage="revise",
            depth=depth,
            heard=said,
        ),
    )


@dataclass(frozen=True)
class Routed:
    """Routing by complexity in the manner of MDAgents: low to the first expert, moderate to a debate,
    high to the debate and a chair. A reply that names no level is taken as moderate and counted.
    """

    name: str = "routed"

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Two to four calls deep: the router's word says who is asked."""
        router = route(view, team.chair, "baselines/router", "router")
        level = last_word(router.text, ("low", "moderate", "high"))
        if level == "low":
            held = Single()(view, team, board)
        else:
            held = Debate()(view, team, board)
            if level == "high":
                where = under(self.name, board)
                last = chaired(view, team.chair, latest(held.turns), where, held.depth + 1)
                held = by_turn(self.name, board, held.turns, last)
        notes = {"level": level or "moderate", "routed": "read" if level else "unread"}
        return replace(held, committee=self.name, turns=(router, *held.turns), notes=notes)


def route(view: View, chair: Agent, ask: str, condition: str) -> Utterance:
    """What a router says of a case, by a prompt's name: the same call for every variant of a committee.

    All others wait for it, so it stands before their first depth.
    """
    said = chair.say(
        view,
        fill(ask),
        condition=condition,
        stage="route",
        depth=1,
        role="router",
        decoding=WORD,
        votes=False,
    )
    return replace(said, depth=0)
