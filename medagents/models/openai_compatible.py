"""Chat models behind OpenAI's protocol (`openai` SDK): vLLM, llama.cpp, Ollama and OpenAI itself.

The address is `--base-url` or `MEDAGENTS_BASE_URL`, OpenAI's own without. The key is read from
`OPENAI_API_KEY` and from nowhere else; a server of one's own may need none.

Three things decide whether two servers mean the same by a request:

- What is left open is sent (`top_p` 1), but vLLM also takes top-k and penalties from the model's
  `generation_config.json`, which this protocol cannot name: serve with `--generation-config vllm`.
- Log-probabilities are asked for and done without where the server has none; no word depends on them.
- The returned model must be the one asked, or the run stops (`ModelDrift`). vLLM returns the served
  name. Ollama may add `:latest`; llama.cpp names the file, with or without its folder and `.gguf`,
  unless it was started with `--alias`. None of these is drift, and `model_returned` is without them.
  llama.cpp before December 2025 repeats whatever name it is asked for, so drift cannot be seen there
  (https://github.com/ggml-org/llama.cpp/pull/17668).
"""

import json
import logging
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from medagents.keys import Json
from medagents.models.calls import Caller, CallFailed, Limits, QuotaExhausted, prompt_tokens, retry_after
from medagents.models.letters import MOST_LISTED
from medagents.models.openai_wire import body, reply, words
from medagents.models.scripted import chat
from medagents.types import LETTERS, Decoding, MedagentsError, Prompt, Reply, Request, Transport

if TYPE_CHECKING:
    import openai

log = logging.getLogger(__name__)

KEY = "OPENAI_API_KEY"
"""The one variable the key is read from."""

NO_KEY = "none"
"""What a server is sent where there is no key: the SDK insists on one, local servers ignore it."""

ADDRESS = "MEDAGENTS_BASE_URL"
"""The variable that names the server's address where none is given."""

OPENAI = "https://api.openai.com/v1"

PREFIX, FOLDER_PREFIX = "openai:", "openai--"
"""How a model is asked for, and how its name begins as a folder and in printed commands."""

AGAIN = (408, 409, 429)
"""HTTP statuses below 500 after which the same request may be answered."""

A_DAY = re.compile(r"per day|\((R|T)PD\)|daily", re.IGNORECASE)
"""How a message tells a quota of a day (requests or tokens per day) from one of a minute."""


class OpenAIModel:
    """One model of one server. Threads may share it.

    Args:
        model: name as the server knows it, such as `Qwen/Qwen2.5-7B-Instruct`.
        transport: address, timeout and attempts; the address is `MEDAGENTS_BASE_URL` where it has none.
        limits: what the server allows a minute.

    Raises:
        MedagentsError: a name that cannot be written as a folder and read back, or what is no address.
    """

    def __init__(self, model: str, transport: Transport | None = None, limits: Limits | None = None) -> None:
        self.model, self.name = model, folder_name(model)
        self.transport = _addressed(transport or Transport())
        self.call = Caller(self.name, self.transport, limits or Limits())
        self._client: openai.OpenAI | None = None
        self._starting = threading.Lock()
        self._lists_logprobs = True

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The request in chat form, images before the text of the last message."""
        labels = {} if prompt.labels == LETTERS else {"labels": prompt.labels}
        return Request(
            model=self.model,
            system=prompt.system,
            messages=chat(prompt),
            images=prompt.images,
            engine={"name": "chat completions", **labels},
            decoding=replace(decoding, top_logprobs=min(decoding.top_logprobs, MOST_LISTED)),
            repeat=repeat,
            transport=self.transport,
        )

    def complete(self, request: Request) -> Reply:
        """Ask the server.

        Raises:
            QuotaExhausted: a quota of a day, or of credit, is used up.
            MedagentsError: no reply came, or the server refuses the request.
        """
        client = self._start()
        return self.call(
            lambda: self._attempt(client, request), prompt_tokens(request) + request.decoding.max_tokens
        )

    def _start(self) -> "openai.OpenAI":
        with self._starting:
            if self._client is None:
                self._client = open_client(self.transport)
            return self._client

    def _attempt(self, client: "openai.OpenAI", request: Request) -> Reply:
        import openai

        asked = request if self._lists_logprobs else _without_logprobs(request)
        sent = body(asked, own=self.transport.base_url is not None)
        try:
            return reply(_post(client, sent), asked, f"openai {openai.__version__}")
        except ValueError:
            failed = CallFailed("the answer is no JSON")
        except CallFailed as error:
            failed = CallFailed(self._safe(str(error)))
        except openai.APITimeoutError:
            failed = CallFailed(f"no answer within {self.transport.timeout:g} s")
        except openai.APIConnectionError as error:
            failed = CallFailed(
                f"no connection to {self._address()} ({self._safe(str(error.__cause__ or error))})"
            )
        except openai.APIStatusError as error:
            said = self._safe(words(error.body))
            failed = refusal(error.status_code, said, error.code, error.response.headers)
            if error.status_code == 400 and "logprobs" in sent and "logprobs" in said:
                failed = self._do_without_logprobs(said)
        raise failed  # out here the SDK's exception, which may hold the key, is not chained to it

    def _do_without_logprobs(self, said: str) -> CallFailed:
        if self._lists_logprobs:
            log.warning("%s: done without log-probabilities (%s)", self.name, said)
        self._lists_logprobs = False
        return CallFailed(said, delay=0)

    def _safe(self, said: str) -> str:
        """What a server said, on one line and without the key, which some servers repeat."""
        key = self._client.api_key if self._client else NO_KEY
        said = said if key == NO_KEY else said.replace(key, f"[{KEY}]")
        return " ".join(said.split())[:300]

    def _address(self) -> str:
        return re.sub("//[^/@]*@", "//", self.transport.base_url or OPENAI)


def _addressed(transport: Transport) -> Transport:
    url = transport.base_url or os.environ.get(ADDRESS, "").strip() or None
    if url and not re.match("https?://.", url):
        raise MedagentsError(f"{url!r} is no address; give one such as http://localhost:8000/v1")
    return replace(transport, base_url=url)


def _post(client: "openai.OpenAI", sent: Json) -> Any:
    """The body of the answer. Both bodies are plain: the SDK's types have no place for what a server leaves
    out, and to go through them takes half of a call's CPU time.
    """
    answer = client.post("/chat/completions", body=sent, cast_to=object)
    # A server that does not say that it sends JSON may do so all the same.
    return json.loads(answer) if isinstance(answer, str) else answer


def _without_logprobs(request: Request) -> Request:
    return replace(request, decoding=replace(request.decoding, top_logprobs=0))


def open_client(transport: Transport) -> "openai.OpenAI":
    """The SDK's client: retries off, a connection for each concurrent call, no redirect with the key.

    Raises:
        MedagentsError: the SDK is not installed, or the variable holds what is no key.
    """
    try:
        import httpx2
        import openai
    except ImportError:
        raise MedagentsError("openai is not installed; run: pip install 'medagents[live]'") from None
    key = os.environ.get(KEY, "").strip() or NO_KEY
    if not re.fullmatch("[!-~]+", key):
        raise MedagentsError(f"{KEY} holds characters that no key has; copy it again")
    pool = httpx2.Limits(
        max_connections=transport.concurrency, max_keepalive_connections=transport.concurrency
    )
    return openai.OpenAI(
        api_key=key,
        base_url=transport.base_url or OPENAI,
        max_retries=0,  # `Caller` alone tries again
        http_client=httpx2.Client(limits=pool, timeout=transport.timeout, follow_redirects=False),
    )


def folder_name(model: str) -> str:
    """The name of a model as one folder: `/` becomes `--` and `:` becomes `@`.

    Raises:
        MedagentsError: a name that would not be the same when read back.
    """
    folder = FOLDER_PREFIX + model.replace("/", "--").replace(":", "@")
    if not re.fullmatch(r"[A-Za-z0-9_.:/-]+", model) or server_name(folder) != model:
        raise MedagentsError(
            f"model {model!r} cannot be a folder's name; serve it by one of letters, digits and . _ - / :"
        )
    return folder


def server_name(name: str) -> str:
    """The name that the server knows, from either form: `openai:a/b` or `openai--a--b`."""
    if name.startswith(PREFIX):
        return name.removeprefix(PREFIX)
    return name.removeprefix(FOLDER_PREFIX).replace("--", "/").replace("@", ":")


def refusal(status: int, said: str, code: str | None, headers: Mapping[str, str]) -> CallFailed:
    """What an HTTP error means: stop for good, wait and try again, or give up this call."""
    if status == 429 and (code == "insufficient_quota" or A_DAY.search(said)):
        return QuotaExhausted(f"HTTP 429: {said}")
    if status in AGAIN or status >= 500:
        return CallFailed(f"HTTP {status}: {said}", retry_after(headers.get("retry-after")))
    hints = {401: f"; set {KEY}", 403: f"; check {KEY}", 404: "; check --model and --base-url"}
    return CallFailed(f"HTTP {status}: {said}{hints.get(status, '')}", again=False)
