"""OpenAI's protocol against a loopback server with the real SDK: what is sent, what comes of each answer.

Answers are those of https://platform.openai.com/docs/api-reference/chat and of the servers that speak it.
"""

import base64
import io
import json
import logging
import math
import os
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import numpy as np
import pytest
from clock import Clock
from loopback import Answer, Loopback, malformed, reset, slow
from loopback import openai as service
from loopback.server import Behaviour
from openai import OpenAIError
from PIL import Image as PillowImage

from medagents.answers import extract
from medagents.keys import canonical, key_of
from medagents.models.calls import Caller, Limits, QuotaExhausted
from medagents.models.openai_compatible import OpenAIModel, folder_name, server_name
from medagents.models.openai_wire import returned_name
from medagents.recorder import Mode, ModelDrift, Recorder
from medagents.types import (
    VERDICT,
    Decoding,
    Image,
    MedagentsError,
    Message,
    Prompt,
    Provenance,
    Slot,
    Status,
    Transport,
    Usage,
)

KEY = "sk-loopback-0123456789-neverShown"
PROMPT = Prompt(
    "Reply with the letter only.", "Which vitamin is missing in scurvy?\n", "A. K\nB. C", (("Ready?", "A"),)
)
LETTER = Decoding(max_tokens=1, top_logprobs=60)
WORDS = Decoding(max_tokens=64)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "MEDAGENTS_BASE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(say=lambda _: "B") as started:
        yield started


@pytest.fixture
def model(server: Loopback, clock: Clock) -> OpenAIModel:
    return on(server, clock)


def on(
    server: Loopback, clock: Clock, name: str = "Qwen/Qwen2.5-7B-Instruct", **transport: float
) -> OpenAIModel:
    """A model of the server, whose waits take no time."""
    made = OpenAIModel(name, Transport(base_url=f"{server.url}/v1", **transport))
    made.call = Caller(made.name, made.transport, Limits(), clock, clock.sleep)
    return made


def ask(model: OpenAIModel, decoding: Decoding = WORDS, prompt: Prompt = PROMPT):
    return model.complete(model.request(prompt, decoding))


def phantom(spot: int) -> Image:
    """A radiograph phantom as PNG: a bright chest wall, two dark lungs, and one pixel of the given grey."""
    pixels = np.full((48, 64), 200, dtype=np.uint8)
    pixels[8:40, 8:28] = pixels[8:40, 36:56] = 30
    pixels[20, 45] = spot
    out = io.BytesIO()
    PillowImage.fromarray(pixels).save(out, "png")
    return Image(out.getvalue(), "image/png")


class TestSent:
    def test_the_body_is_that_of_a_chat_completion(self, server, model):
        ask(model, Decoding(temperature=0.7, max_tokens=64, seed=11, top_p=0.9, stop=("\n",), top_logprobs=5))
        [received] = server.requests
        assert received.path == "/v1/chat/completions"
        assert received.headers["authorization"] == f"Bearer {KEY}"
        assert received.json == {
            "model": "Qwen/Qwen2.5-7B-Instruct",
            "messages": [
                {"role": "system", "content": "Reply with the letter only."},
                {"role": "user", "content": "Ready?"},
                {"role": "assistant", "content": "A"},
                {"role": "user", "content": "Which vitamin is missing in scurvy?\nA. K\nB. C"},
            ],
            "max_tokens": 64,
            "temperature": 0.7,
            "top_p": 0.9,
            "seed": 11,
            "stop": ["\n"],
            "logprobs": True,
            "top_logprobs": 5,
        }

    def test_what_is_left_open_is_not_left_to_the_server_or_not_sent(self, server, model):
        ask(model, Decoding(max_tokens=4), Prompt("", "Gout?", ""))
        assert server.requests[0].json == {
            "model": "Qwen/Qwen2.5-7B-Instruct",
            "messages": [{"role": "user", "content": "Gout?"}],
            "max_tokens": 4,
            "temperature": 0.0,
            "top_p": 1.0,
        }

    def test_openai_itself_is_told_the_limit_under_its_new_name(self):
        from medagents.models.openai_wire import body

        request = OpenAIModel("gpt-4.1").request(PROMPT, WORDS)
        assert body(request)["max_completion_tokens"] == 64
        assert "max_tokens" not in body(request)

    def test_no_more_log_probabilities_are_asked_for_than_servers_list_and_the_key_says_so(
        self, server, model
    ):
        request = model.request(PROMPT, LETTER)
        assert request.decoding.top_logprobs == 20
        assert model.complete(request).status is Status.ANSWERED
        assert server.requests[0].json["top_logprobs"] == 20

    def test_an_image_is_sent_before_the_text_with_its_bytes_and_type(self, server, model):
        image = phantom(90)
        ask(model, prompt=replace(PROMPT, images=(image,)))
        [received] = server.requests
        assert service.images(received) == [("image/png", image.data)]
        *_, last = received.json["messages"]
        assert [part["type"] for part in last["content"]] == ["image_url", "text"]
        assert last["content"][1]["text"] == "Which vitamin is missing in scurvy?\nA. K\nB. C"
        [url] = [part["image_url"]["url"] for part in last["content"] if part["type"] == "image_url"]
        assert url == "data:image/png;base64," + base64.b64encode(image.data).decode()

    def test_images_that_differ_in_one_pixel_have_two_keys(self, model):
        prompts = [replace(PROMPT, images=(phantom(spot),)) for spot in (90, 91, 90)]
        one, other, same = (key_of(canonical(model.request(prompt, WORDS))) for prompt in prompts)
        assert one != other and one == same

    def test_a_reply_that_was_begun_is_refused_before_anything_is_sent(self, server, model):
        request = replace(model.request(PROMPT, WORDS), messages=(Message("assistant", "The answer is"),))
        with pytest.raises(MedagentsError, match="cannot continue a reply"):
            model.complete(request)
        assert server.requests == []

    def test_a_request_needs_neither_key_nor_address(self, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY")
        assert OpenAIModel("gpt-4.1").request(PROMPT, LETTER).model == "gpt-4.1"

    def test_the_address_and_limits_are_no_part_of_the_key(self, server, model):
        other = OpenAIModel(model.model, Transport(timeout=1.0), Limits(requests_per_minute=9))
        keys = {key_of(canonical(made.request(PROMPT, LETTER))) for made in (model, other)}
        assert len(keys) == 1

    def test_a_server_without_a_key_is_asked_with_a_placeholder(self, server, clock, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY")
        assert ask(on(server, clock)).text == "B"
        assert server.requests[0].headers["authorization"] == "Bearer none"

    def test_no_other_variable_changes_where_a_call_goes(self, server, clock, monkeypatch):
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        assert ask(on(server, clock)).text == "B"

    def test_the_address_is_read_from_its_variable_where_none_is_given(self, server, clock, monkeypatch):
        monkeypatch.setenv("MEDAGENTS_BASE_URL", f"{server.url}/v1")
        assert ask(OpenAIModel("m")).text == "B"
        with Loopback(say=lambda _: "A") as other:
            assert ask(on(other, clock)).text == "A", "an address that is given goes before"

    @pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost", "http://"])
    def test_what_is_no_address_is_refused_before_anything_is_sent(self, url):
        with pytest.raises(MedagentsError, match="is no address; give one such as http://localhost:8000/v1"):
            OpenAIModel("m", Transport(base_url=url))

    def test_threads_share_a_model_and_no_more_connections_than_asked_for_are_open(self, clock):
        with Loopback(latency=0.02) as server:
            model = on(server, clock, concurrency=4)
            requests = [model.request(replace(PROMPT, turn=str(n)), WORDS) for n in range(24)]
            with ThreadPoolExecutor(12) as pool:
                replies = list(pool.map(model.complete, requests))
            assert [reply.text for reply in replies] == [
                server.say(service.prompt_of(received))
                for received in sorted(
                    server.requests, key=lambda received: int(service.prompt_of(received).split("\n")[-1])
                )
            ]
            assert server.peak == 4


REPLIES: dict[str, tuple[Behaviour, Status, str | None, str]] = {
    "stop": (None, Status.ANSWERED, "B", "stop"),
    "stop without text": (service.message(content=None), Status.EMPTY, None, "stop"),
    "stop with an empty text": (service.message(content=""), Status.EMPTY, None, "stop"),
    "length": (service.choice(finish_reason="length"), Status.TRUNCATED, "B", "length"),
    "content filter": (service.choice(finish_reason="content_filter"), Status.BLOCKED, "B", "content_filter"),
    "unknown reason": (service.choice(finish_reason="paused"), Status.UNPARSEABLE, "B", "paused"),
    "tool calls": (service.choice(finish_reason="tool_calls"), Status.UNPARSEABLE, "B", "tool_calls"),
    "no reason": (service.choice(finish_reason=None), Status.UNPARSEABLE, "B", "no finish reason"),
    "no choices": (service.changed(choices=[]), Status.EMPTY, None, "no choice"),
    "choices null": (service.changed(choices=None), Status.EMPTY, None, "no choice"),
    "no message": (service.choice(message=None), Status.EMPTY, None, "stop"),
    "refusal": (
        service.message(content=None, refusal="I cannot help with B."),
        Status.REFUSED,
        "I cannot help with B.",
        "stop",
    ),
    "text in parts": (
        service.message(content=[{"type": "text", "text": "Answer: "}, {"type": "text", "text": "B"}]),
        Status.ANSWERED,
        "Answer: B",
        "stop",
    ),
    "reasoning beside the text": (
        service.message(reasoning_content="A? No, B.", content="B"),
        Status.ANSWERED,
        "B",
        "stop",
    ),
}


class TestReply:
    @pytest.mark.parametrize("behaviour, status, text, finish", REPLIES.values(), ids=REPLIES)
    def test_every_way_a_reply_ends_has_a_status(self, server, model, behaviour, status, text, finish):
        server.behave([behaviour])
        reply = ask(model)
        assert (reply.status, reply.text, reply.finish) == (status, text, finish)
        assert reply.provenance is Provenance.LIVE
        assert len(server.requests) == 1, "a reply, good or bad, is never asked for again"

    def test_one_token_is_the_whole_reply_where_one_was_asked_for(self, server, model):
        server.behave([service.choice(finish_reason="length")] * 2)
        assert ask(model, LETTER).status is Status.ANSWERED
        assert ask(model, replace(LETTER, max_tokens=2)).status is Status.TRUNCATED

    def test_one_token_spent_on_reasoning_is_a_truncation(self, server, model):
        server.behave(
            [service.changed(choices=[{"index": 0, "finish_reason": "length", "message": {"content": None}}])]
        )
        reply = ask(model, LETTER)
        assert (reply.status, reply.text) == (Status.TRUNCATED, None)

    def test_thoughts_are_counted_apart_from_the_reply(self, server, model):
        used = {"prompt_tokens": 812, "completion_tokens": 300, "total_tokens": 1112}
        server.behave(
            [service.changed(usage=used | {"completion_tokens_details": {"reasoning_tokens": 253}})]
        )
        assert ask(model).usage == Usage(812, 47, 253)

    @pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}])
    def test_a_server_that_counts_no_tokens_is_taken_as_it_is(self, server, model, usage):
        server.behave([service.changed(usage=usage)])
        assert ask(model).usage == Usage()

    def test_letters_are_summed_over_their_spellings(self, server, model):
        listed = [("B", 0.5), (" B", 0.25), ("A", 0.125), ("The", 0.0625), ("Z", 0.01)]
        alternatives = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in listed]
        tokens = {"content": [{"token": "B", "logprob": math.log(0.5), "top_logprobs": alternatives}]}
        server.behave([service.choice(logprobs=tokens)])
        letters = ask(model, LETTER).letters
        assert letters is not None
        assert {name: math.exp(value) for name, value in letters.items()} == pytest.approx(
            {"A": 0.125, "B": 0.75}, abs=1e-6
        )

    def test_the_labels_of_a_verdict_are_read_where_the_prompt_asks_for_them(self, server, model):
        tokens = [{"token": "Y", "logprob": -0.5}, {"token": "A", "logprob": -1.0}]
        server.behave(
            [service.choice(logprobs={"content": [{"token": "Y", "logprob": 0.0, "top_logprobs": tokens}]})]
        )
        assert ask(model, LETTER, replace(PROMPT, labels=VERDICT)).letters == {"Y": -0.5}

    @pytest.mark.parametrize("offered", [None, {"content": None}, {"content": []}])
    def test_a_server_that_gives_no_log_probabilities_gives_no_letters(self, server, model, offered):
        server.behave([service.choice(logprobs=offered)])
        reply = ask(model, LETTER)
        assert (reply.letters, reply.status) == (None, Status.ANSWERED)

    def test_a_server_that_refuses_log_probabilities_is_asked_without_from_then_on(
        self, server, model, caplog
    ):
        server.behave([service.refused(400, "logprobs is not supported by this model")])
        requests = [model.request(PROMPT, LETTER)] * 2
        replies = [model.complete(request) for request in requests]
        assert [(reply.text, reply.letters) for reply in replies] == [("B", None)] * 2
        assert ["logprobs" in received.json for received in server.requests] == [True, False, False]
        assert not any("top_logprobs" in received.json for received in server.requests[1:])
        [warning] = caplog.messages
        assert "logprobs is not supported by this model" in warning


DRIFT = {
    "another model": "Qwen/Qwen2.5-7B",
    "llama.cpp before December 2025, asked for no name": "gpt-3.5-turbo",
    "a version of another name": "Qwen/Qwen2.5-7B-Instruct-GPTQ",
    "no name": None,
}


class TestDrift:
    @pytest.mark.parametrize("returned", DRIFT.values(), ids=DRIFT)
    def test_a_reply_of_another_model_stops_the_run_and_is_not_stored(self, server, model, store, returned):
        server.behave([service.changed(model=returned)])
        recorder = Recorder(model, store, Mode.RECORD)
        with pytest.raises(ModelDrift, match=returned or "no model named"):
            recorder.ask(SLOT, model.request(PROMPT, WORDS))
        assert list(store.root.glob("*/*/*.jsonl")) == []

    @pytest.mark.parametrize(
        ("asked", "returned"),
        [
            ("llama3.2", "llama3.2:latest"),
            ("llama3.2:latest", "llama3.2"),
            ("Qwen2.5-7B-Instruct-Q4_K_M", "/models/Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
            ("Qwen2.5-7B-Instruct-Q4_K_M.gguf", "Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
            ("Qwen2.5-7B-Instruct-Q4_K_M", "Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
        ],
    )
    def test_what_ollama_and_llama_cpp_add_to_a_name_is_no_drift(self, asked, returned):
        assert returned_name(returned, asked) == asked

    @pytest.mark.parametrize(
        ("asked", "returned"),
        [
            ("llama3.2", "llama3.2:1b"),
            ("Qwen2.5-7B", "someone/Qwen2.5-7B"),
            ("Qwen2.5-7B", "/models/Qwen2.5-7B-Instruct.gguf"),
        ],
    )
    def test_anything_else_is_returned_as_it_is(self, asked, returned):
        assert returned_name(returned, asked) == returned

    def test_a_dated_version_of_the_model_asked_is_kept_with_its_date(self, server, clock, store):
        model = on(server, clock, "gpt-4.1-mini")
        server.behave([service.changed(model="gpt-4.1-mini-2025-04-14")])
        record = Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, WORDS))
        assert record.reply.model_returned == "gpt-4.1-mini-2025-04-14"


SLOT = Slot("toy", "toy-1", "peer_cascade", "isolated")


def http_date(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


PASSING: dict[str, tuple[Behaviour, float, float]] = {
    "429 without a delay": (service.too_many(), 1, 2),
    "429 with seconds": (service.too_many("37"), 37, 38),
    "429 with a date": (lambda good: service.too_many(http_date(40)), 37, 41),
    "500": (service.refused(500, "internal"), 1, 2),
    "503 with seconds": (service.refused(503, "overloaded", headers={"retry-after": "9"}), 9, 10),
    "503 in HTML": (Answer(b"<html>Bad gateway</html>", 503, {"content-type": "text/html"}), 1, 2),
    "reset": (reset, 1, 2),
    "slow": (slow(5.0), 1, 2),
    "malformed JSON": (malformed, 1, 2),
    "no chat completion": (Answer(["unexpected"]), 1, 2),
    "a page with status 200": (Answer(b"<html>Log in</html>", headers={"content-type": "text/html"}), 1, 2),
    "fault with status 200": (Answer({"error": {"message": "upstream failed", "code": 502}}), 1, 2),
}

LASTING: dict[str, tuple[Behaviour, str]] = {
    "400": (service.refused(400, "temperature does not support 0.0"), "HTTP 400: temperature does not"),
    "401": (service.refused(401, "Incorrect API key provided"), "HTTP 401: .*; set OPENAI_API_KEY"),
    "403": (service.refused(403, "no access"), "HTTP 403: no access; check OPENAI_API_KEY"),
    "404": (service.refused(404, "no such model"), "HTTP 404: .*; check --model and --base-url"),
    "404 of vLLM": (
        Answer({"object": "error", "message": "The model `x` does not exist.", "code": 404}, 404),
        "HTTP 404: The model `x` does not exist",
    ),
    "422 of FastAPI": (Answer({"detail": [{"msg": "field required"}]}, 422), "HTTP 422: .*field required"),
    "redirect": (Answer(None, 307, {"location": "http://127.0.0.1:9/"}), "HTTP 307"),
}

SPENT = {
    "credit": service.refused(429, "You exceeded your current quota.", "insufficient_quota"),
    "requests a day": service.too_many("432", "Rate limit reached on requests per day (RPD): Limit 200."),
    "tokens a day": service.too_many(None, "Limit reached for tokens (TPD): Limit 9."),
}


def test_an_answer_is_read_whatever_the_server_says_it_is(server, model):
    server.behave([lambda good: replace(good, headers={"content-type": "text/plain; charset=utf-8"})])
    reply = model.complete(model.request(PROMPT, LETTER))
    assert (reply.status, reply.text, len(server.requests)) == (Status.ANSWERED, "B", 1)
    assert reply.letters


class TestFailures:
    @pytest.mark.parametrize("behaviour, least, most", PASSING.values(), ids=PASSING)
    def test_what_may_pass_is_tried_again_after_a_wait(self, server, clock, store, behaviour, least, most):
        """FC13 and its kind."""
        model = on(server, clock, timeout=0.2)
        server.behave([behaviour])
        record = Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, WORDS))
        assert record.reply.status is Status.ANSWERED
        assert len(server.requests) == 2
        assert least <= sum(clock.slept) <= most

    @pytest.mark.parametrize("behaviour, words", LASTING.values(), ids=LASTING)
    def test_what_will_not_pass_is_told_at_once(self, server, model, clock, behaviour, words):
        server.behave([behaviour])
        with pytest.raises(MedagentsError, match=f"after 1 attempt: {words}.*nothing stored"):
            ask(model)
        assert len(server.requests) == 1 and clock.slept == []

    @pytest.mark.parametrize("behaviour", SPENT.values(), ids=SPENT)
    def test_a_quota_of_a_day_or_of_credit_stops_the_run(self, server, model, clock, behaviour):
        server.behave([behaviour])
        for _ in range(2):
            with pytest.raises(QuotaExhausted, match=r"what is recorded is kept.*the same command goes on"):
                ask(model)
        assert len(server.requests) == 1 and clock.slept == []

    @pytest.mark.parametrize("behaviour", [row[0] for row in PASSING.values()], ids=PASSING)
    def test_after_the_last_attempt_nothing_is_stored_and_nothing_read_as_an_answer(
        self, server, clock, store, behaviour
    ):
        """FC07: the words of a failure hold option letters."""
        model = on(server, clock, max_attempts=3, timeout=0.05)
        server.behave(lambda _: behaviour)
        with pytest.raises(MedagentsError, match=r"after 3 attempts: .*; nothing stored"):
            Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, WORDS))
        assert len(server.requests) == 3
        assert list(store.root.glob("*/*/*.jsonl")) == []

    def test_a_server_that_is_not_there_is_named(self, clock):
        with Loopback() as server:
            pass
        model = on(server, clock, max_attempts=2)
        with pytest.raises(MedagentsError, match=rf"no connection to {server.url}/v1 "):
            ask(model)

    def test_a_password_in_the_address_is_not_shown(self, clock):
        model = OpenAIModel("m", Transport(base_url="http://user:secret@127.0.0.1:9/v1", max_attempts=1))
        with pytest.raises(MedagentsError, match=r"no connection to http://127\.0\.0\.1:9/v1") as error:
            ask(model)
        assert "secret" not in str(error.value)

    def test_a_key_with_a_line_break_inside_is_no_key(self, server, clock, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-one\nsk-two")
        with pytest.raises(MedagentsError, match="OPENAI_API_KEY holds characters") as error:
            ask(on(server, clock))
        assert "sk-" not in str(error.value) and server.requests == []


ECHO = {
    "401 that repeats the key": service.refused(401, f"Incorrect API key provided: {KEY}."),
    "400 with the key at the cut": service.refused(400, "x" * (300 - len(KEY) // 2) + KEY),
    "429 that repeats the key": service.too_many("1", f"Rate limit of {KEY}"),
    "daily quota of the key": service.too_many(None, f"{KEY}: requests per day"),
    "fault of status 200 with the key": Answer({"error": {"message": f"upstream refused {KEY}"}}),
    "logprobs refused to the key": service.refused(400, f"logprobs are not for {KEY}"),
}


class TestKey:
    @pytest.mark.parametrize(
        "behaviour",
        [*ECHO.values(), *SPENT.values(), *(row[0] for row in [*PASSING.values(), *LASTING.values()])],
        ids=[*ECHO, *SPENT, *PASSING, *LASTING],
    )
    def test_it_is_in_no_error_log_or_recording_however_a_call_fails(
        self, server, clock, store, caplog, behaviour
    ):
        caplog.set_level(logging.DEBUG)
        model = on(server, clock, max_attempts=2, timeout=0.05)
        server.behave(lambda _: behaviour)
        recorder = Recorder(model, store, Mode.RECORD)
        with pytest.raises(MedagentsError) as error:
            recorder.ask(SLOT, model.request(PROMPT, LETTER))
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}", "the key was really used"
        shown = "".join(
            traceback.TracebackException(
                type(error.value),
                error.value,
                error.tb.tb_next,  # without this function, whose own variables hold the key
                capture_locals=True,
            ).format()
        )
        assert not any(isinstance(one, OpenAIError) for one in chain(error.value)), "it holds the headers"
        held = [str(one) + repr(one) for one in chain(error.value)]
        for text in (shown, *held, caplog.text, repr(model), repr(vars(recorder)), everything_in(store.root)):
            assert KEY not in text
            assert KEY[: len(KEY) // 2] not in text

    def test_it_is_in_no_request_or_recording_of_a_call_that_went_well(self, server, model, store, caplog):
        caplog.set_level(logging.DEBUG)
        request = model.request(PROMPT, LETTER)
        record = Recorder(model, store, Mode.RECORD).ask(SLOT, request)
        assert record.reply.text == "B" and everything_in(store.root)
        for text in (
            repr(request),
            repr(record),
            everything_in(store.root),
            caplog.text,
            json.dumps(str(model)),
        ):
            assert KEY not in text


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that hang on it, shown or not."""
    while error:
        yield error
        error = error.__cause__ or error.__context__


def everything_in(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


class TestName:
    @pytest.mark.parametrize(
        ("asked", "folder"),
        [
            ("gpt-4.1-mini", "openai--gpt-4.1-mini"),
            ("Qwen/Qwen2.5-7B-Instruct", "openai--Qwen--Qwen2.5-7B-Instruct"),
            ("llama3.2:1b", "openai--llama3.2@1b"),
            ("hf.co/bartowski/Llama-3.2-1B:Q4_K_M", "openai--hf.co--bartowski--Llama-3.2-1B@Q4_K_M"),
            ("ft:gpt-4o-mini:org::id", "openai--ft@gpt-4o-mini@org@@id"),
        ],
    )
    def test_it_is_one_folder_and_reads_back(self, asked, folder):
        assert folder_name(asked) == folder == OpenAIModel(asked).name
        assert len(Path(folder).parts) == 1
        assert server_name(folder) == server_name(f"openai:{asked}") == asked

    @pytest.mark.parametrize("asked", ["", "a--b", "a@b", "a+b", "my model", "a\\b", "Qwen-/x", "a\n"])
    def test_one_that_would_not_read_back_is_refused(self, asked):
        with pytest.raises(MedagentsError, match="cannot be a folder's name"):
            OpenAIModel(asked)


def field_case(id: str) -> dict:
    folder = os.environ.get("MEDAGENTS_ARTEFACTS")
    path = Path(folder).parent / "cases" / "field_cases.jsonl" if folder else None
    if path is None or not path.is_file():
        pytest.skip("field_cases.jsonl is beside the folder of MEDAGENTS_ARTEFACTS, unset or without it")
    cases = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return next(case for case in cases if case["id"] == id)


class TestFieldCases:
    def test_a_call_that_times_out_on_every_try_is_no_answer(self, server, clock, store):
        case = field_case("FC07")
        model = on(server, clock, timeout=0.05)
        server.behave(lambda _: slow(5.0))
        with pytest.raises(MedagentsError) as error:
            Recorder(model, store, Mode.RECORD).ask(SLOT, model.request(PROMPT, WORDS))
        assert case["expected"]["choice"] is None
        assert (list(store.root.glob("*/*/*.jsonl")) != []) is case["expected"]["cached"]
        assert "no answer within 0.05 s" in str(error.value)
        assert extract(str(error.value), case["input"]["options"]).option is None

    def test_the_delay_that_a_server_names_is_obeyed(self, server, model, clock):
        case = field_case("FC13")
        first, want = case["input"]["first_error"], case["expected"]
        delay = first["details"][0]["retryDelay"].removesuffix("s")
        server.behave([service.refused(first["code"], "rate", headers={"retry-after": delay})])
        assert ask(model).status is Status.ANSWERED
        assert len(server.requests) == want["tries"]
        assert sum(clock.slept) >= want["slept_at_least_s"]
