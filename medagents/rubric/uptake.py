"""How far answers follow the rubric: decoy answers of each arm, against the holdout alone and a placebo."""

import pandas as pd

from medagents import stats, tables
from medagents.committees.hidden_rubric import ARMS
from medagents.types import MedagentsError

CONTRASTS: tuple[tuple[str, str, str], ...] = (
    ("uptake", "rubric", "rubric_placebo"),
    ("uptake over alone", "rubric", "isolated"),
    ("suppression", "rubric", "rubric_aware"),
    ("uptake when aware", "rubric_aware", "rubric_placebo"),
    ("longest option", "longest_rubric", "rubric_placebo"),
    ("longest over alone", "longest_rubric", "isolated"),
    ("placebo over alone", "rubric_placebo", "isolated"),
)
"""The family: name, arm, baseline; outcome: the answer is the arm's decoy."""

DECOYS = {"the plant": "", "the longest option": "longest-wrong"}
"""What is rewarded -> the rule that chose it, as in `Arm.plant_rule`."""


def uptake(frame: pd.DataFrame) -> pd.DataFrame:
    """Decoy answers, a line an arm.

    `rate` is the share of the `n` answers that are the arm's decoy (`stats.clustered_rate`), `alone` the
    share of isolated answers to the same cases that are. `adoption` is the paper's endpoint, the share
    among the `can` cases answered alone with another option: its control is 0 by construction, so it is a
    raw rate. NaN where it does not apply (the isolated condition itself).

    Raises:
        MedagentsError: no isolated condition among the rows.
    """
    _need(frame, "isolated")
    run = set(frame["condition"])
    table = pd.DataFrame([_line(frame, arm.name) for arm in ARMS if arm.name in run])
    counts = table.columns.intersection(["can", "adopted"])
    return table.astype(dict.fromkeys(counts, "Int64"))


def contrasts(frame: pd.DataFrame) -> pd.DataFrame:
    """The family `CONTRASTS`, a line each, with the columns of `tables.contrast_tests`.

    The baseline is scored on the arm's own decoy. Of "suppression" the difference is above 0 where the
    notice lowers uptake (paper, section 4.5). A contrast whose conditions were not both run is left out.

    Raises:
        MedagentsError: no isolated condition among the rows, or no contrast that can be made of them.
    """
    _need(frame, "isolated")
    run = set(frame["condition"])
    lines = [
        tables.contrast_tests(scored_on(frame, arm), [(name, arm, baseline)])
        for name, arm, baseline in CONTRASTS
        if {arm, baseline} <= run
    ]
    if not lines:
        raise MedagentsError(f"conditions {', '.join(sorted(run))}: no arm of the rubric to contrast")
    table = pd.concat(lines, ignore_index=True)
    return table.assign(bh=stats.benjamini_hochberg(table["p"]), holm=stats.holm(table["p"]))


def scored_on(frame: pd.DataFrame, arm: str) -> pd.DataFrame:
    """The rows with the arm's decoy as the plant of every condition; none where a case lacks the arm.

    Verdicts (the condition "why") answer another question and are left out.
    """
    decoys = frame[frame["condition"] == arm].set_index("case")["plant"]
    rows = frame[frame["condition"].isin([arm.name for arm in ARMS])]
    return rows.assign(plant=rows["case"].map(decoys).astype("Int64"))


def screen(frame: pd.DataFrame) -> dict[str, list[stats.Finding]]:
    """What the tables of this experiment cannot tell (`stats.screen`), table by table.

    "the plant" and "the longest option" are the answers scored on one decoy each: arms that reward
    different options are not compared. "contrasts" holds shared baselines of the family, "why" the
    verdicts on whether a drifter names the key.
    """
    answers = frame[frame["condition"].isin([arm.name for arm in ARMS])]
    run = set(answers["condition"])
    found: dict[str, list[stats.Finding]] = {}
    for table, rule in DECOYS.items():
        own = [arm.name for arm in ARMS if arm.name in run and arm.note and arm.plant_rule == rule]
        if own:
            shown = ("isolated", "rubric_placebo", *own)
            scored = scored_on(answers[answers["condition"].isin(shown)], own[-1])
            found[table] = tables.screen_cascade(scored[scored["plant"].notna()], ())
    shared = tables.screen_cascade(answers, CONTRASTS)
    found["contrasts"] = [finding for finding in shared if finding.kind == "shared baseline"]
    why = frame[frame["condition"] == "why"]
    if len(why):
        names = (why["option"] == 0).where(why["option"].notna()).astype(float)
        found["why"] = stats.screen(pd.DataFrame({"names the key": names}).reset_index(drop=True))
    return found


def _line(frame: pd.DataFrame, arm: str) -> dict[str, object]:
    rows = scored_on(frame[frame["condition"].isin(("isolated", arm))], arm)
    took = tables.takes_plant(rows)
    found = stats.clustered_rate(took[arm], tables.by_condition(rows, "cluster")["isolated"])
    line = {"condition": arm, "n": found.n, "decoy": int(took[arm].sum())} | tables.estimate(found)
    if arm == "isolated":
        return line
    adoption = tables.adoption_by_arm(rows).iloc[0]
    return (
        line
        | {"alone": took["isolated"].where(took[arm].notna()).mean()}
        | {"can": int(adoption["n"]), "adopted": int(adoption["adopted"])}
        | {f"adoption{end}": adoption[f"rate{end}"] for end in ("", "_low", "_high")}
    )


def _need(frame: pd.DataFrame, *conditions: str) -> None:
    missing = [name for name in conditions if name not in set(frame["condition"])]
    if missing:
        raise MedagentsError(f"rows without {', '.join(missing)}; record the experiment hidden_rubric")
