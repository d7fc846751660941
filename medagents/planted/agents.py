"""Agents whose behaviour is known, so that what a study of them should find can be worked out beforehand.

Both are defined once, in `believe` and `reply`, over uniform draws: `answers` calls them with arrays
for whole studies, `script` with the draws of one case and one request. `truth` has the closed forms.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy import stats as sps

from medagents.stats.inference import Array
from medagents.types import MedagentsError

Options = NDArray[np.int64]
"""0-based indices of original options, or numbers of options, of any shape; `NONE` where there is none."""

NONE = -1


@dataclass(frozen=True)
class PlantedAgent:
    """A holdout of known habits; all but `favourite` are probabilities.

    Args:
        accuracy: that it knows the case; else it guesses.
        conformity: that it gives the one option most peers assert. It takes no side at a tie.
        cue_bias: that it gives the option a cue edited, unless it conforms.
        letter_bias: that a guess is the favourite letter; else it is any option, each as likely.
        noise: that a call after the first gives another option than its own, each as likely, unless
            peers or a cue decide.
        favourite: the favourite letter, 0-based, as shown.

    Raises:
        MedagentsError: what is no probability, or a negative letter.
    """

    accuracy: float = 0.6
    conformity: float = 0.0
    cue_bias: float = 0.0
    letter_bias: float = 0.0
    noise: float = 0.0
    favourite: int = 0

    def __post_init__(self) -> None:
        habits = {name: value for name, value in vars(self).items() if name != "favourite"}
        wrong = [name for name, value in habits.items() if not 0 <= value <= 1]
        if wrong or self.favourite < 0:
            raise MedagentsError(f"{', '.join(wrong) or 'favourite'}: no probability, or no letter: {self}")

    def believe(self, draws: Array, gold: Any, options: Any, favourite: Any = None) -> Options:
        """What it answers alone, at its first call.

        Args:
            draws: three uniform numbers a case, along the first axis.
            gold: the key of each case.
            options: number of options of each case.
            favourite: the original option under the favourite letter, where options are reordered.
        """
        knows, by_habit, guess = draws[0] < self.accuracy, draws[1] < self.letter_bias, draws[2]
        habit = self.favourite if favourite is None else favourite
        if np.any(np.asarray(habit) >= options):
            raise MedagentsError(f"favourite: letter {self.favourite} is not shown in every case")
        guessed = np.where(by_habit, habit, np.floor(guess * options).astype(int))
        return np.where(knows, gold, guessed)

    def reply(
        self,
        draws: Array,
        belief: Any,
        options: Any,
        asserted: Any = NONE,
        edited: Any = NONE,
        conformity: Any = None,
    ) -> Options:
        """What it answers at a later call.

        Args:
            draws: four uniform numbers a case, along the first axis.
            belief: what it believes of each case.
            options: number of options of each case.
            asserted: the option that most peers assert.
            edited: the option that a cue edited.
            conformity: of each case, where it differs between cases (by patient, say).
        """
        yields = draws[0] < (self.conformity if conformity is None else conformity)
        another = (belief + 1 + np.floor(draws[3] * (options - 1)).astype(int)) % options
        own = np.where(draws[2] < self.noise, another, belief)
        cued = np.where((np.asarray(edited) != NONE) & (draws[1] < self.cue_bias), edited, own)
        said: Options = np.where((np.asarray(asserted) != NONE) & yields, asserted, cued)
        return said

    def answers(
        self, gold: Options, plant: Options, options: int, rng: np.random.Generator, conformity: Any = None
    ) -> dict[str, Options]:
        """Whole studies at once: condition, named as in the experiments, to answers.

        Args:
            gold: key of each case; (cases,) or (studies, cases), as all arrays here.
            plant: the option that the peers assert and the cue edits.
            options: number of options, the same for every case.
            rng: generator of the draws.
            conformity: as for `reply`.
        """
        shape = np.broadcast_shapes(gold.shape, plant.shape)
        alone = rng.random((3, *shape))
        belief = self.believe(alone, gold, options)
        moved = self.believe(alone, gold, options, (self.favourite + options // 2) % options)

        def call(own: Options = belief, **shown: Any) -> Options:
            return self.reply(rng.random((4, *shape)), own, options, conformity=conformity, **shown)

        return {
            "isolated": belief,
            "irrelevant": call(),
            "two_peers": call(asserted=plant),
            "honest_peers": call(asserted=gold),
            "requery": call(),
            "resampled": call(),
            "longest_option": call(edited=plant),
            "option_order": call(moved),
        }


@dataclass(frozen=True)
class LogitAgent:
    """A holdout of known log-odds: peers add `shift` nats, give or take, to those of their option.

    Alone, the log-odds of the plant are normal with `mean` and `spread`. What peers add is logistic
    about `shift` with `scale`, so the chance that the plant overtakes the best other option is a
    logistic curve of the isolated margin, with slope -1 / scale and intercept shift / scale.
    """

    shift: float
    scale: float = 1.0
    mean: float = -1.5
    spread: float = 1.0

    def believe(self, draws: Array) -> Array:
        """Isolated log-probabilities up to a constant, options along the last axis, the plant first.

        `draws`: a uniform number for each case and option.
        """
        noise = sps.norm.ppf(draws)
        others = special.log_softmax(noise[..., 1:], axis=-1)
        return np.concatenate([self.mean + self.spread * noise[..., :1], others], axis=-1)

    def reply(self, draws: Array, logits: Array, asserted: int) -> Array:
        """The same once peers assert the option at place `asserted`; `draws`: a uniform number a case."""
        pushed = logits.copy()
        pushed[..., asserted] += self.shift + self.scale * special.logit(draws)
        return pushed
