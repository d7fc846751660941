"""What committees said, as a table: one line a turn and one a decision, as committed in `cache/turns/`.

`option` is a 0-based index of the original case, empty where a turn names none; `logp` is that of `rows`.
`depth` orders turns as in `session`; a decision has the length of the session's critical path. A scripted
peer has no model and no key. A decision has role `decision` and holds the session's `notes`, `a=b;c=d`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pandas as pd

from medagents import outcomes, paths
from medagents.committees.session import Session
from medagents.types import Case, Status

DECISION = "decision"


@dataclass(frozen=True)
class TurnRow:
    """One turn or decision of one session (`case`, `committee`, `board`)."""

    case: str
    cluster: str
    gold: int
    plant: int
    plant_rule: str
    committee: str
    board: str
    role: str
    agent: str
    stage: str
    depth: int
    model: str
    status: str
    option: int | None
    logp: str
    prompt_tokens: int
    reply_tokens: int
    provenance: str
    notes: str
    key: str


COLUMNS = tuple(field.name for field in fields(TurnRow))

_NUMBERS = dict.fromkeys(("gold", "plant", "depth", "option", "prompt_tokens", "reply_tokens"), "Int64")


def of_session(session: Session, case: Case, plant: int, plant_rule: str) -> Iterator[TurnRow]:
    """The lines of one session: its turns in order, then its decision."""
    same = {
        "case": case.id,
        "cluster": case.cluster,
        "gold": case.gold,
        "plant": plant,
        "plant_rule": plant_rule,
        "committee": session.committee,
        "board": session.board,
    }
    for turn in session.turns:
        yield TurnRow(
            **same,  # type: ignore[arg-type]
            role=turn.role,
            agent=turn.agent,
            stage=turn.stage,
            depth=turn.depth,
            model=turn.model,
            status=turn.status.value,
            option=turn.option,
            logp=turn.logp,
            prompt_tokens=turn.usage.prompt,
            reply_tokens=turn.usage.completion + turn.usage.thoughts,
            provenance=turn.provenance.value,
            notes="",
            key=turn.key,
        )
    yield TurnRow(
        **same,  # type: ignore[arg-type]
        role=DECISION,
        agent=session.committee,
        stage=DECISION,
        depth=session.depth,
        model="",
        status=session.status.value,
        option=session.option,
        logp="",
        prompt_tokens=0,
        reply_tokens=0,
        provenance="",
        notes=";".join(f"{name}={value}" for name, value in session.notes.items()),
        key="",
    )


def to_frame(lines: Iterable[TurnRow]) -> pd.DataFrame:
    """Lines as a table of the same column types as `read` gives."""
    frame = pd.DataFrame([asdict(line) for line in lines], columns=list(COLUMNS), dtype=object)
    return frame.astype(_NUMBERS)


def path_of(cohort: str, team: str, experiment: str, root: Path = paths.TURNS) -> Path:
    """File of committed turns."""
    return root / cohort / team / f"{experiment}.csv"


def read(path: Path) -> pd.DataFrame:
    """Read committed turns.

    Raises:
        MedagentsError: no such file, one that is not the committed one, or a value that no turn has.
    """
    remedy = "restore the file from version control"
    frame = outcomes.read(path, COLUMNS, tuple(_NUMBERS), "turns", remedy)
    counts = outcomes.option_counts(frame)
    for column in ("gold", "plant", "option"):
        outcomes.refuse(path, frame, column, (frame[column] >= counts).fillna(False), "an option of the case")
    for column in set(_NUMBERS) - {"option"}:
        outcomes.refuse(path, frame, column, frame[column].isna(), "a number")
    last = frame["role"] == DECISION
    silent = last & frame["option"].isna() & (frame["status"] == Status.ANSWERED)
    outcomes.refuse(path, frame, "option", silent, "an option, as the status has it")
    session = ["case", "committee", "board"]
    twice = last & frame.duplicated([*session, "role"])
    outcomes.refuse(path, frame, "role", twice, "a decision of a new session")
    decided = last.groupby([frame[name] for name in session]).transform("any")
    outcomes.refuse(path, frame, "committee", ~decided, "one whose decision follows")
    return frame
