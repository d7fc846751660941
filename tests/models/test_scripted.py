"""The scripted model: what its function says, nothing else, the same every time."""

from dataclasses import replace

import pytest

from medagents.models.scripted import ScriptedModel, chat
from medagents.types import Decoding, Image, Message, Prompt, Provenance, Request, Status

PROMPT = Prompt("Reply with the letter only.", "Gout?", "\n\nDr. Adams: B", (("Q1", "A"), ("Q2", "B")))


def test_worked_examples_come_first_and_case_and_turn_are_one_message() -> None:
    assert chat(PROMPT) == (
        Message("user", "Q1"),
        Message("assistant", "A"),
        Message("user", "Q2"),
        Message("assistant", "B"),
        Message("user", "Gout?\n\nDr. Adams: B"),
    )


def test_the_request_carries_prompt_settings_and_repeat() -> None:
    decoding = Decoding(1.0, 1, 7)
    model = ScriptedModel(lambda _: "A", name="peer")
    assert model.request(PROMPT, decoding, repeat=3) == Request(
        model="peer", messages=chat(PROMPT), system=PROMPT.system, decoding=decoding, repeat=3
    )


def test_images_of_the_prompt_are_images_of_the_request() -> None:
    film = Image(b"bytes as sent", "image/png")
    model = ScriptedModel(lambda _: "A")
    assert model.request(replace(PROMPT, images=(film,)), Decoding()).images == (film,)


@pytest.mark.parametrize(
    ("said", "text", "status", "letters"),
    [
        ("B", "B", Status.ANSWERED, None),
        ("", None, Status.EMPTY, None),
        (None, None, Status.EMPTY, None),
        ({"A": -2.0, "C": -0.5, "B": -1.0}, "C", Status.ANSWERED, {"A": -2.0, "C": -0.5, "B": -1.0}),
    ],
    ids=["text", "no text", "nothing", "letters"],
)
def test_what_the_script_says_is_the_reply(said, text, status, letters) -> None:
    model = ScriptedModel(lambda _: said)
    reply = model.complete(model.request(PROMPT, Decoding()))
    assert (reply.text or None, reply.status, reply.letters) == (text, status, letters)
    assert (reply.provenance, reply.model_returned) == (Provenance.SCRIPTED, "scripted")
    assert reply == model.complete(model.request(PROMPT, Decoding()))


def test_the_script_sees_the_request_and_the_history_keeps_it_in_order() -> None:
    model = ScriptedModel(lambda request: request.messages[-1].text[0])
    requests = [model.request(Prompt("", case, ""), Decoding()) for case in ("Gout?", "Asthma?")]
    assert [model.complete(request).text for request in requests] == ["G", "A"]
    assert model.history == requests
