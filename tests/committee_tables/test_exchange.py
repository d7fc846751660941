"""Silence, dissent and who moves: turns written by hand, every count worked out in the comment beside it."""

import numpy as np
import pandas as pd
import pytest
from minutes import ANN, BOB, CAT, firsts, held, said, scripted, table
from statsmodels.stats.proportion import proportion_confint

from medagents.committee_tables import (
    decisions,
    dissents,
    ledger,
    moves,
    silent_agreement,
    triggers,
    turning_point,
)
from medagents.committees.session import Utterance


def again(stage: str, depth: int, *options: int | None) -> list[Utterance]:
    """What Ann, Bob and Cat say after an exchange."""
    return [
        said(agent, option, stage, depth) for agent, option in zip((ANN, BOB, CAT), options, strict=False)
    ]


def challenge(option: int | None, depth: int, stage: str = "challenge") -> Utterance:
    return said("Flynn", option, stage, depth, "catfish")


# Silent agreement


@pytest.fixture
def silent() -> pd.DataFrame:
    """Six cases: unanimous or not, members who want to speak, and whether the decision is right (0)."""
    outcomes = [
        ("a", "1", "2", 0),
        ("b", "1", "0", 1),
        ("c", "0", "0", 1),
        ("d", "0", "1", 1),
        ("e", "0", "3", 0),
        ("f", "1", "1", None),  # decides nothing: in all cases, and no failure
    ]
    return decisions(
        table(
            *(
                held(case, "no_catfish", firsts(0), option, unanimous=one, willing=who)
                for case, one, who, option in outcomes
            ),
            held("a", "no_catfish", firsts(0), 0, board="wrong_peers", unanimous="1", willing="0"),
            held("a", "catfish_debate", firsts(0), 1, unanimous="1", willing="0"),
        )
    )


def test_silent_agreement_is_given_over_all_cases_and_over_failures(silent: pd.DataFrame) -> None:
    found = silent_agreement(silent).set_index(["denominator", "agreement"])
    # Unanimous: a, b, f of six; of the failures b, c, d only b. Silent: c too, where nobody wants to speak.
    assert found[["k", "n"]].to_dict("index") == {
        ("all cases", "unanimous"): {"k": 3, "n": 6},
        ("all cases", "silent"): {"k": 4, "n": 6},
        ("failures only", "unanimous"): {"k": 1, "n": 3},
        ("failures only", "silent"): {"k": 2, "n": 3},
    }
    for line in found.itertuples():
        low, high = proportion_confint(line.k, line.n, method="wilson")
        assert (line.rate, line.rate_low, line.rate_high) == pytest.approx((line.k / line.n, low, high))


def test_silent_agreement_is_that_of_the_committee_asked_for(silent: pd.DataFrame) -> None:
    assert silent_agreement(silent, "catfish_debate")["k"].tolist() == [1, 1, 1, 1]


def test_without_failures_their_share_is_undefined() -> None:
    found = silent_agreement(
        decisions(table(held("a", "no_catfish", firsts(0), 0, unanimous="1", willing="1")))
    )
    assert found["n"].tolist() == [1, 1, 0, 0]
    assert found["rate"].isna().tolist() == [False, False, True, True]


# Triggers and dissents


def test_triggers_count_cases_and_tones_count_challenges() -> None:
    found = triggers(
        decisions(
            table(
                held("a", "catfish", firsts(0), 0, challenged="2", tone="strong mild"),
                held("b", "catfish", firsts(0), 0, challenged="1", tone="strong"),
                held("c", "catfish", firsts(0), 0, challenged="0", tone=""),
                held("a", "no_catfish", firsts(0), 0, challenged="0", tone=""),
                held("a", "voting", firsts(0), 0),
                held("c", "catfish", firsts(0), 0, board="wrong_peers", challenged="1", tone="mild"),
            )
        )
    ).set_index("committee")
    assert list(found.index) == ["catfish", "no_catfish"]
    columns = ["spoke", "n", "mild", "moderate", "strong"]
    assert found.loc["catfish", columns].tolist() == [2, 3, 1, 0, 2]
    assert found.loc["no_catfish", columns].tolist() == [0, 1, 0, 0, 0]
    assert found["rate"]["catfish"] == pytest.approx(2 / 3)


def counted(found: pd.DataFrame) -> dict[str, int]:
    [line] = found.to_dict("records")
    return {name: line[name] for name in ("challenges", "dissents", "repeats", "names none", "right")}


def test_a_catfish_dissents_repeats_or_names_none_and_may_be_right() -> None:
    found = dissents(
        table(
            held("a", "catfish", [*firsts(1, 1, 0), challenge(0, 3)], 0),  # dissents, right (0)
            held("b", "catfish", [*firsts(1, 1, 0), challenge(2, 3)], 0),  # dissents, wrong
            held("c", "catfish", [*firsts(0, 0, 1), challenge(0, 3)], 0),  # repeats, right
            held("d", "catfish", [*firsts(0, 0, 1), challenge(None, 3)], 0),
            held("a", "voting", firsts(0), 0),
        )
    )
    assert found["committee"].tolist() == ["catfish"]
    assert counted(found) == {"challenges": 4, "dissents": 2, "repeats": 1, "names none": 1, "right": 2}


def test_a_second_challenge_is_set_against_what_leads_by_then() -> None:
    spoken = [
        *firsts(1, 1, 0),
        challenge(0, 3),  # against 1
        *again("respond", 4, 0, 0, 0),
        challenge(1, 5),  # against 0: what led before would make it a repeat
        *again("respond", 6, 0, 0, 0),
    ]
    assert counted(dissents(table(held("a", "catfish", spoken, 0)))) == {
        "challenges": 2,
        "dissents": 2,
        "repeats": 0,
        "names none": 0,
        "right": 1,
    }


def test_what_leads_at_a_tie_is_what_the_committee_took_to_lead() -> None:
    """Members come before peers also once they spoke again, so 0 leads 2 to 2, not the peers' 1."""
    peers = [scripted("Lee", 1), scripted("Moe", 1)]
    spoken = [
        *firsts(0, 2, 1),
        *peers,
        challenge(3, 3),
        *again("respond", 4, 0, 2, 0),
        challenge(0, 5),
    ]
    found = dissents(table(held("a", "catfish", spoken, 0, board="wrong_peers")), "wrong_peers")
    assert (counted(found)["dissents"], counted(found)["repeats"]) == (1, 1)


def test_a_challenge_of_a_team_is_set_against_that_team_and_the_last_one_against_the_reports() -> None:
    def team(number: int, *options: int) -> list[Utterance]:
        start, members = 5 * number, ((BOB, CAT), ("Dan", "Eve"))[number]
        answers = [
            said(name, option, "answer", start + 2) for name, option in zip(members, options, strict=True)
        ]
        return [said(ANN, None, "assign", start + 1, "leader"), *answers]

    spoken = [
        *team(0, 2, 2),
        challenge(2, 3),  # repeats
        said(BOB, 2, "respond", 4),
        said(CAT, 2, "respond", 4),
        said(ANN, 0, "report", 5, "leader"),
        *team(1, 1, 1),  # 2 leads overall at the tie, 1 in the team
        challenge(2, 8),  # dissents from 1
        said("Dan", 1, "respond", 9),
        said("Eve", 1, "respond", 9),
        said(ANN, 0, "report", 10, "leader"),
        challenge(0, 11),  # repeats what both teams reported
    ]
    found = dissents(table(held("a", "catfish", spoken, 0)))
    assert counted(found) == {"challenges": 3, "dissents": 1, "repeats": 2, "names none": 0, "right": 1}


def test_dissents_beside_peers_are_counted_apart() -> None:
    lines = table(
        held("a", "catfish", [*firsts(1), challenge(0, 2)], 0),
        held("a", "catfish", [*firsts(1), scripted("Lee", 1), challenge(1, 2)], 0, board="wrong_peers"),
    )
    assert counted(dissents(lines))["dissents"] == 1
    assert counted(dissents(lines, "wrong_peers"))["repeats"] == 1


# Ledger


def test_the_ledger_names_the_stage_after_which_the_leading_option_had_changed() -> None:
    chair = said("chair", 0, "decide", 5, "chair")
    lines = table(
        # 1 leads, after the responses 0 does, and the chair keeps it.
        held("a", "catfish", [*firsts(1, 1, 0), challenge(0, 3), *again("respond", 4, 0, 0, 0), chair], 0),
        # 1 leads to the end, and the chair alone brings 0.
        held("b", "catfish", [*firsts(1, 1, 0), challenge(0, 3), *again("respond", 4, 1, 1, 0), chair], 0),
        # 0 leads, the responses bring 2.
        held("c", "catfish", [*firsts(0, 0, 2), challenge(2, 3), *again("respond", 4, 2, 2, 2)], 2),
        # From wrong to wrong, and right throughout: no entry.
        held("d", "catfish", [*firsts(1, 1, 2), challenge(2, 3), *again("respond", 4, 2, 2, 2)], 2),
        held("e", "catfish", [*firsts(0, 0, 2), challenge(2, 3), *again("respond", 4, 0, 0, 2)], 0),
        # No decision: no entry.
        held("f", "catfish", [*firsts(0, 0, 0), challenge(2, 3), *again("respond", 4, None)], None),
        held("a", "voting", firsts(0, 0, 1), 0),
    )
    found = ledger(decisions(lines), lines)
    assert found.to_dict("records") == [
        {"committee": "catfish", "stage": "respond", "right to wrong": 1, "wrong to right": 1},
        {"committee": "catfish", "stage": "decide", "right to wrong": 0, "wrong to right": 1},
    ]


def test_a_ledger_without_changes_has_its_columns_and_no_line() -> None:
    lines = table(held("a", "voting", firsts(0, 0, 1), 0))
    found = ledger(decisions(lines), lines)
    assert found.empty
    assert list(found) == ["committee", "stage", "right to wrong", "wrong to right"]


def test_a_ledger_may_hold_changes_of_one_kind_only() -> None:
    lines = table(held("a", "judgment", [*firsts(0, 0, 1), said("chair", 1, "decide", 2, "chair")], 1))
    [line] = ledger(decisions(lines), lines).to_dict("records")
    assert (line["stage"], line["right to wrong"], line["wrong to right"]) == ("decide", 1, 0)


def test_the_ledger_beside_peers_starts_from_the_plurality_with_them() -> None:
    peers = [scripted("Lee", 1), scripted("Moe", 1)]
    spoken = [*firsts(0, 0, 1), *peers, *again("revise", 2, 0, 0, 0)]  # 1 leads 3 to 2, then 0 leads 3 to 2
    lines = table(held("a", "debate", spoken, 0, board="wrong_peers"))
    [line] = ledger(decisions(lines), lines, "wrong_peers").to_dict("records")
    assert (line["stage"], line["wrong to right"]) == ("revise", 1)
    assert ledger(decisions(lines), lines).empty


@pytest.mark.parametrize(
    ("rounds", "option", "stage"),
    [
        ([(1, 1, 0), (0, 0, 0), (0, 0, 1)], 0, "revise"),  # leads from the second turn on
        ([(0, 0, 1), (1, 1, 1), (0, 0, 1)], 0, "respond"),  # led at first, lost it, won it back
        ([(0, 0, 1), (0, 1, 0), (0, 0, 0)], 0, "answer"),
        ([(0, 0, 1), (0, 0, 1), (0, 0, 1)], 1, "decide"),
    ],
)
def test_the_turning_point_is_where_the_option_took_the_lead_for_good(rounds, option, stage) -> None:
    first, second, third = rounds
    spoken = [*firsts(*first), *again("revise", 2, *second), *again("respond", 3, *third)]
    lines = table(
        held("a", "debate", spoken, option),
        held("b", "debate", firsts(3, 3, 3), 3),
        held("a", "other", firsts(3, 3, 3), 3),
    )
    assert turning_point(lines, "a", "debate", "", option) == stage


def test_the_turning_point_at_a_tie_is_that_of_the_vote() -> None:
    """Two members against two peers: the vote, and so the decision, goes to the members, who come first."""
    peers = [scripted("Lee", 1), scripted("Moe", 1)]
    spoken = [*firsts(1, 2, 0), *peers, *again("revise", 2, 0, 2, 0)]
    lines = table(held("a", "debate", spoken, 0, board="wrong_peers"))
    assert turning_point(lines, "a", "debate", "wrong_peers", 0) == "revise"


def test_who_was_not_asked_again_keeps_the_first_answer() -> None:
    spoken = [*firsts(1, 0, 0), said(BOB, 1, "reflect", 3)]  # 1, 1, 0
    lines = table(held("a", "medorch", spoken, 1))
    assert turning_point(lines, "a", "medorch", "", 1) == "reflect"


# Moves


def test_every_expert_stays_conforms_departs_or_falls_silent() -> None:
    lines = table(
        # The majority names 1; right is 0. Ann stays, Bob departs to 0 (gained), Cat conforms to 1 (lost).
        held("a", "medorch", [*firsts(1, 1, 0), *again("reflect", 3, 1, 0, 1)], 1),
        # The majority names 0. Ann falls silent (lost), Bob stays, Cat conforms to 0 (gained).
        held("b", "medorch", [*firsts(0, 0, 2), *again("reflect", 3, None, 0, 0)], 0),
        # Ann had named nothing and Cat is not asked again: neither counts. Bob departs from 3 to 2.
        held("c", "medorch", [*firsts(None, 3, 3), *again("reflect", 3, 1, 2)], 2),
        held("c", "voting", firsts(0, 0, 0), 0),
    )
    found = moves(lines, ["medorch", "voting"]).set_index("committee")
    assert found.loc["medorch"].to_dict() == {
        "experts": 7,
        "stay": 2,
        "conforms": 2,
        "departs": 2,
        "falls silent": 1,
        "gained": 2,
        "lost": 2,
    }
    assert not found.loc["voting"].any()


def test_the_majority_to_conform_to_includes_peers() -> None:
    peers = [scripted("Lee", 1), scripted("Moe", 1)]
    spoken = [*firsts(0, 0, 2), *peers, *again("revise", 2, 1, 0, 1)]  # at the tie of 0 and 1 members lead
    tied = table(held("a", "debate", spoken, 1, board="wrong_peers"))
    assert moves(tied, ["debate"], "wrong_peers")[["stay", "conforms", "departs"]].to_numpy().tolist() == [
        [1, 0, 2]
    ]
    spoken = [*firsts(0, 3, 2), *peers, *again("revise", 2, 1, 3, 1)]
    led = table(held("a", "debate", spoken, 1, board="wrong_peers"))
    assert moves(led, ["debate"], "wrong_peers")[["stay", "conforms", "departs"]].to_numpy().tolist() == [
        [1, 2, 0]
    ]


def test_the_last_of_several_turns_is_the_one_that_counts() -> None:
    spoken = [*firsts(0, 1, 1), *again("respond", 4, 1, 1, 1), *again("respond", 6, 0, 1, 1)]
    [line] = moves(table(held("a", "catfish", spoken, 1)), ["catfish"]).to_dict("records")
    assert (line["experts"], line["stay"], line["lost"]) == (3, 3, 0)


def test_moves_of_a_committee_that_did_not_sit_are_none() -> None:
    [line] = moves(table(held("a", "voting", firsts(0), 0)), ["medorch"]).to_dict("records")
    assert line.pop("committee") == "medorch" and not np.any(list(line.values()))
