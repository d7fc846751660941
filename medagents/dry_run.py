"""What a run would ask and cost, before anything is sent.

Prompt tokens are estimated from characters, replies are taken to be as long as they may be, and calls that
only some replies lead to are counted where one of several sets of made-up replies led to them. Cost is
therefore rather over-estimated; a prompt that quotes an earlier reply is estimated with a short one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from medagents.models.calls import CHARACTERS_PER_TOKEN, prompt_tokens
from medagents.models.prices import Price, Prices
from medagents.pending import passes
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Model, Request, Slot

COUNTS = ["slots", "recorded", "calls", "prompt", "reply"]


@dataclass(frozen=True)
class Estimate:
    """`arms` has a row for each experiment and arm: `slots` it fills, `recorded` of them, `calls` to make
    (slots of the same request share one), their `prompt` and `reply` tokens, and `usd` (NaN where the
    price is not known). `price` is None then, and where there is nothing to ask.
    """

    arms: pd.DataFrame
    price: Price | None

    @property
    def calls(self) -> int:
        """Calls to make."""
        return int(self.arms["calls"].sum())

    @property
    def usd(self) -> float:
        """What they may cost, NaN where the price is not known."""
        return float(self.arms["usd"].sum(skipna=False))

    def text(self) -> str:
        """The table with its totals, and what it rests on."""
        shown = self.arms.copy()
        shown.loc[len(shown)] = ["total", "", *self.arms[COUNTS].sum(), self.usd]
        words = dict.fromkeys(COUNTS, "{:,}".format) | {"usd": "{:,.4f}".format}
        table = shown.to_string(index=False, formatters=words, na_rep="unknown")
        return f"{table}\n\n{self._basis() if self.calls else 'Nothing to ask: all is recorded.'}"

    def _basis(self) -> str:
        cost = "The price is not known: give it with --prices FILE."
        if self.price:
            out = max(self.price.output, self.price.thoughts)
            cost = f"USD a million tokens: {self.price.input:g} in, {out:g} out"
            cost += f" ({self.price.source}; read {self.price.read})."
        return (
            f"At most: a token is {CHARACTERS_PER_TOKEN:g} characters of a prompt, a reply as long as it may "
            f"be, thoughts included.\nWhere calls hang on earlier replies, made-up ones stand in.\n{cost}"
        )


def estimate(
    run: Callable[[Recorder], object],
    model: Model,
    store: Store,
    publishable: bool = True,
    mode: Mode = Mode.RECORD,
    prices: Prices | None = None,
) -> Estimate:
    """Calls, tokens and cost of a run, without what is recorded.

    Args:
        run: makes a run with the recorder it is given, such as `study.run_together`.
        model: builds the requests; it is not called.
        store: the recordings, which are not changed.
        publishable: as for `Recorder`.
        mode: `record`, or `refresh` where every call is made anew.
        prices: the table.

    Raises:
        StaleRecording: a slot was recorded with another request.
    """
    prices = prices or Prices()
    slots: dict[Slot, None] = {}
    pending: dict[Slot, tuple[str, Request]] = {}
    for recorder in passes(run, model, store, publishable, mode):
        slots |= dict.fromkeys(recorder.used)
        pending = recorder.pending | pending
    price = None
    asked: set[str] = set()
    lines: list[tuple[object, ...]] = []
    for slot in slots:
        place = slot.experiment, slot.condition, 1
        key, request = pending.get(slot, ("", None))
        if request is None:
            lines.append((*place, 1, 0, 0, 0, 0.0))
        elif key in asked:
            lines.append((*place, 0, 0, 0, 0, 0.0))
        else:
            asked.add(key)
            price = prices.find(request)
            most = price.most(request) if price else math.nan
            lines.append((*place, 0, 1, prompt_tokens(request), request.decoding.max_tokens, most))
    frame = pd.DataFrame(lines, columns=["experiment", "arm", *COUNTS, "usd"])
    by_arm = frame.groupby(["experiment", "arm"], sort=False)
    return Estimate(by_arm.agg(lambda column: column.sum(skipna=False)).reset_index(), price)
