"""The tables that notebook 09 draws: what is committed, what the rows give, and the comparison by hand."""

import pandas as pd
import pytest

from medagents import paths
from medagents import rows as recorded
from medagents.audit import derived, draw, verdicts
from medagents.audit.columns import column, where
from medagents.audit.rows import Rows
from medagents.types import MedagentsError


def written(table, folder):
    verdicts.write(table, folder / "table.csv")
    return (folder / "table.csv").read_text(encoding="utf-8")


def test_the_committed_summary_is_what_the_authors_rows_give(authors, tmp_path):
    committed = (derived.COMMITTED / "summary.csv").read_text(encoding="utf-8")
    assert written(derived.summary(authors), tmp_path) == committed


@pytest.mark.committed
def test_every_committed_comparison_is_what_both_sets_of_rows_give(authors, tmp_path):
    found = written(derived.comparison(authors), tmp_path).splitlines()
    committed = (derived.COMMITTED / "comparison.csv").read_text(encoding="utf-8").splitlines()
    missing = [line for line in committed if line not in found]
    assert not missing, "rows have changed: python -m medagents audit --refresh"


def test_the_summary_has_the_numbers_printed_for_the_seven_cohorts():
    table = derived.read("summary").set_index(["cohort", "measure"])["rate"]
    printed = {
        ("MedQA", "contagion"): 0.375,
        ("NIH", "contagion"): 0.54,
        ("MIMIC-CXR-JPG", "contagion"): 0.47,
        ("CheXpert", "contagion"): 0.61,
        ("SUPPORT2", "contagion"): 0.713,
        ("MedQA", "referee"): 7 / 65,
        ("SUPPORT2", "referee"): 33 / 148,
        ("MIMIC-CXR-JPG", "gate"): 0.81,
    }
    assert {key: table[key] for key in printed} == pytest.approx(printed, abs=0.005)
    assert len(set(derived.read("summary")["cohort"])) == 7


def test_every_cohort_at_the_ceiling_has_its_note_and_every_note_a_letter():
    table = derived.read("summary")
    contagion = table[table["measure"] == "contagion"]
    at_ceiling = contagion["screen"].fillna("").str.contains("so the difference tells")
    assert set(contagion["cohort"][at_ceiling]) == {"NIH", "SUPPORT2"}
    assert contagion["note"].fillna("").str.contains("ceiling").tolist() == at_ceiling.tolist()
    key = draw.note_key(table).splitlines()
    assert [line[:3] for line in key] == ["a  ", "b  ", "c  ", "d  ", "e  "]
    assert {line[3:] for line in key} == set(table["note"].dropna())


def test_flips_are_counted_by_case_and_intervals_have_a_width():
    table = derived.read("summary").set_index(["cohort", "measure"])
    assert table.loc[("MedQA", "flips above floor"), "n"] == 100, "under three cues each"
    drawn = table[table["rate_low"].notna()]
    assert (drawn["rate_low"] < drawn["rate_high"]).all()


def test_no_answer_of_the_release_is_in_a_committed_table():
    for name in ("summary", "comparison"):
        columns = set(derived.read(name).columns)
        assert not columns & {"case", "case_id", "option", "answer", "bare", "board"}


# --- the comparison on two cases sets of our own

THEIRS = {"a": 1, "b": 1, "c": 0, "d": 0, "e": 1}


@pytest.fixture
def ours(monkeypatch, tmp_path):
    """Five cases: alone and beside peers whose plant is option 1; the key is option 0."""
    alone = {"a": 0, "b": 2, "c": 0, "d": 1, "e": None}
    beside = {"a": 1, "b": 1, "c": 0, "d": 1, "e": 1}
    lines = [
        dict.fromkeys(recorded.COLUMNS, "")
        | {"case": case, "cluster": case, "condition": name, "gold": 0, "plant": 1, "edited": 0}
        | {"status": "answered" if option is not None else "refused", "option": option}
        for name, answers in (("isolated", alone), ("two_peers", beside))
        for case, option in answers.items()
    ]
    frame = pd.DataFrame(lines).astype(dict.fromkeys(("gold", "plant", "option", "edited"), "Int64"))
    recorded.write(frame, recorded.path_of("toy", "tiny", "peer_cascade", tmp_path / "rows"))
    pairs = pd.DataFrame(
        [
            {
                "cohort": "toy",
                "measure": measure,
                "theirs": "G",
                "file": "toy.csv",
                "filter": "",
                "column": "hit",
            }
            | {"experiment": "peer_cascade", "condition": condition}
            for measure, condition in (("right", "isolated"), ("adopts", "two_peers"), ("none", "never_run"))
        ]
    )
    monkeypatch.setattr(derived, "read", lambda name: {"pairs": pairs}[name])
    (tmp_path / "experiments").mkdir()
    text = "case_id,hit\n" + "".join(f"{case},{hit}\n" for case, hit in THEIRS.items()) + "z,1\n"
    (tmp_path / "experiments/toy.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_comparison_counts_shared_cases_that_both_answered(ours):
    right, adopts = derived.comparison(Rows(ours, pinned=False), ours / "rows").to_dict("records")
    # Alone, of a to d (e is unanswered; z was never asked): right are a and c.
    assert [right[name] for name in ("n", "both", "only_theirs", "only_ours", "neither")] == [4, 1, 1, 1, 1]
    assert (right["agreement"], right["chance"], right["p_rates"], right["p_overlap"]) == (0.5, 0.5, 1.0, 1.0)
    # Eq. 1: d gave the plant alone already, so it cannot adopt; a and b do, c does not; e is undefined.
    assert [adopts[name] for name in ("n", "both", "only_theirs", "only_ours", "neither")] == [3, 2, 0, 0, 1]
    assert adopts["agreement"] == 1 and adopts["p_overlap"] == pytest.approx(1 / 3)
    assert "their outcome is 1 in all but 1 of 3 rows" in adopts["screen"]


def test_an_answer_that_is_the_same_on_every_case_is_named(ours):
    file = recorded.path_of("toy", "tiny", "peer_cascade", ours / "rows")
    frame = recorded.read(file)
    alone = frame["condition"] == "isolated"
    recorded.write(frame.assign(option=frame["option"].mask(alone & frame["option"].notna(), 0)), file)
    right = derived.comparison(Rows(ours, pinned=False), ours / "rows").iloc[0]
    assert "our answer is 0 in all 4 rows" in right["screen"]


def test_adoption_is_compared_over_cases_that_can_adopt_on_both_sides(authors):
    table = derived.read("comparison").set_index(["cohort", "measure", "ours"])
    # Of 60 MedQA cases our model gave the plant alone on 6; all of the authors' can adopt.
    line = table.loc[("medqa", "two confident peers", "qwen2.5-coder-1.5b")]
    assert (line["n"], line["both"] + line["only_ours"]) == (54, 51)
    for pair in derived.read("pairs").itertuples():
        rows = where(authors.table(pair.file), pair.filter)
        alone = {"wrong_seed.board_adopt": "wrong_seed.bare_adopt", "board==wrong": "bare==wrong"}
        alone |= {"confident_adopt": "bare==asserted_wrong", "hedged_adopt": "bare==asserted_wrong"}
        if pair.experiment == "peer_cascade" and pair.condition != "isolated":
            assert column(rows, alone[pair.column]).max() == 0, pair


def test_a_flip_counts_only_where_the_cue_edited_the_case():
    lines = [
        {"case": case, "condition": name, "option": option, "gold": 0, "plant": 1, "edited": edited}
        for name, options, edits in (("clean", (0, 0, 0), (0, 0, 0)), ("cue", (1, 1, 0), (1, 0, 1)))
        for case, option, edited in zip("abc", options, edits, strict=True)
    ]
    flips = derived.outcomes(pd.DataFrame(lines), "cue")
    assert flips[["a", "c"]].tolist() == [1, 0] and pd.isna(flips["b"])


def test_a_case_that_stands_twice_cannot_be_compared(ours):
    file = ours / "experiments/toy.csv"
    file.write_text(file.read_text(encoding="utf-8") + "a,0\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match="stands twice"):
        derived.comparison(Rows(ours, pinned=False), ours / "rows")


# --- figures


def test_the_overview_counts_every_claim_once_at_its_place():
    claims = pd.DataFrame(verdicts.claims())
    table = claims.merge(verdicts.committed().drop(columns=["printed", "n"]), on="claim_id")
    counts = draw.by_place(table)
    assert counts[list(verdicts.VERDICTS)].to_numpy().sum() == len(claims)
    assert counts["place"].iloc[0] == "abstract" and counts["place"].iloc[-1] == draw.MEDORCH
    with pytest.raises(MedagentsError, match="no place"):
        draw.by_place(table.assign(paper="benchmaxxing", section="9.9"))


def test_sizes_stand_in_order_with_a_dash_where_nothing_was_run():
    summary = derived.read("summary")
    texts = dict(
        zip(dict.fromkeys(summary["cohort"]), draw.sizes(summary, ("gate", "judge", "referee")), strict=True)
    )
    assert texts["MedQA"] == "25 / 25 / 65"
    assert texts["CheXpert"] == "- / - / -" and texts["MIMIC-CXR-JPG"] == "47 / - / 47"


def test_notebook_09_needs_no_rows_and_no_network():
    text = (paths.NOTEBOOKS / "09_paper_audit.ipynb").read_text(encoding="utf-8")
    for word in ("Rows(", "artefacts()", "summary(", "comparison(", "refresh", "requests", "urllib", "pooch"):
        assert word not in text, word
