"""What happens between the first answers and the decision: silence, dissent, and who moves."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from medagents import stats
from medagents.committee_tables.sessions import vote
from medagents.committees.dissent import TONES
from medagents.committees.session import EXPERT
from medagents.tables import estimate

SPOKEN = ("answer", "revise", "respond", "reflect", "layer")
"""Stages in which an expert gives an answer of its own."""

MOVES = ("stay", "conforms", "departs", "falls silent")


def silent_agreement(table: pd.DataFrame, committee: str = "no_catfish") -> pd.DataFrame:
    """How often a committee agrees before any exchange, under both denominators of the Catfish paper:
    all cases, and the cases it then gets wrong. `silent` is unanimity or nobody who wants to speak.
    """
    part = table[(table["committee"] == committee) & (table["board"] == "")]
    unanimous = (part["unanimous"] == "1").astype(float)
    silent = ((part["unanimous"] == "1") | (part["willing"] == "0")).astype(float)
    failed = part["right"] == 0
    lines = []
    for words, chosen in (("all cases", failed | True), ("failures only", failed)):
        for name, column in (("unanimous", unanimous), ("silent", silent)):
            found = stats.clustered_rate(column.where(chosen), part["cluster"])
            count = {"denominator": words, "agreement": name, "k": int(column[chosen].sum()), "n": found.n}
            lines.append(count | estimate(found))
    return pd.DataFrame(lines)


def triggers(table: pd.DataFrame) -> pd.DataFrame:
    """How often each committee's Catfish spoke, and in what tone: a line a committee that has one."""
    part = table[table["challenged"].notna() & (table["board"] == "")]
    lines = []
    for name, held in part.groupby("committee", sort=False):
        spoke = (held["challenged"].astype(int) > 0).astype(float)
        found = stats.clustered_rate(spoke, held["cluster"])
        tones = held["tone"].str.split().explode().value_counts()
        line = {"committee": name, "spoke": int(spoke.sum()), "n": found.n} | estimate(found)
        lines.append(line | {tone: int(tones.get(tone, 0)) for tone in TONES})
    return pd.DataFrame(lines)


def dissents(turns: pd.DataFrame, board: str = "") -> pd.DataFrame:
    """What the Catfish named, a line a committee: another option than the leading one (it dissents), the
    leading one (it does not), or none; and how often the option it named was right.
    """
    lines = []
    for name, held in turns[turns["board"] == board].groupby("committee", sort=False):
        counts = dict.fromkeys(("challenges", "dissents", "repeats", "names none", "right"), 0)
        for _, part in held.groupby("case", sort=False):
            for place in np.flatnonzero(part["role"] == "catfish"):
                option, gold = part["option"].iloc[place], part["gold"].iloc[place]
                counts["challenges"] += 1
                if pd.isna(option):
                    counts["names none"] += 1
                    continue
                counts["repeats" if option == _challenged(part, int(place)) else "dissents"] += 1
                counts["right"] += int(option == gold)
        if counts["challenges"]:
            lines.append({"committee": name} | counts)
    return pd.DataFrame(lines)


def _challenged(session: pd.DataFrame, place: int) -> int | None:
    """The option that the challenge at a place of a session speaks against: what leads in the team that
    sits (the whole committee where there are no teams), or in the reports of all.
    """
    before = session.iloc[:place]
    if before["stage"].iloc[-1] == "report":
        return vote(list(before.loc[before["stage"] == "report", "option"]))
    assigned = np.flatnonzero(before["stage"] == "assign")
    team = before.iloc[assigned[-1] :] if len(assigned) else before
    return leading(team[team["stage"].isin(SPOKEN)])


def leading(spoken: pd.DataFrame) -> int | None:
    """The option most members name in their latest turn, at a tie that of who spoke first."""
    latest = dict(zip(spoken["agent"], spoken["option"], strict=True))
    return vote(list(latest.values()))


def ledger(table: pd.DataFrame, turns: pd.DataFrame, board: str = "") -> pd.DataFrame:
    """Right to wrong and wrong to right, from the experts' first plurality to the decision, a line a
    committee and the stage after which the leading option had changed. A case whose members were asked in
    teams has no such plurality and is left out.
    """
    part = table[(table["board"] == board) & table["first"].notna() & table["option"].notna()]
    part = part[(part["first"] == part["gold"]) != (part["option"] == part["gold"])]
    lines = [
        {
            "committee": line.committee,
            "stage": turning_point(turns, line.case, line.committee, board, int(line.option)),
            "change": "wrong to right" if line.right == 1 else "right to wrong",
        }
        for line in part.itertuples()
    ]
    if not lines:
        return pd.DataFrame(columns=["committee", "stage", "right to wrong", "wrong to right"])
    counts = pd.DataFrame(lines).groupby(["committee", "stage", "change"], sort=False).size().unstack()
    counts = counts.reindex(columns=["right to wrong", "wrong to right"]).fillna(0).astype(int)
    return counts.rename_axis(None, axis=1).reset_index()


def turning_point(turns: pd.DataFrame, case: str, committee: str, board: str, option: int) -> str:
    """The stage from which on the leading option is the one decided: `decide` where only the last turn
    brought it.
    """
    part = turns[(turns["case"] == case) & (turns["committee"] == committee) & (turns["board"] == board)]
    spoken = part[part["stage"].isin(SPOKEN)]
    stage = "decide"
    for depth in sorted(spoken["depth"].unique(), reverse=True):
        if leading(spoken[spoken["depth"] <= depth]) != option:
            break
        stage = spoken.loc[spoken["depth"] == depth, "stage"].iloc[-1]
    return str(stage)


def moves(turns: pd.DataFrame, committees: Iterable[str], board: str = "") -> pd.DataFrame:
    """Conformity against synergy: what became of each expert's first answer after the exchange.

    An expert `conforms` when it moves to the option most members named first, and `departs` when it
    moves elsewhere; `gained` and `lost` count moves to and from the right option.
    """
    lines = []
    for name in committees:
        part = turns[(turns["committee"] == name) & (turns["board"] == board) & turns["stage"].isin(SPOKEN)]
        counts = dict.fromkeys(
            ("experts", "stay", "conforms", "departs", "falls silent", "gained", "lost"), 0
        )
        for _, held in part.groupby("case", sort=False):
            majority = vote(list(held.loc[held["depth"] <= 1, "option"]))
            for _, own in held[held["role"] == EXPERT].groupby("agent", sort=False):
                first, last = own["option"].iloc[0], own["option"].iloc[-1]
                if len(own) < 2 or pd.isna(first):
                    continue
                counts["experts"] += 1
                counts[_move(first, last, majority)] += 1
                gold = own["gold"].iloc[0]
                counts["gained"] += int(first != gold and last is not pd.NA and last == gold)
                counts["lost"] += int(first == gold and (last is pd.NA or last != gold))
        lines.append({"committee": name} | counts)
    return pd.DataFrame(lines)


def _move(first: int, last: int | None, majority: int | None) -> str:
    if last is None or pd.isna(last):
        return "falls silent"
    if last == first:
        return "stay"
    return "conforms" if last == majority else "departs"
