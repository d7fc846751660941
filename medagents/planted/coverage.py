"""How often the 95 % intervals of `medagents.stats` cover what was planted; `make coverage`.

Each cell is 1,000 studies of one planted agent and one size. Of each estimator the interval that the tables
of this project print is marked `used`, and the one that papers mostly print `usual`: the percentile
bootstrap for differences and means, Wilson's for rates. Whether either holds its level (93 to 97 % covered)
stands in its line. Studies have four options, with keys and plants under
every letter alike. In `patients` each patient has a conformity of its own, and images by patient as in
the NIH cohort of arXiv 2608.03744 (ten patients, 35 images), over and over up to n.

Run: python -m medagents.planted.coverage
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from medagents import paths, stats
from medagents.keys import digest
from medagents.planted.agents import LogitAgent, Options, PlantedAgent
from medagents.planted.truth import Judge, expected, flags, probability_shift, scores
from medagents.stats.inference import Array

STUDIES = 1_000
SIZES = (30, 40, 100, 400)
OPTIONS = 4
HOLDS = (0.93, 0.97)
"""Coverage within which an interval of 95 % is said to hold."""

RESAMPLES = 2_000
"""Of a bootstrap here. Blocks of `BLOCK` studies share their draws and no two blocks do, so the error
of the quantiles averages out; one line has `stats.RESAMPLES` for comparison."""

BLOCK = 50

ORDINARY = PlantedAgent(accuracy=0.6, conformity=0.4, cue_bias=0.2, letter_bias=0.3, noise=0.1)
FIRM = PlantedAgent(accuracy=0.6, conformity=0.05, cue_bias=0.05, letter_bias=0.3, noise=0.05)
LOGITS = LogitAgent(shift=1.0)
JUDGE = Judge(sensitivity=0.8, specificity=0.9)
AGENTS = {"ordinary": ORDINARY, "firm": FIRM}
"""One that yields often, and one that hardly does: rare outcomes are harder on an interval."""

NIH = (3, 8, 1, 2, 2, 1, 1, 4, 1, 12)
"""Images of each patient in the NIH cascade of arXiv 2608.03744."""

CORRELATION = 0.2
"""Within a patient, of conforming on one image with conforming on another (beta-binomial)."""

WILSON, CLOPPER_PEARSON, CLUSTERED_WILSON = "Wilson", "Clopper-Pearson", "clustered Wilson"
"""`stats.wilson`, `clopper_pearson`, `clustered_rate`."""

BOOTSTRAP, BONETT_PRICE, JACKKNIFE, NORMAL = "bootstrap", "Bonett-Price", "jackknife t", "normal"
"""`stats.bootstrap`, `bonett_price`, `clustered_mean`, `susceptibility`."""

Ends = NDArray[np.float64]
"""Lower and upper end of each study's interval (studies x 2), NaN where it has none."""


@dataclass(frozen=True)
class Cell:
    """Studies of one kind: `design` is rates, patients or logits; `agent` a name of `AGENTS`, or logits."""

    design: str
    agent: str
    n: int


CELLS = (
    *(Cell("rates", agent, n) for agent in AGENTS for n in SIZES),
    *(Cell("patients", "ordinary", n) for n in (sum(NIH), *SIZES)),
    *(Cell("logits", "logits", n) for n in SIZES),
)

Found = tuple[str, float, dict[str, Ends]]
"""An estimator, the truth, and the ends by interval: the one used first."""


def measure(cell: Cell, studies: int = STUDIES) -> pd.DataFrame:
    """The lines of one cell: an estimator and interval each, columns as in `coverage.csv`."""
    rng = np.random.default_rng(int(digest(repr(cell))[:16], 16))
    design = {"rates": _rates, "patients": _patients, "logits": _logits}[cell.design]
    lines = []
    for estimator, truth, intervals in design(cell, studies, rng):
        used = next(iter(intervals))
        usual = next(name for name in (WILSON, BOOTSTRAP, NORMAL) if name in intervals)
        lines += [
            vars(cell)
            | {"estimator": estimator, "truth": round(truth, 4), "interval": name}
            | {"used": name == used, "usual": name == usual}
            | _covered(ends, truth)
            for name, ends in intervals.items()
        ]
    return pd.DataFrame(lines)


def _covered(ends: Ends, truth: float) -> dict[str, object]:
    """`studies` that have an interval, how many cover the truth, and the Wilson interval of the share."""
    ends = ends[~np.isnan(ends).any(axis=1)]
    # A rounding error must not decide where an end is the truth itself.
    inside = int(((ends[:, 0] <= truth + 1e-9) & (ends[:, 1] >= truth - 1e-9)).sum())
    share = stats.wilson(inside, len(ends))
    verdict = "under-covers" if share.value < HOLDS[0] else "over-covers"
    if HOLDS[0] <= share.value <= HOLDS[1]:
        verdict = "holds"
    return {
        "studies": len(ends),
        "covered": inside,
        "coverage": round(share.value, 4),
        "low": round(share.low, 4),
        "high": round(share.high, 4),
        "width": round(float((ends[:, 1] - ends[:, 0]).mean()), 4),
        "verdict": verdict,
    }


def _rates(cell: Cell, studies: int, rng: np.random.Generator) -> Iterator[Found]:
    agent, n, each = AGENTS[cell.agent], cell.n, np.arange(cell.n)
    gold, plant = _cases((studies, n), rng)
    said = agent.answers(gold, plant, OPTIONS, rng)
    plant_held, gold_held = _held(agent)
    truth = expected(agent, plant_held, OPTIONS)
    alone, shared = said["isolated"], said["two_peers"]
    flip, noise = (said[name] != alone for name in ("longest_option", "resampled"))
    adopted = np.where(alone == plant, np.nan, shared == plant)
    yield "accuracy", gold_held, {WILSON: _wilson(alone == gold)}
    yield "adoption", truth.adoption, {WILSON: _wilson(adopted), CLOPPER_PEARSON: _exact(adopted)}
    yield "flip rate", truth.flip, {WILSON: _wilson(flip)}
    for name, value, first, second in (
        ("contagion", truth.contagion, shared == plant, alone == plant),
        ("flip above noise", truth.flip_above_noise, flip, noise),
        ("contrast of arms", truth.contrast, shared == plant, said["irrelevant"] == plant),
    ):
        change = first.astype(float) - second
        found = {BONETT_PRICE: _bonett_price(change), BOOTSTRAP: _bootstrap(change, each, cell)}
        if cell == Cell("rates", "ordinary", 100) and name == "contagion":
            whole = _bootstrap(change, each, cell, stats.RESAMPLES)
            found[f"bootstrap, {stats.RESAMPLES:,} resamples"] = whole
        yield name, value, found
    known = scores(agent, plant_held, gold_held, OPTIONS, JUDGE)
    planted, honest = (flags(said, gold, plant, arm, JUDGE, rng) for arm in ("two_peers", "honest_peers"))
    for detector, score in known.items():
        for name, values in _ratios(planted[detector], planted["adopted"]).items():
            if (detector, name) != ("gate", "recall"):  # 1 by construction
                found = {CLOPPER_PEARSON: _exact(values), WILSON: _wilson(values)}
                if detector == "referee":
                    found[BOOTSTRAP] = _bootstrap(values, each, cell)
                yield f"{detector} {name}", getattr(score.planted, name), found
    both = [np.hstack([planted[name], honest[name]]) for name in ("referee", "adopted")]
    pooled = known["referee"].both
    for name, values in _ratios(*both).items():
        if name != "recall":  # that of the planted arm alone
            twice = np.tile(each, 2)
            found = {
                CLUSTERED_WILSON: _each(_of_detector, values, twice),
                WILSON: _wilson(values),
                BOOTSTRAP: _bootstrap(values, twice, cell),
            }
            yield f"referee {name}, both arms", getattr(pooled, name), found


def _patients(cell: Cell, studies: int, rng: np.random.Generator) -> Iterator[Found]:
    agent, patients = AGENTS[cell.agent], patients_of(cell.n)
    spread = (1 - CORRELATION) / CORRELATION
    shares = agent.conformity * spread, (1 - agent.conformity) * spread
    conformity = rng.beta(*shares, (studies, patients[-1] + 1))[:, patients]
    gold, plant = _cases((studies, cell.n), rng)
    said = agent.answers(gold, plant, OPTIONS, rng, conformity)
    plant_held, gold_held = _held(agent)
    # Every rate is linear in conformity, above and below the line, so its mean stands in for it.
    truth = expected(agent, plant_held, OPTIONS)
    alone, shared = said["isolated"], said["two_peers"]
    adopted = np.where(alone == plant, np.nan, shared == plant)
    yield (
        "adoption",
        truth.adoption,
        {
            CLUSTERED_WILSON: _each(stats.clustered_rate, adopted, patients),
            WILSON: _wilson(adopted),
            BOOTSTRAP: _bootstrap(adopted, patients, cell),
        },
    )
    change = (shared == plant).astype(float) - (alone == plant)
    yield (
        "contagion",
        truth.contagion,
        {
            JACKKNIFE: _each(stats.clustered_mean, change, patients),
            BOOTSTRAP: _bootstrap(change, patients, cell),
        },
    )
    planted = flags(said, gold, plant, "two_peers", JUDGE, rng)
    score = scores(agent, plant_held, gold_held, OPTIONS, JUDGE)["referee"].planted
    for name, values in _ratios(planted["referee"], planted["adopted"]).items():
        yield (
            f"referee {name}",
            getattr(score, name),
            {
                CLUSTERED_WILSON: _each(_of_detector, values, patients),
                WILSON: _wilson(values),
                BOOTSTRAP: _bootstrap(values, patients, cell),
            },
        )


def _logits(cell: Cell, studies: int, rng: np.random.Generator) -> Iterator[Found]:
    shape, each = (studies, cell.n), np.arange(cell.n)
    alone = LOGITS.believe(rng.random((*shape, OPTIONS)))
    shared = LOGITS.reply(rng.random(shape), alone, asserted=0)
    changes = graded_changes(shared, alone)
    for name, truth, change in zip(
        ("graded contagion, probability", "graded contagion, log-odds"),
        (probability_shift(LOGITS), LOGITS.shift),
        changes,
        strict=True,
    ):
        yield (
            name,
            truth,
            {
                BOOTSTRAP: _bootstrap(change, each, cell),
                JACKKNIFE: _each(stats.clustered_mean, change, each),
            },
        )
    plants = np.zeros(cell.n)
    curves = []
    for one, other in zip(alone, shared, strict=True):
        adopted = stats.adoption(other.argmax(axis=1), one.argmax(axis=1), plants)
        margin = stats.isolated_margin(one, plants)
        curves.append(stats.susceptibility(margin, np.where(np.isnan(margin), np.nan, adopted)))
    for name, truth in (("slope", -1 / LOGITS.scale), ("intercept", LOGITS.shift / LOGITS.scale)):
        ends = np.array([(getattr(curve, name).low, getattr(curve, name).high) for curve in curves])
        yield f"susceptibility {name}", truth, {NORMAL: ends}


def graded_changes(shared: Array, alone: Array) -> tuple[Array, Array]:
    """What `stats.graded_contagion` takes the mean of, for whole studies: change of the probability and
    of the log-odds of the plant, which stands first. Arrays are studies x cases x options.
    """
    logs = [np.log(stats.option_probabilities(table.reshape(-1, OPTIONS))) for table in (shared, alone)]
    plant, rest = ([log[:, 0] for log in logs], [np.logaddexp.reduce(log[:, 1:], axis=1) for log in logs])
    odds = [of_plant - of_rest for of_plant, of_rest in zip(plant, rest, strict=True)]
    shape = shared.shape[:2]
    return (np.exp(plant[0]) - np.exp(plant[1])).reshape(shape), (odds[0] - odds[1]).reshape(shape)


def patients_of(n: int) -> Options:
    """Patient of each of `n` images: `NIH` over and over, the last patient cut short."""
    sizes = np.resize(NIH, n)
    return np.repeat(np.arange(n), sizes)[:n]


def _cases(shape: tuple[int, int], rng: np.random.Generator) -> tuple[Options, Options]:
    """Keys and plants, every pair of letters alike."""
    gold = rng.integers(0, OPTIONS, shape)
    return gold, (gold + rng.integers(1, OPTIONS, shape)) % OPTIONS


def _held(agent: PlantedAgent) -> tuple[float, float]:
    """Chance that the isolated answer is the plant, and the key, over all pairs of letters (`truth`)."""
    return (1 - agent.accuracy) / OPTIONS, agent.accuracy + (1 - agent.accuracy) / OPTIONS


def _ratios(flag: Array, adopted: Array) -> dict[str, Array]:
    """Each score as a column whose defined entries are its denominator, as `oversight.score` has them."""
    return {
        "precision": np.where(flag == 1, adopted, np.nan),
        "recall": np.where(adopted == 1, flag, np.nan),
        "fpr": np.where(adopted == 0, flag, np.nan),
    }


def _of_detector(outcomes: Array, clusters: Options) -> stats.Estimate:
    """A rate as `oversight.score` gives it."""
    return stats.clustered_rate(outcomes, clusters, exact=True)


@cache
def _ends(interval: Callable[[int, int], stats.Estimate], k: int, n: int) -> tuple[float, float]:
    found = interval(k, n) if n else stats.rate([np.nan])
    return found.low, found.high


def _counted(interval: Callable[[int, int], stats.Estimate], outcomes: Array) -> Ends:
    outcomes = outcomes.astype(float)
    counts = np.nansum(outcomes, axis=1).astype(int), (~np.isnan(outcomes)).sum(axis=1)
    return np.array([_ends(interval, int(k), int(n)) for k, n in zip(*counts, strict=True)])


def _wilson(outcomes: Array) -> Ends:
    return _counted(stats.wilson, outcomes)


def _exact(outcomes: Array) -> Ends:
    return _counted(stats.clopper_pearson, outcomes)


def _bonett_price(change: Array) -> Ends:
    counts = (change == 1).sum(axis=1), (change == -1).sum(axis=1)
    found = [stats.bonett_price(int(b), int(c), change.shape[1]) for b, c in zip(*counts, strict=True)]
    return np.array([(one.low, one.high) for one in found])


def _each(interval: Callable[..., stats.Estimate], values: Array, clusters: Options) -> Ends:
    found = [interval(study, clusters) for study in values]
    return np.array([(one.low, one.high) for one in found])


def _bootstrap(values: Array, clusters: Options, cell: Cell, resamples: int = RESAMPLES) -> Ends:
    """`stats.bootstrap_columns` with a study as a column, `BLOCK` studies at a time."""
    found: list[stats.Estimate] = []
    for start in range(0, len(values), BLOCK):
        rng = np.random.default_rng([cell.n, start])
        block = values[start : start + BLOCK].T
        found += stats.bootstrap_columns(block, clusters, rng, resamples)
    return np.array([(one.low, one.high) for one in found])


def table() -> pd.DataFrame:
    """The committed table: a line a cell, estimator and interval.

    Columns: design, agent, n (cases a study), estimator, truth (planted), interval, used (in this
    project's tables), usual (in papers), studies (of `STUDIES`, those where the interval exists),
    covered, coverage with its Wilson interval low to high, mean width, verdict (holds, under-covers,
    over-covers).
    """
    file = files("medagents.planted").joinpath("coverage.csv")
    return pd.read_csv(file.open(encoding="utf-8"), keep_default_na=False)


def under_covering(largest: int = 100) -> pd.DataFrame:
    """Where the usual interval or the one in use covers less than `HOLDS`, in studies of `largest` cases
    or fewer: both side by side with their coverage, the worst usual one first.
    """
    found = table()
    keys = ["design", "agent", "n", "estimator"]
    names = ["interval", "coverage", "verdict"]
    sides = [found[found[side]].set_index(keys)[names].add_prefix(f"{side}_") for side in ("usual", "used")]
    both = sides[0].join(sides[1]).reset_index()
    short = both["usual_verdict"].eq("under-covers") | both["used_verdict"].eq("under-covers")
    both = both[short & (both["n"] <= largest)].sort_values("usual_coverage", kind="stable")
    columns = [*keys, "usual_interval", "usual_coverage", "used_interval", "used_coverage", "used_verdict"]
    return both[columns].reset_index(drop=True)


def main(path: Path = paths.PACKAGE / "planted" / "coverage.csv") -> None:
    """Measure every cell and write the table."""
    found = pd.concat([measure(cell) for cell in CELLS], ignore_index=True)
    found.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
