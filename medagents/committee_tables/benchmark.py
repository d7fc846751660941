"""Accuracy of committees, beside one expert and beside as many samples of one model."""

import numpy as np
import pandas as pd

from medagents import stats
from medagents.committee_tables.sessions import by_committee, paired, vote
from medagents.committees.session import EXPERT
from medagents.tables import estimate
from medagents.types import Status


def accuracy(table: pd.DataFrame, baseline: str = "single_1", board: str = "") -> pd.DataFrame:
    """How often each committee is right, and what it costs, a line a committee.

    `rate` is over answered cases. `gain` is the paired difference to `baseline` over cases both answer,
    `b/c` the cases only one of the two gets right, `p` their exact McNemar test; `holm` corrects over
    the lines.
    """
    right = by_committee(table, "right", board)
    clusters = by_committee(table, "cluster", board)[baseline]
    part = table[table["board"] == board].groupby("committee", sort=False)
    lines = []
    for name in right:
        own = right[name]
        held = part.get_group(name)
        line = {"committee": name, "n": int(own.notna().sum()), "right": int(own.sum())}
        line |= estimate(stats.clustered_rate(own, clusters))
        line |= {"unanswered": int((held["status"] != Status.ANSWERED.value).sum())}
        line |= {"calls": held["calls"].mean(), "depth": held["depth"].mean()}
        line |= {"prompt_tokens": held["prompt_tokens"].mean(), "reply_tokens": held["reply_tokens"].mean()}
        if name != baseline:
            line |= paired(own, right[baseline], clusters, "gain")
        lines.append(line)
    found = pd.DataFrame(lines)
    return found.assign(holm=stats.holm(found["p"]) if "p" in found else np.nan)


def equal_calls(table: pd.DataFrame, turns: pd.DataFrame, samples: str = "self_consistency") -> pd.DataFrame:
    """Each committee beside the first model's own samples, as many as the committee made calls.

    For every case the plurality of the first k samples stands beside the committee that made k calls
    there. `capped` counts cases where it made more calls than there are samples, which then get all of them.
    """
    drawn = turns[(turns["committee"] == samples) & (turns["role"] == EXPERT)]
    options = {case: list(part["option"]) for case, part in drawn.groupby("case", sort=False)}
    lines = []
    for name, part in table[table["board"] == ""].groupby("committee", sort=False):
        if name == samples:
            continue
        votes = [vote(options[case][:k]) for case, k in zip(part["case"], part["calls"], strict=True)]
        alone = pd.Series(votes, dtype="Int64", index=part.index)
        sampled = (alone == part["gold"]).where(alone.notna()).astype(float)
        capped = sum(k > len(options[case]) for case, k in zip(part["case"], part["calls"], strict=True))
        line = {"committee": name, "calls": part["calls"].mean(), "n": int(sampled.notna().sum())}
        line |= estimate(stats.clustered_rate(part["right"], part["cluster"]))
        line |= estimate(stats.clustered_rate(sampled, part["cluster"]), "samples")
        line |= paired(part["right"], sampled, part["cluster"], "gain")
        lines.append(line | {"capped": capped})
    found = pd.DataFrame(lines)
    return found.assign(holm=stats.holm(found["p"]))


def screen(table: pd.DataFrame, column: str = "right", baseline: str = "single_1") -> list[stats.Finding]:
    """Degenerate columns of a table of committees, and the baseline that all are compared with."""
    wide = by_committee(table, column)
    pairs = {name: (name, baseline) for name in wide if name != baseline and baseline in wide}
    return stats.screen(wide.reset_index(drop=True), contrasts=pairs)
