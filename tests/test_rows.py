from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from medagents import paths, rows, sums
from medagents.cues.text import option_order, whitespace
from medagents.recordings import Record, make_record
from medagents.types import (
    Case,
    MedagentsError,
    Message,
    Provenance,
    Reply,
    Request,
    Slot,
    Status,
    Usage,
    View,
    plain_view,
)

REPLY = Reply("A", Status.ANSWERED, "stop", "m", Usage(), "e", "t", Provenance.SCRIPTED)


def row(view: View, reply: Reply, plant: int | None = None, rule: str = "") -> rows.Row:
    slot = Slot("toy", view.case.id, "exp", "arm")
    record = make_record(slot, Request("m", (Message("user", "q"),)), reply, True)
    return rows.make_row(view, "arm", record, plant, rule)


@pytest.fixture
def frame(cases: tuple[Case, ...]) -> pd.DataFrame:
    """Rows that a careless reader of CSV would damage: ids, empty cells, a refusal, no plant."""
    odd = [replace(cases[0], id=name, cluster=cluster) for name, cluster in (("NA", "001"), ("007", "nan"))]
    return rows.to_frame(
        [
            row(plain_view(odd[0]), replace(REPLY, letters={"A": -0.5, "C": -1.25}), 2, "from-file"),
            row(plain_view(odd[1]), replace(REPLY, text="I cannot answer this."), 3, "balanced-wrong"),
            row(plain_view(cases[3]), replace(REPLY, text="E")),
            row(plain_view(replace(cases[4], id='a "b", c')), replace(REPLY, text=None, status=Status.EMPTY)),
        ]
    )


def test_a_row_holds_original_options_and_the_letters_shown(cases: tuple[Case, ...]) -> None:
    found = row(option_order(cases[0]), REPLY, 0, "from-file")  # shown: options 2, 3, 0, 1
    assert (found.option, found.gold, found.plant) == (2, 1, 0)
    assert (found.gold_letter, found.plant_letter) == ("D", "C")
    assert (found.case, found.cluster, found.condition, found.status) == ("toy-1", "toy-1", "arm", "answered")
    assert (found.plant_rule, found.provenance, len(found.key)) == ("from-file", "scripted", 64)


@pytest.mark.parametrize("letter", "ABCDE")
def test_every_letter_maps_back_to_the_option_shown_under_it(cases: tuple[Case, ...], letter: str) -> None:
    view = option_order(cases[4])
    chosen = row(view, replace(REPLY, text=letter)).option
    assert chosen is not None and cases[4].options[chosen] == view.options["ABCDE".index(letter)]


def test_an_option_named_by_its_text_maps_back_too(cases: tuple[Case, ...]) -> None:
    assert row(option_order(cases[0]), replace(REPLY, text="Vitamin K")).option == 2
    assert row(whitespace(cases[0]), replace(REPLY, text="Folate")).option == 3


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
def test_what_the_transport_did_not_call_answered_is_never_scored(
    cases: tuple[Case, ...], status: Status
) -> None:
    found = row(plain_view(cases[0]), replace(REPLY, text="The answer is B.", status=status))
    assert (found.status, found.option) == (status.value, None)


def test_a_letter_that_is_no_option_is_not_scored(cases: tuple[Case, ...]) -> None:
    found = row(plain_view(cases[0]), replace(REPLY, text="E"))
    assert (found.status, found.option) == ("unparseable", None)


def test_every_reply_is_counted_under_one_status(frame: pd.DataFrame) -> None:
    assert frame["status"].value_counts().to_dict() == {"answered": 2, "refused": 1, "empty": 1}
    assert frame["option"].isna().tolist() == [False, True, False, True]


def test_logprobs_stand_in_original_order_whatever_order_was_shown(cases: tuple[Case, ...]) -> None:
    reply = replace(REPLY, letters={"A": -0.1, "B": -0.2, "C": -0.3, "D": -0.4})
    assert row(plain_view(cases[0]), reply).logp == "-0.1000;-0.2000;-0.3000;-0.4000"
    assert row(option_order(cases[0]), reply).logp == "-0.3000;-0.4000;-0.1000;-0.2000"


def test_a_letter_the_engine_did_not_list_is_nan_and_one_beyond_the_options_is_dropped(
    cases: tuple[Case, ...],
) -> None:
    reply = replace(REPLY, letters={"A": -0.1, "D": -0.4, "E": -0.5})
    assert row(plain_view(cases[0]), reply).logp == "-0.1000;nan;nan;-0.4000"
    assert row(plain_view(cases[0]), REPLY).logp == ""


def test_logprobs_of_cases_with_four_and_five_options_make_one_table() -> None:
    table = rows.logp_matrix(["-1.0;nan;-2.0;-3.5", "", "-1.0;-2.0;-3.0;-4.0;-5.0"])
    expected = [
        [-1.0, np.nan, -2.0, -3.5, -np.inf],
        [np.nan] * 5,
        [-1.0, -2.0, -3.0, -4.0, -5.0],
    ]
    np.testing.assert_array_equal(table, expected)
    assert rows.logp_matrix(["", ""]).shape == (2, 0)


def test_rows_survive_the_file_byte_for_byte_and_type_for_type(frame: pd.DataFrame, tmp_path: Path) -> None:
    first, second = tmp_path / "deep" / "first.csv", tmp_path / "second.csv"
    rows.write(frame, first)
    rows.write(rows.read(first), second)
    assert first.read_bytes() == second.read_bytes()
    pd.testing.assert_frame_equal(frame, rows.read(first))
    assert [path.name for path in first.parent.iterdir()] == ["first.csv"]


def test_a_file_is_plain_csv_with_empty_cells_where_there_is_nothing(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    rows.write(frame, tmp_path / "rows.csv")
    header, first, second, *_ = (tmp_path / "rows.csv").read_text().split("\n")
    assert header == ",".join(rows.COLUMNS)
    key = frame["key"][0]
    assert first == f"NA,001,arm,1,2,from-file,B,C,0,answered,0,-0.5000;nan;-1.2500;nan,scripted,{key}"
    assert second == f"007,nan,arm,1,3,balanced-wrong,B,D,0,refused,,,scripted,{key}"


def test_no_rows_have_the_same_columns_and_types_as_some(frame: pd.DataFrame) -> None:
    empty = rows.to_frame([])
    assert len(empty) == 0 and empty.dtypes.to_dict() == frame.dtypes.to_dict()


def test_missing_rows_are_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match=r"none\.csv: no such rows"):
        rows.read(tmp_path / "none.csv")


@pytest.mark.parametrize("change", [{"key": "hash"}, {"status": "state"}])
def test_rows_with_other_columns_are_refused(
    frame: pd.DataFrame, tmp_path: Path, change: dict[str, str]
) -> None:
    rows.write(frame.rename(columns=change), tmp_path / "rows.csv")
    with pytest.raises(MedagentsError, match="restore the file from version control"):
        rows.read(tmp_path / "rows.csv")


def damaged(path: Path, line: int, column: str, value: str) -> None:
    """Set one cell of a file; line 1 is the header."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[line - 2, column] = value
    table.to_csv(path, index=False, lineterminator="\n")


@pytest.mark.parametrize(
    ("line", "column", "value", "what"),
    [
        (2, "status", "foo", "one of answered, blocked"),
        (2, "option", "4", "an option of the case"),  # four log-probabilities: options 0 to 3
        (4, "option", "10", "an option of the case"),  # no log-probabilities: a case has ten at most
        (2, "option", "x", "a whole number"),
        (2, "option", "1.0", "a whole number"),
        (2, "option", "-1", "a whole number"),
        (2, "option", "", "an option, as the status has it"),
        (3, "option", "1", "empty, as the status has it"),  # a refusal
        (2, "gold", "", "an option of the case"),
        (2, "gold", "4", "an option of the case"),
        (2, "plant", "7", "an option of the case"),
        (2, "edited", "2", "0 or 1"),
        (2, "logp", "abc", "log-probabilities"),
        (2, "logp", "-0.5;;-1.0", "log-probabilities"),
        (2, "logp", "0.7;-1.0", "log-probabilities"),
        (2, "provenance", "hearsay", "one of live"),
        (2, "key", "abc", "64 hex digits"),
        (2, "case", "", "the id of a case"),
    ],
)
def test_a_value_that_no_row_has_is_refused_with_file_line_and_remedy(
    frame: pd.DataFrame, tmp_path: Path, line: int, column: str, value: str, what: str
) -> None:
    path = tmp_path / "rows.csv"
    rows.write(frame, path)
    damaged(path, line, column, value)
    with pytest.raises(MedagentsError) as error:
        rows.read(path)
    words = str(error.value)
    assert words.startswith(f"{path}, line {line}, case ") and f"{column} is {value!r}, not {what}" in words
    assert words.endswith("restore the file from version control") and "\n" not in words


def test_a_verdict_is_yes_or_no_and_its_two_log_probabilities_do_not_bound_the_options_of_the_case(
    frame: pd.DataFrame, tmp_path: Path
) -> None:
    verdict = replace(
        next(rows.records(frame)), condition="judge@arm", logp="-0.5000;-1.0000", option=1, plant=3
    )
    path = tmp_path / "rows.csv"
    rows.write(rows.to_frame([*rows.records(frame), verdict]), path)
    assert rows.read(path)["plant"].iloc[-1] == 3
    damaged(path, len(frame) + 2, "option", "2")
    with pytest.raises(MedagentsError, match="option is '2', not an option of the case"):
        rows.read(path)


def test_a_condition_of_a_case_stands_once(frame: pd.DataFrame, tmp_path: Path) -> None:
    rows.write(pd.concat([frame, frame.head(1)]), tmp_path / "rows.csv")
    with pytest.raises(MedagentsError, match="line 6, case NA: condition is 'arm', not a new condition"):
        rows.read(tmp_path / "rows.csv")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no table of rows"),
        (b"\xff\xfe", "no table of rows"),
        (b'case,"cluster\n', "no table of rows|columns are not"),
        ((",".join(rows.COLUMNS) + "\n").encode(), "holds no rows"),
    ],
)
def test_a_file_without_rows_is_refused_in_one_line(tmp_path: Path, content: bytes, fault: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(MedagentsError, match=fault) as error:
        rows.read(path)
    assert str(error.value).startswith(f"{path}: ") and "\n" not in str(error.value)


def test_listed_rows_that_were_cut_short_are_refused_though_every_value_is_right(frame: pd.DataFrame) -> None:
    path = rows.path_of("toy", "m", "exp")
    rows.write(frame, path)
    sums.update([path])
    pd.testing.assert_frame_equal(rows.read(path), frame)
    rows.write(frame.head(2), path)
    with pytest.raises(MedagentsError, match=r"exp\.csv: SHA-256 is .*restore it from version control, or"):
        rows.read(path)


def test_rows_live_by_cohort_model_and_experiment_and_tests_do_not_see_the_real_ones() -> None:
    assert rows.path_of("toy", "m", "exp", Path("/r")) == Path("/r/toy/m/exp.csv")
    assert rows.path_of("toy", "m", "exp") == paths.ROWS / "toy" / "m" / "exp.csv"
    assert paths.ROOT not in paths.ROWS.parents


def test_a_verdict_keeps_the_outcome_it_is_on_and_says_yes_as_0(frame: pd.DataFrame) -> None:
    row = next(rows.records(frame))
    said = Reply(
        "Y", Status.ANSWERED, "stop", "m", Usage(), "e", "t", Provenance.LOCAL, {"Y": -0.5, "N": -1.0}
    )
    record = Record("k" * 64, Slot("toy", row.case, "x", "judge@arm"), said, None, {})
    yes = rows.verdict_row(row, "judge@arm", True, record)
    assert (yes.option, yes.logp, yes.key, yes.provenance) == (0, "-0.5000;-1.0000", "k" * 64, "local")
    assert (yes.case, yes.gold, yes.plant) == (row.case, row.gold, row.plant)
    no = rows.verdict_row(row, "gate@arm", False)
    assert (no.option, no.status, no.logp, no.key) == (1, "answered", "", row.key)
    none = rows.verdict_row(row, "gate@arm", None)
    assert (none.option, none.status) == (None, "unparseable")
    cut = rows.verdict_row(row, "judge@arm", None, record, Status.TRUNCATED)
    assert (cut.option, cut.status) == (None, "truncated")


def test_rows_read_from_a_table_are_the_rows_it_was_made_of(frame: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(rows.to_frame(rows.records(frame)), frame)


def test_letters_are_those_of_the_original_case_and_empty_without_an_option() -> None:
    assert rows.letters([0, None, 4, pd.NA]) == ["A", "", "E", ""]
