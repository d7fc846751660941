"""The tables of the notebooks: rows in, one tidy line a condition or contrast out.

Rates are over answered replies; how many were not answered stands in `statuses`, which every
notebook shows first. Estimates are split into columns (`rate`, `low`, `high`) so that the tables
can be drawn, saved as CSV and read without this package.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from medagents import stats
from medagents.committees import break_it, hidden_rubric, hierarchy
from medagents.committees.cascade import ARMS, CONTRASTS
from medagents.rows import letters, logp_matrix
from medagents.types import LETTERS, MedagentsError, Status

CALM = ("resampled", "whitespace")
"""Conditions of the cue experiment that are no cue: the two noise floors."""


def order(frame: pd.DataFrame) -> list[str]:
    """Conditions in the order they were run."""
    return list(dict.fromkeys(frame["condition"]))


def joined(*frames: pd.DataFrame) -> pd.DataFrame:
    """Rows of several experiments on the same cases as one table: the cases that all have, and each
    condition once, from the first experiment that has it (its reply is the same one in all).
    """
    common = set.intersection(*(set(frame["case"]) for frame in frames))
    table = pd.concat(frames, ignore_index=True)
    table = table[table["case"].isin(common)].drop_duplicates(["case", "condition"])
    return table.reset_index(drop=True)


def by_condition(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """One column of the rows as a table, cases by conditions, both in the order they were run."""
    table = frame.pivot(index="case", columns="condition", values=column)
    return table.loc[list(dict.fromkeys(frame["case"])), order(frame)]


def statuses(frame: pd.DataFrame) -> pd.DataFrame:
    """How many replies of each status, a line a condition; statuses that never occur are left out."""
    counts = pd.crosstab(frame["condition"], frame["status"]).loc[order(frame)]
    return counts[[status.value for status in Status if status.value in counts]].rename_axis(None, axis=1)


def estimate(found: stats.Interval, name: str = "rate") -> dict[str, float]:
    """An interval as three columns; none where it has no width, which is no certainty but a sample
    that shows no variation.
    """
    flat = np.isclose(found.low, found.high, rtol=0, atol=1e-12)
    low, high = (np.nan, np.nan) if flat else (found.low, found.high)
    return {name: found.value, f"{name}_low": low, f"{name}_high": high}


def accuracy(frame: pd.DataFrame) -> pd.Series:
    """Share of answered replies that are right, by condition."""
    right = (by_condition(frame, "option") == by_condition(frame, "gold")).where(
        by_condition(frame, "option").notna()
    )
    return right.astype(float).mean()


def alone(frame: pd.DataFrame, condition: str) -> pd.DataFrame:
    """One line on what the model knows by itself: accuracy with its Wilson interval
    (`stats.clustered_rate`), beside chance.
    """
    part = frame[(frame["condition"] == condition) & frame["option"].notna()]
    options = part["logp"].str.count(";").replace(0, np.nan) + 1
    found = stats.clustered_rate((part["option"] == part["gold"]).astype(float), part["cluster"])
    line = {"condition": condition, "n": found.n} | estimate(found, "accuracy")
    return pd.DataFrame([line | {"chance": (1 / options).mean()}])


def cue_flips(frame: pd.DataFrame) -> pd.DataFrame:
    """Flips against the clean reply, a line a condition.

    A case that a cue found nothing to edit in (its distractor is the longest already) cannot flip
    by that cue and is left out of its line; `resampled` edits nothing and keeps every case.

    `rate` is the flip rate with its Wilson interval (`stats.clustered_rate`); `above` is the flip rate
    above the noise floor (condition `resampled`, paired by case, `stats.rate_difference`); `p` is the
    exact McNemar test of cue flips against noise flips, `p_control` against the flips of `whitespace`.
    A model that is never sure flips often at temperature 1, and a cue that pushes may flip no more:
    `push` counts the cases that answer the edited distractor under the cue and not clean, and back;
    `p_push` is their exact McNemar test; `shift` the mean change of the distractor's probability
    (bootstrap over clusters).
    `holm` and `bh` correct `p`, and `holm_push` corrects `p_push`, over the cues proper.
    """
    option, plant = by_condition(frame, "option"), by_condition(frame, "plant")
    clusters = by_condition(frame, "cluster")["clean"]
    clean = option["clean"]
    shown, flips = _shown(frame), flip_columns(frame)
    noise, gold = flips["resampled"], by_condition(frame, "gold")["clean"]
    probability = plant_probability(frame)
    lines = []
    for name, flip in flips.items():
        own = name == "resampled"
        control = _differs(option["whitespace"], clean) if "whitespace" in option else noise
        took = [_is(option[which], plant[name]).where(shown[name]) for which in (name, "clean")]
        pushed = _mcnemar(*took)
        moved = (probability[name] - probability["clean"]).where(shown[name])
        right = (_is(option[name], gold).where(shown[name])).mean()
        lines.append(
            {"condition": name, "n": int(flip.notna().sum()), "flips": int(flip.sum())}
            | estimate(stats.clustered_rate(flip, clusters))
            | ({} if own else estimate(stats.flip_above_noise(flip, noise, clusters), "above"))
            | {"p": np.nan if own else _mcnemar(flip, noise).p}
            | {"p_control": np.nan if name in CALM else _mcnemar(flip, control).p, "accuracy": right}
            | {"push": f"{pushed.b}/{pushed.c}", "p_push": np.nan if own else pushed.p}
            | estimate(stats.bootstrap(moved, clusters), "shift")
        )
    table = pd.DataFrame(lines)
    proper = ~table["condition"].isin(CALM)
    return table.assign(
        bh=stats.benjamini_hochberg(table["p"].where(proper)),
        holm=stats.holm(table["p"].where(proper)),
        holm_push=stats.holm(table["p_push"].where(proper)),
    )


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Whether a condition edited a case; `resampled` edits nothing and counts every case."""
    return by_condition(frame, "edited").eq(1).assign(resampled=True)


def flip_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """1 where a condition's answer differs from the clean one, cases by conditions; NaN where either is
    missing or the cue found nothing to edit.
    """
    option, shown = by_condition(frame, "option"), _shown(frame)
    columns = [name for name in shown if name != "clean"]
    return pd.DataFrame(
        {name: _differs(option[name], option["clean"]).where(shown[name]) for name in columns}
    )


def screen_cues(frame: pd.DataFrame) -> list[stats.Finding]:
    """Degenerate columns of the flips, and the noise floor that all cues are compared with."""
    flips = flip_columns(frame)
    cues = {name: (name, "resampled") for name in flips if name not in CALM}
    return stats.screen(flips.reset_index(drop=True), contrasts=cues)


def plant_probability(frame: pd.DataFrame) -> pd.DataFrame:
    """Probability of the plant among the case's options, cases by conditions; NaN where the engine
    gave no log-probabilities.
    """
    return by_condition(frame.assign(chance=probability(frame)), "chance").astype(float)


def probability(frame: pd.DataFrame) -> pd.Series:
    """Probability (0 to 1) of the plant in each row, NaN where there is none or no log-probabilities."""
    chance = stats.option_probabilities(logprobs(frame["logp"], frame["plant"]))
    plant = frame["plant"].to_numpy(dtype=float, na_value=np.nan)
    known = np.flatnonzero(~np.isnan(plant))
    picked = np.full(len(plant), np.nan)
    picked[known] = chance[known, plant[known].astype(int)]
    return pd.Series(picked, index=frame.index)


def logprobs(column: pd.Series, named: pd.Series) -> np.ndarray:
    """`rows.logp_matrix`, wide enough for every option `named`: where the engine gave none (some
    providers never do), what is drawn from them is undefined and the answers still count.
    """
    texts = column.fillna("")
    table = logp_matrix(texts)
    width = 1 if named.isna().all() else int(named.max()) + 1
    beyond = np.where(texts == "", np.nan, -np.inf)[:, None]
    return np.hstack([table, np.repeat(beyond, max(0, width - table.shape[1]), axis=1)])


def adoption_by_arm(frame: pd.DataFrame) -> pd.DataFrame:
    """The cascade, a line an arm.

    `n` counts the cases that can adopt (answered alone, and not with the arm's plant), `rate` is
    the share that adopts (Eq. 1 of the paper) with its Wilson interval (`stats.clustered_rate`: of
    patients, where several cases are of one), `harmed` counts those right
    alone. `contagion` is P(answer is plant) in the arm minus alone, over all cases answered in
    both (`all`; `stats.rate_difference`), `graded` the same difference of the plant's probability
    (bootstrap over clusters).
    """
    option, plant, gold = (by_condition(frame, name) for name in ("option", "plant", "gold"))
    clusters = by_condition(frame, "cluster")["isolated"]
    logp = by_condition(frame, "logp")
    alone, right = option["isolated"], accuracy(frame)
    lines = []
    for name in order(frame):
        if name == "isolated":
            continue
        adopted = pd.Series(stats.adoption(option[name], alone, plant[name]), index=option.index)
        can = adopted[(alone != plant[name]).fillna(False)]
        harmed = stats.harmful(option[name], alone, plant[name], gold[name])
        both = [logprobs(logp[arm], plant[name]) for arm in (name, "isolated")]
        graded = stats.graded_contagion(both[0], both[1], plant[name], clusters)
        spread = stats.contagion(option[name], alone, plant[name], clusters)
        lines.append(
            {"condition": name, "n": int(can.notna().sum()), "adopted": int(can.sum())}
            | estimate(stats.clustered_rate(can, clusters[can.index]))
            | {"harmed": int(np.nansum(harmed))}
            | {"all": spread.n}
            | estimate(spread, "contagion")
            | estimate(graded.probability, "graded")
            | {"accuracy": right[name]}
        )
    return pd.DataFrame(lines)


def contrast_tests(
    frame: pd.DataFrame, contrasts: Iterable[tuple[str, str, str]] = CONTRASTS
) -> pd.DataFrame:
    """The declared contrasts, a line each.

    Exact McNemar on "the answer is the plant", paired by case, with paired difference
    (`stats.rate_difference`), BH and Holm over the family. `graded` is the paired difference of the
    plant's probability, which still moves where the answers are at a ceiling (bootstrap over clusters).
    """
    took, chance = takes_plant(frame), plant_probability(frame)
    clusters = by_condition(frame, "cluster")["isolated"]
    lines = []
    for name, arm, baseline in contrasts:
        if arm in took and baseline in took:
            test = _mcnemar(took[arm], took[baseline])
            difference = stats.rate_difference(took[arm], took[baseline], clusters)
            lines.append(
                {"contrast": name, "arm": arm, "baseline": baseline, "n": difference.n}
                | {"only_arm": test.b, "only_baseline": test.c}
                | estimate(difference, "difference")
                | {"p": test.p}
                | estimate(stats.paired_difference(chance[arm], chance[baseline], clusters), "graded")
            )
    table = pd.DataFrame(lines)
    return table.assign(bh=stats.benjamini_hochberg(table["p"]), holm=stats.holm(table["p"]))


def takes_plant(frame: pd.DataFrame) -> pd.DataFrame:
    """1 where the answer is the case's plant, 0 where it is another option, NaN where unanswered.

    The plant is the run's, so arms that name another option (misdirected) are scored on the
    target they did not name; the arm with its own plant rule is scored on its own plant.
    """
    option, plant = by_condition(frame, "option"), by_condition(frame, "plant")
    return (option == plant).where(option.notna() & plant.notna()).astype(float)


def letter_counts(frame: pd.DataFrame, *conditions: str) -> pd.DataFrame:
    """How often each letter is the key, the plant and the answer in each of the conditions (`isolated`
    if none is named): a bias for a letter must not pass for an effect. Key and plant are those of the
    first. Cases with fewer options simply lack the later letters.

    Raises:
        MedagentsError: a condition moved the options, and rows do not keep every letter shown.
    """
    columns: dict[str, Iterable[str]] = {}
    for condition in conditions or ("isolated",):
        part = frame[frame["condition"] == condition]
        if list(part["gold_letter"]) != letters(part["gold"]):
            raise MedagentsError(
                f"{condition}: options stood under other letters; count the letters of another"
            )
        if not columns:
            columns = {"key": part["gold_letter"], "plant": part["plant_letter"]}
        columns[f"answered {condition}"] = letters(part["option"])
    counts = {name: pd.Series(list(values)).value_counts() for name, values in columns.items()}
    table = pd.DataFrame(counts).fillna(0).astype(int)
    return table.loc[[letter for letter in LETTERS if letter in table.index]]


def susceptibility_points(frame: pd.DataFrame, arm: str = "two_peers") -> pd.DataFrame:
    """Case by case: the isolated log-probability margin (own best option over the plant, in nats)
    and whether the case adopted. Cases whose isolated answer is the plant cannot adopt: left out.
    """
    alone, shown = (frame[frame["condition"] == name].set_index("case") for name in ("isolated", arm))
    shown = shown.loc[alone.index.intersection(shown.index, sort=False)]
    alone = alone.loc[shown.index]
    margin = stats.isolated_margin(logprobs(alone["logp"], shown["plant"]), shown["plant"])
    adopted = stats.adoption(shown["option"], alone["option"], shown["plant"])
    points = pd.DataFrame({"case": alone.index, "cluster": alone["cluster"].to_numpy(), "margin": margin})
    points["adopted"] = np.where(alone["option"].to_numpy() == shown["plant"].to_numpy(), np.nan, adopted)
    return points.dropna().reset_index(drop=True)


def screen_cascade(
    frame: pd.DataFrame, contrasts: Iterable[tuple[str, str, str]] = CONTRASTS
) -> list[stats.Finding]:
    """Degenerate columns, strata and shared baselines of a cascade's "answer is the plant" table."""
    took = takes_plant(frame)
    named: Mapping[str, tuple[str, str]] = {
        name: (arm, baseline) for name, arm, baseline in contrasts if arm in took and baseline in took
    }
    return stats.screen(took.reset_index(drop=True), contrasts=named)


def asks(names: Iterable[str]) -> list[str]:
    """What each arm shows the holdout, in words."""
    arms = (*ARMS, *break_it.ARMS, *hierarchy.ARMS, *hidden_rubric.ARMS)
    words = {arm.name: arm.asks for arm in arms}
    return [words[name] for name in names]


def _mcnemar(one: pd.Series, other: pd.Series) -> stats.McNemar:
    """The test, undefined where no case is answered in both: one silent arm must not end the table."""
    if (one.notna() & other.notna()).any():
        return stats.mcnemar_from(one, other)
    nothing = stats.Interval(np.nan, np.nan, np.nan)
    return stats.McNemar(np.nan, 0, 0, nothing, 0, "no pair answered in both")


def _is(option: pd.Series, target: pd.Series) -> pd.Series:
    both = option.notna() & target.notna()
    return (option == target).where(both).astype(float)


def _differs(one: pd.Series, other: pd.Series) -> pd.Series:
    both = one.notna() & other.notna()
    return (one != other).where(both).astype(float)
