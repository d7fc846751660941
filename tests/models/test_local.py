"""The local model against an engine of our own that rounds as the real one does: a reply depends
not only on the prompt, but on the pieces in which the prompt was evaluated.
"""

import hashlib
import itertools
import json
import math
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from medagents.models import local
from medagents.models.letters import letter_logprobs
from medagents.models.local import LocalModel, render
from medagents.types import (
    LETTERS,
    Decoding,
    Image,
    MedagentsError,
    Message,
    Prompt,
    Provenance,
    Request,
    Status,
)

ONE = Decoding(max_tokens=1, top_logprobs=60)
EXAMPLES = (("Which vitamin prevents scurvy?\nA. B12\nB. C", "B"), ("Which virus?\nA. EBV\nB. HIV", "A"))
HEAD = "<|im_start|>system\nReply with the letter only.<|im_end|>\n"


class Engine:
    """One slot with a prompt cache. A token is a character. What a token leaves in the cache is a
    hash of all before it and of the piece it was evaluated in, as floating point sums depend on
    the shape of a batch; the reply is read from the last one.
    """

    def __init__(self, params: Any) -> None:
        assert params.n_parallel == 1
        assert params.cache_ram_mib == params.n_ctx_checkpoints == 0
        self.params = params
        self.cache: list[tuple[str, str]] = []
        self.bodies: list[dict[str, Any]] = []
        self.fail_at: int | None = None

    def evaluate(self, tokens: str) -> None:
        for start in range(0, len(tokens), self.params.n_ubatch):
            piece = tokens[start : start + self.params.n_ubatch]
            for place, token in enumerate(piece):
                before = self.cache[-1][1] if self.cache else ""
                seen = f"{before}|{len(piece)}|{place}|{token}"
                self.cache.append((token, hashlib.sha256(seen.encode()).hexdigest()))

    def handle_completions(self, body: dict[str, Any]) -> Any:
        self.bodies.append(body)
        prompt, kept = body["prompt"], 0
        if len(prompt) > self.params.n_ctx:
            return {"error": {"message": "the request exceeds the available context size"}}
        if body["cache_prompt"]:
            for (held, _), token in zip(self.cache, prompt[:-1], strict=False):  # re-reads at least one
                if held != token:
                    break
                kept += 1
        del self.cache[kept:]
        half = (len(prompt) - kept) // 2
        if len(self.bodies) == self.fail_at:
            self.evaluate(prompt[kept : kept + half])
            raise KeyboardInterrupt
        self.evaluate(prompt[kept:])
        text, odds = "", self.odds(body)
        for number in range(body["max_tokens"]):
            if number:
                self.evaluate(text[-1])
            text += max(odds, key=odds.__getitem__) if not number else "x"
        top = [{"token": token, "logprob": value} for token, value in odds.items()]
        return {
            "choices": [
                {
                    "text": text,
                    "finish_reason": "length",
                    "logprobs": {"content": [{"token": text[0], "top_logprobs": top}]},
                }
            ],
            "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(text)},
        }

    def odds(self, body: dict[str, Any]) -> dict[str, float]:
        """Log-probabilities of four letters, from the last state and the sampling settings."""
        seen = f"{self.cache[-1][1]}|{body.get('seed')}|{body['temperature']}"
        digest = hashlib.sha256(seen.encode()).digest()
        return {letter: -(1 + digest[place]) / 64 for place, letter in enumerate("ABCD")}


class Params(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(path=""), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Engine]]:
    """The engines started, newest last, in place of the real package."""
    started: list[Engine] = []

    def server(params: Any) -> Engine:
        started.append(Engine(params))
        return started[-1]

    fake = ModuleType("xllamacpp")
    fake.CommonParams, fake.Server = Params, server  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", fake)
    monkeypatch.setattr(local, "engine_version", lambda: "xllamacpp 0")
    yield started


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "toy.gguf"
    path.write_bytes(b"GGUF weights")
    return path


def model_of(weights: Path, template: str = "chatml", **more: Any) -> LocalModel:
    sha = hashlib.sha256(b"GGUF weights").hexdigest()
    return LocalModel("toy", weights, more.pop("sha256", sha), template, **more)


def prompts() -> list[Prompt]:
    """Arms of three cases: two that begin alike, one longer than a batch, one with the board first."""
    cases = [
        "A man of 60 has chest pain.\nA. Angina\nB. Asthma",
        "A man of 61 has a cough.\nA. Angina\nB. Asthma",
        "A long history. " * 40 + "\nA. Gout\nB. Lupus",
    ]
    made = []
    for case in cases:
        made += [
            Prompt("Reply with the letter only.", case, turn, EXAMPLES)
            for turn in ("", "\n\nDr. Adams: B", "\n\nDr. Adams: B\nDr. Baker: B")
        ]
        made.append(Prompt("Reply with the letter only.", "", f"Dr. Adams: B\n\n{case}", EXAMPLES))
    return made


def requests_of(model: LocalModel, asked: list[Prompt]) -> list[Request]:
    """Each prompt asked for a letter, for one drawn letter, and for a sentence."""
    settings = [ONE, Decoding(1.0, 1, 1, top_logprobs=60), Decoding(max_tokens=40, top_logprobs=60)]
    return [model.request(prompt, decoding) for prompt in asked for decoding in settings]


def said(model: LocalModel, request: Request) -> tuple[str | None, dict[str, float]]:
    reply = model.complete(request)
    return reply.text, dict(reply.letters or {})


# Replies do not depend on what was asked before


def test_the_engine_of_these_tests_does_depend_on_what_it_read_before(
    weights: Path, engines: list[Engine]
) -> None:
    requests = requests_of(model_of(weights), prompts())[::3]
    texts = [render(request)[-1] for request in requests]
    replies = []
    for order in (texts, texts[::-1]):
        params = Params()
        params.n_parallel, params.cache_ram_mib, params.n_ctx_checkpoints = 1, 0, 0
        params.n_ctx, params.n_ubatch = local.CONTEXT, local.BATCH
        engine = Engine(params)
        body = {"max_tokens": 1, "temperature": 0.0, "cache_prompt": True}
        replies.append({text: str(engine.handle_completions(body | {"prompt": text})) for text in order})
    assert replies[0] != replies[1]


@pytest.mark.parametrize("template", ["chatml", "plain"])
def test_a_reply_is_the_same_whatever_was_asked_before(
    weights: Path, engines: list[Engine], template: str
) -> None:
    requests = requests_of(model_of(weights, template), prompts())
    alone = [said(model_of(weights, template), request) for request in requests]
    assert len({str(reply) for reply in alone}) == len(alone)
    for seed in range(3):
        order = random.Random(seed).choices(range(len(requests)), k=2 * len(requests))
        model = model_of(weights, template)
        for number in order:
            assert said(model, requests[number]) == alone[number]


def test_a_reply_without_reuse_is_the_same_after_replies_with_it(
    weights: Path, engines: list[Engine]
) -> None:
    shared, whole = model_of(weights), model_of(weights, reuse=False)
    for prompt in prompts()[:5]:
        request = whole.request(prompt, ONE)
        alone = said(model_of(weights), request)
        assert said(model_of(weights), shared.request(prompt, ONE)) != alone
        for _ in range(2):
            said(shared, shared.request(prompt, ONE))
            assert said(shared, request) == alone


def test_a_prompt_too_long_for_the_context_leaves_the_next_reply_as_it_was(
    weights: Path, engines: list[Engine]
) -> None:
    model = model_of(weights)
    fits = prompts()[0]
    request = model.request(fits, ONE)
    alone = said(model_of(weights), request)
    for long in (replace(fits, turn="x" * 5000), replace(fits, case="x" * 5000)):
        for _ in range(2):
            with pytest.raises(MedagentsError, match=r"toy: the engine refused the prompt.*context size"):
                model.complete(model.request(long, ONE))
        assert said(model, request) == alone


def test_a_reply_is_the_same_after_another_system_text(weights: Path, engines: list[Engine]) -> None:
    prompt = prompts()[0]
    other = replace(prompt, system="Reply with one letter.")
    model = model_of(weights)
    alone = said(model_of(weights), model.request(prompt, ONE))
    model.complete(model.request(other, ONE))
    assert said(model, model.request(prompt, ONE)) == alone


def test_a_reply_with_reuse_is_the_same_after_one_without(weights: Path, engines: list[Engine]) -> None:
    model = model_of(weights)
    request, whole = (model_of(weights, reuse=reuse).request(prompts()[0], ONE) for reuse in (True, False))
    alone = said(model_of(weights), request)
    model.complete(whole)
    assert said(model, request) == alone


@pytest.mark.parametrize("call", [1, 3, 6])
def test_a_reply_is_the_same_after_an_interrupt(weights: Path, engines: list[Engine], call: int) -> None:
    model = model_of(weights)
    request = model.request(prompts()[0], ONE)
    alone = said(model_of(weights), request)
    model._start().fail_at = call
    with pytest.raises(KeyboardInterrupt):
        model.complete(request)
    assert said(model, request) == alone


def test_without_reuse_every_prompt_is_evaluated_whole_and_once(weights: Path, engines: list[Engine]) -> None:
    model = model_of(weights, reuse=False)
    for prompt in prompts()[:3]:
        model.complete(model.request(prompt, ONE))
    assert [body["cache_prompt"] for body in engines[0].bodies] == [False] * 3


def test_with_reuse_the_arms_of_a_case_evaluate_it_once(weights: Path, engines: list[Engine]) -> None:
    model = model_of(weights)
    for prompt in prompts()[:3]:
        model.complete(model.request(prompt, ONE))
    head, case, prompt = render(model.request(prompts()[0], ONE))
    sent = [body["prompt"] for body in engines[0].bodies]
    assert sent[:6] == [head, head, head, case, case, prompt]
    assert [body["cache_prompt"] for body in engines[0].bodies[:6]] == [False, True, True, True, True, True]
    assert [text for text in sent[6:] if text in (head, case)] == [case, case]
    assert len(sent) == 10


# The request


def test_a_request_needs_neither_engine_nor_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    model = LocalModel("toy", Path("/nowhere/toy.gguf"), "ab" * 32, "chatml")
    request = model.request(Prompt("Reply.", "Gout?", "\n\nDr. Adams: B", (("Q", "A"),)), ONE, repeat=2)
    assert request == Request(
        model="toy",
        weights="ab" * 32,
        system="Reply.",
        messages=(Message("user", "Q"), Message("assistant", "A"), Message("user", "Gout?\n\nDr. Adams: B")),
        engine={"name": "llama.cpp", "context": 4096, "batch": 512, "template": "chatml", "case_chars": 5},
        decoding=ONE,
        repeat=2,
    )


def test_without_reuse_only_the_cut_differs_in_the_request(weights: Path) -> None:
    prompt = prompts()[0]
    shared = model_of(weights).request(prompt, ONE)
    whole = model_of(weights, reuse=False).request(prompt, ONE)
    assert whole == replace(shared, engine={**shared.engine, "case_chars": None})


def test_chat_form_and_its_stages_by_hand(weights: Path) -> None:
    model = model_of(weights)
    prompt = Prompt("Reply with the letter only.", "Gout?", "\n\nDr. Adams: B", (("Q", "A"),))
    head = f"{HEAD}<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\nA<|im_end|>\n"
    whole = f"{head}<|im_start|>user\nGout?\n\nDr. Adams: B<|im_end|>\n<|im_start|>assistant\n"
    assert render(model.request(prompt, ONE)) == [head, f"{head}<|im_start|>user\nGout?", whole]
    board_first = replace(prompt, case="", turn="Dr. Adams: B\n\nGout?")
    assert render(model.request(board_first, ONE))[:-1] == [head]
    assert render(model_of(weights, reuse=False).request(prompt, ONE)) == [whole]


def test_plain_form_by_hand(weights: Path) -> None:
    request = model_of(weights, "plain").request(Prompt("", "Gout?", " Answer:"), ONE)
    assert render(request) == ["Gout?", "Gout? Answer:\n\n"]


def test_every_stage_begins_the_next(weights: Path) -> None:
    for template in local.TEMPLATES:
        for request in requests_of(model_of(weights, template), prompts()):
            stages = render(request)
            assert all(
                longer.startswith(shorter) and longer != shorter
                for shorter, longer in itertools.pairwise(stages)
            )


def test_an_unknown_template_lists_the_known_ones(weights: Path) -> None:
    with pytest.raises(MedagentsError, match="unknown template 'alpaca'; known: chatml, plain"):
        model_of(weights, "alpaca")


# The reply


def scripted(
    engine: Engine, text: str, finish: str, content: list[Any] | None = None, raw: bool = False
) -> None:
    """Make an engine answer the same to everything."""
    body = {
        "choices": [{"text": text, "finish_reason": finish, "logprobs": content and {"content": content}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }
    engine.handle_completions = lambda _: json.dumps(body) if raw else body  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("text", "finish", "asked", "status"),
    [
        ("B", "length", 1, Status.ANSWERED),
        ("B. Gout", "stop", 40, Status.ANSWERED),
        ("Because the", "length", 40, Status.TRUNCATED),
        ("", "stop", 40, Status.EMPTY),
        ("", "length", 1, Status.EMPTY),
    ],
)
def test_what_became_of_a_reply(
    weights: Path, engines: list[Engine], text: str, finish: str, asked: int, status: Status
) -> None:
    model = model_of(weights)
    for raw in (False, True):
        scripted(model._start(), text, finish, raw=raw)
        reply = model.complete(model.request(prompts()[0], Decoding(max_tokens=asked)))
        assert (reply.status, reply.text, reply.finish) == (status, text or None, finish)
        assert (reply.usage.prompt, reply.usage.completion, reply.letters) == (12, 3, None)
        assert (reply.provenance, reply.model_returned, reply.engine) == (
            Provenance.LOCAL,
            "toy",
            "xllamacpp 0",
        )
        assert reply.time.endswith("+00:00")


def test_letters_are_read_from_the_first_token_of_the_reply(weights: Path, engines: list[Engine]) -> None:
    model = model_of(weights)
    first = {"top_logprobs": [{"token": " B", "logprob": -1.0}]}
    second = {"top_logprobs": [{"token": "C", "logprob": -0.5}]}
    scripted(model._start(), " B", "length", [first, second])
    assert model.complete(model.request(prompts()[0], ONE)).letters == {"B": -1.0}


def test_a_prompt_may_ask_for_other_labels_which_are_then_part_of_the_key(weights: Path) -> None:
    model = LocalModel("m", weights, "0" * 64, "chatml")
    asked, plain = (
        model.request(Prompt("System", "Case", "Turn", labels=labels), Decoding())
        for labels in ("YN", LETTERS)
    )
    assert asked.engine == plain.engine | {"labels": "YN"}
    tokens = [{"token": token, "logprob": math.log(0.25)} for token in ("Y", " Y", "N", "B")]
    assert letter_logprobs(tokens, "YN") == {"N": round(math.log(0.25), 6), "Y": round(math.log(0.5), 6)}


def test_spellings_of_a_letter_are_summed_and_other_tokens_left_out() -> None:
    tokens = {"A": -1.0, " A": -2.0, "a": -0.1, "AB": -0.2, "B\n": -3.0, "K": -0.3, "": -0.4, "C": -2000.0}
    found = letter_logprobs([{"token": token, "logprob": value} for token, value in tokens.items()])
    assert found == {"A": -0.686738, "B": -3.0}  # ln(e^-1 + e^-2) = -1 + ln(1 + e^-1); e^-2000 is 0


def test_sampling_settings_reach_the_engine_and_cut_no_token_off(
    weights: Path, engines: list[Engine]
) -> None:
    model = model_of(weights)
    model.complete(model.request(prompts()[0], Decoding(0.7, 9, 5, 0.9, ("\n",), 3)))
    body = engines[0].bodies[-1]
    assert {
        name: body[name] for name in ("temperature", "max_tokens", "seed", "top_p", "stop", "logprobs")
    } == {
        "temperature": 0.7,
        "max_tokens": 9,
        "seed": 5,
        "top_p": 0.9,
        "stop": ["\n"],
        "logprobs": 3,
    }
    assert (body["top_k"], body["min_p"]) == (0, 0.0)
    model.complete(model.request(prompts()[0], ONE))
    assert (engines[0].bodies[-1]["top_p"], engines[0].bodies[-1]["seed"]) == (1.0, 0)


# Starting the engine


def test_the_engine_starts_once_with_the_settings_that_the_key_names(
    weights: Path, engines: list[Engine]
) -> None:
    model = model_of(weights)
    assert engines == []
    for prompt in prompts()[:2]:
        model.complete(model.request(prompt, ONE))
    (engine,) = engines
    named = model.request(prompts()[0], ONE).engine
    assert engine.params.model.path == str(weights)
    assert (engine.params.n_ctx, engine.params.n_ubatch) == (named["context"], named["batch"])


def test_threads_get_the_replies_of_one_call_after_another(weights: Path, engines: list[Engine]) -> None:
    model = model_of(weights)
    requests = [model.request(prompt, ONE) for prompt in prompts()] * 8
    one_by_one = [model.complete(request).letters for request in requests]
    assert len({str(letters) for letters in one_by_one}) > 1
    shared = model_of(weights)
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)  # threads take turns as often as they can
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda request: shared.complete(request).letters, requests))
    finally:
        sys.setswitchinterval(interval)
    assert together == one_by_one and len(engines) == 2


def test_without_the_engine_the_error_says_how_to_install_it(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    model = model_of(weights)
    with pytest.raises(MedagentsError, match="xllamacpp is not installed; run: make local"):
        model.complete(model.request(prompts()[0], ONE))


def test_other_weights_than_the_key_names_are_refused_before_the_engine_starts(
    weights: Path, engines: list[Engine]
) -> None:
    model = model_of(weights, sha256="cd" * 32, remedy="run: fetch toy")
    with pytest.raises(
        MedagentsError, match=r"toy\.gguf: SHA-256 is \w{12}, expected cdcdcdcdcdcd;.*fetch toy"
    ):
        model.complete(model.request(prompts()[0], ONE))
    weights.unlink()
    with pytest.raises(MedagentsError, match=r"toy\.gguf: no such weights; run: fetch toy"):
        model.complete(model.request(prompts()[0], ONE))
    assert engines == []


def test_an_image_is_refused_before_anything_is_sent() -> None:
    model = LocalModel("text-only", Path("none.gguf"), "0" * 64, "chatml")
    shown = Prompt("", "Which lobe?", "", images=(Image(b"film", "image/png"),))
    with pytest.raises(MedagentsError, match="text-only reads text only"):
        model.request(shown, ONE)
