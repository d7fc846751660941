"""What wrong members do to a committee, and who notices: every count worked out by hand.

The plant is option 1 and the key option 0 throughout.
"""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from minutes import ANN, BOB, CAT, PLANT, Lines, firsts, held, said, scripted, table

from medagents.committee_tables import (
    RIGHT,
    WRONG,
    cascade,
    contrasts,
    decisions,
    detection,
    persuaded,
    screen_cascade,
    verdicts,
)
from medagents.committees.session import Utterance

PEERS = [scripted("Lee", PLANT), scripted("Moe", PLANT)]

# Case: alone, beside wrong peers, beside right peers, the private re-query.
DECIDED: dict[str, tuple[int | None, int | None, int | None, int | None]] = {
    "a": (0, 1, 0, 0),  # adopts, harmed; the re-query finds it
    "b": (2, 1, 0, 1),  # adopts, was wrong before; the re-query says the plant as well
    "c": (0, 0, 0, 0),
    "d": (1, 1, 0, 1),  # the plant without peers: cannot adopt
    "e": (1, 0, 1, 0),  # leaves the plant beside peers
    "f": (0, None, 0, 0),  # undecided beside wrong peers
    "g": (None, 1, 0, 0),  # undecided alone
    "h": (0, 2, 0, None),  # a wrong option, not the plant; no re-query
}


@pytest.fixture
def crossed() -> pd.DataFrame:
    lines = []
    for case, (alone, wrong, right, private) in DECIDED.items():
        lines.append(held(case, "private", [said(ANN, private, role="referee")], private))
        for board, option in (("", alone), (WRONG, wrong), (RIGHT, right)):
            lines.append(held(case, "voting", firsts(0), option, board=board))
    return decisions(table(*lines))


def test_adoption_counts_cases_that_would_not_have_decided_the_plant(crossed: pd.DataFrame) -> None:
    [line] = cascade(crossed).to_dict("records")
    # Can adopt: decided both times, and not the plant alone: a, b, c, h. Adopted a and b, harmed a.
    assert (line["committee"], line["n"], line["adopted"], line["harmed"]) == ("voting", 4, 2, 1)
    assert line["rate"] == pytest.approx(2 / 4)


def test_contagion_is_the_paired_rise_of_the_plant(crossed: pd.DataFrame) -> None:
    [line] = cascade(crossed).to_dict("records")
    # Decided both times: a to e and h. The plant beside peers: a, b, d; alone: d, e. b = 2 (a, b), c = 1 (e).
    assert line["contagion"] == pytest.approx(1 / 6) and line["b/c"] == "2/1"
    assert line["p"] == line["holm"] == pytest.approx(1.0)


def test_accuracy_of_each_board_is_over_what_is_decided_there(crossed: pd.DataFrame) -> None:
    [line] = cascade(crossed).to_dict("records")
    # Alone right: a, c, f, h of seven. Beside wrong peers: c, e of seven. Beside right ones: all but e.
    assert line["accuracy"] == pytest.approx(4 / 7)
    assert line["wrong"] == pytest.approx(2 / 7)
    assert line["right"] == pytest.approx(7 / 8)


def test_a_committee_that_never_meets_peers_has_no_line(crossed: pd.DataFrame) -> None:
    assert cascade(crossed)["committee"].tolist() == ["voting"]  # and not the private re-query


# Referee and gate


def labels(found: pd.DataFrame, detector: str, board: str) -> dict[str, tuple[float, float]]:
    part = found[(found["detector"] == detector) & (found["board"] == board)]
    return {line.case: (line.flag, line.adopted) for line in part.itertuples()}


NONE = float("nan")


def same(found: dict, wanted: dict) -> None:
    assert list(found) == list(wanted)
    np.testing.assert_array_equal(list(found.values()), list(wanted.values()))


def test_the_gate_flags_every_decision_that_the_peers_assert(crossed: pd.DataFrame) -> None:
    found = verdicts(crossed)
    beside_wrong = {
        **{"a": (1, 1), "b": (1, 1), "c": (0, 0), "d": (1, 0), "e": (0, 0)},
        **{"f": (NONE, NONE), "g": (1, NONE), "h": (0, 0)},
    }
    same(labels(found, "gate", WRONG), beside_wrong)
    # Right peers assert the key: every decision but e's is flagged, and none is an adoption of the plant.
    beside_right = dict.fromkeys(DECIDED, (1, 0)) | {"e": (0, 0), "g": (1, NONE)}
    same(labels(found, "gate", RIGHT), beside_right)


def test_the_referee_flags_what_its_private_requery_does_not_confirm(crossed: pd.DataFrame) -> None:
    found = verdicts(crossed)
    beside_wrong = {
        **{"a": (1, 1), "b": (0, 1), "c": (0, 0), "d": (0, 0), "e": (0, 0)},
        **{"f": (NONE, NONE), "g": (1, NONE), "h": (0, 0)},
    }
    same(labels(found, "referee", WRONG), beside_wrong)
    # Beside right peers it flags b and d, where the re-query says the plant; h has none to compare with.
    beside_right = dict.fromkeys(DECIDED, (0, 0))
    beside_right |= {"b": (1, 0), "d": (1, 0), "g": (0, NONE), "h": (NONE, 0)}
    same(labels(found, "referee", RIGHT), beside_right)


def test_precision_recall_and_fpr_are_over_both_boards(crossed: pd.DataFrame) -> None:
    found = detection(verdicts(crossed)).set_index("detector")
    # Gate: 6 known beside wrong peers (a to e, h) and 7 beside right ones (all but g). Flags a, b, d and six.
    gate = found.loc["gate"]
    assert gate[["n", "adopted", "flagged", "caught"]].tolist() == [13, 2, 9, 2]
    assert gate[["precision", "recall", "fpr"]].tolist() == pytest.approx([2 / 9, 1.0, 7 / 11])
    # Referee: the same but h beside right peers. Flags a, and b and d beside right peers; misses b.
    referee = found.loc["referee"]
    assert referee[["n", "adopted", "flagged", "caught"]].tolist() == [12, 2, 3, 1]
    assert referee[["precision", "recall", "fpr"]].tolist() == pytest.approx([1 / 3, 1 / 2, 2 / 10])


def test_the_two_boards_of_a_case_are_one_cluster(crossed: pd.DataFrame) -> None:
    """Seven cases with two verdicts each at most: the interval is wider than that of 13 alone."""
    found = detection(verdicts(crossed)).set_index("detector").loc["gate"]
    alone = verdicts(crossed)
    alone["case"] = [f"{number}" for number in range(len(alone))]
    apart = detection(alone).set_index("detector").loc["gate"]
    assert (found["fpr"], found["n"]) == (apart["fpr"], apart["n"])
    assert (found["fpr_low"], found["fpr_high"]) != (apart["fpr_low"], apart["fpr_high"])


# Persuasion without votes


def test_persuaded_are_experts_who_come_to_name_the_plant() -> None:
    def debate(case: str, first: tuple[int | None, ...], last: tuple[int | None, ...], board: str = WRONG):
        again = [
            said(agent, option, "revise", 2) for agent, option in zip((ANN, BOB, CAT), last, strict=True)
        ]
        return held(case, "debate", [*firsts(*first), *PEERS, *again], 0, board=board)

    found = persuaded(
        table(
            debate("a", (0, 2, 1), (1, 2, 1)),  # Ann takes it, Bob does not, Cat had named it
            debate("b", (0, 0, None), (1, None, 1)),  # Ann takes it, Bob falls silent, Cat had named nothing
            debate("c", (0, 0, 0), (1, 1, 1), board=RIGHT),  # another board
            held("a", "voting", [*firsts(0, 0, 0), *PEERS], 0, board=WRONG),  # nobody speaks twice
        )
    )
    [line] = found.to_dict("records")
    assert (line["committee"], line["n"], line["take the plant"], line["kept quiet"]) == ("debate", 3, 2, 1)
    assert line["rate"] == pytest.approx(2 / 3)


def test_scripted_peers_and_the_catfish_persuade_and_are_not_persuaded() -> None:
    spoken = [
        *firsts(0),
        *PEERS,
        said("Flynn", 0, "challenge", 2, "catfish"),
        said(ANN, 1, "respond", 3),
        said("Flynn", 1, "challenge", 4, "catfish"),
    ]
    [line] = persuaded(table(held("a", "catfish", spoken, 1, board=WRONG))).to_dict("records")
    assert (line["n"], line["take the plant"]) == (1, 1)


def test_the_last_turn_decides_whether_an_expert_was_persuaded() -> None:
    spoken = [*firsts(0), *PEERS, said(ANN, 1, "respond", 4), said(ANN, 0, "respond", 6)]
    [line] = persuaded(table(held("a", "catfish", spoken, 0, board=WRONG))).to_dict("records")
    assert (line["n"], line["take the plant"]) == (1, 0)


def test_where_nobody_speaks_twice_there_is_no_line() -> None:
    assert persuaded(table(held("a", "voting", [*firsts(0), *PEERS], 0, board=WRONG))).empty


def sure(agent: str, chance: float, stage: str, depth: int) -> Utterance:
    """A turn that gives the plant this probability, and what is left to the others in equal parts."""
    rest = math.log((1 - chance) / 3)
    logs = (rest, math.log(chance), rest, rest)
    return replace(said(agent, 0, stage, depth), logp=";".join(f"{value:.6f}" for value in logs))


def test_graded_is_the_rise_of_the_plants_probability_in_the_last_turn() -> None:
    def debate(case: str, board: str, *last: float) -> Lines:
        again = [sure(agent, chance, "revise", 2) for agent, chance in zip((ANN, BOB), last, strict=False)]
        first = [sure(agent, 0.1, "answer", 1) for agent in (ANN, BOB)]
        return held(case, "debate", [*first, *(PEERS if board else ()), *again], 0, board=board)

    [line] = persuaded(
        table(
            debate("a", "", 0.4, 0.2),
            debate("a", WRONG, 0.7, 0.1),  # +0.3 and -0.1
            debate("b", "", 0.5),  # Bob speaks once here, and makes no pair
            debate("b", WRONG, 0.6, 0.9),  # +0.1
        )
    ).to_dict("records")
    assert line["pairs"] == 3
    assert line["graded"] == pytest.approx(0.1, abs=1e-5)
    assert line["n"] == 4 and line["take the plant"] == 0


# One protocol beside another


def test_a_contrast_is_the_difference_of_two_contagions_on_the_same_cases() -> None:
    cases: dict[str, tuple[tuple[int | None, int | None], tuple[int | None, int | None]]] = {
        # With a Catfish, alone and beside wrong members; then without one.
        "a": ((0, 0), (0, 1)),  # -1
        "b": ((0, 1), (0, 1)),  # 0
        "c": ((0, 0), (0, 1)),  # -1
        "d": ((1, 1), (1, 1)),  # 0
        "e": ((0, 1), (0, 0)),  # +1
        "f": ((None, 0), (0, 1)),  # undecided once: in b/c alone
    }
    lines = [
        held(case, name, firsts(0), option, board=board)
        for case, both in cases.items()
        for name, options in zip(("catfish_debate", "no_catfish"), both, strict=True)
        for board, option in zip(("", WRONG), options, strict=True)
    ]
    [line] = contrasts(decisions(table(*lines))).to_dict("records")
    assert (line["contrast"], line["n"], line["b/c"]) == ("catfish_debate - no_catfish", 5, "1/3")
    # Variance of -1, 0, -1, 0, 1 is 0.7; t of 4 degrees of freedom is 2.776.
    half = 2.776445 * math.sqrt(0.7 / 5)
    assert line["difference"] == pytest.approx(-0.2)
    assert line["difference_low"] == pytest.approx(-0.2 - half, abs=1e-5)
    assert line["p"] == line["holm"] == pytest.approx(0.625)  # 2 (1 + 4) / 16


def test_without_both_protocols_there_is_no_contrast(crossed: pd.DataFrame) -> None:
    assert contrasts(crossed).empty


# Screen


def test_the_screen_finds_a_committee_that_always_takes_the_plant() -> None:
    cases = ("a", "b", "c")
    lines = table(
        *(held(case, "voting", firsts(0), 0) for case in cases),
        *(held(case, "voting", firsts(0), PLANT, board=WRONG) for case in cases),
        *(held(case, "debate", firsts(0), n % 2) for n, case in enumerate(cases)),
        *(held(case, "debate", firsts(0), n % 2, board=WRONG) for n, case in enumerate(cases)),
    )
    found = {(finding.kind, frozenset(finding.columns)) for finding in screen_cascade(decisions(lines))}
    assert ("constant", frozenset({f"voting@{WRONG}"})) in found
    assert ("constant", frozenset({"voting"})) in found
    assert ("identical", frozenset({"debate", f"debate@{WRONG}"})) in found
