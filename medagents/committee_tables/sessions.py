"""What each session decided, at what cost: the table that the others start from."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from medagents import stats
from medagents.committees.session import PEER
from medagents.tables import estimate
from medagents.turns import DECISION
from medagents.types import Status

WRONG, RIGHT = "wrong_peers", "right_peers"
"""Boards: two scripted members assert the plant, or the key."""

SESSION = ["case", "committee", "board"]
"""What names a session."""


def decisions(turns: pd.DataFrame) -> pd.DataFrame:
    """One line a session: what was decided, at what cost, and the session's notes as columns.

    `right` is 1 or 0, NaN where nothing was decided. `calls` counts model calls, `depth` those on the
    critical path; `prompt_tokens` and `reply_tokens` are sums over calls. `first` is the option most
    experts and peers named before any exchange (a tie goes to the one named first).
    """
    held = turns[turns["role"] == DECISION].set_index(SESSION)
    called = turns[turns["key"] != ""].drop_duplicates([*SESSION, "model", "key"])
    calls = called.groupby(SESSION, sort=False)
    table = held[["cluster", "gold", "plant", "status", "option", "depth"]].copy()
    table["right"] = (held["option"] == held["gold"]).where(held["option"].notna()).astype(float)
    table["calls"] = calls.size().reindex(table.index).fillna(0).astype(int)
    for column in ("prompt_tokens", "reply_tokens"):
        table[column] = calls[column].sum().reindex(table.index).fillna(0).astype(int)
    table["first"] = _first(turns).reindex(table.index)
    notes = [dict(pair.split("=", 1) for pair in text.split(";") if pair) for text in held["notes"]]
    return table.join(pd.DataFrame(notes, index=table.index)).reset_index()


def _first(turns: pd.DataFrame) -> pd.Series:
    said = turns[(turns["stage"] == "answer") & (turns["depth"] <= 1) & turns["option"].notna()]
    return said.groupby(SESSION, sort=False)["option"].agg(_plurality)


def vote(options: Sequence[int | None]) -> int | None:
    """The option named most, at a tie the one named first; None where none is named."""
    named = pd.Series([option for option in options if not pd.isna(option)], dtype=object)
    return _plurality(named) if len(named) else None


def _plurality(options: pd.Series) -> int:
    counts = options.value_counts(sort=False)
    return int(counts.idxmax())


def by_committee(table: pd.DataFrame, column: str, board: str = "") -> pd.DataFrame:
    """One column of `decisions` as cases by committees, beside one board."""
    part = table[table["board"] == board]
    wide = part.pivot(index="case", columns="committee", values=column)
    return wide.loc[list(dict.fromkeys(part["case"])), list(dict.fromkeys(part["committee"]))]


def paired(one: pd.Series, other: pd.Series, clusters: pd.Series, name: str) -> dict[str, Any]:
    """Paired difference of two 0/1 columns with its interval (`stats.rate_difference`), `b/c` (how many
    cases only the first, only the second has) and their exact McNemar p.
    """
    if not (one.notna() & other.notna()).any():
        return dict.fromkeys((name, f"{name}_low", f"{name}_high", "p"), np.nan) | {"b/c": ""}
    test = stats.mcnemar_from(one, other)
    return estimate(stats.rate_difference(one, other, clusters), name) | {
        "b/c": f"{test.b}/{test.c}",
        "p": test.p,
    }


def statuses(turns: pd.DataFrame) -> pd.DataFrame:
    """How many turns of each status, a line a model and stage; decisions stand at the end."""
    part = turns[turns["role"] != PEER]
    names = part["model"].where(part["role"] != DECISION, "decision")
    unique = part.drop_duplicates(["case", "model", "key", "committee", "board", "role", "stage", "depth"])
    counts = pd.crosstab([names[unique.index], unique["stage"]], unique["status"])
    ordered = [status.value for status in Status if status.value in counts]
    return counts[ordered].rename_axis(None, axis=1)
