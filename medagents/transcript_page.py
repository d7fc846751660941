"""Sessions of one case side by side, as HTML for a notebook: every turn, escaped, with what it cost.

Only for cohorts whose text is ours: a transcript quotes its case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from medagents.committees.session import Session, Utterance
from medagents.sittings import Sittings
from medagents.types import LETTERS, Case


@dataclass(frozen=True)
class Page:
    """HTML; shown by a notebook."""

    html: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<transcript, {len(self.html)} characters of HTML>"


def first_case(found: Sittings, committees: Sequence[str], board: str = "") -> Page:
    """The first case of a run in some of its committees, side by side."""
    for case, sessions in found.sessions.items():
        chosen = {session.committee: session for session in sessions if session.board == board}
        return side_by_side(found.cases[case], [chosen[name] for name in committees])
    return Page("<p>Transcripts are shown where the recordings and the cohort's text are at hand.</p>")


def side_by_side(case: Case, sessions: Iterable[Session]) -> Page:
    """The case, then one column a session: its turns in the order in which they were asked."""
    sessions = list(sessions)
    options = "".join(
        f"<li>{escape(letter)}. {escape(text)}{' <b>(key)</b>' if number == case.gold else ''}</li>"
        for number, (letter, text) in enumerate(zip(LETTERS, case.options, strict=False))
    )
    heads = "".join(f"<th>{escape(_title(session))}</th>" for session in sessions)
    cells = "".join(
        f'<td style="text-align:left;vertical-align:top">{_turns(session.turns)}{_decision(session)}</td>'
        for session in sessions
    )
    return Page(
        f"<p><b>{escape(case.id)}</b> {escape(case.stem)}</p><ul>{options}</ul>"
        f"<table><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>"
    )


def _title(session: Session) -> str:
    return f"{session.committee} beside {session.board}" if session.board else session.committee


def _turns(turns: Sequence[Utterance]) -> str:
    return "".join(
        f"<p><b>{escape(turn.agent)}</b> <small>({_small(turn)})</small><br>"
        f"{escape(turn.text) or '(nothing)'}</p>"
        for turn in turns
    )


def _small(turn: Utterance) -> str:
    """Role, stage, model, status, tokens and key of a turn; a scripted one has no more than its role."""
    if not turn.key:
        return escape(f"{turn.role}, scripted")
    tokens = f"{turn.usage.prompt} + {turn.usage.completion + turn.usage.thoughts} tokens"
    return escape(
        f"{turn.role}, {turn.stage}, {turn.model}, call {turn.depth} deep, {turn.status.value}, {tokens}, "
        f"key {turn.key[:8]}"
    )


def _decision(session: Session) -> str:
    said = "nothing" if session.option is None else LETTERS[session.option]
    notes = "".join(f"; {name} {value}" for name, value in session.notes.items() if value)
    return f"<p><b>decides {escape(said)}</b> <small>({session.calls} calls{escape(notes)})</small></p>"
