"""Planted agents in real prompts: they read them as written, act as the arrays do, and a whole
experiment finds what was planted."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special
from scipy import stats as sps

from medagents import cohorts, detection, planted, plants, stats, study, tables
from medagents.committees import cascade
from medagents.committees.cascade import ARMS, OTHER, PLANT
from medagents.cues import text
from medagents.experiments.base import LETTER, RESAMPLE
from medagents.experiments.cue_sensitivity import prompt as asked
from medagents.models.scripted import ScriptedModel
from medagents.planted import NONE, Judge, LogitAgent, PlantedAgent
from medagents.planted.script import read
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, Decoding, MedagentsError, Prompt, Request, plain_view

AGENT = PlantedAgent(accuracy=0.6, conformity=0.4, cue_bias=0.2, letter_bias=0.3, noise=0.1)
LOGITS = LogitAgent(shift=1.0)

PLANT_ARMS = [arm.name for arm in ARMS if set(arm.peers) == {PLANT} and not arm.plant_rule]
"""Every peer asserts the run's plant: ten arms."""

SAFE = 1e-3
"""Least p-value of an exact test of a rate that was planted."""


def request(prompt: Prompt | None, decoding: Decoding = LETTER, repeat: int = 0) -> Request:
    assert prompt is not None
    return ScriptedModel(lambda _: None).request(prompt, decoding, repeat)


def shown(case: Case, arm: str, plant: int) -> Request:
    chosen = cascade.arm(arm)
    own = 0 if chosen.own_prior else None
    return request(cascade.prompt(plain_view(case), chosen, plant, own, "A. is common, B. is not."))


# --- reading


@pytest.mark.parametrize("arm", [arm.name for arm in ARMS])
def test_each_arm_is_read_as_it_was_written(cases: tuple[Case, ...], arm: str) -> None:
    written = cascade.arm(arm)
    for case in cases:
        plant = plants.balanced_wrong(cases)[case.id]
        reading = read(shown(case, arm, plant), cases)
        said = set(cascade.asserted(plain_view(case), written, plant)) - {None}
        assert (reading.view.case, reading.edited) == (case, NONE)
        assert reading.asserted == (said.pop() if len(said) == 1 else NONE)
        assert reading.first == (arm == "isolated")


def test_the_most_asserted_option_counts_and_a_tie_counts_for_none(cases: tuple[Case, ...]) -> None:
    view = plain_view(cases[0])
    for peers, option in (((PLANT, PLANT, OTHER), 0), ((PLANT, OTHER), NONE), ((), NONE)):
        arm = cascade.Arm("some", peers)
        assert read(request(cascade.prompt(view, arm, 0)), cases).asserted == option


@pytest.mark.parametrize("cue", [text.longest_option, text.lexical_overlap])
def test_the_option_that_a_cue_edits_is_seen(cases: tuple[Case, ...], cue: Callable) -> None:
    for case in cases:
        plant = plants.balanced_wrong(cases)[case.id]
        view = cue(case, plant)
        assert read(request(asked(view)), cases).edited == (plant if view.options != case.options else NONE)


def test_a_view_that_moves_the_options_is_read_in_their_original_order(cases: tuple[Case, ...]) -> None:
    for case in cases:
        view = text.option_order(case)
        reading = read(request(asked(view)), cases)
        assert (reading.view.original, reading.edited, reading.first) == (view.original, NONE, False)
        assert read(request(asked(text.whitespace(case))), cases).edited == NONE


def test_only_the_plain_question_asked_once_is_the_first_call(cases: tuple[Case, ...]) -> None:
    plain = asked(plain_view(cases[0]))
    assert read(request(plain), cases).first
    assert not read(request(plain, repeat=1), cases).first
    assert not read(request(plain, RESAMPLE), cases).first
    assert not read(request(Prompt("Be brief.", plain.case, plain.turn)), cases).first


def test_a_longer_stem_is_not_taken_for_one_it_contains(cases: tuple[Case, ...]) -> None:
    more = Case("more", cases[0].stem + " She is 70.", ("Yes", "No"), 0)
    assert read(request(asked(plain_view(more))), (*cases, more)).view.case == more


def test_a_request_without_a_known_case_or_its_options_is_an_error(cases: tuple[Case, ...]) -> None:
    with pytest.raises(MedagentsError, match="no stem of its 4 cases"):
        read(request(asked(plain_view(cases[0]))), cases[1:])
    other = Case(cases[0].id, cases[0].stem, ("Iron", "Zinc", "Vitamin K", "Folate"), 0)
    with pytest.raises(MedagentsError, match=r"toy-1: its options are not those shown"):
        read(request(asked(plain_view(other))), cases)


# --- one definition of behaviour


def test_the_script_gives_a_case_and_request_one_reply_whenever_asked(cases: tuple[Case, ...]) -> None:
    requests = [shown(case, arm, 0) for case, arm in product(cases[:2], ("isolated", "two_peers"))]
    forth, back = planted.script(AGENT, cases), planted.script(AGENT, cases)
    first = [forth(one) for one in requests]
    assert first == [back(one) for one in reversed(requests)][::-1]
    others = [[planted.script(AGENT, cases, seed)(one) for one in requests] for seed in range(20)]
    assert len(set(map(tuple, others))) > 5


def test_script_and_arrays_answer_alike(cases: tuple[Case, ...]) -> None:
    """Joint counts over isolated, beside peers and under a cue: plant, key or another option each."""
    three = cases[:3]
    plant = plants.balanced_wrong(cases)
    requests = {
        case.id: (
            shown(case, "isolated", plant[case.id]),
            shown(case, "two_peers", plant[case.id]),
            request(asked(text.lexical_overlap(case, plant[case.id]))),
        )
        for case in three
    }
    seeds, studies = 300, 30_000
    counts = np.zeros((2, 27))
    for seed in range(seeds):
        script = planted.script(AGENT, three, seed)
        for case in three:
            said = ["ABCD".index(script(one)) for one in requests[case.id]]
            counts[0, joint(*(np.array(option) for option in said), case.gold, plant[case.id])] += 1
    gold = np.tile([case.gold for case in three], (studies, 1))
    target = np.tile([plant[case.id] for case in three], (studies, 1))
    answers = AGENT.answers(gold, target, 4, np.random.default_rng(0))
    names = ("isolated", "two_peers", "longest_option")
    places = joint(*(answers[name] for name in names), gold, target)
    counts[1] = np.bincount(places.ravel(), minlength=27)
    expected = counts[1] * counts[0].sum() / counts[1].sum()
    often = expected >= 5
    table = np.column_stack([counts[:, often], counts[:, ~often].sum(axis=1)])
    assert table.shape[1] > 12
    assert sps.chi2_contingency(table).pvalue > SAFE


def joint(alone, shared, cued, gold, plant):
    """Place of three answers among 27, each the plant (0), the key (1) or another option (2)."""
    kinds = [np.where(said == plant, 0, np.where(said == gold, 1, 2)) for said in (alone, shared, cued)]
    return kinds[0] * 9 + kinds[1] * 3 + kinds[2]


# --- whole experiments


@pytest.fixture(scope="module")
def vignettes() -> tuple[Case, ...]:
    return tuple(cohorts.load("vignettes"))


@pytest.fixture(scope="module")
def run(vignettes: tuple[Case, ...], tmp_path_factory: pytest.TempPathFactory) -> Callable:
    def put_through(experiment: str, script: Callable) -> pd.DataFrame:
        store = Store(Path(tmp_path_factory.mktemp(experiment)))
        recorder = Recorder(ScriptedModel(script), store, Mode.RECORD)
        return study.run(experiment, vignettes, recorder, "vignettes")

    return put_through


@pytest.fixture(scope="module")
def cascade_rows(run: Callable, vignettes: tuple[Case, ...]) -> pd.DataFrame:
    return run("peer_cascade", planted.script(AGENT, vignettes))


def held(frame: pd.DataFrame, condition: str) -> float:
    """Chance that the isolated answer is the plant, mean over the cases of the cohort."""
    part = frame[frame["condition"] == condition]
    chances = planted.holds(AGENT, *(part[name].to_numpy(dtype=int) for name in ("plant", "gold")), 4)
    return float(chances.mean())


def off(found: float, truth: float, sd: float, n: int) -> float:
    """How many standard errors an estimate lies from what was planted."""
    return abs(found - truth) / (sd / np.sqrt(n))


def test_a_cascade_finds_the_planted_adoption_in_every_arm(cascade_rows: pd.DataFrame) -> None:
    table = tables.adoption_by_arm(cascade_rows).set_index("condition")
    for name, arm in table.iterrows():
        # By hand: 0.4 + 0.6 * 0.1 / 3 where the peers agree on the plant, else 0.1 / 3 by noise, or by
        # noise where they agree on the key and the agent does not follow.
        agree = name in PLANT_ARMS or name == "two_first_wrong"
        truth = 0.42 if agree else 0.02 if name == "honest_peers" else 1 / 30
        assert sps.binomtest(int(arm["adopted"]), int(arm["n"]), truth).pvalue > SAFE, name
    pooled = table.loc[PLANT_ARMS]
    assert sps.binomtest(int(pooled["adopted"].sum()), int(pooled["n"].sum()), 0.42).pvalue > SAFE


def test_a_cascade_finds_the_planted_contagion(cascade_rows: pd.DataFrame) -> None:
    table = tables.adoption_by_arm(cascade_rows).set_index("condition")
    h = held(cascade_rows, "two_peers")
    truth = (1 - h) * 0.42 + h * 0.94 - h
    for name in PLANT_ARMS:
        assert off(table.loc[name, "contagion"], truth, 0.55, 126) < 4
        assert table.loc[name, "contagion_low"] > 0.15
    # Over ten arms of the same cases: the spread of each is at most that of a difference of two answers.
    assert off(table.loc[PLANT_ARMS, "contagion"].mean(), truth, 0.55, 126) < 2


def test_contrasts_find_the_arms_that_differ_and_no_other(cascade_rows: pd.DataFrame) -> None:
    table = tables.contrast_tests(cascade_rows).set_index("contrast")
    h = held(cascade_rows, "two_peers")
    truth = 0.4 * (1 - (0.9 * h + (1 - h) / 30))
    assert set(table.index[table["holm"] < 0.05]) == {"two peers", "one peer"}
    for name in ("two peers", "one peer"):
        assert off(table.loc[name, "difference"], truth, 0.5, 126) < 3
    equal = table.drop(["two peers", "one peer"])
    assert (abs(equal["difference"]) < 4 * np.sqrt(2 * 0.25 / 126)).all() and len(equal) == 8


def test_cue_flips_are_those_planted_above_the_planted_noise(
    run: Callable, vignettes: tuple[Case, ...]
) -> None:
    frame = run("cue_sensitivity", planted.script(AGENT, vignettes))
    table = tables.cue_flips(frame).set_index("condition")
    h = held(frame, "lexical_overlap")
    cue = (1 - h) * 0.2 + 0.8 * 0.1
    for name, truth in {
        "resampled": 0.1,
        "whitespace": 0.1,
        "option_order": 0.204,
        "longest_option": cue,
        "lexical_overlap": cue,
    }.items():
        line = table.loc[name]
        assert sps.binomtest(int(line["flips"]), int(line["n"]), truth).pvalue > SAFE, name
    assert off(table.loc["lexical_overlap", "above"], 0.2 * (0.9 - h), 0.55, 126) < 3
    gained, lost = map(int, table.loc["lexical_overlap", "push"].split("/"))
    # It moves to the distractor by the cue or by noise, and leaves it by noise alone.
    assert sps.binomtest(gained, 126, (1 - h) * (0.2 + 0.8 / 30)).pvalue > SAFE
    assert sps.binomtest(lost, 126, h * 0.8 * 0.1).pvalue > SAFE


def test_graded_contagion_and_susceptibility_find_the_planted_shift(
    run: Callable, vignettes: tuple[Case, ...]
) -> None:
    planned = plants.planned(vignettes, plants.default_rule(vignettes))
    frame = run("peer_cascade", planted.logit_script(LOGITS, vignettes, planned))
    table = tables.adoption_by_arm(frame).set_index("condition")
    chance = tables.plant_probability(frame)
    # Expected for these very cases: the mean over the logistic push at the midpoints of its quantiles.
    odds = special.logit(chance["isolated"].to_numpy())[:, None]
    pushes = special.logit((np.arange(2000) + 0.5) / 2000)
    truth = (special.expit(odds + 1 + pushes) - special.expit(odds)).mean()
    spread = (chance["two_peers"] - chance["isolated"]).std()
    for name in PLANT_ARMS:
        assert off(table.loc[name, "graded"], truth, spread, 126) < 4, name
    assert off(table.loc[PLANT_ARMS, "graded"].mean(), truth, spread, 10 * 126) < 4
    assert (table.loc[["irrelevant", "split_wrong_first", "system_flag"], "graded"] == 0).all()
    points = pd.concat([tables.susceptibility_points(frame, name) for name in PLANT_ARMS])
    curve = stats.susceptibility(points["margin"], points["adopted"], points["cluster"])
    assert curve.slope.low < -1 < curve.slope.high
    assert curve.intercept.low < 1 < curve.intercept.high


def test_detectors_of_a_whole_experiment_score_as_planted(run: Callable, vignettes: tuple[Case, ...]) -> None:
    frame = run("referee_detection", planted.script(AGENT, vignettes))
    table = detection.verdicts(frame, {}, "scripted")
    h, g = held(frame, "two_peers"), held_key(frame)
    known = planted.scores(AGENT, h, g, 4, Judge(1, 1))
    for detector, truth in {name: known[name.split("_")[0]] for name in set(table["detector"])}.items():
        lines = table[table["detector"] == detector].set_index("arm")[["flag", "adopted"]]
        flag, adopted = (lines.loc["two_peers", name].to_numpy(dtype=bool) for name in lines)
        honest = lines.loc["honest_peers", "flag"].to_numpy(dtype=bool)
        for outcomes, chance in (
            (adopted[flag], truth.planted.precision),
            (flag[adopted], truth.planted.recall),
            (flag[~adopted], truth.planted.fpr),
            (honest, truth.honest_fpr),
            (np.append(flag[~adopted], honest), truth.both.fpr),
        ):
            assert sps.binomtest(int(outcomes.sum()), len(outcomes), chance).pvalue > SAFE, detector
    noise = detection.requeries(frame)
    for differ, n in zip(noise["differ"], noise["n"], strict=True):
        assert n == 126 and sps.binomtest(int(differ), int(n), AGENT.noise).pvalue > SAFE


def held_key(frame: pd.DataFrame) -> float:
    """Chance that the isolated answer is the key, mean over the cases of the cohort."""
    gold = frame.loc[frame["condition"] == "isolated", "gold"].to_numpy(dtype=int)
    return float(planted.holds(AGENT, gold, gold, 4).mean())


def test_peers_of_a_planted_agent_argue_without_a_letter(
    vignettes: tuple[Case, ...], cases: tuple[Case, ...], ask: Callable
) -> None:
    frame, _ = ask("peer_cascade", planted.script(PlantedAgent(1, conformity=1), cases))
    anchored = frame[frame["condition"] == "two_anchored"]
    assert (anchored["option"] == anchored["plant"]).all() and len(anchored) == len(cases)
