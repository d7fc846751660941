"""How likely each option letter was as first token, out of the alternatives an engine or provider lists."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from medagents.types import LETTERS

MOST_LISTED = 20
"""Alternatives a token that providers list at most (OpenAI and Gemini APIs, vLLM by default)."""


def letter_logprobs(alternatives: Iterable[Mapping[str, Any]], labels: str = LETTERS) -> dict[str, float]:
    """Log-probability of each label, summed over its spellings, rounded to 1e-6.

    Args:
        alternatives: `token` and `logprob` (natural log) of each.
        labels: the letters asked for; others are left out.
    """
    mass: dict[str, float] = {}
    for token in alternatives:
        letter = token["token"].strip()
        if len(letter) == 1 and letter in labels:
            mass[letter] = mass.get(letter, 0.0) + math.exp(token["logprob"])
    return {letter: round(math.log(mass[letter]), 6) for letter in sorted(mass) if mass[letter] > 0}
