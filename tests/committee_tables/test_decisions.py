"""What each session decided and at what cost, from turns written by hand."""

import numpy as np
import pandas as pd
import pytest
from minutes import ANN, BOB, CAT, firsts, held, said, scripted, table

from medagents.committee_tables import by_committee, decisions, paired, statuses, vote
from medagents.types import Status


def test_a_decision_counts_calls_depth_and_tokens_of_its_own_session() -> None:
    chair = said("chair", 1, "decide", 2, "chair")
    found = decisions(
        table(
            held("a", "judgment", [*firsts(0, 0, 1), chair], 1),
            held("a", "voting", firsts(0, 0, 1), 0),
        )
    ).set_index("committee")
    assert found["calls"].to_dict() == {"judgment": 4, "voting": 3}
    assert found["depth"].to_dict() == {"judgment": 2, "voting": 1}
    assert found["prompt_tokens"].to_dict() == {"judgment": 400, "voting": 300}
    assert found["reply_tokens"].to_dict() == {"judgment": 40, "voting": 30}  # 7 and 3 of thoughts a call
    assert found["right"].to_dict() == {"judgment": 0.0, "voting": 1.0}
    assert found["first"].to_dict() == {"judgment": 0, "voting": 0}


def test_two_members_who_share_one_call_are_paid_for_once_and_two_models_twice() -> None:
    one = said(ANN, 0)
    shared = said(BOB, 0)
    twin = type(shared)(**{**vars(shared), "key": one.key})
    other = type(shared)(**{**vars(shared), "key": one.key, "model": "small"})
    found = decisions(table(held("a", "twins", [one, twin], 0), held("a", "others", [one, other], 0)))
    assert found["calls"].tolist() == [1, 2]
    assert found["prompt_tokens"].tolist() == [100, 200]


def test_scripted_peers_cost_nothing_and_count_in_the_first_plurality() -> None:
    peers = [scripted("Lee", 1), scripted("Moe", 1)]
    found = decisions(table(held("a", "voting", [*firsts(0, 2, 1), *peers], 1, board="wrong_peers")))
    [line] = found.to_dict("records")
    assert (line["calls"], line["prompt_tokens"], line["first"], line["right"]) == (3, 300, 1, 0.0)


def test_a_session_of_scripts_alone_has_no_calls() -> None:
    [line] = decisions(table(held("a", "voting", [scripted("Lee", 1)], 1))).to_dict("records")
    assert (line["calls"], line["depth"], line["prompt_tokens"], line["reply_tokens"]) == (0, 0, 0, 0)


def test_what_decides_nothing_is_neither_right_nor_wrong() -> None:
    [line] = decisions(table(held("a", "voting", firsts(None, None), None))).to_dict("records")
    assert np.isnan(line["right"]) and line["status"] == "unparseable"
    assert pd.isna(line["first"]) and pd.isna(line["option"])


def test_only_answers_before_any_exchange_make_the_first_plurality() -> None:
    # A team's answers come after its leader spoke (depth 2), a debate's second turns are no first ones.
    later = [said(ANN, 2, "revise", 2), said(BOB, 2, "revise", 2)]
    team = [said(BOB, 2, "answer", 2), said(CAT, 2, "answer", 2)]
    found = decisions(
        table(held("a", "debate", [*firsts(0, 0), *later], 2), held("a", "teams", team, 2))
    ).set_index("committee")
    assert found["first"]["debate"] == 0 and pd.isna(found["first"]["teams"])


def test_notes_become_columns_empty_where_a_committee_has_none() -> None:
    found = decisions(
        table(
            held("a", "catfish", firsts(0), 0, challenged="2", tone="mild strong"),
            held("a", "voting", firsts(0), 0),
        )
    ).set_index("committee")
    assert found.loc["catfish", ["challenged", "tone"]].tolist() == ["2", "mild strong"]
    assert found.loc["voting", ["challenged", "tone"]].isna().all()


VOTES: list[tuple[list[int | None], int | None]] = [
    ([0, 1, 1], 1),
    ([3, 1, 1, 3], 3),  # a tie goes to the one named first, not to the lower index
    ([1, 3, 3, 1], 1),
    ([None, 2, 1], 2),
    ([2], 2),
    ([None, None], None),
    ([], None),
]


@pytest.mark.parametrize(("options", "want"), VOTES)
def test_a_vote_goes_to_the_option_named_most_and_a_tie_to_the_one_named_first(options, want) -> None:
    assert vote(options) == want
    assert vote(list(pd.array(options, dtype="Int64"))) == want
    found = decisions(table(held("a", "voting", [said(f"x{n}", o) for n, o in enumerate(options)], want)))
    assert [None if pd.isna(first) else first for first in found["first"]] == [want]


def test_cases_and_committees_keep_their_order_and_boards_stay_apart() -> None:
    found = decisions(
        table(
            held("z", "voting", firsts(0), 0),
            held("z", "alone", firsts(1), 1),
            held("z", "voting", firsts(2), 2, board="wrong_peers"),
            held("a", "voting", firsts(3), 3),
        )
    )
    wide = by_committee(found, "option")
    assert (list(wide.index), list(wide)) == (["z", "a"], ["voting", "alone"])
    assert wide["voting"].tolist() == [0, 3]
    assert wide["alone"]["z"] == 1 and pd.isna(wide["alone"]["a"])
    assert by_committee(found, "option", "wrong_peers")["voting"].to_dict() == {"z": 2}


def test_a_paired_difference_counts_only_cases_that_both_decide() -> None:
    # Both defined: (1,0) (1,0) (1,0) (0,1) (1,1); the last pair lacks one. b=3, c=1, n=5: gain 2/5.
    one, other = pd.Series([1, 1, 1, 0, 1, 1.0]), pd.Series([0, 0, 0, 1, 1, np.nan])
    found = paired(one, other, pd.Series(list("abcdef")), "gain")
    assert found["gain"] == pytest.approx(0.4) and found["b/c"] == "3/1"
    # Two-sided exact binomial, 3 of 4: (1 + 4 + 4 + 1) / 16.
    assert found["p"] == pytest.approx(10 / 16)
    # Bonett and Price: (b+1)/(n+2) = 4/7, (c+1)/(n+2) = 2/7; 2/7 -+ 1.96 sqrt((6/7 - 4/49) / 7).
    half = 1.959964 * np.sqrt((6 / 7 - 4 / 49) / 7)
    assert found["gain_low"] == pytest.approx(2 / 7 - half)
    assert found["gain_high"] == pytest.approx(2 / 7 + half)


def test_nothing_decided_in_both_is_undefined_and_no_error() -> None:
    found = paired(pd.Series([1, np.nan]), pd.Series([np.nan, 0]), pd.Series(list("ab")), "gain")
    assert found["b/c"] == "" and all(np.isnan(found[name]) for name in ("gain", "gain_low", "p"))


def test_statuses_count_turns_by_model_and_stage_and_leave_scripted_peers_out() -> None:
    cut = said(BOB, None, model="small", status=Status.TRUNCATED)
    found = statuses(
        table(
            held("a", "voting", [said(ANN, 0), cut, scripted("Lee", 1)], 0),
            held("b", "voting", [said(ANN, None), said(BOB, 1, model="small")], 1),
        )
    )
    assert found.loc[("large", "answer")].to_dict() == {"answered": 1, "unparseable": 1, "truncated": 0}
    assert found.loc[("small", "answer")].to_dict() == {"answered": 1, "unparseable": 0, "truncated": 1}
    assert found.loc[("decision", "decision")].to_dict() == {"answered": 2, "unparseable": 0, "truncated": 0}
    assert len(found) == 3
