"""Sessions written by hand, small enough to check every number by eye; and their table of turns."""

import pandas as pd

from medagents import turns
from medagents.committees.session import EXPERT, PEER, Session, Utterance
from medagents.keys import digest
from medagents.types import Case, Provenance, Status, Usage

OPTIONS = ("Iron", "Zinc", "Lead", "Gold")
ANN, BOB, CAT = "Ann", "Bob", "Cat"
PLANT = 1

Lines = list[turns.TurnRow]


def said(
    agent: str,
    option: int | None,
    stage: str = "answer",
    depth: int = 1,
    role: str = EXPERT,
    model: str = "large",
    status: Status | None = None,
) -> Utterance:
    """A turn that a model made: 100 tokens of prompt, 7 of reply and 3 of thoughts."""
    known = Status.UNPARSEABLE if option is None else Status.ANSWERED
    return Utterance(
        agent,
        role,
        stage,
        depth,
        "",
        status or known,
        option,
        model,
        usage=Usage(100, 7, 3),
        provenance=Provenance.LOCAL,
        key=digest(f"{agent} {stage} {depth}"),
    )


def firsts(*options: int | None) -> list[Utterance]:
    """First answers of Ann, Bob and Cat."""
    return [said(agent, option) for agent, option in zip((ANN, BOB, CAT), options, strict=False)]


def scripted(agent: str, option: int) -> Utterance:
    """What a scripted peer says."""
    return Utterance(agent, PEER, "answer", 0, "", Status.ANSWERED, option)


def held(
    case: str,
    committee: str,
    spoken: list[Utterance],
    option: int | None,
    gold: int = 0,
    board: str = "",
    cluster: str = "",
    **notes: str,
) -> Lines:
    """A session's lines: its turns, and a decision."""
    status = Status.UNPARSEABLE if option is None else Status.ANSWERED
    session = Session(committee, board, tuple(spoken), status, option, notes)
    return list(turns.of_session(session, Case(case, "Which?", OPTIONS, gold, cluster), PLANT, "rule"))


def table(*sessions: Lines) -> pd.DataFrame:
    """The turns of sessions as one table."""
    return turns.to_frame(line for lines in sessions for line in lines)
