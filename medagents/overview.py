"""What stands across cohorts and models: for notebook 00, and the grey lines of notebook 02."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from medagents import cohorts, detection, paths, recordings, rows, rubric, stats, tables
from medagents.committees import break_it, cascade
from medagents.models.catalog import title
from medagents.notebook import parameters_of
from medagents.rows import logp_matrix


def recorded() -> pd.DataFrame:
    """Every shard of recordings, a line each: how many calls, by whom, of which provenance."""
    lines = []
    for cohort, model, experiment, path in recordings.shards():
        records = recordings.read_shard(path)[0]
        provenance = sorted({record.reply.provenance.value for record in records})
        tokens = sum(record.reply.usage.prompt + record.reply.usage.completion for record in records)
        cases = len({record.slot.case for record in records})
        lines.append(
            {"cohort": cohort, "model": model, "experiment": experiment, "cases": cases}
            | {"calls": len(records), "tokens": tokens, "provenance": ", ".join(provenance)}
        )
    return pd.DataFrame(lines)


def studies(experiment: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(cohort, model, rows) of every committed study of an experiment, in order."""
    for path in sorted(paths.ROWS.glob(f"*/*/{experiment}.csv")):
        yield path.parent.parent.name, path.parent.name, rows.read(path)


def studies_of(experiment: str, model: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The studies of one model."""
    return (found for found in studies(experiment) if found[1] == model)


def formats(frame: pd.DataFrame) -> pd.DataFrame:
    """Prompt formats, a line each: accuracy, mean log-loss of the key in nats, and letters answered.

    `n` counts the answered replies; the log-loss is over all replies that have log-probabilities.
    """
    lines = []
    for name in tables.order(frame):
        part = frame[frame["condition"] == name]
        chance = stats.option_probabilities(tables.logprobs(part["logp"], part["gold"]))
        of_key = pd.Series(chance[np.arange(len(part)), part["gold"].to_numpy(dtype=int)])
        right = (part["option"] == part["gold"]).astype(float)
        said = pd.Series(rows.letters(part["option"].dropna()), dtype=object).value_counts().sort_index()
        lines.append(
            {"format": name, "n": int(right.notna().sum())}
            | tables.estimate(stats.clustered_rate(right, part["cluster"]), "accuracy")
            | {"log_loss": -np.log(of_key).mean()}
            | {"letters": " ".join(f"{letter}:{count}" for letter, count in said.items())}
        )
    return pd.DataFrame(lines)


def engine_floor(check: pd.DataFrame, cascade: pd.DataFrame) -> pd.DataFrame:
    """Calls made with and without prefix reuse, arm by arm: answers that differ, and the largest and
    mean absolute difference of an option's log-probability. `n` counts the cases answered both ways.
    """
    pairs = check.merge(cascade, on=["case", "condition"], suffixes=("_whole", "_reused"))
    with np.errstate(invalid="ignore"):  # -inf less -inf: the case has no such option
        apart = logp_matrix(pairs["logp_whole"]) - logp_matrix(pairs["logp_reused"])
    pairs["apart"] = list(np.abs(apart))
    pairs["differs"] = pairs["option_whole"] != pairs["option_reused"]
    lines = []
    for name, part in pairs.groupby("condition", sort=False):
        apart = np.array(part["apart"].tolist())
        lines.append(
            {"condition": name, "n": int(part["differs"].notna().sum())}
            | {"answers_differ": int(part["differs"].sum())}
            | tables.estimate(stats.clustered_rate(part["differs"].astype(float), part["cluster_whole"]))
            | {"mean_difference": np.nanmean(apart), "largest_difference": np.nanmax(apart)}
        )
    return pd.DataFrame(lines)


def engine_floors() -> pd.DataFrame:
    """`engine_floor` of every recorded engine check, cohort and model first."""
    found = []
    for cohort, model, check in studies("engine_check"):
        table = engine_floor(check, rows.read(rows.path_of(cohort, model, "peer_cascade")))
        table.insert(0, "cohort", cohort)
        table.insert(1, "model", model)
        found.append(table)
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame({"cohort": [], "model": []})


def primaries() -> pd.DataFrame:
    """One primary test an experiment, cohort and model, with BH and Holm over all of them.

    The primary is the first line of the experiment's declared family that the cases can have, so that none
    is picked for what it shows. Exact McNemar or sign tests, paired by case. `baseline` is what the arm is
    compared with, and `shared_with` counts the other primaries on the same cases of the same model.
    """
    lines = []
    for experiment, primary in PRIMARIES.items():
        for cohort, model, frame in studies(experiment):
            line = {"experiment": experiment, "cohort": cohort, "model": title(model)}
            lines.append(line | primary(frame, cohort, model))
    columns = ["experiment", "cohort", "model", "arm", "baseline", "n", "p"]
    table = pd.DataFrame(lines, columns=columns)
    same = table.groupby(["cohort", "model"])["experiment"].transform("size") - 1
    return table.assign(
        bh=stats.benjamini_hochberg(table["p"]), holm=stats.holm(table["p"]), shared_with=same
    )


def _only(frame: pd.DataFrame, *conditions: str) -> pd.DataFrame:
    """The rows of some conditions, so that nothing is resampled that is not asked for."""
    return frame[frame["condition"].isin(conditions)]


def _first_cue(frame: pd.DataFrame, cohort: str, model: str) -> dict[str, Any]:
    first = next(name for name in tables.order(frame) if name not in ("clean", *tables.CALM))
    flips = tables.cue_flips(_only(frame, "clean", "resampled", first))
    line = flips[flips["condition"] == first].iloc[0]
    return {"arm": line["condition"], "baseline": "resampled", "n": line["n"], "p": line["p"]}


def _first_contrast(frame: pd.DataFrame, cohort: str, model: str) -> dict[str, Any]:
    return _first(frame, cascade.CONTRASTS)


def _first_of_sweep(frame: pd.DataFrame, cohort: str, model: str) -> dict[str, Any]:
    cascade_rows = rows.read(rows.path_of(cohort, model, "peer_cascade"))
    joined = tables.joined(cascade_rows, frame)
    return _first(joined, break_it.CONTRASTS)


def _first(frame: pd.DataFrame, family: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """The first contrast whose arms these cases can have: two options leave no second wrong one."""
    run = set(frame["condition"])
    first = next(line for line in family if run >= set(line[1:]))
    return dict(tables.contrast_tests(frame, [first]).iloc[0])


def _deference(frame: pd.DataFrame, cohort: str, model: str) -> dict[str, Any]:
    line = detection.deference(frame).iloc[-1]
    return {"arm": "title", "baseline": "title swapped", "n": frame["case"].nunique(), "p": line["p"]}


def _uptake(frame: pd.DataFrame, cohort: str, model: str) -> dict[str, Any]:
    _, arm, baseline = rubric.CONTRASTS[0]
    return dict(rubric.contrasts(_only(frame, "isolated", arm, baseline)).iloc[0])


PRIMARIES: dict[str, Callable[[pd.DataFrame, str, str], dict[str, Any]]] = {
    "cue_sensitivity": _first_cue,
    "peer_cascade": _first_contrast,
    "break_it": _first_of_sweep,
    "referee_detection": _deference,
    "hidden_rubric": _uptake,
}
"""Experiment -> the first line of its declared family, of one study's rows."""


def across() -> pd.DataFrame:
    """One line a cohort and model: accuracy alone, two-peer contagion (share and graded), and the
    contagion of the control, two peers who say nothing of the case.
    """
    lines = []
    for cohort, model, frame in studies("peer_cascade"):
        arms = tables.adoption_by_arm(_only(frame, "isolated", "irrelevant", "two_peers"))
        arms = arms.set_index("condition")
        two = arms.loc["two_peers"]
        ends = ("", "_low", "_high")
        names = [f"{name}{end}" for name in ("contagion", "graded") for end in ends]
        line = {"cohort": cohort, "model": title(model), "cases": frame["case"].nunique()}
        line |= {"accuracy": tables.accuracy(frame)["isolated"]}
        line |= {name: two[name] for name in names}
        line |= {f"irrelevant{end}": arms.loc["irrelevant", f"contagion{end}"] for end in ends}
        lines.append(line)
    return pd.DataFrame(lines)


def alone() -> pd.DataFrame:
    """What each model knows by itself, a line a cohort: accuracy beside chance, the letter it answers most
    and how often. Of a model that always answers one letter, adoption is the copying of a letter.
    """
    lines = []
    for cohort, model, frame in studies("peer_cascade"):
        answers = frame[(frame["condition"] == "isolated") & frame["option"].notna()]
        letters = pd.Series(rows.letters(answers["option"])).value_counts()
        known = tables.alone(frame, "isolated").drop(columns="condition").iloc[0].to_dict()
        line = {"cohort": cohort, "model": model} | known
        lines.append(line | {"letter": letters.index[0], "times": int(letters.iloc[0])})
    return pd.DataFrame(lines)


def coverage() -> dict[str, str]:
    """Cohort -> how many of its cases are recorded, and in which notebooks they are shown: `126 (01, 02), 50
    (03, 04)`; `none` for a cohort without rows.
    """
    found: dict[str, dict[int, list[str]]] = {name: {} for name in cohorts.names()}
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        values = parameters_of(notebook)
        experiment = values.get("EXPERIMENT") or ("prompt_format" if "DEVELOPMENT" in values else None)
        for cohort in found if experiment else ():
            held = [
                path
                for root in (paths.ROWS, paths.TURNS)
                for path in root.glob(f"{cohort}/*/{experiment}.csv")
            ]
            if held:
                most = max(pd.read_csv(path, usecols=["case"], dtype=str)["case"].nunique() for path in held)
                found[cohort].setdefault(most, []).append(notebook.name[:2])
    return {
        cohort: ", ".join(f"{cases} ({', '.join(shown)})" for cases, shown in sizes.items()) or "none"
        for cohort, sizes in found.items()
    }
