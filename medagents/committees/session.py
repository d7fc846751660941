"""A session: one case put through one committee. Agents speak in turn, and every turn is kept.

Turns of one `depth` do not wait for each other, and wait for those of a smaller one. So the critical path
of a session is as long as there are depths with a model call, however many agents there are.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Protocol

from medagents.cohorts.images import images_of
from medagents.prompts import case_text, examples, fill, refuse_markers, template
from medagents.recorder import Recorder
from medagents.rows import option_logprobs, outcome
from medagents.types import LETTERS, Decoding, Prompt, Provenance, Slot, Status, Usage, View

SENTENCE = Decoding(temperature=0.0, max_tokens=60, stop=("\n",), top_logprobs=60)
"""A letter and one short sentence; the letter's log-probabilities are those of the first token."""

EXPERT, PEER = "expert", "peer"


@dataclass(frozen=True)
class Utterance:
    """One turn. `option` is an original index, None where the turn names none; `logp` is the `logp`
    of `rows`. A scripted peer has no model, no key and no tokens.
    """

    agent: str
    role: str
    stage: str
    depth: int
    text: str
    status: Status
    option: int | None = None
    model: str = ""
    logp: str = ""
    usage: Usage = field(default_factory=Usage)
    provenance: Provenance = Provenance.SCRIPTED
    key: str = ""


@dataclass(frozen=True)
class Board:
    """What scripted members say, whatever they are asked. `name` ends the condition of every call
    made beside them; without a name there are none.
    """

    name: str = ""
    peers: tuple[Utterance, ...] = ()


NO_PEERS = Board()
"""The committee by itself."""


@dataclass(frozen=True)
class Session:
    """What a committee said and decided. `notes` is what its protocol has to tell besides, such as the
    level of a case or whether the mediator's JSON could be read.
    """

    committee: str
    board: str
    turns: tuple[Utterance, ...]
    status: Status
    option: int | None
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Model calls: turns with a key of their own."""
        return len({(turn.model, turn.key) for turn in self.turns if turn.key})

    @property
    def depth(self) -> int:
        """Model calls on the critical path; what is scripted takes no time."""
        return len({turn.depth for turn in self.turns if turn.key})


@dataclass(frozen=True)
class Agent:
    """A role played by a model. `slot` is where its calls of this case are recorded; `parallel` says
    whether its provider takes several calls at a time.
    """

    name: str
    recorder: Recorder
    slot: Slot
    parallel: bool = False

    def say(
        self,
        view: View,
        ask: str,
        *,
        condition: str,
        stage: str,
        depth: int,
        role: str = EXPERT,
        decoding: Decoding = SENTENCE,
        repeat: int = 0,
        labels: str = LETTERS,
        votes: bool = True,
        heard: Sequence[Utterance] = (),
    ) -> Utterance:
        """Ask this agent: the case first, then `ask`, so that an engine reads a case once.

        `votes` says whether the reply is read for an option; a mediator's questions are not. `heard` is
        what `ask` quotes: a model may say by itself what is a marker elsewhere, such as a decoy receptor.

        Raises:
            MedagentsError: the prompt shows a marker of the experiment, or whatever `Recorder.ask` raises.
        """
        case = case_text(view)
        own = [case, *(turn.text for turn in heard if turn.key)]
        turn = refuse_markers(f"\n\n{ask}", allowed="\n".join(own))
        shown, images = examples("committee/examples"), images_of(view.case)
        prompt = Prompt(template("committee/system"), case, turn, shown, labels, images)
        slot = replace(
            self.slot,
            condition=f"{condition}/{stage}",
            agent=self.name,
            turn=depth,
            repeat=repeat,
        )
        record = self.recorder.ask(slot, self.recorder.model.request(prompt, decoding, repeat))
        status, option = outcome(record.reply, view) if votes else (record.reply.status, None)
        return Utterance(
            agent=self.name,
            role=role,
            stage=stage,
            depth=depth,
            text=(record.reply.text or "").strip(),
            status=status,
            option=option,
            model=self.recorder.model.name,
            logp=option_logprobs(record.reply, view) if votes else "",
            usage=record.reply.usage,
            provenance=record.reply.provenance,
            key=record.key,
        )


@dataclass(frozen=True)
class Team:
    """Who sits in a committee: experts in speaking order, and who plays the other roles. Agents may be
    of any provider and lineage.
    """

    experts: tuple[Agent, ...]
    chair: Agent
    catfish: Agent
    mediator: Agent
    judge: Agent


class Committee(Protocol):
    """A protocol: takes a case, agents and a board, and returns the session."""

    @property
    def name(self) -> str:
        """The committee's name in rows and figures."""
        ...

    def __call__(self, view: View, team: Team, board: Board = NO_PEERS) -> Session:
        """Put one case through the committee."""
        ...


def together(agents: Sequence[Agent], say: Callable[[Agent], Utterance]) -> list[Utterance]:
    """One turn of each agent, in their order: at the same time where every provider allows it."""
    if len(agents) < 2 or not all(agent.parallel for agent in agents):
        return [say(agent) for agent in agents]
    with ThreadPoolExecutor(len(agents)) as pool:
        # Each in the context of this thread, whose waits end with the run (`threads.ending`).
        asked = [pool.submit(copy_context().run, say, agent) for agent in agents]
        return [turn.result() for turn in asked]


def first_answers(view: View, experts: Sequence[Agent]) -> list[Utterance]:
    """Every expert's answer before any exchange: the same calls in every committee."""
    ask = fill("committee/answer")
    return together(
        experts, lambda agent: agent.say(view, ask, condition="isolated", stage="answer", depth=1)
    )


def under(name: str, board: Board) -> str:
    """Condition of a committee's calls beside a board."""
    return f"{name}@{board.name}" if board.name else name


def latest(turns: Sequence[Utterance]) -> list[Utterance]:
    """The last turn of each who spoke, in the order in which they first did."""
    return list({turn.agent: turn for turn in turns}.values())


def lines(turns: Sequence[Utterance]) -> str:
    """Turns as the board shows them, one a line."""
    return "\n".join(f"{turn.agent}: {one_line(turn.text)}" for turn in turns)


def one_line(text: str) -> str:
    """What a turn said in one line, so that it cannot pass for another speaker's."""
    return " ".join(text.split()) or "(says nothing)"


def peers(view: View, name: str, option: int, speakers: Sequence[str]) -> Board:
    """Scripted members who all assert one option (an original index), the first in its own words."""
    said = [
        fill(f"committee/{'peer_seconds' if number else 'peer'}", letter=view.letter(option))
        for number in range(len(speakers))
    ]
    turns = (
        Utterance(speaker, PEER, "answer", 0, text, Status.ANSWERED, option)
        for speaker, text in zip(speakers, said, strict=True)
    )
    return Board(name, tuple(turns))
