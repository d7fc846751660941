"""What a study of a planted agent finds on average, in closed form.

With a = accuracy, c = conformity, b = cue bias, w = letter bias, v = noise, k options, and h the chance
that the isolated answer is the option peers assert (or a cue edits):

- h of one option: a if it is the key, plus (1 - a)(w if under the favourite letter + (1 - w)/k). Where
  no letter is commoner among keys and plants, h of the plant is (1 - a)/k on average, whatever w is:
  this is what balancing the plants is for.
- adoption, P(shared = plant given isolated is not): t = c + (1 - c) v/(k - 1).
- staying, P(shared = plant given isolated is): s = c + (1 - c)(1 - v).
- contagion, P(shared = plant) - P(isolated = plant): (1 - h)t + hs - h.
- contrast with peers who say nothing of the case: c(1 - r), with r = h(1 - v) + (1 - h)v/(k - 1).
- flips under a cue: (1 - h)b + (1 - b)v; above a noise floor of v: b(1 - h - v).
- flips under another order of options, by which the favourite letter always shows another one: with
  m = (1 - a)w, (1 - m)v + m(1 - v/(k - 1)).

Detectors are scored against Eq. 1 of arXiv 2608.03744. Beside planted peers A = (1 - h)t adopt and
H = hs agree honestly; the gate flags both. A private re-query gives an adopter the asserted option with
v/(k - 1), and leaves it with v where it was held. So of adoptions each flags its recall, and it flags F
of the rest of all cases:

- gate: recall 1, F = H.
- referee, flags an agreement that the re-query does not give: recall 1 - v/(k - 1), F = Hv.
- judge of sensitivity x and specificity y: recall x, F = (1 - A)(1 - y).

Precision is A recall/(A recall + F), FPR F/(1 - A). Beside honest peers nobody can adopt the plant, so
every flag is false. With g the chance that the isolated answer is the key, and t and s as above, the
share flagged E is (1 - g)t + gs by the gate, (1 - g)t(1 - v/(k - 1)) + gsv by the referee, 1 - y by the
judge. Both arms of the same cases together have FPR (F + E)/(2 - A).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy import stats as sps

from medagents.planted.agents import LogitAgent, Options, PlantedAgent
from medagents.stats.inference import Array


@dataclass(frozen=True)
class Judge:
    """A planted judge: the chance that it flags an adoption, and that it clears anything else."""

    sensitivity: float
    specificity: float


@dataclass(frozen=True)
class Score:
    """What a detector scores on average."""

    precision: float
    recall: float
    fpr: float


@dataclass(frozen=True)
class Scores:
    """What a detector scores beside planted peers, beside honest ones, and over both."""

    planted: Score
    honest_fpr: float
    both: Score


@dataclass(frozen=True)
class Expected:
    """Expected rates of one arm; see the module for each."""

    adoption: float
    staying: float
    contagion: float
    contrast: float
    flip: float
    flip_above_noise: float
    order_flip: float


def holds(agent: PlantedAgent, option: Options, gold: Options, options: int) -> Array:
    """Chance that the isolated answer is `option`, case by case; its mean is the h of this module."""
    habit = agent.letter_bias * (option == agent.favourite) + (1 - agent.letter_bias) / options
    return np.asarray(agent.accuracy * (option == gold) + (1 - agent.accuracy) * habit)


def expected(agent: PlantedAgent, held: float, options: int) -> Expected:
    """Expected rates where the isolated answer is the asserted option with chance `held`."""
    conformity, cue, noise = agent.conformity, agent.cue_bias, agent.noise
    astray = noise / (options - 1)
    adoption = conformity + (1 - conformity) * astray
    staying = conformity + (1 - conformity) * (1 - noise)
    again = held * (1 - noise) + (1 - held) * astray
    by_habit = (1 - agent.accuracy) * agent.letter_bias
    return Expected(
        adoption=adoption,
        staying=staying,
        contagion=(1 - held) * adoption + held * staying - held,
        contrast=conformity * (1 - again),
        flip=(1 - held) * cue + (1 - cue) * noise,
        flip_above_noise=cue * (1 - held - noise),
        order_flip=(1 - by_habit) * noise + by_habit * (1 - astray),
    )


def scores(agent: PlantedAgent, plant: float, gold: float, options: int, judge: Judge) -> dict[str, Scores]:
    """Expected scores by detector; `plant` and `gold` are the chances that each is the isolated answer."""
    rates = expected(agent, plant, options)
    adopted, honest = (1 - plant) * rates.adoption, plant * rates.staying
    moved, stayed = (1 - gold) * rates.adoption, gold * rates.staying
    unconfirmed, alarmed = 1 - agent.noise / (options - 1), 1 - judge.specificity
    masses = {  # recall, false flags beside planted and beside honest peers
        "gate": (1.0, honest, moved + stayed),
        "referee": (unconfirmed, honest * agent.noise, moved * unconfirmed + stayed * agent.noise),
        "judge": (judge.sensitivity, (1 - adopted) * alarmed, alarmed),
    }
    found = {}
    for name, (hit, false, beside) in masses.items():
        caught = adopted * hit
        found[name] = Scores(
            planted=Score(caught / (caught + false), hit, false / (1 - adopted)),
            honest_fpr=beside,
            both=Score(caught / (caught + false + beside), hit, (false + beside) / (2 - adopted)),
        )
    return found


def probability_shift(agent: LogitAgent, points: int = 1000) -> float:
    """Mean change of the plant's probability under `agent`'s peers; that of its log-odds is the shift.

    A mean over two independent draws is an integral over the unit square of their quantiles, here by
    the midpoints of `points` strips a side.
    """
    strips = (np.arange(points) + 0.5) / points
    alone = agent.mean + agent.spread * sps.norm.ppf(strips)[:, None]
    pushed = alone + agent.shift + agent.scale * special.logit(strips)
    return float((special.expit(pushed) - special.expit(alone)).mean())


def flags(
    answers: Mapping[str, Options],
    gold: Options,
    plant: Options,
    arm: str,
    judge: Judge,
    rng: np.random.Generator,
) -> dict[str, Array]:
    """Label `adopted` and the flags of the three detectors on one arm, 0/1, in the shape of the answers.

    `answers` are those of `PlantedAgent.answers`; `arm` is two_peers or honest_peers.
    """
    asserted = gold if arm == "honest_peers" else plant
    agrees = answers[arm] == asserted
    adopted = (answers[arm] == plant) & (answers["isolated"] != plant) & (asserted == plant)
    chance = np.where(adopted, judge.sensitivity, 1 - judge.specificity)
    found = {
        "adopted": adopted,
        "gate": agrees,
        "referee": agrees & (answers["requery"] != asserted),
        "judge": rng.random(chance.shape) < chance,
    }
    return {name: values.astype(float) for name, values in found.items()}
