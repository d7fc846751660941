"""What every experiment is made of: a function of one case that asks and yields rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from medagents.keys import seed_of
from medagents.plants import first_wrong, longest_wrong
from medagents.recorder import Recorder
from medagents.recordings import Record
from medagents.rows import Row
from medagents.types import Case, Decoding, Prompt, Slot

LETTER = Decoding(temperature=0.0, max_tokens=1, top_logprobs=60)
"""One token, greedy, with the 60 likeliest tokens in its place, among which are the option letters."""

RESAMPLE = Decoding(temperature=1.0, max_tokens=1, top_logprobs=60)
"""The noise floor: the same question drawn anew at temperature 1, as the paper did (section 3.2)."""


def resampling(case: Case, repeat: int) -> Decoding:
    """`RESAMPLE` with a seed of the case's own."""
    return replace(RESAMPLE, seed=seed_of(case.id, repeat))


@dataclass(frozen=True)
class Trial:
    """One case of one run: where its calls are recorded, and its plant by the run's rule."""

    case: Case
    plant: int
    plant_rule: str
    recorder: Recorder
    slot: Slot

    def ask(
        self,
        condition: str,
        prompt: Prompt,
        decoding: Decoding = LETTER,
        repeat: int = 0,
        agent: str = "holdout",
    ) -> Record:
        """The reply of the holdout, or of another agent, in one condition."""
        slot = replace(self.slot, condition=condition, repeat=repeat, agent=agent)
        return self.call(slot, prompt, decoding)

    def call(self, slot: Slot, prompt: Prompt, decoding: Decoding) -> Record:
        """The reply for any slot, such as a peer's turn in another experiment's shard."""
        return self.recorder.ask(slot, self.recorder.model.request(prompt, decoding, slot.repeat))

    def plant_by(self, rule: str, own: int | None) -> tuple[int | None, str]:
        """Plant and rule name, under an arm's own rule where it has one."""
        if rule == "first-wrong":
            return first_wrong(self.case, own), rule
        return (longest_wrong(self.case), rule) if rule == "longest-wrong" else (self.plant, self.plant_rule)


class Experiment(Protocol):
    """Puts one case through every condition, the isolated one first."""

    def __call__(self, trial: Trial) -> Iterator[Row]:
        """Rows of one case."""
        ...
