"""Gemini against a loopback server with the real SDK: what is sent, what comes of each answer, and the key.

Values of the API are those of its reference (https://ai.google.dev/api/generate-content).
"""

import base64
import io
import json
import logging
import math
import os
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clock import Clock
from google.genai import types as sdk
from loopback import Answer, Loopback, malformed, reset, slow
from loopback import gemini as service
from PIL import Image as PillowImage

from medagents.keys import canonical, key_of
from medagents.models import gemini_wire as wire
from medagents.models.calls import Caller, Limits, QuotaExhausted
from medagents.models.gemini import GeminiModel
from medagents.models.gemini_thinking import thinking_config, thinking_room
from medagents.recorder import Mode, ModelDrift, Recorder
from medagents.recordings import Store
from medagents.types import (
    Decoding,
    Image,
    MedagentsError,
    Message,
    Prompt,
    Provenance,
    Reply,
    Request,
    Slot,
    Status,
    Transport,
    Usage,
)

KEY = "AIzaLoopback-0123456789_neverShown"
FLASH = "gemini-2.5-flash"
PROMPT = Prompt(
    "Reply with the letter only.", "A child has a barking cough.\nA. Croup\nB. Asthma\n", "Answer:"
)
LETTER = Decoding(temperature=0.0, max_tokens=1, top_logprobs=60)
SLOT = Slot("toy", "toy-1", "peer_cascade", "isolated")


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
def model(server: Loopback, clock: Clock) -> Iterator[GeminiModel]:
    with make(server, clock) as made:
        yield made


def make(server: Loopback, clock: Clock, name: str = FLASH, **settings: Any) -> GeminiModel:
    transport = settings.pop("transport", None) or Transport(base_url=server.url, timeout=20, max_seconds=600)
    caller = Caller(name, transport, Limits(), clock, clock.sleep)
    return GeminiModel(name, transport=transport, api_key=KEY, caller=caller, **settings)


def ask(model: GeminiModel, decoding: Decoding = LETTER, prompt: Prompt = PROMPT) -> Reply:
    return model.complete(model.request(prompt, decoding))


def phantom(lesion: bool = False) -> PillowImage.Image:
    """A chest radiograph of two lungs in a bright body, from a formula; a lesion is one pixel brighter."""
    y, x = np.mgrid[0:96, 0:96]
    lungs = sum(((x - cx) / 14) ** 2 + ((y - 48) / 30) ** 2 < 1 for cx in (30, 66))
    film = np.where(lungs, 60, 180) + (np.cos(y / 3) * 12).astype(int)
    film[40, 30] += 1 if lesion else 0
    return PillowImage.fromarray(film.astype(np.uint8), "L")


def encoded(picture: PillowImage.Image, kind: str = "PNG", mime: str = "image/png") -> Image:
    out = io.BytesIO()
    picture.save(out, kind)
    return Image(out.getvalue(), mime)


# What is sent


def test_a_request_needs_neither_key_nor_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    for name in ("google.genai", "google", "httpx2"):
        monkeypatch.setitem(sys.modules, name, None)
    request = GeminiModel(FLASH).request(PROMPT, LETTER)
    assert len(key_of(canonical(request))) == 64
    assert wire.body(request)["contents"][0]["parts"][0]["text"].startswith("A child")


def test_the_body_is_the_one_of_the_reference() -> None:
    model = GeminiModel(FLASH, media_resolution="MEDIA_RESOLUTION_HIGH", logprobs=True)
    prompt = replace(PROMPT, examples=(("Q1", "A"),), images=(Image(b"\xfb\xff", "image/jpeg"),), labels="YN")
    decoding = Decoding(0.7, 8, seed=5, top_p=0.5, stop=("\n",), top_logprobs=60)
    assert wire.body(model.request(prompt, decoding)) == {
        "systemInstruction": {"parts": [{"text": "Reply with the letter only."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Q1"}]},
            {"role": "model", "parts": [{"text": "A"}]},
            {
                "role": "user",
                "parts": [
                    {"inlineData": {"mimeType": "image/jpeg", "data": "+/8="}},
                    {"text": "A child has a barking cough.\nA. Croup\nB. Asthma\nAnswer:"},
                ],
            },
        ],
        "safetySettings": [
            {"category": f"HARM_CATEGORY_{name}", "threshold": "OFF"}
            for name in ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
        ],
        "generationConfig": {
            "temperature": 0.7,
            "maxOutputTokens": 8 + 64 + 512,
            "topP": 0.5,
            "seed": 5,
            "stopSequences": ["\n"],
            "responseLogprobs": True,
            "logprobs": 20,
            "thinkingConfig": {"thinkingBudget": 0},
            "mediaResolution": "MEDIA_RESOLUTION_HIGH",
        },
    }


def sent(server: Loopback) -> Any:
    return server.requests[-1].json


def as_read(value: Any) -> Any:
    """A body as the service reads it. Two spellings are alike to it (protobuf's JSON mapping): names in
    camel or snake case, and base64 in the standard or the URL-safe alphabet.
    """
    value = service.camel(value)
    for turn in value["contents"]:
        for part in turn["parts"]:
            if "inlineData" in part:
                data = part["inlineData"]["data"].replace("-", "+").replace("_", "/")
                part["inlineData"]["data"] = base64.b64decode(data)
    return value


@pytest.mark.parametrize("name", [FLASH, "gemini-2.5-pro", "gemini-3.8-flash", "gemini-2.0-flash"])
@pytest.mark.parametrize(
    "decoding",
    [
        LETTER,
        Decoding(0.0, 4),
        Decoding(1.0, 80, seed=2**31 - 1, top_p=0.95, stop=("\n", "END"), top_logprobs=5),
    ],
)
def test_what_the_sdk_sends_is_the_body_of_a_batch_line(
    server: Loopback, clock: Clock, name: str, decoding: Decoding
) -> None:
    prompt = replace(PROMPT, examples=(("Frage ü?", "B"),), images=(encoded(phantom()),))
    settings = {"media_resolution": "MEDIA_RESOLUTION_LOW", "logprobs": True}
    with make(server, clock, name, **settings) as model:
        request = replace(
            model.request(prompt, decoding),
            schema={"type": "object", "properties": {"answer_letter": {"type": "string"}}},
        )
        body = wire.body(request)
        model.complete(request)
        assert as_read(sent(server)) == as_read(body)
        without = replace(model.request(replace(PROMPT, system=""), decoding), engine={}, thinking=None)
        model.complete(without)
        assert as_read(sent(server)) == as_read(wire.body(without))
        assert not {"systemInstruction", "safetySettings"} & sent(server).keys()


def test_the_address_names_the_version_and_the_key_goes_in_a_header(
    server: Loopback, model: GeminiModel
) -> None:
    ask(model)
    received = server.requests[-1]
    assert (received.path, received.query) == (f"/v1beta/models/{FLASH}:generateContent", "")
    assert received.headers["x-goog-api-key"] == KEY
    assert KEY.encode() not in received.body


@pytest.mark.parametrize(
    ("name", "given", "config", "room"),
    [
        ("gemini-2.5-flash", None, {"thinkingBudget": 0}, 512),
        ("gemini-2.5-flash-lite", None, {"thinkingBudget": 0}, 512),
        ("gemini-2.5-pro", None, {"thinkingBudget": 128}, 640),
        ("gemini-2.5-pro", 2000, {"thinkingBudget": 2000}, 2512),
        ("gemini-2.5-flash", -1, {"thinkingBudget": -1}, 32768),
        ("gemini-3-pro-preview", None, {"thinkingLevel": "LOW"}, 4096),
        ("gemini-3.8-flash", None, {"thinkingLevel": "LOW"}, 4096),
        ("gemini-3.5-flash-lite", "minimal", {"thinkingLevel": "MINIMAL"}, 1024),
        ("gemini-10.1-pro", "HIGH", {"thinkingLevel": "HIGH"}, 32768),
        ("gemini-2.0-flash", None, None, 0),
        ("gemma-4-31b-it", None, None, 0),
    ],
)
def test_reasoning_is_set_by_generation_and_the_answer_keeps_its_room(
    name: str, given: int | str | None, config: dict[str, Any] | None, room: int
) -> None:
    request = GeminiModel(name, thinking=given).request(PROMPT, Decoding(max_tokens=60))
    assert request.thinking == config
    assert request.decoding.max_tokens == 60 + 64 + room
    assert wire.body(request)["generationConfig"]["maxOutputTokens"] == 60 + 64 + room
    assert request.decoding.max_tokens <= 65536


@pytest.mark.parametrize(
    ("name", "config", "folder"),
    [
        ("gemini-2.5-flash@1024", {"thinkingBudget": 1024}, "gemini-2.5-flash@1024"),
        ("gemini-2.5-pro@-1", {"thinkingBudget": -1}, "gemini-2.5-pro@-1"),
        ("gemini-3.5-flash@HIGH", {"thinkingLevel": "HIGH"}, "gemini-3.5-flash@high"),
        ("gemini-3.5-flash@low", {"thinkingLevel": "LOW"}, "gemini-3.5-flash"),
        ("gemini-2.5-flash@0", {"thinkingBudget": 0}, "gemini-2.5-flash"),
        ("gemini-2.0-flash", None, "gemini-2.0-flash"),
    ],
)
def test_a_name_may_set_the_thinking_and_keeps_its_recordings_apart_from_the_least(name, config, folder):
    model = GeminiModel(name)
    request = model.request(PROMPT, LETTER)
    assert (model.name, request.thinking) == (folder, config)
    assert request.model == name.partition("@")[0]
    again = GeminiModel(model.name).request(PROMPT, LETTER)
    assert key_of(canonical(again)) == key_of(canonical(request))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gemini-2.5-flash@high", "takes a thinking budget in tokens, or -1, not 'high'"),
        ("gemini-3.5-flash@1024", "takes a thinking level (MINIMAL, LOW, MEDIUM, HIGH, XHIGH), not 1024"),
        ("gemini-2.0-flash@512", "takes no thinking setting; leave 512 out"),
        ("gemini-2.5-flash@/../up", "takes a thinking budget in tokens"),
    ],
)
def test_a_thinking_setting_of_another_generation_in_a_name_is_refused(name, said):
    with pytest.raises(MedagentsError, match=re.escape(said)):
        GeminiModel(name)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("gemini-2.5-flash", "LOW"),
        ("gemini-2.5-flash", -2),
        ("gemini-3.8-flash", 0),
        ("gemini-3.8-flash", "none"),
        ("gemini-2.0-flash", 0),
    ],
)
def test_a_reasoning_setting_of_another_generation_is_refused_before_a_call(
    name: str, given: int | str
) -> None:
    with pytest.raises(MedagentsError, match=f"{name} takes"):
        GeminiModel(name, thinking=given)


def test_every_level_of_the_sdk_has_its_room() -> None:
    for level in sdk.ThinkingLevel:
        if level.value != "THINKING_LEVEL_UNSPECIFIED":
            assert thinking_room(thinking_config("gemini-3.8-flash", level.value)) >= 1024


@pytest.mark.parametrize("name", ["gemini-flash-latest", "gemini-pro-latest", "tunedModels/x", "", "a b"])
def test_a_name_that_is_no_exact_model_is_refused(name: str) -> None:
    with pytest.raises(MedagentsError, match="no exact model name"):
        GeminiModel(name)


def test_the_prefix_of_a_name_does_not_count() -> None:
    assert GeminiModel("models/gemini-2.5-pro").name == "gemini-2.5-pro"


@pytest.mark.parametrize(
    "settings",
    [
        {"api_version": "v1"},
        {"safety": {"HARM_CATEGORY_HARASSMENT": "BLOCK_NONE"}},
        {"media_resolution": "MEDIA_RESOLUTION_LOW"},
        {"logprobs": True},
        {"thinking": 1024},
    ],
)
def test_a_setting_that_can_change_a_reply_changes_the_key(settings: dict[str, Any]) -> None:
    def key(**given: Any) -> str:
        return key_of(canonical(GeminiModel(FLASH, **given).request(PROMPT, LETTER)))

    assert key(**settings) != key()
    assert key(transport=Transport(timeout=1, concurrency=64, base_url="http://127.0.0.1:1")) == key()


def test_labels_are_in_the_key_only_where_they_choose_the_log_probabilities() -> None:
    verdict = replace(PROMPT, labels="YN")
    for logprobs, same in ((False, True), (True, False)):
        model = GeminiModel(FLASH, logprobs=logprobs)
        assert (model.request(verdict, LETTER) == model.request(PROMPT, LETTER)) is same


def test_a_role_that_the_service_does_not_know_is_refused_before_a_call(model: GeminiModel) -> None:
    request = model.request(PROMPT, LETTER)
    with pytest.raises(MedagentsError, match="role 'system'; known: user, assistant"):
        model.complete(replace(request, messages=(Message("system", "Be brief."), *request.messages)))


@pytest.mark.parametrize("role", ["assistant", "system"])
def test_a_conversation_that_the_service_would_refuse_is_refused_before_a_call(
    server: Loopback, model: GeminiModel, role: str
) -> None:
    request = model.request(PROMPT, LETTER)
    request = replace(request, messages=(*request.messages, Message(role, "The answer is")))
    with pytest.raises(MedagentsError, match="user's message only"):
        model.complete(request)
    assert not server.requests


# Images


@pytest.mark.parametrize(("kind", "mime"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_a_radiograph_arrives_with_the_bytes_and_type_it_was_given(
    server: Loopback, model: GeminiModel, kind: str, mime: str
) -> None:
    image = encoded(phantom(), kind, mime)
    ask(model, prompt=replace(PROMPT, images=(image,)))
    first, second = sent(server)["contents"][-1]["parts"]
    data = first["inlineData"]
    assert base64.urlsafe_b64decode(data["data"]) == image.data
    assert {data.get("mimeType"), data.get("mime_type")} == {mime, None}
    assert "text" in second
    got = PillowImage.open(io.BytesIO(base64.urlsafe_b64decode(data["data"])))
    assert got.size == (96, 96)


def test_two_radiographs_that_differ_in_one_pixel_have_two_keys() -> None:
    model = GeminiModel(FLASH)
    plain, lesion = (
        model.request(replace(PROMPT, images=(encoded(phantom(one)),)), LETTER) for one in (False, True)
    )
    difference = np.asarray(phantom(True)).astype(int) - np.asarray(phantom())
    assert np.count_nonzero(difference) == 1
    assert key_of(canonical(plain)) != key_of(canonical(lesion))
    assert wire.body(plain) != wire.body(lesion)


def test_images_of_a_case_come_with_its_question_and_not_with_the_examples(
    server: Loopback, model: GeminiModel
) -> None:
    images = (encoded(phantom()), encoded(phantom(True)))
    ask(model, prompt=replace(PROMPT, images=images, examples=(("Q", "A"),)))
    kinds = [next(iter(part)) for turn in sent(server)["contents"] for part in turn["parts"]]
    assert kinds == ["text", "text", "inlineData", "inlineData", "text"]


# What comes of an answer


def test_a_good_reply_is_told_whole(server: Loopback, model: GeminiModel) -> None:
    server.say = lambda prompt: f"Croup; asked {prompt[:7]}"
    reply = ask(model)
    characters = len("A child has a barking cough.\nA. Croup\nB. Asthma\nAnswer:")
    assert reply.text == "Croup; asked A child"
    assert (reply.status, reply.finish, reply.model_returned) == (Status.ANSWERED, "STOP", FLASH)
    assert reply.usage == Usage(prompt=characters // 4, completion=len(reply.text) // 4, thoughts=0)
    assert reply.provenance is Provenance.LIVE
    assert reply.engine.startswith("google-genai ")
    assert reply.letters is None


STATUSES = {
    "STOP": "answered",
    "MAX_TOKENS": "truncated",
    "CONTINUATION": "truncated",
    **dict.fromkeys(
        [
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION"),
            *("MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ],
        "blocked",
    ),
    **dict.fromkeys(
        [
            *("FINISH_REASON_UNSPECIFIED", "OTHER", "IMAGE_OTHER", "NO_IMAGE", "MALFORMED_FUNCTION_CALL"),
            *("MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
            "MISSING_THOUGHT_SIGNATURE",
        ],
        "unparseable",
    ),
    "PUP_LIMITED_DISABLED": "error",
}


def test_every_reason_the_sdk_knows_has_a_status() -> None:
    assert {reason.value for reason in sdk.FinishReason} == set(wire.FINISH)
    assert {reason.value for reason in sdk.BlockedReason} == set(wire.BLOCK)
    assert {name: status.value for name, status in wire.FINISH.items()} == STATUSES
    assert set(wire.BLOCK.values()) == {Status.BLOCKED}


@pytest.mark.parametrize("reason", [name for name, status in STATUSES.items() if status != "error"])
@pytest.mark.parametrize("text", ["B", None])
def test_a_finish_reason_comes_back_as_its_status(
    server: Loopback, model: GeminiModel, reason: str, text: str | None
) -> None:
    parts = {} if text is None else {"parts": [{"text": text}]}
    server.behave([service.candidate(finishReason=reason, content={"role": "model", **parts})])
    reply = ask(model)
    want = "empty" if (reason, text) == ("STOP", None) else STATUSES[reason]
    assert (reply.status.value, reply.text, reply.finish) == (want, text, reason)
    assert len(server.requests) == 1


@pytest.mark.parametrize("reason", [reason.value for reason in sdk.BlockedReason])
def test_a_refused_prompt_is_blocked_and_never_asked_again(
    server: Loopback, model: GeminiModel, reason: str
) -> None:
    server.behave([service.prompt_blocked(reason)])
    reply = ask(model)
    assert (reply.status, reply.text, reply.finish) == (Status.BLOCKED, None, f"prompt:{reason}")
    assert reply.usage.prompt > 0
    assert len(server.requests) == 1


def test_what_was_generated_counts_more_than_what_is_said_of_the_prompt(
    server: Loopback, model: GeminiModel
) -> None:
    server.behave([service.changed(lambda good: good | {"promptFeedback": {"blockReason": "OTHER"}})])
    assert ask(model).status is Status.ANSWERED


def test_one_request_is_one_call_whatever_the_sdk_would_do_by_itself(
    server: Loopback, model: GeminiModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    call = {"functionCall": {"name": "look_up", "args": {}}}
    server.behave(
        [
            service.candidate(finishReason="CONTINUATION", continuationToken="bmV4dA=="),
            service.candidate(finishReason="STOP", content={"role": "model", "parts": [call]}),
        ]
    )
    assert ask(model).status is Status.TRUNCATED
    assert ask(model).status is Status.EMPTY
    assert len(server.requests) == 2
    assert "AFC" not in caplog.text


def test_a_limited_account_is_no_reply(server: Loopback, model: GeminiModel) -> None:
    server.behave([service.candidate(finishReason="PUP_LIMITED_DISABLED")])
    with pytest.raises(MedagentsError, match="PUP_LIMITED_DISABLED: the service has limited or disabled"):
        ask(model)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        service.candidate(finishReason="SOME_NEW_REASON", content={"parts": [{"text": "B"}]}),
        service.prompt_blocked("SOME_NEW_REASON"),
    ],
)
def test_a_reason_newer_than_the_sdk_is_kept_unscored_and_without_a_warning(
    server: Loopback, model: GeminiModel, answer: Any
) -> None:
    server.behave([answer])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reply = ask(model)
    assert reply.status is Status.UNPARSEABLE
    assert reply.finish.endswith("SOME_NEW_REASON")


@pytest.mark.parametrize(
    ("body", "status", "text", "finish"),
    [
        ({"candidates": []}, Status.EMPTY, None, "no candidate"),
        ({"usageMetadata": {"promptTokenCount": 3}}, Status.EMPTY, None, "no candidate"),
        ({"candidates": [{"finishReason": "STOP"}]}, Status.EMPTY, None, "STOP"),
        ({"candidates": [{"finishReason": "STOP", "content": {"parts": []}}]}, Status.EMPTY, None, "STOP"),
        (
            {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": ""}]}}]},
            Status.EMPTY,
            None,
            "STOP",
        ),
        (
            {"candidates": [{"content": {"parts": [{"text": "B"}]}}]},
            Status.UNPARSEABLE,
            "B",
            "no finish reason",
        ),
        (
            {"candidates": [{"finishReason": "SAFETY", "content": {"parts": [{"text": "B, si"}]}}]},
            Status.BLOCKED,
            "B, si",
            "SAFETY",
        ),
        (
            {"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "A"}, {"text": "B"}]}}]},
            Status.ANSWERED,
            "AB",
            "STOP",
        ),
    ],
)
def test_whatever_is_missing_an_answer_has_a_status(
    server: Loopback, model: GeminiModel, body: Any, status: Status, text: str | None, finish: str
) -> None:
    server.behave([service.changed(lambda good: body | {"modelVersion": FLASH})])
    reply = ask(model)
    assert (reply.status, reply.text, reply.finish) == (status, text, finish)


def test_thoughts_are_counted_and_are_no_part_of_the_text(server: Loopback, model: GeminiModel) -> None:
    parts = [{"text": "The barking cough says A.", "thought": True}, {"text": "B", "thoughtSignature": "x"}]
    used = {
        "promptTokenCount": 20,
        "candidatesTokenCount": 1,
        "thoughtsTokenCount": 41,
        "totalTokenCount": 62,
    }
    server.behave(
        [
            service.changed(
                lambda good: (
                    good
                    | {
                        "candidates": [{"finishReason": "STOP", "content": {"parts": parts}}],
                        "usageMetadata": used,
                    }
                )
            )
        ]
    )
    reply = ask(model)
    assert (reply.text, reply.usage) == ("B", Usage(20, 1, 41))


def test_an_allowance_spent_on_reasoning_is_a_truncation_that_was_paid_for(
    server: Loopback, model: GeminiModel
) -> None:
    server.behave([service.changed(lambda _: service.answer(None, FLASH, "MAX_TOKENS", thoughts=576))])
    reply = ask(model)
    assert (reply.status, reply.text) == (Status.TRUNCATED, None)
    assert (reply.usage.completion, reply.usage.thoughts) == (0, 576)


def test_letters_are_those_in_place_of_the_first_token(server: Loopback, clock: Clock) -> None:
    chances = {"A": 0.5, " A": 0.125, "B": 0.25, "The": 0.1, "D": 0.0}
    first = [
        {"token": token, "logProbability": math.log(chance) if chance else -math.inf, "tokenId": 1}
        for token, chance in chances.items()
        if chance
    ]
    later = [{"token": "C", "logProbability": -0.1}]
    server.behave(
        [
            service.candidate(
                finishReason="STOP",
                content={"parts": [{"text": "A."}]},
                logprobsResult={"topCandidates": [{"candidates": first}, {"candidates": later}]},
            )
        ]
    )
    with make(server, clock, logprobs=True) as model:
        letters = ask(model).letters
    assert letters == {"A": round(math.log(0.625), 6), "B": round(math.log(0.25), 6)}


def test_another_model_is_drift_and_not_stored(
    server: Loopback, model: GeminiModel, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(model, store, Mode.RECORD)
    for number, name in enumerate(["gemini-3.5-flash-lite", "gemini-2.5-flash-lite", "gemini-2.5-flash-8b"]):
        server.behave([service.by_model(name)])
        with pytest.raises(ModelDrift, match=name):
            recorder.ask(replace(SLOT, case=f"c{number}"), model.request(PROMPT, LETTER, number))
    assert not list(store.root.rglob("*.jsonl"))


@pytest.mark.parametrize(
    ("asked", "returned", "same"),
    [
        ("gemini-2.5-flash", "gemini-2.5-flash", True),
        ("gemini-2.5-flash", "models/gemini-2.5-flash", True),
        ("gemini-2.0-flash", "gemini-2.0-flash-001", True),
        ("gemini-2.5-pro-preview-05-06", "models/gemini-2.5-pro-preview-05-06", True),
        ("gemini-2.5-flash", "gemini-2.5-flash-preview-09-2025", False),
        ("gemini-2.5-flash-preview-05-20", "gemini-2.5-flash", False),
        ("gemini-2.5-flash-preview-05-20", "gemini-2.5-flash-preview-09-2025", False),
        ("gemini-3.5-flash", "gemini-3.6-flash", False),
        ("gemini-3.1-flash-lite", "gemini-3.1-flash-lite-preview", False),
        ("gemini-2.5-flash", "gemini-2.5-flash-lite", False),
        ("gemini-2.5-flash", "gemini-3.5-flash-lite", False),
    ],
)
def test_only_a_version_of_the_model_asked_is_the_same_model(
    server: Loopback, clock: Clock, store: Store, asked: str, returned: str, same: bool
) -> None:
    server.behave([service.by_model(returned)])
    with make(server, clock, asked) as model:
        recorder = Recorder(model, store, Mode.RECORD)
        if same:
            record = recorder.ask(SLOT, model.request(PROMPT, LETTER))
            assert record.reply.model_returned == returned.removeprefix("models/")
        else:
            with pytest.raises(ModelDrift):
                recorder.ask(SLOT, model.request(PROMPT, LETTER))


def test_an_answer_that_names_no_model_is_drift_and_a_block_that_names_none_is_stored(
    server: Loopback, model: GeminiModel, store: Store
) -> None:
    recorder = Recorder(model, store, Mode.RECORD)

    def unnamed(good: dict[str, Any]) -> dict[str, Any]:
        return {name: part for name, part in good.items() if name != "modelVersion"}

    server.behave([service.changed(unnamed)])
    with pytest.raises(ModelDrift):
        recorder.ask(SLOT, model.request(PROMPT, LETTER))
    server.behave([service.changed(lambda _: {"promptFeedback": {"blockReason": "OTHER"}})])
    assert recorder.ask(SLOT, model.request(PROMPT, LETTER)).reply.status is Status.BLOCKED


# Failures


def retried(server: Loopback, model: GeminiModel, *behaviours: Any) -> Reply:
    server.behave([*behaviours])
    reply = ask(model)
    assert len(server.requests) == len(behaviours) + 1
    assert reply.status is Status.ANSWERED
    return reply


@pytest.mark.parametrize(("words", "seconds"), [("37s", 37), ("1.5s", 1.5), ("45.578569677s", 45.578569677)])
def test_the_wait_that_the_service_asks_for_is_kept(
    server: Loopback, clock: Clock, model: GeminiModel, words: str, seconds: float
) -> None:
    minute = service.quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")
    retried(server, model, service.too_many(minute, service.retry_info(words)))
    assert seconds <= sum(clock.slept) < seconds + 2


def test_a_wait_in_a_header_counts_where_the_body_has_none(
    server: Loopback, clock: Clock, model: GeminiModel
) -> None:
    retried(server, model, service.too_many(headers={"retry-after": "21"}))
    assert 21 <= sum(clock.slept) < 23


def test_without_a_wait_the_waits_grow(server: Loopback, clock: Clock, model: GeminiModel) -> None:
    retried(server, model, *[service.too_many()] * 3)
    first, second, third = clock.slept
    assert first >= 1 and second >= 2 and third >= 4


@pytest.mark.parametrize(
    "ids",
    [
        ("GenerateRequestsPerDayPerProjectPerModel-FreeTier",),
        (
            "GenerateContentInputTokensPerModelPerMinute-FreeTier",
            "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
        ),
    ],
)
def test_a_quota_of_a_day_ends_the_run_at_once_and_keeps_what_is_recorded(
    server: Loopback, clock: Clock, model: GeminiModel, store: Store, ids: tuple[str, ...]
) -> None:
    recorder = Recorder(model, store, Mode.RECORD)
    recorder.ask(SLOT, model.request(PROMPT, LETTER))
    server.behave([service.too_many(service.quota(*ids), service.retry_info("17s"))])
    with pytest.raises(QuotaExhausted, match="quota of a day"):
        recorder.ask(replace(SLOT, repeat=1), model.request(PROMPT, LETTER, 1))
    assert (len(server.requests), clock.slept) == (2, [])
    assert len(store.catch_up("toy", FLASH).by_slot) == 1


@pytest.mark.parametrize(
    "failed",
    [
        service.refused(500, "INTERNAL", "An internal error has occurred."),
        service.refused(503, "UNAVAILABLE", "The model is overloaded."),
        service.refused(504, "DEADLINE_EXCEEDED", "Deadline expired."),
        Answer(b"<html>Bad gateway</html>", 502),
        reset,
        malformed,
        Answer(b""),
        Answer([1, 2]),
        Answer({}),
        Answer({"candidates": "none"}),
        Answer({"error": {"code": 500}}),
    ],
)
def test_a_failure_that_passes_is_asked_again(
    server: Loopback, clock: Clock, model: GeminiModel, failed: Any
) -> None:
    retried(server, model, failed)
    assert len(clock.slept) == 1


def test_an_answer_that_comes_too_late_is_asked_again(server: Loopback, clock: Clock) -> None:
    transport = Transport(base_url=server.url, timeout=0.2)
    with make(server, clock, transport=transport) as model:
        retried(server, model, slow(1.0))


def test_a_service_that_stays_broken_is_told_in_one_line(
    server: Loopback, clock: Clock, model: GeminiModel
) -> None:
    server.behave(lambda _: malformed)
    with pytest.raises(
        MedagentsError, match=r"no reply after 5 attempts: the service's answer is no JSON"
    ) as told:
        ask(model)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            service.refused(
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
            ),
            "check the key in GEMINI_API_KEY",
        ),
        (service.refused(401, "UNAUTHENTICATED", "no credentials"), "check the key in GEMINI_API_KEY"),
        (service.refused(403, "PERMISSION_DENIED", "denied"), "check the key in GEMINI_API_KEY"),
        (service.refused(404, "NOT_FOUND", "models/x is not found"), "check the model's name"),
        (service.refused(400, "INVALID_ARGUMENT", "Logprobs is not enabled for models/x"), "Logprobs is not"),
        (Answer(b"moved", 302, {"location": "http://127.0.0.1:9/"}), "302"),
    ],
)
def test_a_refusal_is_not_asked_again_and_says_what_to_do(
    server: Loopback, model: GeminiModel, answer: Any, words: str
) -> None:
    server.behave([answer])
    with pytest.raises(MedagentsError, match=words):
        ask(model)
    assert len(server.requests) == 1


def test_a_model_that_reasons_in_two_ways_is_refused_by_the_service_as_documented(
    server: Loopback, model: GeminiModel
) -> None:
    both = replace(model.request(PROMPT, LETTER), thinking={"thinkingBudget": 0, "thinkingLevel": "LOW"})
    with pytest.raises(MedagentsError, match="mutually exclusive"):
        model.complete(both)


# The key


ECHO = f"Permission denied: Consumer 'api_key:{KEY}' has been suspended. Try ?key={KEY}&alt=json"


class Unlucky:
    """A connection whose every error names the key."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"{name}: header x-goog-api-key: {KEY}")


def failing() -> dict[str, Any]:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "metadata": {"containerInfo": KEY}}
    told = {code: service.refused(code, ECHO, ECHO, info) for code in (400, 401, 403, 404, 429, 500, 503)}
    return {
        **{f"status {code}": answer for code, answer in told.items()},
        "quota": service.too_many(service.quota("PerDay", KEY), service.retry_info(ECHO)),
        "text": Answer(ECHO.encode(), 500),
        "redirect": Answer(ECHO.encode(), 302, {"location": "http://127.0.0.1:9/"}),
        "malformed": Answer(f'{{"candidates": [{{"text": "{KEY}'.encode()),
        "shape": Answer({"candidates": {KEY: KEY}}),
        "reset": reset,
    }


def everything(error: BaseException) -> str:
    """All that a user, a log or a notebook can be shown of an error, its causes and attributes included."""
    seen, shown = [error], ["".join(traceback.format_exception(error))]
    for one in seen:
        shown += [str(one), repr(one), repr(one.args), repr(vars(one))]
        seen += [link for link in (one.__cause__, one.__context__) if link and link not in seen]
    return "\n".join(shown)


@pytest.mark.parametrize("way", [*failing(), "timeout", "no server", "connection"])
def test_the_key_is_in_no_error_and_no_log(
    server: Loopback,
    clock: Clock,
    store: Store,
    way: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    if way in failing():
        server.behave(lambda _: failing()[way])
    if way == "timeout":
        server.behave(lambda _: slow(1.0))
    address = "http://127.0.0.1:9" if way == "no server" else server.url
    transport = Transport(base_url=address, timeout=0.2 if way == "timeout" else 20, max_attempts=2)
    with make(server, clock, transport=transport) as model:
        if way == "connection":
            ask(model)
            model._opened._api_client._httpx_client = Unlucky()  # type: ignore[union-attr]
        with pytest.raises(MedagentsError) as told:
            Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, LETTER))
        if way == "connection":
            model._opened = None
    shown = everything(told.value) + caplog.text + "".join(capfd.readouterr())
    assert "Traceback" in shown
    assert KEY not in shown and KEY[4:-4] not in shown
    assert "\n" not in str(told.value)


def test_the_key_is_in_no_request_no_recording_and_no_repr(
    server: Loopback, model: GeminiModel, store: Store
) -> None:
    request = model.request(PROMPT, LETTER)
    record = Recorder(model, store, Mode.RECORD).ask(SLOT, request)
    written = "".join(path.read_text() for path in store.root.rglob("*") if path.is_file())
    shown = [repr(request), json.dumps(canonical(request)), repr(record), written, repr(model), str(model)]
    assert written and not any(KEY in text for text in shown)


def test_the_key_is_read_from_one_variable(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    caplog.set_level(logging.DEBUG)
    with GeminiModel(FLASH, transport=Transport(base_url=server.url)) as model:
        ask(model)
    assert server.requests[-1].headers["x-goog-api-key"] == KEY
    assert "GOOGLE_API_KEY" not in caplog.text


@pytest.mark.parametrize("value", [None, "", "two words", "schlüssel", "AIza\u2013dash"])
def test_no_key_or_one_that_cannot_be_is_told_by_the_variable(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("GEMINI_API_KEY", value)
    with pytest.raises(MedagentsError, match="GEMINI_API_KEY") as told:
        ask(GeminiModel(FLASH, transport=Transport(base_url=server.url)))
    assert not server.requests
    assert not value or value not in everything(told.value)


def test_a_redirect_takes_the_key_nowhere(server: Loopback, model: GeminiModel) -> None:
    with Loopback() as elsewhere:
        server.behave([Answer(b"", 307, {"location": f"{elsewhere.url}/v1beta"})])
        with pytest.raises(MedagentsError):
            ask(model)
        assert not elsewhere.requests


# Connections


def test_many_threads_share_one_client_with_a_connection_each(clock: Clock) -> None:
    together = threading.Barrier(16)
    with Loopback(latency=0.8) as server:
        transport = Transport(base_url=server.url, concurrency=16, timeout=20)
        with make(server, clock, transport=transport) as model, ThreadPoolExecutor(16) as pool:
            requests = [model.request(PROMPT, LETTER, repeat) for repeat in range(16)]

            def complete(request: Request) -> Reply:
                together.wait()
                return model.complete(request)

            replies = list(pool.map(complete, requests))
            opened = len(server._connections)
    assert [reply.status for reply in replies] == [Status.ANSWERED] * 16
    assert server.peak == opened == 16


def test_a_closed_model_leaves_no_connection_and_opens_again(
    server: Loopback, clock: Clock, recwarn: pytest.WarningsRecorder
) -> None:
    model = make(server, clock)
    ask(model)
    model.close()
    model.close()
    assert ask(model).status is Status.ANSWERED
    model.close()
    gone = threading.Event()
    server._loop.call_soon_threadsafe(server._loop.call_later, 0.05, gone.set)
    assert gone.wait(5)
    assert not server._connections
    assert not recwarn.list


def test_an_sdk_that_does_not_open_is_told_without_the_key(
    server: Loopback, model: GeminiModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_HTTP_CLIENT", "httpx")  # which is not installed
    with pytest.raises(MedagentsError, match="the SDK failed") as told:
        ask(model)
    assert KEY not in everything(told.value)


def test_a_missing_sdk_is_told_with_its_remedy(
    server: Loopback, model: GeminiModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MedagentsError, match=r"google-genai is not installed; run: pip install"):
        ask(model)


def test_an_error_of_the_sdk_itself_is_told_and_not_asked_again(server: Loopback, model: GeminiModel) -> None:
    request = replace(model.request(PROMPT, LETTER), thinking={"thinkingBudget": "much"})
    with pytest.raises(MedagentsError, match="the SDK failed") as told:
        model.complete(request)
    assert not server.requests
    assert "\n" not in str(told.value)


# The cases of the field


def field_cases(*areas: str) -> list[dict[str, Any]]:
    folder = os.environ.get("MEDAGENTS_ARTEFACTS")
    path = Path(folder).parent / "cases" / "field_cases.jsonl" if folder else None
    if path is None or not path.is_file():
        return []
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [case for case in cases if case["area"].startswith(areas)]


BESIDE = "field_cases.jsonl is beside the folder of MEDAGENTS_ARTEFACTS, which is unset or has none"
WORDS = {"ok": "answered", "other": "unparseable"}


def said(answer: dict[str, Any]) -> Callable[[Answer], Answer]:
    """A response of a case, named by the model asked, as the service does on every response."""
    return lambda good: replace(good, body=answer | {"modelVersion": FLASH})


def test_the_field_cases_of_gemini_end_as_expected(
    server: Loopback, model: GeminiModel, store: Store
) -> None:
    cases = field_cases("gemini")
    if not cases:
        pytest.skip(BESIDE)
    recorder = Recorder(model, store, Mode.RECORD)
    for number, case in enumerate(cases):
        want = case["expected"]
        answers = case["input"].get("responses") or [case["input"]["response"]]
        server.behave([said(answer) for answer in answers])
        replies = [
            recorder.ask(
                replace(SLOT, case=f"{number}-{one}"), model.request(PROMPT, LETTER, 10 * number + one)
            )
            for one in range(len(answers))
        ]
        statuses = want.get("statuses") or [want["status"]]
        assert [record.reply.status.value for record in replies] == [WORDS.get(one, one) for one in statuses]
        if "output_tokens_billed" in want:
            reply = replies[0].reply
            assert reply.usage.completion + reply.usage.thoughts == want["output_tokens_billed"]
            assert reply.text == want["text"]


def test_the_field_cases_of_rate_limits_end_as_expected(
    server: Loopback, clock: Clock, model: GeminiModel
) -> None:
    cases = field_cases("rate_limit")
    if not cases:
        pytest.skip(BESIDE)
    for case in cases:
        error, want = case["input"]["first_error"], case["expected"]
        server.requests.clear()
        clock.slept.clear()
        server.behave([service.refused(error["code"], "RESOURCE_EXHAUSTED", "quota", *error["details"])])
        reply = ask(model)
        assert sum(clock.slept) >= want["slept_at_least_s"]
        assert len(server.requests) == want["tries"]
        assert reply.status.value == WORDS[want["status"]]


def test_the_field_cases_of_failures_store_nothing(server: Loopback, clock: Clock, store: Store) -> None:
    cases = field_cases("error_handling")
    if not cases:
        pytest.skip(BESIDE)
    for case in cases:
        assert "TimeoutError on every try" in case["input"]["transport"]
        server.behave(lambda _: slow(1.0))
        transport = Transport(base_url=server.url, timeout=0.1, max_attempts=3)
        model = make(server, clock, transport=transport)
        with model, pytest.raises(MedagentsError, match="no answer within the timeout"):
            Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, LETTER))
        assert not list(store.root.rglob("*.jsonl"))


def test_the_field_cases_of_keys_hold_for_gemini() -> None:
    cases = field_cases("cache_key")
    if not cases:
        pytest.skip(BESIDE)
    for case in cases:
        given = case["input"]
        if "images" in given:
            colours = [name.split()[-1] for name in given["images"]]
            images = [encoded(PillowImage.new("RGB", (1, 1), colour)) for colour in colours]
            prompts = [(FLASH, Decoding(), Prompt("", given["prompt"], "", images=(one,))) for one in images]
        elif "calls" in given:
            models = {"m1": FLASH, "m2": "gemini-2.5-pro"}
            prompts = [
                (
                    models[call["model"]],
                    Decoding(call["temperature"], call.get("max_output_tokens", 8)),
                    Prompt("", call["prompt"], ""),
                )
                for call in given["calls"]
            ]
        else:
            continue
        keys = [key_of(canonical(GeminiModel(name).request(asked, how))) for name, how, asked in prompts]
        assert len(set(keys)) == case["expected"]["distinct_keys"], case["id"]
        if "fifth_call" in case["expected"]:
            assert keys[4] == keys[0]
