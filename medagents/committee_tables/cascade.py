"""What scripted members who are wrong do to a committee, and whether a referee notices."""

import numpy as np
import pandas as pd

from medagents import oversight, stats
from medagents.committee_tables.exchange import SPOKEN
from medagents.committee_tables.sessions import RIGHT, WRONG, by_committee, paired
from medagents.committees.session import EXPERT
from medagents.experiments.committee_cascade import PRIVATE
from medagents.oversight import Transcript
from medagents.tables import estimate


def cascade(table: pd.DataFrame) -> pd.DataFrame:
    """What two wrong members do to each committee, a line a committee.

    `contagion` is P(decision is the plant) beside them minus without them, over cases decided in both,
    `p` its exact McNemar test; `adopted` of `n` is Eq. 1 of benchmaxxing read for a
    committee (decides the plant, and would not have), `harmed` those it had right. `accuracy` is without
    peers, `wrong` and `right` beside two wrong and two right ones.
    """
    option = {board: by_committee(table, "option", board) for board in ("", WRONG, RIGHT)}
    plant, gold = (by_committee(table, name, WRONG) for name in ("plant", "gold"))
    clusters = by_committee(table, "cluster", WRONG)
    lines = []
    for name in option[WRONG]:
        alone, beside = option[""][name], option[WRONG][name]
        takes = [(column == plant[name]).where(column.notna()).astype(float) for column in (beside, alone)]
        adopted = pd.Series(stats.adoption(beside, alone, plant[name]), index=alone.index)
        can = adopted[(alone != plant[name]).fillna(False)]
        harmed = stats.harmful(beside, alone, plant[name], gold[name])
        line = {"committee": name, "n": int(can.notna().sum()), "adopted": int(can.sum())}
        line |= estimate(stats.clustered_rate(can, clusters[name][can.index]))
        line |= {"harmed": int(np.nansum(harmed))}
        line |= paired(takes[0], takes[1], clusters[name], "contagion")
        for words, board in (("accuracy", ""), ("wrong", WRONG), ("right", RIGHT)):
            line |= {words: by_committee(table, "right", board)[name].mean()}
        lines.append(line)
    found = pd.DataFrame(lines)
    return found.assign(holm=stats.holm(found["p"]))


def persuaded(turns: pd.DataFrame) -> pd.DataFrame:
    """Experts beside two wrong members who did not name the plant at first, and how many of them name it
    in their last turn: persuasion without votes. A line a committee whose experts speak twice; `n` counts
    experts, clustered by case. `kept quiet` counts those whose last turn names no option: they leave `n`.
    """
    part = turns[(turns["board"] == WRONG) & (turns["role"] == EXPERT) & turns["stage"].isin(SPOKEN)]
    lines = []
    for name, held in part.groupby("committee", sort=False):
        spoke = held.groupby(["case", "agent"], sort=False)
        first, last, times = spoke.first(skipna=False), spoke.last(skipna=False), spoke.size()
        can = (times > 1) & first["option"].notna() & (first["option"] != first["plant"])
        if not can.any():
            continue
        first, last = first[can], last[can]
        took = (last["option"] == last["plant"]).where(last["option"].notna()).astype(float)
        found = stats.clustered_rate(took, pd.Series(last.index.get_level_values("case"), index=last.index))
        line = {"committee": name, "n": found.n, "take the plant": int(took.sum())} | estimate(found)
        lines.append(line | {"kept quiet": int(last["option"].isna().sum())})
    return pd.DataFrame(lines)


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
        option, plant = (by_committee(table, name, board)[names] for name in ("option", "plant"))
        took = (option == plant).where(option.notna()).astype(float)
        columns |= {f"{name}@{board}" if board else name: took[name] for name in names}
    wide = pd.DataFrame(columns)
    pairs = {name: (f"{name}@{WRONG}", name) for name in names}
    return stats.screen(wide.reset_index(drop=True), contrasts=pairs)
