from collections.abc import Callable

from medagents.prompts import examples
from medagents.types import Case


def test_each_case_is_asked_once_a_format_and_nothing_is_planted(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    frame, history = ask("prompt_format", lambda request: "B")
    assert frame["condition"].tolist() == ["letter", "committee", "examples"] * 5
    assert len(history) == 15
    assert frame["plant"].isna().all() and set(frame["plant_rule"]) == {""}
    right = frame["option"] == frame["gold"]
    assert right.groupby(frame["condition"]).sum().to_dict() == {"letter": 1, "committee": 1, "examples": 1}


def test_formats_differ_in_system_text_and_worked_examples_only(
    ask: Callable, cases: tuple[Case, ...]
) -> None:
    _, (letter, committee, worked) = ask("prompt_format", lambda request: "B", cases[:1])
    assert letter.system == worked.system != committee.system
    assert letter.messages == committee.messages == worked.messages[-1:]
    assert len(worked.messages) == 2 * len(examples()) + 1
