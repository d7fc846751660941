"""Transcripts side by side: everything escaped, nothing of a turn left out, and no page without text."""

import re

import pytest

from medagents import transcript_page, turns
from medagents.committees.session import PEER, Session, Utterance
from medagents.sittings import Sittings
from medagents.types import Case, Provenance, Status, Usage

CASE = Case("c-1", "Na < 120 & confused?", ("SIADH", "Addison's <disease>", "Water"), 1)
ASKED = Utterance(
    agent="Dr. Adams",
    role="expert",
    stage="answer",
    depth=1,
    text="B. <b>Low</b> sodium & cortisol",
    status=Status.ANSWERED,
    option=1,
    model="some-model",
    usage=Usage(120, 9),
    provenance=Provenance.LOCAL,
    key="0123456789abcdef",
)
SCRIPTED = Utterance("Dr. Lewis", PEER, "answer", 0, "A. I agree.", Status.ANSWERED, 0)


def session(name: str, board: str = "", option: int | None = 1) -> Session:
    return Session(name, board, (ASKED, SCRIPTED), Status.ANSWERED, option, {"level": "basic", "tone": ""})


def test_text_of_case_and_turns_is_escaped() -> None:
    html = transcript_page.side_by_side(CASE, [session("debate")]).html
    for raw in ("Na < 120", "<disease>", "<b>Low</b>"):
        assert raw not in html
    assert "Na &lt; 120 &amp; confused?" in html
    assert "B. &lt;b&gt;Low&lt;/b&gt; sodium &amp; cortisol" in html


def test_every_session_has_a_column_and_every_turn_its_cost_and_key() -> None:
    page = transcript_page.side_by_side(CASE, [session("debate"), session("moa", "wrong_peers", None)])
    assert re.findall(r"<th>(.*?)</th>", page.html) == ["debate", "moa beside wrong_peers"]
    assert page.html.count("120 + 9 tokens, key 01234567") == 2
    assert page.html.count("peer, scripted") == 2
    assert re.findall(r"decides (\w+)</b> <small>\((.*?)\)", page.html) == [
        ("B", "1 calls; level basic"),
        ("nothing", "1 calls; level basic"),
    ]
    assert page._repr_html_() == page.html and "HTML" in repr(page)


def test_a_turn_without_words_is_shown_as_such() -> None:
    empty = Session("debate", "", (Utterance("X", PEER, "answer", 0, "", Status.EMPTY),), Status.EMPTY, None)
    assert "(nothing)" in transcript_page.side_by_side(CASE, [empty]).html


@pytest.fixture
def found() -> Sittings:
    sessions = [session("moa"), session("debate"), session("debate", "wrong_peers", 0)]
    lines = (line for held in sessions for line in turns.of_session(held, CASE, 0, "from-file"))
    return Sittings(turns.to_frame(lines), "recordings", {"c-1": sessions}, {"c-1": CASE})


def test_the_first_case_is_shown_in_the_order_asked_for_beside_one_board(found: Sittings) -> None:
    page = transcript_page.first_case(found, ["debate", "moa"])
    assert re.findall(r"<th>(.*?)</th>", page.html) == ["debate", "moa"]
    page = transcript_page.first_case(found, ["debate"], "wrong_peers")
    assert re.findall(r"<th>(.*?)</th>", page.html) == ["debate beside wrong_peers"]


def test_committed_turns_hold_no_text_so_there_is_no_transcript(found: Sittings) -> None:
    html = transcript_page.first_case(Sittings(found.turns, "rows"), ["debate"]).html
    assert "<table>" not in html and "where the recordings" in html
