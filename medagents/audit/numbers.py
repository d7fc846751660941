"""Numbers as printed, and the rule by which a recomputed value reproduces one.

A printed number stands for every value that rounds to it at its own last digit, half up or half even
alike (0.375 may be printed as 0.38 or, to two even digits, 0.38; 0.105 as 0.11 or 0.10). A bound with
equality (`<=`, `>=`) allows the same half step, a strict one (`<`, `>`) nothing.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal

NUMBER = re.compile(r"(<=|>=|<|>)?\s*([+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)")
SIGNIFICANT = 12
"""Digits of a recomputed value that count: the rest is the rounding of floats."""


@dataclass(frozen=True)
class Number:
    """One printed number: `step` is a unit of its last printed digit, `relation` a bound or empty."""

    value: Decimal
    step: Decimal
    relation: str = ""

    def reproduced_by(self, low: float, high: float | None = None) -> bool:
        """Whether `low`, or any value from `low` to `high`, may be printed as this number."""
        ends = [Decimal(f"{end:.{SIGNIFICANT}g}") for end in (low, low if high is None else high)]
        if any(not end.is_finite() for end in ends):
            return False
        bottom, top = min(ends), max(ends)
        if self.relation == "<":
            return bottom < self.value
        if self.relation == ">":
            return top > self.value
        first = self._rounded(bottom, ROUND_HALF_DOWN) <= self.value
        last = self.value <= self._rounded(top, ROUND_HALF_UP)
        return {"<=": first, ">=": last}.get(self.relation, first and last)

    def _rounded(self, value: Decimal, way: str) -> Decimal:
        # Half down and half up (both away from or towards zero) bracket half even.
        way = way if value >= 0 else {ROUND_HALF_DOWN: ROUND_HALF_UP, ROUND_HALF_UP: ROUND_HALF_DOWN}[way]
        return (value / self.step).quantize(Decimal(1), way) * self.step


def numbers(printed: str) -> tuple[Number, ...]:
    """The numbers in a printed text, in order; a text that ends in % holds percentages.

    `7 of 65` holds 7 and 65, `[0.36, 0.68]` two ends, `<= 1.1e-4` a bound, `1,349` one number.
    """
    scale = Decimal("0.01") if printed.rstrip().endswith("%") else Decimal(1)
    found = []
    for relation, text in NUMBER.findall(printed):
        value = Decimal(text.replace(",", ""))
        exponent = value.as_tuple().exponent
        step = Decimal(1).scaleb(min(int(exponent), 0) if "e" not in text else int(exponent))
        found.append(Number(value * scale, step * scale, relation))
    return tuple(found)
