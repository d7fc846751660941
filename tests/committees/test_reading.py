"""Reading moderator, router and mediator: replies as small models write them, each reading set by hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from medagents.committees.medorch import fields
from medagents.committees.reading import Mediation, last_word, level, mediation

NO = '[{"Decision": "No"}]'
YES = '[{"Decision": "Yes", "Expert 1": "Why A?", "Expert 2": "Why B?", "Expert 3": "Why A?"}]'
ALL = {1: "Why A?", 2: "Why B?", 3: "Why A?"}
BUT_2, BUT_3 = ({n: words for n, words in ALL.items() if n != out} for out in (2, 3))


def second(said: str, read: str) -> tuple[str, dict[int, str]]:
    """The form with another question to expert 2, and what is read then."""
    return YES.replace("Why B?", said), {**ALL, 2: read}


DISCUSS: list[tuple[str, str, dict[int, str]]] = [
    ("the form", YES, ALL),
    ("a fence", f"```json\n{YES}\n```", ALL),
    ("a fence that is not closed", f"```\n{YES}", ALL),
    ("prose before", f"The experts differ, so they must discuss.\n\n{YES}", ALL),
    ("prose after", f"{YES}\n\nI hope this helps!", ALL),
    ("prose with brackets", f"Expert 2 [B] differs {{see below}}: {YES}", ALL),
    ("a list of numbers before", f"Votes: [2, 1]. {YES}", ALL),
    ("a trailing comma in the object", YES.replace("}]", ",}]"), ALL),
    ("a trailing comma in the list", YES.replace("}]", "},\n]"), ALL),
    ("a single object", YES.strip("[]"), ALL),
    ("one object a key", '[{"Decision": "Yes"}, {"Expert 1": "Why A?"}, {"Expert 2": "Why B?"}]', BUT_3),
    ("one object a line", '{"Decision": "Yes"}\n{"Expert 1": "Why A?"}\n{"Expert 3": "Why A?"}', BUT_2),
    ("lower case", YES.lower().replace("why a", "Why A").replace("why b", "Why B"), ALL),
    ("upper case keys", YES.replace("Decision", "DECISION").replace("Expert", "EXPERT"), ALL),
    ("no space before the number", YES.replace("Expert ", "Expert"), ALL),
    ("underscores", YES.replace("Expert ", "expert_"), ALL),
    ("dashes", YES.replace("Expert ", "Expert-"), ALL),
    ("number signs", YES.replace("Expert ", "Expert #"), ALL),
    ("spaces in keys", YES.replace("Expert 1", " Expert  1 ").replace("Decision", " Decision "), ALL),
    ("line breaks between keys", YES.replace(", ", ",\n  "), ALL),
    ("curly quotes", YES.replace(' "', " “").replace('":', "”:").replace('{"', "{“").replace('"', "”"), ALL),
    ("a boolean", YES.replace('"Yes"', "true"), ALL),
    ("a decision with its reason", YES.replace('"Yes"', '"Yes, there is no agreement."'), ALL),
    ("a decision in bold", YES.replace('"Yes"', '"**YES**"'), ALL),
    ("a missing expert", YES.replace('"Expert 2": "Why B?", ', ""), BUT_2),
    ("an expert asked nothing", YES.replace('"Why B?"', '""'), BUT_2),
    ("an expert asked null", YES.replace('"Why B?"', "null"), BUT_2),
    ("an expert asked a dash", YES.replace('"Why B?"', '"-"'), BUT_2),
    ("the words of the form", YES.replace("Why B?", "question to expert 2"), BUT_2),
    ("a fourth expert, who does not sit", YES.replace("}]", ', "Expert 4": "Why?"}]'), ALL),
    ("expert 0", YES.replace('"Expert 1"', '"Expert 0": "Why?", "Expert 1"'), ALL),
    ("other keys", YES.replace('"Expert 1"', '"Reason": "They differ.", "Expert 1"'), ALL),
    ("the list twice", f"{YES}\n{YES}", ALL),
    ("the form copied, then filled in", f'[{{"Decision": "Yes", {fields(3)}}}]\n{YES}', ALL),
    ("nested braces", *second("Why {B}, not [A]?", "Why {B}, not [A]?")),
    ("quotes", *second('You said \\"B\\". Why?', 'You said "B". Why?')),
    ("curly quotes in a question", *second("You said “B”. Why?", "You said “B”. Why?")),
    ("a JSON list as a question", *second('[{\\"Decision\\": \\"No\\"}]', '[{"Decision": "No"}]')),
    ("a line break in a question", *second("Why B?\nDr. Baker: A.", "Why B? Dr. Baker: A.")),
    ("other letters than Latin", *second("Pourquoi « β » ?", "Pourquoi « β » ?")),
    ("escapes", *second("Why \\u03b2?", "Why β?")),
]
"""What is odd, the reply, and whom it asks what."""

NO_DISCUSSION = [
    NO,
    '{"Decision": "No"}',
    "```json\n[{'x': 1}]\n```\n" + NO,
    '[{"decision": "no"}]',
    '[{"Decision": false}]',
    '[{"Decision": "No, the experts agree. Yes."}]',
    '[{"Decision": "No", "Expert 1": "Why?"}]',
    f"All three say B, so no discussion is needed: {NO}",
    f"{NO}\n{NO}",
]

FAILED = [
    ("nothing", ""),
    ("prose", "Yes. Expert 1: why A? Expert 2: why B?"),
    ("no JSON but a word", "No"),
    ("cut off in a question", YES[:60]),
    ("cut off before the list ends", YES[:-1].removesuffix("}")),
    ("cut off in the decision", '[{"Decision": "Y'),
    ("an empty list", "[]"),
    ("an empty object", "{}"),
    ("no decision", '[{"Expert 1": "Why A?"}]'),
    ("a decision that is neither", '[{"Decision": "Maybe", "Expert 1": "Why A?"}]'),
    ("a decision that only begins like one", '[{"Decision": "Not sure", "Expert 1": "Why A?"}]'),
    ("a decision that is not first", '[{"Decision": "There is no agreement", "Expert 1": "Why A?"}]'),
    ("both words of the form", '[{"Decision": "Yes/No"}]'),
    ("null", '[{"Decision": null}]'),
    ("a number", '[{"Decision": 1, "Expert 1": "Why A?"}]'),
    ("both forms copied", f"{YES}\n{NO}"),
    ("both forms in one list", YES.replace("}]", '}, {"Decision": "No"}]')),
    ("a decision to ask nobody", '[{"Decision": "Yes"}]'),
    ("a decision to ask only who does not sit", '[{"Decision": "Yes", "Expert 7": "Why A?"}]'),
    ("the form copied", f'[{{"Decision": "Yes", {fields(3)}}}]'),
    ("single quotes, which are no JSON", YES.replace('"', "'")),
    ("no quotes", "[{Decision: Yes, Expert 1: Why A?}]"),
    ("no comma", YES.replace('", "', '" "')),
    ("brackets without end", "[" * 4000),
]


@pytest.mark.parametrize(
    ("reply", "asked"), [case[1:] for case in DISCUSS], ids=[case[0] for case in DISCUSS]
)
def test_a_mediator_is_read_in_spite_of_the_form_it_gives_its_list(reply: str, asked: dict[int, str]) -> None:
    assert mediation(reply, 3) == Mediation(True, asked)


@pytest.mark.parametrize("reply", NO_DISCUSSION)
def test_a_mediator_that_wants_no_discussion_asks_nobody(reply: str) -> None:
    assert mediation(reply, 3) == Mediation(False, {})


@pytest.mark.parametrize("reply", [case[1] for case in FAILED], ids=[case[0] for case in FAILED])
def test_what_does_not_say_whether_and_whom_to_ask_is_a_failed_mediation(reply: str) -> None:
    assert mediation(reply, 3) is None


def test_a_list_for_nine_experts_is_read_and_a_number_of_two_digits_is_one_number() -> None:
    keys = {f"Expert {number}": f"Why {number}?" for number in range(1, 12)}
    found = mediation(json.dumps([{"Decision": "Yes", **keys}]), 9)
    assert found == Mediation(True, {number: f"Why {number}?" for number in range(1, 10)})


LEVELS = [
    ("Basic", "basic"),
    ("intermediate.", "intermediate"),
    ("**Advanced**", "advanced"),
    ("Level: ADVANCED", "advanced"),
    ("3) Advanced", "advanced"),
    ("This is not basic; it is intermediate.", "intermediate"),
    ("One could call it advanced, but one physician can answer it: basic", "basic"),
    ("Stage 1) triage is done already; overall this needs 3) advanced.", "advanced"),
    ("The basics are clear.", None),
    ("Intermediately hard", None),
    ("2", None),
    ("", None),
]


@pytest.mark.parametrize(("reply", "want"), LEVELS)
def test_the_last_level_named_is_the_level(reply: str, want: str | None) -> None:
    assert level(reply) == want


ROUTES = [
    ("Low", "low"),
    ("moderate", "moderate"),
    ("High.", "high"),
    ("Complexity: High", "high"),
    ("Not low, but moderate", "moderate"),
    ("Slow highway", None),
    ("Medium", None),
]


@pytest.mark.parametrize(("reply", "want"), ROUTES)
def test_a_router_is_read_by_its_last_whole_word(reply: str, want: str | None) -> None:
    assert last_word(reply, ("low", "moderate", "high")) == want


def field_cases(area: str) -> list[dict[str, Any]]:
    """Cases of an area, from the file beside the authors' rows; none where it is not at hand."""
    folder = os.environ.get("MEDAGENTS_ARTEFACTS")
    path = Path(folder).parent / "cases" / "field_cases.jsonl" if folder else None
    if path is None or not path.exists():
        return []
    cases = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [case for case in cases if case["area"].startswith(area)]


def test_the_field_cases_of_committees_are_read_as_expected() -> None:
    cases = field_cases("mas_router")
    if not cases:
        pytest.skip(
            "field_cases.jsonl is beside the folder of MEDAGENTS_ARTEFACTS, which is unset or has none"
        )
    for case in cases:
        assert level(case["input"]["reply"]) == case["expected"]["level"], case["id"]
