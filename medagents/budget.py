"""A limit on what a run may spend: a call that could pass it is not made.

What attempts cost that got no reply is not known here and not counted; nor is what recheck of a batch costs.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from medagents.models.prices import Prices
from medagents.types import Decoding, MedagentsError, Model, Prompt, Reply, Request, Transport, Usage


class BudgetReached(MedagentsError):
    """The next call could cost more than is left. What is recorded stays."""


class Budget:
    """What was spent, and may be, in USD. Threads may share it.

    Args:
        most: the limit, None for none; then a price that is not known is no error.
        prices: the table.
    """

    def __init__(self, most: float | None, prices: Prices) -> None:
        self.most, self.prices = most, prices
        self.spent, self.calls, self.unpriced = 0.0, 0, 0
        self._held: list[float] = []
        self._changed = threading.Condition()

    @contextmanager
    def reserved(self, request: Request) -> Iterator[list[Usage]]:
        """Hold back what a call may cost, while it is made; the usage put into the list is then paid.

        Calls in flight count at the most they may cost. Where that alone leaves too little, this one
        waits until some of them are known to have cost less.

        Raises:
            BudgetReached: too little is left even so.
            MedagentsError: there is a limit, and the price is not known.
        """
        price = self.prices.find(request) if self.most is None else self.prices.of(request)
        most = price.most(request) if price else 0.0
        with self._changed:
            self._changed.wait_for(lambda: self._fits(most) or not self._held)
            if not self._fits(most):
                raise BudgetReached(
                    f"the next call could cost {most:.4f} USD and pass --max-cost {self.most:g}; {self}; "
                    f"what is recorded is kept: the same command goes on"
                )
            self._held.append(most)
        used: list[Usage] = []
        try:
            yield used
        finally:
            with self._changed:
                self._held.remove(most)
                for usage in used:
                    self.calls += 1
                    self.unpriced += price is None
                    # A server that counts no tokens is taken to have used what it could.
                    self.spent += most if price and usage == Usage() else price.cost(usage) if price else 0.0
                self._changed.notify_all()

    def _fits(self, most: float) -> bool:
        return self.most is None or self.spent + sum(self._held) + most <= self.most

    def __str__(self) -> str:
        if self.unpriced:
            return f"{self.calls} calls made, at a price that is not known"
        return f"{self.calls} calls made for {self.spent:.4f} USD"


class Budgeted:
    """A model within a budget."""

    def __init__(self, model: Model, budget: Budget) -> None:
        self.model, self.budget, self.name = model, budget, model.name
        self.transport: Transport = getattr(model, "transport", Transport())

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The model's own request."""
        return self.model.request(prompt, decoding, repeat)

    def complete(self, request: Request) -> Reply:
        """The model's reply, if the budget allows.

        Raises:
            BudgetReached: it does not.
            MedagentsError: no reply came.
        """
        with self.budget.reserved(request) as used:
            reply = self.model.complete(request)
            used.append(reply.usage)
        return reply
