"""Turns of committees as a table and as a file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from medagents import rows, turns
from medagents.committees.session import EXPERT, PEER, Session, Utterance
from medagents.keys import digest
from medagents.types import Case, MedagentsError, Provenance, Status, Usage

SPOKEN = Utterance(
    agent="Dr. Adams",
    role=EXPERT,
    stage="answer",
    depth=1,
    text="B. Bleeding gums.",
    status=Status.ANSWERED,
    option=1,
    model="small",
    logp="-2.0000;-0.2500;nan;-4.0000",
    usage=Usage(prompt=120, completion=9, thoughts=4),
    provenance=Provenance.LOCAL,
    key=digest("first"),
)
LOST = replace(SPOKEN, agent="Dr. Baker", status=Status.TRUNCATED, option=None, logp="", key=digest("second"))
LEE = Utterance("Dr. Lewis", PEER, "answer", 0, "C. It fits.", Status.ANSWERED, 2)
CHAIR = replace(SPOKEN, agent="chair", role="chair", stage="decide", depth=2, option=3, key=digest("third"))


@pytest.fixture
def session() -> Session:
    said = (SPOKEN, LOST, LEE, CHAIR)
    return Session(
        "judgment", "wrong_peers", said, Status.ANSWERED, 3, {"level": "basic", "tone": "mild strong"}
    )


@pytest.fixture
def frame(session: Session, cases: tuple[Case, ...]) -> pd.DataFrame:
    """Two sessions of cases whose names and patients a careless reader of CSV would damage."""
    odd = [replace(cases[0], id=name, cluster=cluster) for name, cluster in (("NA", "001"), ("007", "nan"))]
    silent = Session("voting", "", (LOST,), Status.UNPARSEABLE, None)
    lines = [
        *turns.of_session(session, odd[0], 2, "from-file"),
        *turns.of_session(silent, odd[1], 3, "balanced-wrong"),
    ]
    return turns.to_frame(lines)


def test_a_session_is_its_turns_in_order_and_then_its_decision(session, cases) -> None:
    lines = list(turns.of_session(session, cases[0], 2, "rule"))
    assert [(line.agent, line.role, line.stage, line.depth) for line in lines] == [
        ("Dr. Adams", "expert", "answer", 1),
        ("Dr. Baker", "expert", "answer", 1),
        ("Dr. Lewis", "peer", "answer", 0),
        ("chair", "chair", "decide", 2),
        ("judgment", "decision", "decision", 2),
    ]
    assert [line.option for line in lines] == [1, None, 2, 3, 3]
    assert {(line.case, line.gold, line.plant, line.plant_rule) for line in lines} == {
        ("toy-1", 1, 2, "rule")
    }
    assert {(line.committee, line.board) for line in lines} == {("judgment", "wrong_peers")}


def test_thoughts_are_tokens_of_the_reply_and_a_scripted_peer_has_none(session, cases) -> None:
    lines = list(turns.of_session(session, cases[0], 2, "rule"))
    assert [(line.prompt_tokens, line.reply_tokens) for line in lines] == [
        (120, 13),
        (120, 13),
        (0, 0),
        (120, 13),
        (0, 0),
    ]
    assert [(line.model, line.provenance) for line in lines] == [
        ("small", "local"),
        ("small", "local"),
        ("", "scripted"),
        ("small", "local"),
        ("", ""),
    ]
    assert [bool(line.key) for line in lines] == [True, True, False, True, False]


def test_only_the_decision_has_the_notes_of_the_session(session, cases) -> None:
    notes = [line.notes for line in turns.of_session(session, cases[0], 2, "rule")]
    assert notes == ["", "", "", "", "level=basic;tone=mild strong"]


def test_what_was_said_is_not_in_the_table(frame: pd.DataFrame) -> None:
    """Replies may quote a cohort's text; they stay in the recordings."""
    assert "text" not in turns.COLUMNS
    assert not frame.astype(str).apply(lambda column: column.str.contains("gums|fits")).to_numpy().any()


def test_turns_survive_the_file_byte_for_byte_and_type_for_type(frame: pd.DataFrame, tmp_path: Path) -> None:
    first, second = tmp_path / "deep" / "first.csv", tmp_path / "second.csv"
    rows.write(frame, first)
    rows.write(turns.read(first), second)
    assert first.read_bytes() == second.read_bytes()
    pd.testing.assert_frame_equal(frame, turns.read(first))
    assert turns.read(first)["case"].unique().tolist() == ["NA", "007"]
    assert turns.read(first)["cluster"].unique().tolist() == ["001", "nan"]


def test_a_table_of_no_turns_has_the_same_columns_and_types(frame: pd.DataFrame) -> None:
    nothing = turns.to_frame([])
    assert list(nothing) == list(turns.COLUMNS) and nothing.empty
    assert nothing.dtypes.equals(frame.dtypes)


def test_the_path_of_a_file_names_cohort_team_and_experiment(tmp_path: Path) -> None:
    path = turns.path_of("vignettes", "trio", "catfish_benchmark", tmp_path)
    assert path == tmp_path / "vignettes" / "trio" / "catfish_benchmark.csv"


def test_a_file_that_is_not_there_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match=r"no\.csv: no such turns; restore the file from version"):
        turns.read(tmp_path / "no.csv")


Edit = Callable[[pd.DataFrame], pd.DataFrame]


def put(column: str, line: int, value: str) -> Edit:
    """An edit of one cell."""

    def edit(text: pd.DataFrame) -> pd.DataFrame:
        text.loc[line, column] = value
        return text

    return edit


# Lines of the file: 2 to 5 turns and 6 the decision of NA (options 0 to 3); 7 a turn, 8 the decision of 007.
BAD: list[tuple[str, Edit, str]] = [
    ("a case without a name", put("case", 1, ""), "line 3, case : case is ''"),
    ("a key that is none", put("key", 0, "abc"), "line 2, case NA: key is 'abc', not 64 hex digits"),
    ("a status there is not", put("status", 1, "lost"), "line 3, case NA: status is 'lost'"),
    ("a provenance there is not", put("provenance", 1, "guess"), "line 3, case NA: provenance is 'guess'"),
    (
        "an option with a status that has none",
        put("option", 1, "2"),
        "line 3, case NA: option is '2', not empty",
    ),
    ("an option beyond the case", put("option", 0, "4"), "line 2, case NA: option is '4', not an option of"),
    ("a key of the case beyond it", put("gold", 0, "4"), "line 2, case NA: gold is '4', not an option of"),
    ("a plant beyond the case", put("plant", 0, "4"), "line 2, case NA: plant is '4', not an option of"),
    ("no gold", put("gold", 3, ""), "line 5, case NA: gold is '', not a number"),
    ("no plant", put("plant", 3, ""), "line 5, case NA: plant is '', not a number"),
    ("no depth", put("depth", 3, ""), "line 5, case NA: depth is '', not a number"),
    ("no tokens", put("reply_tokens", 3, ""), "line 5, case NA: reply_tokens is '', not a number"),
    ("a negative depth", put("depth", 3, "-1"), "line 5, case NA: depth is '-1', not a whole number"),
    ("half a token", put("prompt_tokens", 3, "1.5"), "line 5, case NA: prompt_tokens is '1.5'"),
    ("a probability above 1", put("logp", 0, "0.1;-1;-1;-1"), "line 2, case NA: logp is '0.1;-1;-1;-1'"),
    ("words for log-probabilities", put("logp", 0, "likely"), "line 2, case NA: logp is 'likely'"),
    (
        "a decision without its option",
        put("option", 4, ""),
        "line 6, case NA: option is '', not an option, as",
    ),
    (
        "a session cut off",
        lambda text: text.iloc[:-1],
        "line 7, case 007: committee is 'voting', not one whose decision follows",
    ),
    (
        "a decision twice",
        lambda text: pd.concat([text, text.iloc[[-1]]]),
        "line 9, case 007: role is 'decision', not a decision of a new session",
    ),
    ("no lines", lambda text: text.iloc[:0], "holds no turns"),
    ("a column less", lambda text: text.drop(columns="notes"), "columns are not case, cluster"),
    ("columns in another order", lambda text: text[text.columns[::-1]], "columns are not case, cluster"),
]


@pytest.mark.parametrize(("edit", "message"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_a_file_with_what_no_turn_has_is_refused_by_line_and_value(
    frame: pd.DataFrame, tmp_path: Path, edit: Edit, message: str
) -> None:
    path = tmp_path / "turns.csv"
    rows.write(frame, path)
    text = pd.read_csv(path, dtype=str, keep_default_na=False)
    edit(text).to_csv(path, index=False)
    with pytest.raises(MedagentsError) as caught:
        turns.read(path)
    assert message in str(caught.value) and str(path) in str(caught.value)
    assert str(caught.value).endswith("restore the file from version control")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'case,"cluster\n'])
def test_what_is_no_table_is_a_one_line_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "turns.csv"
    path.write_bytes(content)
    with pytest.raises(MedagentsError, match=r"turns\.csv") as caught:
        turns.read(path)
    assert "\n" not in str(caught.value)


def test_rows_are_no_turns(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(",".join(rows.COLUMNS) + "\n" + "," * (len(rows.COLUMNS) - 1) + "\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match="columns are not case, cluster, gold"):
        turns.read(path)
