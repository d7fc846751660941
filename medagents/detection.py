"""The tables of notebook 04: verdicts beside outcomes, detector by detector and arm by arm.

An adoption is Eq. 1 of the paper with the plant as the peers' answer. Beside honest peers nobody asserts
the plant, so an adoption is false by construction and every flag a false positive. `changed` and
`unchanged` part these flags by whether the answer did change to the peers' (right) one: a monitor of
conformity is meant to catch the first, and only the second are the detector's own noise.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from medagents import oversight, stats, tables
from medagents.committees import hierarchy
from medagents.experiments.referee_detection import ARMS, REFEREES
from medagents.models.catalog import title
from medagents.rows import letters

HONEST = "honest_peers"

DETECTORS = ("gate", "judge", "referee", "referee_repeat")
"""Of the holdout's own lineage, in the order of the figure."""

CALLS = {"gate": 0, "judge": 1, "referee": 1, "referee_repeat": 1}
"""Model calls a verdict costs. A referee asks only where the gate flags; see `costs`."""

COMBINED = "planted + honest"

MEASURES = {
    "precision": ("caught", "flagged", "flags that are adoptions"),
    "recall": ("caught", "adopted", "adoptions that are flagged"),
    "fpr": ("false", "others", "other answers that are flagged"),
}
"""Columns of `scores`: a rate, its numerator and denominator, and the rate in words."""


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
    kind, which is the paper's honest-peer control (section 3.2). The counts of each are in `MEASURES`.

    `changed` counts flags beside honest peers on answers that did change to the peers' right one,
    `unchanged` those on answers that are the isolated one.
    """
    lines = []
    for arm in arms:
        part = table[table["arm"].isin(_pooled(arm))]
        for detector, held in part.groupby("detector", sort=False):
            found = oversight.score(held["flag"], held["adopted"], held["cluster"])
            honest = held[(held["arm"] == HONEST) & (held["flag"] == 1)]
            moved = {"changed": int((honest["followed"] == 1).sum())}
            moved |= {"unchanged": int((honest["followed"] == 0).sum())}
            counts = {"n": found.n, "adopted": found.adopted, "flagged": found.flagged}
            counts |= {"caught": found.caught, "false": found.flagged - found.caught}
            counts |= {"others": found.n - found.adopted}
            line: dict[str, Any] = {"arm": arm, "detector": detector} | counts
            line |= tables.estimate(found.precision, "precision") | tables.estimate(found.recall, "recall")
            line |= tables.estimate(found.fpr, "fpr")
            lines.append(line | moved)
    return pd.DataFrame(lines)


def costs(table: pd.DataFrame, arm: str = COMBINED) -> pd.DataFrame:
    """Model calls a flag, by detector of the holdout's own lineage.

    A judge reads every discussion; a referee re-queries only where the gate flags.
    """
    part = table[table["arm"].isin(_pooled(arm))]
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
    """How often a private re-query disagrees with the isolated answer (`stats.clustered_rate`)."""
    option = tables.by_condition(frame, "option")
    clusters = tables.by_condition(frame, "cluster")["isolated"]
    lines = []
    for _, name in REFEREES:
        both = option[name].notna() & option["isolated"].notna()
        differs = (option[name] != option["isolated"]).where(both).astype(float)
        found = stats.clustered_rate(differs, clusters)
        lines.append({"requery": name, "n": found.n, "differ": int(differs.sum())} | tables.estimate(found))
    return pd.DataFrame(lines)


def by_plant_letter(table: pd.DataFrame, frame: pd.DataFrame, arm: str = "two_peers") -> pd.DataFrame:
    """Does a referee find adoptions, or letters? A line a referee and letter of the plant, in one arm.

    `private` counts the private answers (over all cases) that are this letter: a referee whose private
    answer is always one letter can never flag an adoption of it, and flags every other. `caught` of
    `adopted` is the recall where the plant stands under it, `p` the exact test (Fisher) against the
    recall under all other letters, `holm` over the letters of the referee; `flagged` counts flags on
    the `others`, answers that were not adopted.
    """
    planted = frame[frame["condition"] == arm].set_index("case")["plant_letter"]
    lines = []
    for detector, requery in REFEREES:
        held = table[(table["arm"] == arm) & (table["detector"] == detector)]
        held = held.assign(letter=held["case"].map(planted)).dropna(subset=["flag", "adopted"])
        private = letters(frame.loc[frame["condition"] == requery, "option"])
        for letter in sorted({*held["letter"], *private} - {""}):
            here = held["letter"] == letter
            of_here, of_rest = (_caught(held[part]) for part in (here, ~here))
            tested = of_here[1] and of_rest[1]
            recall = stats.clustered_rate(
                held["flag"].where(here & (held["adopted"] == 1)), held["cluster"], exact=True
            )
            others = held[here & (held["adopted"] == 0)]
            lines.append(
                {"detector": detector, "letter": letter, "private": private.count(letter)}
                | {"adopted": of_here[1], "caught": of_here[0]}
                | tables.estimate(recall, "recall")
                | {"p": stats.fisher(*of_here, *of_rest).p if tested else np.nan}
                | {"others": len(others), "flagged": int(others["flag"].sum())}
            )
    found = pd.DataFrame(lines)
    holm = found.groupby("detector", sort=False)["p"].transform(stats.holm)
    found.insert(found.columns.get_loc("p") + 1, "holm", holm)
    return found


def _caught(held: pd.DataFrame) -> tuple[int, int]:
    """How many adoptions are flagged, and how many there are."""
    return int((held["flag"] * held["adopted"]).sum()), int(held["adopted"].sum())


def judge_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Judges by the log-odds of their flag: area under the ROC curve against adoption, a line a planted
    arm and judge. The verdict of a judge who always says yes tells nothing; its odds still may.

    Arms are not pooled: they differ in how often the holdout adopts (beside honest peers never), and a
    judge who only told the arms apart would score. `ranks` says which side of 0.5 the whole interval of
    `auc` lies on: adoptions "higher" or "lower" than other answers, or "neither".
    """
    lines = []
    known = table[table["score"].notna() & table["adopted"].notna() & (table["arm"] != HONEST)]
    for (arm, detector), held in known.groupby(["arm", "detector"], sort=False):
        found = stats.auc(held["score"], held["adopted"], held["cluster"])
        line = {"arm": arm, "detector": detector, "n": found.n, "adopted": int(held["adopted"].sum())}
        ranks = "higher" if found.low > 0.5 else "lower" if found.high < 0.5 else "neither"
        lines.append(line | tables.estimate(found, "auc") | {"ranks": ranks})
    columns = ["arm", "detector", "n", "adopted", "auc", "auc_low", "auc_high", "ranks"]
    return pd.DataFrame(lines, columns=columns)


def deference(frame: pd.DataFrame) -> pd.DataFrame:
    """Hierarchy monitor, a line a pair of arms and one for both: answers that follow the title.

    `senior` counts answers that move with the senior title, `junior` with the junior one, `stay` the
    rest. `rate` is senior over n (Wilson; of both pairs with a case as its cluster), `net` the share that
    follows the senior less the share that follows the junior (jackknife over clusters), `p` the exact
    sign test over cases of one against the other.
    """
    parts = _moves(frame)
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


def _moves(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Of each pair of arms, case by case: `oversight.follows_label` and the cluster."""
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
    return parts


def _or_none(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def screen_detection(table: pd.DataFrame, frame: pd.DataFrame) -> dict[str, list[stats.Finding]]:
    """What the tables of this notebook cannot tell (`stats.screen`), table by table.

    Each arm and the pooled ones: constant flags, flags equal to the label, nested ones. "private
    answers" are letters: one that hardly varies makes a referee a test of the letter. "hierarchy" is the
    answer's move with the titles, case by case.
    """
    found = {}
    for arm in (*ARMS, COMBINED):
        part = table[table["arm"].isin(_pooled(arm))]
        key = ["case", "arm"]
        wide = part.pivot(index=key, columns="detector", values="flag")
        wide["adopted"] = part.drop_duplicates(key).set_index(key)["adopted"]
        labels = {name: "adopted" for name in wide.columns if name != "adopted"}
        found[arm] = stats.screen(wide.reset_index(drop=True), labels=labels)
    option = tables.by_condition(frame, "option")
    said = {name: letters(option[name]) for name in ("isolated", *(name for _, name in REFEREES))}
    found["private answers"] = stats.screen(pd.DataFrame(said).replace("", None))
    moves = {pair: part["follows"] for pair, part in _moves(frame).items()}
    found["hierarchy"] = stats.screen(pd.DataFrame(moves).reset_index(drop=True))
    return found


def _pooled(arm: str) -> tuple[str, ...]:
    return ("two_peers", HONEST) if arm == COMBINED else (arm,)
