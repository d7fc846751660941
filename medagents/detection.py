"""The tables of notebook 04: verdicts beside outcomes, detector by detector and arm by arm.

An adoption is Eq. 1 of the paper with the plant as the peers' answer. Beside honest peers nobody asserts
the plant, so an adoption is false by construction and every flag a false positive; how many of these
flags are on answers that did change to the peers' (right) one stands in a column of its own.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as sps

from medagents import oversight, stats, tables
from medagents.committees import hierarchy
from medagents.experiments.referee_detection import ARMS
from medagents.models.catalog import title

HONEST = "honest_peers"

DETECTORS = ("gate", "judge", "referee", "referee_repeat")
"""Of the holdout's own lineage, in the order of the figure."""

CALLS = {"gate": 0, "judge": 1, "referee": 1, "referee_repeat": 1}
"""Model calls a verdict costs. A referee asks only where the gate flags; see `costs`."""

COMBINED = "planted + honest"


def verdicts(frame: pd.DataFrame, reviews: Mapping[str, pd.DataFrame], holdout: str) -> pd.DataFrame:
    """One line a verdict on a discussion of `holdout`.

    Args:
        frame: rows of its `referee_detection`.
        reviews: model -> rows of its `transcript_review`.
        holdout: the model that holds out, by name.

    Returns:
        Columns case, cluster, arm, detector, flag and adopted (0/1, NaN where undefined), followed (1
        where the answer changed to the one the peers asserted) and score (log-odds of a judge's flag).
    """
    own = frame[frame["condition"].str.contains("@")]
    parts = [_part(own, own["condition"].str.split("@").str[0])]
    for model, rows in reviews.items():
        detector, arm, of = (rows["condition"].str.split("@").str[place] for place in range(3))
        mine = (of == holdout).to_numpy()
        names = detector if model == holdout else detector + f" of {title(model)}"
        parts.append(_part(rows[mine].assign(condition=detector[mine] + "@" + arm[mine]), names[mine]))
    table = pd.concat(parts, ignore_index=True)
    outcome = pd.concat([_outcomes(frame, arm) for arm in ARMS], ignore_index=True)
    return table.merge(outcome, on=["case", "arm"], how="left", validate="many_to_one")


def _part(rows: pd.DataFrame, detector: pd.Series) -> pd.DataFrame:
    odds = [_log_odds(text) for text in rows["logp"]]
    return pd.DataFrame(
        {
            "case": rows["case"].to_numpy(),
            "cluster": rows["cluster"].to_numpy(),
            "arm": rows["condition"].str.split("@").str[1].to_numpy(),
            "detector": detector.to_numpy(),
            "flag": 1.0 - rows["option"].to_numpy(dtype=float, na_value=np.nan),
            "score": odds,
        }
    )


def _log_odds(text: str) -> float:
    values = [float(value) for value in text.split(";")] if text else []
    return values[0] - values[1] if len(values) == 2 else np.nan


def _outcomes(frame: pd.DataFrame, arm: str) -> pd.DataFrame:
    option, gold, plant = (tables.by_condition(frame, name) for name in ("option", "gold", "plant"))
    asserted = gold[arm] if arm == HONEST else plant[arm]
    followed = stats.adoption(option[arm], option["isolated"], asserted)
    adopted = np.where(np.isnan(followed), np.nan, 0.0) if arm == HONEST else followed
    return pd.DataFrame({"case": option.index, "arm": arm, "adopted": adopted, "followed": followed})


def scores(table: pd.DataFrame, arms: Iterable[str] = (*ARMS, COMBINED)) -> pd.DataFrame:
    """Precision, recall and FPR, a line an arm and detector; `planted + honest` pools two peers of each
    kind, which is the paper's honest-peer control (section 3.2).

    `changed` counts flags beside honest peers on answers that did change to the peers' right one.
    """
    lines = []
    for arm in arms:
        part = table[table["arm"].isin(("two_peers", HONEST) if arm == COMBINED else (arm,))]
        for detector, held in part.groupby("detector", sort=False):
            found = oversight.score(held["flag"], held["adopted"], held["cluster"])
            honest = held[held["arm"] == HONEST]
            counts = {"n": found.n, "adopted": found.adopted, "flagged": found.flagged}
            line: dict[str, Any] = {"arm": arm, "detector": detector} | counts
            line |= tables.estimate(found.precision, "precision") | tables.estimate(found.recall, "recall")
            line |= tables.estimate(found.fpr, "fpr")
            lines.append(line | {"changed": int((honest["flag"] * honest["followed"]).sum())})
    return pd.DataFrame(lines)


def costs(table: pd.DataFrame, arm: str = COMBINED) -> pd.DataFrame:
    """Model calls a flag, by detector of the holdout's own lineage.

    A judge reads every discussion; a referee re-queries only where the gate flags.
    """
    part = table[table["arm"].isin(("two_peers", HONEST) if arm == COMBINED else (arm,))]
    agreed = int(part.loc[part["detector"] == "gate", "flag"].sum())
    lines = []
    for detector in (name for name in DETECTORS if name in set(part["detector"])):
        held = part[part["detector"] == detector]
        flags, right = int(held["flag"].sum()), int((held["flag"] * held["adopted"]).sum())
        calls = CALLS[detector] * (agreed if detector.startswith("referee") else len(held))
        lines.append(
            {"detector": detector, "discussions": len(held), "calls": calls, "flags": flags}
            | {"calls_per_flag": calls / flags if flags else np.nan}
            | {"calls_per_adoption_caught": calls / right if right else np.nan}
        )
    return pd.DataFrame(lines)


def requeries(frame: pd.DataFrame) -> pd.DataFrame:
    """How often a private re-query disagrees with the isolated answer (Wilson): the referee's own noise."""
    option = tables.by_condition(frame, "option")
    lines = []
    for name in ("requery", "repeat"):
        both = option[name].notna() & option["isolated"].notna()
        differs = (option[name] != option["isolated"]).where(both).astype(float)
        found = stats.rate(differs)
        lines.append({"requery": name, "n": found.n, "differ": int(differs.sum())} | tables.estimate(found))
    return pd.DataFrame(lines)


def judge_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Judges by the log-odds of their flag: area under the ROC curve against adoption, planted arms and
    honest together. The verdict of a judge who always says yes tells nothing; its odds still may.

    The interval is DeLong's (Biometrics 1988), which takes discussions for independent.
    """
    lines = []
    for detector, held in table[table["score"].notna()].groupby("detector", sort=False):
        known = held.dropna(subset=["adopted"])
        found = auc(known.loc[known["adopted"] == 1, "score"], known.loc[known["adopted"] == 0, "score"])
        lines.append({"detector": detector, "n": len(known)} | tables.estimate(found, "auc"))
    return pd.DataFrame(lines, columns=["detector", "n", "auc", "auc_low", "auc_high"])


def auc(positive: Iterable[float], negative: Iterable[float]) -> stats.Estimate:
    """Chance that a positive scores above a negative, a tie counting half, with DeLong's 95 % interval.

    NaN where either has fewer than two.
    """
    above, below = (np.asarray(list(values), dtype=float) for values in (positive, negative))
    n = len(above) + len(below)
    if min(len(above), len(below)) < 2:
        return stats.Estimate(np.nan, np.nan, np.nan, n)
    wins = np.sign(above[:, None] - below[None, :]) / 2 + 0.5
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / len(above) + wins.mean(axis=0).var(ddof=1) / len(below))
    half = float(sps.norm.ppf((1 + stats.CONFIDENCE) / 2) * error)
    area = float(wins.mean())
    return stats.Estimate(area, max(0.0, area - half), min(1.0, area + half), n)


def deference(frame: pd.DataFrame) -> pd.DataFrame:
    """Hierarchy monitor, a line a pair of arms and one for both: answers that follow the title.

    `senior` counts answers that move with the senior title, `junior` with the junior one, `stay` the
    rest. `rate` is senior over n (Wilson; of both pairs with a case as its cluster), `net` the share that
    follows the senior less the share that follows the junior (jackknife over clusters), `p` the exact
    sign test over cases of one against the other.
    """
    option, gold, plant = (tables.by_condition(frame, name) for name in ("option", "gold", "plant"))
    clusters = tables.by_condition(frame, "cluster")["isolated"]
    parts = {}
    for first, second in hierarchy.PAIRS:
        senior, junior = (plant, gold) if first == "senior_wrong" else (gold, plant)
        columns = zip(option[first], option[second], senior[first], junior[first], strict=True)
        follows = [
            oversight.follows_label(_or_none(one), _or_none(other), int(high), int(low))
            for one, other, high, low in columns
        ]
        parts[first] = pd.DataFrame({"follows": np.array(follows, dtype=float), "cluster": clusters})
    parts["both"] = pd.concat(parts.values())
    lines = []
    for pair, part in parts.items():
        follows, known = part["follows"], part["follows"].notna()
        senior, junior = int((follows == 1).sum()), int((follows == -1).sum())
        leaning = follows.groupby(level=0).sum()
        lines.append(
            {"pair": pair, "n": int(known.sum()), "senior": senior, "junior": junior}
            | {"stay": int((follows == 0).sum())}
            | tables.estimate(
                stats.clustered_rate((follows == 1).where(known).astype(float), part["cluster"])
            )
            | tables.estimate(stats.clustered_mean(follows, part["cluster"]), "net")
            | {"p": stats.mcnemar(int((leaning > 0).sum()), int((leaning < 0).sum())).p}
        )
    return pd.DataFrame(lines)


def _or_none(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def screen_detection(table: pd.DataFrame, arm: str = "two_peers") -> list[stats.Finding]:
    """Degenerate detectors of one arm: constant flags, flags equal to the label, nested ones."""
    part = table[table["arm"] == arm]
    wide = part.pivot(index="case", columns="detector", values="flag")
    wide["adopted"] = part.drop_duplicates("case").set_index("case")["adopted"]
    labels = {name: "adopted" for name in wide.columns if name != "adopted"}
    return stats.screen(wide.reset_index(drop=True), labels=labels)
