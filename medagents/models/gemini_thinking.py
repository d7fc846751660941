"""How much a Gemini model reasons, by its generation (https://ai.google.dev/gemini-api/docs/thinking).

A setting other than a generation's least belongs to the model's name, as in `gemini-2.5-flash@1024` or
`gemini-3.5-flash@high`: with it the model is asked for, and its recordings have a folder of their own.
"""

import re
from collections.abc import Mapping
from typing import Any

from medagents.keys import Json
from medagents.types import MedagentsError

BUDGET_ROOM = 512
"""Tokens beyond a thinking budget, which is not always kept."""

LEVEL_ROOM: Mapping[str, int] = {
    "MINIMAL": 1024,
    "LOW": 4096,
    "MEDIUM": 16384,
    "HIGH": 32768,
    "XHIGH": 49152,
}
"""Thinking level -> tokens of room for it (a reply has at most 65,536). A level is no limit in tokens."""


def model_and_thinking(name: str) -> tuple[str, int | str | None]:
    """The name that the service knows, and the setting that a name asks for; None is the least."""
    model, _, asked = name.removeprefix("models/").partition("@")
    return model, int(asked) if re.fullmatch(r"-?\d+", asked) else asked or None


def recorded_name(model: str, config: Mapping[str, Any] | None) -> str:
    """The name of a model with its `thinkingConfig`: of its recordings' folder, and to ask for it again."""
    if config is None or config == thinking_config(model):
        return model
    return f"{model}@{str(config.get('thinkingLevel', config.get('thinkingBudget'))).lower()}"


def thinking_config(name: str, thinking: int | str | None = None) -> Json | None:
    """`thinkingConfig` for a model, by its generation; None where the model does not reason.

    Raises:
        MedagentsError: a budget for a model that takes a level, or the reverse; the service takes only one.
    """
    found = re.match(r"gemini-(\d+)(?:\.(\d+))?", name)
    generation = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
    if generation >= (3, 0):
        level = "LOW" if thinking is None else str(thinking).upper()
        if level not in LEVEL_ROOM:
            raise MedagentsError(f"{name} takes a thinking level ({', '.join(LEVEL_ROOM)}), not {thinking!r}")
        return {"thinkingLevel": level}
    if generation >= (2, 5):
        budget = (128 if "pro" in name else 0) if thinking is None else thinking  # Pro cannot do without
        if not isinstance(budget, int) or budget < -1:
            raise MedagentsError(f"{name} takes a thinking budget in tokens, or -1, not {thinking!r}")
        return {"thinkingBudget": budget}
    if thinking is not None:
        raise MedagentsError(f"{name} takes no thinking setting; leave {thinking!r} out")
    return None


def thinking_room(config: Json | None) -> int:
    """Tokens that a reply may need for its reasoning, beyond the answer."""
    if config is None:
        return 0
    if "thinkingLevel" in config:
        return LEVEL_ROOM[config["thinkingLevel"]]
    budget: int = config["thinkingBudget"]
    return LEVEL_ROOM["HIGH"] if budget < 0 else budget + BUDGET_ROOM
