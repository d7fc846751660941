"""Open weights in process, through llama.cpp (`xllamacpp`, an optional extra that replay does not need).

**Prefix reuse.** All arms of a case begin with the same examples and case, so these are evaluated
once and only the rest of each arm anew. With a plain prompt cache a reply would depend on whatever
was evaluated before; here every request is cut back to the same points (after the examples, after
the case) before its own part is read, so a reply is a function of its own request and nothing else.
The cut is part of the key (`engine.case_chars`). It differs by rounding from one pass over the whole
prompt; `reuse=False` records that pass, and notebook 00 shows the difference.
"""

import json
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from medagents.models.catalog import check_weights
from medagents.models.letters import letter_logprobs
from medagents.models.scripted import chat
from medagents.types import (
    LETTERS,
    Decoding,
    MedagentsError,
    Prompt,
    Provenance,
    Reply,
    Request,
    Status,
    Usage,
)

CONTEXT = 4096
"""Tokens of context: every prompt of the experiments fits; part of the key."""

BATCH = 512
"""Tokens evaluated together; changes rounding, so part of the key."""

TEMPLATES: Mapping[str, tuple[str, str]] = {
    "chatml": ("<|im_start|>{role}\n{text}<|im_end|>\n", "<|im_start|>{role}\n{text}"),
    "plain": ("{text}\n\n", "{text}"),
}
"""Template name -> (a closed turn, an open turn). `plain` is for base models without a chat format."""


class LocalModel:
    """One GGUF file. `reuse=False` evaluates every prompt whole (slower, for the engine's noise floor).

    Threads may share it: it takes one call at a time, since parallel calls change results.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        sha256: str,
        template: str,
        remedy: str = "give its path",
        reuse: bool = True,
    ) -> None:
        if template not in TEMPLATES:
            raise MedagentsError(f"unknown template {template!r}; known: {', '.join(TEMPLATES)}")
        self.name, self.path, self.sha256, self.template = name, path, sha256, template
        self.remedy, self.reuse = remedy, reuse
        self._turn = threading.Lock()
        self._server: Any = None
        self._primed: list[str] = []

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The request, weights named by their hash; needs neither the engine nor the weights.

        Raises:
            MedagentsError: the prompt has images, which these text models cannot see.
        """
        if prompt.images:
            raise MedagentsError(f"{self.name} reads text only; use a vision model through a provider")
        engine: dict[str, Any] = {"name": "llama.cpp", "context": CONTEXT, "batch": BATCH}
        engine |= {"template": self.template, "case_chars": len(prompt.case) if self.reuse else None}
        engine |= {} if prompt.labels == LETTERS else {"labels": prompt.labels}
        return Request(
            model=self.name,
            weights=self.sha256,
            system=prompt.system,
            messages=chat(prompt),
            engine=engine,
            decoding=decoding,
            repeat=repeat,
        )

    def complete(self, request: Request) -> Reply:
        """Run the request.

        Raises:
            MedagentsError: engine not installed, weights absent or of another hash, prompt too long.
        """
        with self._turn:
            return self._complete(request)

    def _complete(self, request: Request) -> Reply:
        server = self._start()
        *stages, prompt = render(request)
        self._prime(stages)
        decoding = request.decoding
        body = {
            "prompt": prompt,
            "max_tokens": decoding.max_tokens,
            "temperature": decoding.temperature,
            "top_p": 1.0 if decoding.top_p is None else decoding.top_p,
            "top_k": 0,
            "min_p": 0.0,
            "seed": decoding.seed or 0,
            "stop": list(decoding.stop),
            "logprobs": decoding.top_logprobs,
            "cache_prompt": bool(stages),
        }
        primed, self._primed = self._primed, []  # an interrupted call leaves nothing believed
        answer = self._post(server, body)
        self._primed = primed
        return self._reply(answer, decoding.max_tokens, request.engine.get("labels", LETTERS))

    def _prime(self, stages: list[str]) -> None:
        """Leave exactly the last stage in the engine's cache, evaluated in the same pieces always.

        A stage is sent twice when new: the engine re-reads at least one token of a prompt it
        holds, so only from the second time on is the cache what it will be ever after. A new
        first stage is read afresh, since it may begin as the last one did. What the cache holds
        is believed only when a call went through.
        """
        held, self._primed = self._primed, []
        if stages == held:
            todo = [(stages[-1], True)] if stages else []
        else:
            todo = [(stage, True) for stage in stages for _ in range(2)]
            if stages and stages[:1] != held[:1]:
                todo.insert(0, (stages[0], False))
        for stage, reuse in todo:
            body = {"prompt": stage, "max_tokens": 1, "temperature": 0.0, "cache_prompt": reuse}
            self._post(self._server, body)
        self._primed = stages

    def _post(self, server: Any, body: dict[str, Any]) -> dict[str, Any]:
        answer = server.handle_completions(body)
        reply: dict[str, Any] = json.loads(answer) if isinstance(answer, str) else answer
        if "choices" not in reply:
            raise MedagentsError(f"{self.name}: the engine refused the prompt: {str(reply)[:200]}")
        return reply

    def _reply(self, body: dict[str, Any], asked: int, labels: str) -> Reply:
        # Where one token was asked for, one token is the whole reply and no truncation.
        choice = body["choices"][0]
        finish = choice["finish_reason"]
        text = choice["text"] or None
        status = (
            Status.TRUNCATED
            if finish == "length" and asked > 1
            else Status.ANSWERED
            if text
            else Status.EMPTY
        )
        tokens = (choice.get("logprobs") or {}).get("content") or []
        usage = Usage(body["usage"]["prompt_tokens"], body["usage"]["completion_tokens"])
        return Reply(
            text=text,
            status=status,
            finish=finish,
            model_returned=self.name,
            usage=usage,
            engine=engine_version(),
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            provenance=Provenance.LOCAL,
            letters=letter_logprobs(tokens[0]["top_logprobs"], labels) if tokens else None,
        )

    def _start(self) -> Any:
        if self._server is None:
            try:
                import xllamacpp
            except ImportError as error:
                raise MedagentsError("xllamacpp is not installed; run: make local") from error
            check_weights(self.path, self.sha256, self.remedy)
            params = xllamacpp.CommonParams()
            params.model.path = str(self.path)
            params.n_ctx, params.n_batch, params.n_ubatch = CONTEXT, CONTEXT, BATCH
            params.n_parallel = 1  # parallel slots change results
            params.cache_ram_mib, params.n_ctx_checkpoints = 0, 0  # no cache but the one slot's
            threads = len(os.sched_getaffinity(0))  # not more than this process may use
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
            params.warmup, params.verbosity = False, 0
            self._server = xllamacpp.Server(params)
        return self._server


def render(request: Request) -> list[str]:
    """The prompt text, preceded by the stages it is evaluated in (none without reuse).

    Stages: system text and examples, then these with the case. Each is a prefix of the next.
    """
    closed, opened = TEMPLATES[request.engine["template"]]
    *shown, last = request.messages
    head = closed.format(role="system", text=request.system) if request.system else ""
    head += "".join(closed.format(role=message.role, text=message.text) for message in shown)
    prompt = head + closed.format(role=last.role, text=last.text) + opened.format(role="assistant", text="")
    case_chars = request.engine["case_chars"]
    if case_chars is None:
        return [prompt]
    case = head + opened.format(role=last.role, text=last.text[:case_chars])
    return [stage for stage in ([head, case] if case_chars else [head]) if stage] + [prompt]


def engine_version() -> str:
    """Engine package and version, as stored with each reply."""
    from importlib.metadata import version

    return f"xllamacpp {version('xllamacpp')}"
