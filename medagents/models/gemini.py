"""Gemini through `google-genai`: one attempt at a time, each outcome named, the key nowhere to be seen.

The key is read from `GEMINI_API_KEY` alone. Failures are told in words of our own (`gemini_errors`), and
the SDK's exceptions are not chained to them, since they may hold the key.

Tokens of reasoning (`gemini_thinking`) are taken from `maxOutputTokens`, which is therefore the answer's
tokens with room for reasoning; a reply cut short inside its reasoning has no text at all.
Newer models take a temperature and ignore it: what was asked is in the key, no more is promised.
"""

import json
import logging
import os
import re
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from medagents.keys import Json
from medagents.models import gemini_wire as wire
from medagents.models.calls import Caller, CallFailed, Limits, prompt_tokens
from medagents.models.gemini_errors import KEY, failure
from medagents.models.gemini_thinking import model_and_thinking, recorded_name, thinking_config, thinking_room
from medagents.models.letters import MOST_LISTED
from medagents.models.scripted import chat
from medagents.types import LETTERS, Decoding, MedagentsError, Prompt, Reply, Request, Status, Transport

if TYPE_CHECKING:
    from google.genai import Client

T = TypeVar("T")

ADDRESS = "https://generativelanguage.googleapis.com"
API_VERSION = "v1beta"
"""The version whose reference describes batches; the SDK's own default has changed between releases."""

SAFETY: Mapping[str, str] = {
    "HARM_CATEGORY_HARASSMENT": "OFF",
    "HARM_CATEGORY_HATE_SPEECH": "OFF",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT": "OFF",
    "HARM_CATEGORY_DANGEROUS_CONTENT": "OFF",
}
"""The four adjustable filters, off: clinical text and images trip them. Others cannot be set."""

ANSWER_ROOM = 64
"""Tokens of the answer beyond those asked: a chat model seldom replies with the letter alone."""


class GeminiModel:
    """A model of the Gemini API. Threads may share it; `close` it, or use it in a `with` block.

    Args:
        name: an exact model name, with `@` and a thinking setting if it is to reason more than it must. An
            alias such as `gemini-flash-latest` changes its meaning and is refused.
        thinking: the setting, if not in the name: a budget in tokens (2.5: 0 is none, -1 leaves it to the
            model) or a level such as "LOW" (from 3 on). None is the least that every model of the
            generation takes.
        safety: harm category -> threshold.
        media_resolution: such as "MEDIA_RESOLUTION_HIGH"; the service's default if None.
        logprobs: ask for log-probabilities. Few models of this API give them, the others refuse the call.
        api_version: part of the address, and of the key.
        limits: requests and tokens a minute; the service counts tokens of the prompt only.
        transport: timeout, attempts, concurrency, address.
        api_key: the key, read from `GEMINI_API_KEY` at the first call if None.
        caller: paces the calls and tries them again; for tests.

    Raises:
        MedagentsError: an alias, or a thinking setting of another generation.
    """

    def __init__(
        self,
        name: str,
        *,
        thinking: int | str | None = None,
        safety: Mapping[str, str] = SAFETY,
        media_resolution: str | None = None,
        logprobs: bool = False,
        api_version: str = API_VERSION,
        limits: Limits | None = None,
        transport: Transport | None = None,
        api_key: str | None = None,
        caller: Caller | None = None,
    ) -> None:
        self.model, named = model_and_thinking(name)
        if not re.fullmatch(r"[\w.-]+", self.model) or self.model.endswith("-latest"):
            raise MedagentsError(
                f"{name!r} is no exact model name; give one of https://ai.google.dev/gemini-api/docs/models"
            )
        self.thinking = thinking_config(self.model, named if thinking is None else thinking)
        self.name = recorded_name(self.model, self.thinking)
        self.safety, self.media_resolution, self.logprobs = dict(safety), media_resolution, logprobs
        self.api_version, self.transport = api_version, transport or Transport()
        self._call = caller or Caller(self.name, self.transport, limits or Limits())
        self._key = api_key
        self._opened: Client | None = None
        self._lock = threading.Lock()

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The request; needs neither the SDK nor a key.

        `decoding.max_tokens` becomes all that the service may generate: the answer, with `ANSWER_ROOM`,
        and the reasoning before it.
        """
        most = min(decoding.top_logprobs, MOST_LISTED) if self.logprobs else 0
        engine: dict[str, Any] = {"name": "gemini", "api_version": self.api_version, "safety": self.safety}
        engine |= {"media_resolution": self.media_resolution} if self.media_resolution else {}
        engine |= {"labels": prompt.labels} if most and prompt.labels != LETTERS else {}
        tokens = decoding.max_tokens + ANSWER_ROOM + thinking_room(self.thinking)
        return Request(
            model=self.model,
            system=prompt.system,
            messages=chat(prompt),
            images=prompt.images,
            engine=engine,
            decoding=replace(decoding, max_tokens=tokens, top_logprobs=most),
            thinking=self.thinking,
            repeat=repeat,
            transport=self.transport,
        )

    def complete(self, request: Request) -> Reply:
        """Make the call, again where that makes sense; any reply ends it, also one blocked or cut off.

        Raises:
            QuotaExhausted: a quota that does not come back within minutes.
            MedagentsError: no key, or no reply.
        """
        return self.send(request, wire.body(request))

    def send(self, request: Request, body: Json) -> Reply:
        """`complete`, with the body of `request` at hand (`gemini_batch` keeps it in a file)."""
        return self.call(lambda client: self._generate(client, request, body), prompt_tokens(request))

    def call(self, action: Callable[["Client"], T], tokens: int = 0) -> T:
        """What `action` returns of the open client: paced, tried again, its failures told without the key.

        Raises:
            QuotaExhausted, MedagentsError: as in `complete`.
        """
        return self._call(lambda: self._attempt(action), tokens)

    def _attempt(self, action: Callable[["Client"], T]) -> T:
        key = self._secret()
        try:
            return action(self._client(key))
        except MedagentsError:
            raise
        except Exception as error:
            failed = failure(error, key)
        raise failed  # out here no exception that may hold the key is chained to it

    def _generate(self, client: "Client", request: Request, body: Json) -> Reply:
        from google.genai import types

        config = {name: part for name, part in body.items() if name not in ("contents", "generationConfig")}
        config |= body["generationConfig"]
        config["automaticFunctionCalling"] = {"disable": True}
        # The answer as sent: the SDK's own reading warns of reasons it does not know, drops fields, and
        # calls again where an answer is to be continued.
        config["shouldReturnHttpResponse"] = True
        answer = client.models.generate_content(
            model=request.model,
            contents=body["contents"],
            config=types.GenerateContentConfig.model_validate(config),
        )
        sent = answer.sdk_http_response
        reply = wire.reply(json.loads(sent.body or "" if sent else ""), request, engine_version(), now())
        if reply.status is Status.ERROR:
            raise CallFailed(
                f"{reply.finish}: the service has limited or disabled the account of {KEY}", again=False
            )
        return reply

    def _secret(self) -> str:
        if self._key is None:
            self._key = os.environ.get(KEY)
        key = (self._key or "").strip()
        if not key:
            raise MedagentsError(f"{KEY} is not set; put a key of the Gemini API there, or replay recordings")
        if not re.fullmatch(r"[!-~]+", key):
            raise MedagentsError(f"{KEY} holds characters that no key has; copy it again")
        return key

    def _client(self, key: str) -> "Client":
        with self._lock:
            if self._opened is None:
                self._opened = open_client(key, self.api_version, self.transport)
            return self._opened

    def close(self) -> None:
        """Close the connections; a later call opens them again."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()

    def __enter__(self) -> "GeminiModel":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_client(key: str, api_version: str, transport: Transport) -> "Client":
    """The SDK's client: retries off, a connection for each concurrent call, no redirect with the key.

    Nothing but the arguments counts: variables that would send calls to another address or by another
    account are overridden.

    Raises:
        MedagentsError: the SDK is not installed.
    """
    try:
        import httpx2
        from google.genai import Client, types
    except ImportError:
        raise MedagentsError("google-genai is not installed; run: pip install 'medagents[live]'") from None
    pool = httpx2.Limits(
        max_connections=transport.concurrency, max_keepalive_connections=transport.concurrency
    )
    options = types.HttpOptions(
        base_url=transport.base_url or ADDRESS,
        api_version=api_version,
        timeout=round(1000 * transport.timeout),
        client_args={"limits": pool, "follow_redirects": False},
    )
    # The SDK warns of a state of a job, or the like, that is newer than it is.
    warnings.filterwarnings("ignore", r".* is not a valid \w+$", module=r"google\.genai")
    talk = logging.getLogger("google_genai._api_client")
    level = talk.level
    talk.setLevel(logging.ERROR)  # it would say that GOOGLE_API_KEY is used, which it is not
    try:
        return Client(api_key=key, vertexai=False, http_options=options)
    finally:
        talk.setLevel(level)


def engine_version() -> str:
    """SDK and version, as stored with each reply."""
    return f"google-genai {version('google-genai')}"


def now() -> str:
    """The time as stored, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
