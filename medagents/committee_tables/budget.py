"""What a committee's calls buy: accuracy for as many samples of one model, and gaps to single experts."""

from collections.abc import Iterable

import pandas as pd

from medagents import stats
from medagents.committee_tables.sessions import by_committee, vote
from medagents.committees.session import EXPERT
from medagents.tables import estimate


def sample_curve(turns: pd.DataFrame, samples: str = "self_consistency") -> pd.DataFrame:
    """Accuracy of the plurality of the first k samples of one model, a line a k."""
    drawn = turns[(turns["committee"] == samples) & (turns["role"] == EXPERT)]
    cases = dict(iter(drawn.groupby("case", sort=False)))
    lines = []
    for calls in range(1, min(map(len, cases.values()), default=0) + 1):
        votes = {case: vote(list(part["option"])[:calls]) for case, part in cases.items()}
        right = {case: _right(votes[case], part["gold"].iloc[0]) for case, part in cases.items()}
        clusters = pd.Series({case: part["cluster"].iloc[0] for case, part in cases.items()})
        found = stats.clustered_rate(pd.Series(right, dtype=float), clusters)
        lines.append({"calls": calls, "n": found.n} | estimate(found))
    return pd.DataFrame(lines)


def _right(option: int | None, gold: int) -> float | None:
    return None if option is None else float(option == gold)


def gaps(table: pd.DataFrame, committees: Iterable[str], experts: Iterable[str]) -> pd.DataFrame:
    """Accuracy of each committee above its weakest and its best expert, in points of a hundred.

    As in MedOrch's Table 1. The best expert is picked on these same cases, which favours it; cases that
    a committee leaves undecided count against it here, as a share of all cases, and likewise an expert's.
    """
    right = by_committee(table, "right").fillna(0.0)
    singles = right[list(experts)].mean()
    return pd.DataFrame(
        {"committee": name, "n": len(right), "accuracy": 100 * right[name].mean()}
        | {"above weakest": 100 * (right[name].mean() - singles.min())}
        | {"above best": 100 * (right[name].mean() - singles.max())}
        for name in committees
    )
