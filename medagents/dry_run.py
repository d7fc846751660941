"""What a run would ask and cost, before anything is sent.

Prompt tokens are estimated from characters, replies are taken to be as long as they may be, and calls that
only some replies lead to are counted where one of several sets of made-up replies led to them. Cost is
therefore rather over-estimated; a prompt that quotes an earlier reply is estimated with a short one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from medagents.models.calls import CHARACTERS_PER_TOKEN, prompt_tokens
from medagents.models.prices import Price, Prices
from medagents.pending import passes
from medagents.recorder import Mode
from medagents.recordings import Store
from medagents.types import Model, Request, Slot

COUNTS = ["slots", "recorded", "calls", "prompt", "reply"]


@dataclass(frozen=True)
class Estimate:
    """`arms` has a row for each experiment, arm and model: `slots` it fills, `recorded` of them, `calls` to
    make (slots of the same request share one), their `prompt` and `reply` tokens, and `usd` (NaN where the
    price is not known). `prices` are those of the models to be asked, None for one that is not known.
    """

    arms: pd.DataFrame
    prices: Mapping[str, Price | None]

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
        shown.loc[len(shown)] = ["total", "", "", *self.arms[COUNTS].sum(), self.usd]
        words = dict.fromkeys(COUNTS, "{:,}".format) | {"usd": "{:,.4f}".format}
        table = shown.to_string(index=False, formatters=words, na_rep="unknown")
        return f"{table}\n\n{self._basis() if self.calls else 'Nothing to ask: all is recorded.'}"

    def _basis(self) -> str:
        costs = []
        for name, price in self.prices.items():
            cost = "the price is not known: give it with --prices FILE."
            if price:
                out = max(price.output, price.thoughts)
                cost = f"USD a million tokens: {price.input:g} in, {out:g} out"
                cost += f" ({price.source}; read {price.read})."
            costs.append(f"{name}: {cost}")
        return (
            f"At most: a token is {CHARACTERS_PER_TOKEN:g} characters of a prompt, a reply as long as it may "
            f"be, thoughts included.\nWhere calls hang on earlier replies, made-up ones stand in.\n"
            + "\n".join(costs)
        )


def estimate(
    run: Callable[..., object],
    models: Sequence[Model],
    store: Store,
    publishable: bool = True,
    mode: Mode = Mode.RECORD,
    prices: Prices | None = None,
) -> Estimate:
    """Calls, tokens and cost of a run, without what is recorded.

    Args:
        run: makes a run with the recorders it is given, one for each model, such as `study.run_together`.
        models: build the requests; they are not called.
        store: the recordings, which are not changed.
        publishable: as for `Recorder`.
        mode: `record`, or `refresh` where every call is made anew.
        prices: the table.

    Raises:
        StaleRecording: a slot was recorded with another request.
    """
    prices = prices or Prices()
    slots: dict[tuple[str, Slot], None] = {}
    pending: dict[tuple[str, Slot], tuple[str, Request]] = {}
    for recorders in passes(run, models, store, publishable, mode):
        for recorder in recorders:
            name = recorder.model.name
            slots |= {(name, slot): None for slot in recorder.used}
            pending = {(name, slot): call for slot, call in recorder.pending.items()} | pending
    found: dict[str, Price | None] = {}
    asked: set[tuple[str, str]] = set()
    lines: list[tuple[object, ...]] = []
    for name, slot in slots:
        place = slot.experiment, slot.condition, name, 1
        key, request = pending.get((name, slot), ("", None))
        if request is None:
            lines.append((*place, 1, 0, 0, 0, 0.0))
        elif (name, key) in asked:
            lines.append((*place, 0, 0, 0, 0, 0.0))
        else:
            asked.add((name, key))
            price = found[name] = prices.find(request)
            most = price.most(request) if price else math.nan
            lines.append((*place, 0, 1, prompt_tokens(request), request.decoding.max_tokens, most))
    by = ["experiment", "arm", "model"]
    by_arm = pd.DataFrame(lines, columns=[*by, *COUNTS, "usd"]).groupby(by, sort=False)
    return Estimate(by_arm.agg(lambda column: column.sum(skipna=False)).reset_index(), found)
