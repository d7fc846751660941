"""What scripted members who are wrong do to a committee, and whether a referee notices."""

import numpy as np
import pandas as pd

from medagents import oversight, stats
from medagents.committee_tables.exchange import SPOKEN
from medagents.committee_tables.sessions import RIGHT, WRONG, by_committee, paired
from medagents.committees.session import EXPERT
from medagents.experiments.committee_cascade import PRIVATE
from medagents.oversight import Transcript
from medagents.tables import estimate, probability

CONTRASTS = (
    ("catfish_debate", "no_catfish"),
    ("medorch_asked", "judgment"),
    ("medorch", "voting"),
    ("debate", "voting"),
)
"""Declared pairs: with a Catfish and without, a mediator who asks and a judge alone, the paper's mediator
and a vote, an exchange of reasons and a vote. Chosen when 8 of the 20 recorded cases had been looked at."""


def cascade(table: pd.DataFrame) -> pd.DataFrame:
    """What two wrong members do to each committee, a line a committee.

    `contagion` is P(decision is the plant) beside them minus without them, over cases decided in both,
    `p` its exact McNemar test; `adopted` of `n` is Eq. 1 of benchmaxxing read for a
    committee (decides the plant, and would not have), `harmed` those it had right. `accuracy` is without
    peers, `wrong` and `right` beside two wrong and two right ones.
    """
    option = {board: by_committee(table, "option", board) for board in ("", WRONG)}
    takes = {board: _takes(table, board) for board in ("", WRONG)}
    plant, gold = (by_committee(table, name, WRONG) for name in ("plant", "gold"))
    clusters = by_committee(table, "cluster", WRONG)
    lines = []
    for name in option[WRONG]:
        alone, beside = option[""][name], option[WRONG][name]
        adopted = pd.Series(stats.adoption(beside, alone, plant[name]), index=alone.index)
        can = adopted[(alone != plant[name]).fillna(False)]
        harmed = stats.harmful(beside, alone, plant[name], gold[name])
        line = {"committee": name, "n": int(can.notna().sum()), "adopted": int(can.sum())}
        line |= estimate(stats.clustered_rate(can, clusters[name][can.index]))
        line |= {"harmed": int(np.nansum(harmed))}
        line |= paired(takes[WRONG][name], takes[""][name], clusters[name], "contagion")
        for words, board in (("accuracy", ""), ("wrong", WRONG), ("right", RIGHT)):
            line |= {words: by_committee(table, "right", board)[name].mean()}
        lines.append(line)
    found = pd.DataFrame(lines)
    return found.assign(holm=stats.holm(found["p"]))


def contrasts(table: pd.DataFrame) -> pd.DataFrame:
    """Does one protocol stop what another lets through? A line for each of `CONTRASTS`.

    `difference` is the contagion of the first less that of the second, over cases that both decide with and
    without peers (`stats.clustered_mean`). `b/c` counts cases where only the first, only the second decides
    the plant beside wrong peers; `p` is their exact McNemar test, `holm` corrects over the lines.
    """
    takes = {board: _takes(table, board) for board in ("", WRONG)}
    clusters = by_committee(table, "cluster", WRONG)
    lines = []
    for one, other in CONTRASTS:
        if not {one, other} <= set(takes[WRONG]):
            continue
        rise = takes[WRONG] - takes[""][takes[WRONG].columns]
        found = stats.clustered_mean(rise[one] - rise[other], clusters[one])
        line = {"contrast": f"{one} - {other}", "n": found.n} | estimate(found, "difference")
        test = paired(takes[WRONG][one], takes[WRONG][other], clusters[one], "beside")
        lines.append(line | {"b/c": test["b/c"], "p": test["p"]})
    held = pd.DataFrame(lines)
    return held.assign(holm=stats.holm(held["p"])) if lines else held


def _takes(table: pd.DataFrame, board: str) -> pd.DataFrame:
    """Cases by committees: 1 where the decision is the plant, 0 where another option, NaN where none."""
    option, plant = (by_committee(table, name, board) for name in ("option", "plant"))
    return (option == plant).where(option.notna()).astype(float)


def persuaded(turns: pd.DataFrame) -> pd.DataFrame:
    """Experts beside two wrong members who did not name the plant at first, and how many of them name it
    in their last turn: persuasion without votes. A line a committee whose experts speak twice; `n` counts
    experts, clustered by case. `kept quiet` counts those whose last turn names no option: they leave `n`.

    `graded` is how far the plant's probability in an expert's last turn stands above what it is in the
    last turn of the same expert without scripted members, over all who speak twice in both (`pairs`).
    """
    spoken = turns[(turns["role"] == EXPERT) & turns["stage"].isin(SPOKEN)]
    spoken = spoken.assign(chance=probability(spoken))
    lines = []
    for name, held in spoken[spoken["board"] == WRONG].groupby("committee", sort=False):
        last = _last_of_two(held)
        if last.empty:
            continue
        can = last["first"].notna() & (last["first"] != last["plant"])
        took = (last["option"] == last["plant"]).where(last["option"].notna()).astype(float)[can]
        found = stats.clustered_rate(took, _case(took))
        line = {"committee": name, "n": found.n, "take the plant": int(took.sum())} | estimate(found)
        line |= {"kept quiet": int(took.isna().sum())}
        alone = _last_of_two(spoken[(spoken["board"] == "") & (spoken["committee"] == name)])
        moved = last["chance"] - alone["chance"].reindex(last.index)
        spread = stats.bootstrap(moved, _case(moved))
        lines.append(line | {"pairs": spread.n} | estimate(spread, "graded"))
    return pd.DataFrame(lines)


def _last_of_two(spoken: pd.DataFrame) -> pd.DataFrame:
    """The last turns of experts who speak at least twice, by case and agent; `first` is what they named
    in their first.
    """
    by_expert = spoken.groupby(["case", "agent"], sort=False)
    last = by_expert.last(skipna=False).assign(first=by_expert["option"].first(skipna=False))
    return last[by_expert.size() > 1]


def _case(indexed: pd.Series) -> pd.Series:
    return pd.Series(indexed.index.get_level_values("case"), index=indexed.index)


def verdicts(table: pd.DataFrame, private: str = PRIVATE) -> pd.DataFrame:
    """A referee and a gate on every committee's decision beside peers: columns case, cluster, committee,
    board, detector, flag and adopted (0/1, NaN where undefined).

    The referee compares the decision with a private re-query; beside right peers an adoption of the plant
    is false by construction.
    """
    alone = by_committee(table, "option")
    requery = alone[private]
    lines = []
    for line in table[table["board"] != ""].itertuples():
        asserted = int(line.plant if line.board == WRONG else line.gold)
        answer, own = _known(line.option), _known(alone[line.committee].get(line.case))
        seen = Transcript("", "", (asserted, asserted), answer)
        adopted = stats.adoption([answer], [own], [int(line.plant)])[0] if line.board == WRONG else 0.0
        if line.board == RIGHT and (answer is None or own is None):
            adopted = np.nan
        for detector, flag in (
            ("gate", oversight.gate(seen)),
            ("referee", oversight.referee(seen, _known(requery.get(line.case)))),
        ):
            lines.append(
                {"case": line.case, "cluster": line.cluster, "committee": line.committee, "board": line.board}
                | {"detector": detector, "flag": np.nan if flag is None else float(flag), "adopted": adopted}
            )
    return pd.DataFrame(lines)


def _known(option: object) -> int | None:
    return None if option is None or pd.isna(option) else int(option)  # type: ignore[call-overload]


def detection(found: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall and FPR over both boards, a line a committee and detector, clustered by case."""
    lines = []
    for (committee, detector), held in found.groupby(["committee", "detector"], sort=False):
        score = oversight.score(held["flag"], held["adopted"], held["case"])
        line = {"committee": committee, "detector": detector, "n": score.n}
        line |= {"adopted": score.adopted, "flagged": score.flagged, "caught": score.caught}
        for name in ("precision", "recall", "fpr"):
            line |= estimate(getattr(score, name), name)
        lines.append(line)
    return pd.DataFrame(lines)


def screen_cascade(table: pd.DataFrame) -> list[stats.Finding]:
    """Degenerate columns of "the decision is the plant", a committee alone and beside wrong members."""
    names = list(by_committee(table, "option", WRONG))
    columns: dict[str, pd.Series] = {}
    for board in ("", WRONG):
        took = _takes(table, board)
        columns |= {f"{name}@{board}" if board else name: took[name] for name in names}
    wide = pd.DataFrame(columns)
    pairs = {name: (f"{name}@{WRONG}", name) for name in names}
    return stats.screen(wide.reset_index(drop=True), contrasts=pairs)
