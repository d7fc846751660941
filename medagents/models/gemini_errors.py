"""What a failure of the Gemini API means: whether to ask again, when, or what the user can do.

The service repeats the key in some of its messages (google/generative-ai-docs#356 shows one), so every
text passes through `without_key`.
"""

import json
import re
from typing import Any
from urllib.parse import quote

from medagents.keys import Json
from medagents.models.calls import CallFailed, QuotaExhausted, retry_after

KEY = "GEMINI_API_KEY"
"""The one variable the key is read from; `GOOGLE_API_KEY` is not."""

AGAIN = frozenset({408, 429, 500, 502, 503, 504})
"""HTTP statuses after which another attempt makes sense."""


def failure(error: Exception, key: str) -> CallFailed:
    """What an exception of the SDK or its connection means, in one line without the key."""
    import httpx2
    from google.genai import errors

    if isinstance(error, errors.APIError):
        return _refused(error, key)
    words = f"{type(error).__name__}: {without_key(str(error), key)}"
    if isinstance(error, httpx2.TimeoutException):
        return CallFailed(f"no answer within the timeout ({words})")
    if isinstance(error, httpx2.RequestError):
        return CallFailed(f"connection failed ({words})")
    if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError, errors.UnknownApiResponseError)):
        return CallFailed("the service's answer is no JSON")
    return CallFailed(f"the SDK failed ({words})", again=False)


def _refused(error: Any, key: str) -> CallFailed:
    """An answer of the service with an error status."""
    body: Json = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error", body)
    listed = inner.get("details") if isinstance(inner, dict) else None
    details = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    words = without_key(f"{error.code} {error.status or ''}: {error.message or 'no message'}", key)
    if error.code == 429:
        quotas = json.dumps(_of(details, "QuotaFailure"))
        if re.search(r"per_?day", quotas, re.IGNORECASE):
            return QuotaExhausted(f"{words} (quota of a day)")
        return CallFailed(words, delay=_delay(error, details))
    if error.code in AGAIN:
        return CallFailed(words, delay=_delay(error, details))
    return CallFailed(f"{words}; {_remedy(error.code, details)}", again=False)


def _remedy(code: int, details: list[Json]) -> str:
    if code in (401, 403) or any(one.get("reason") == "API_KEY_INVALID" for one in details):
        return f"check the key in {KEY} and what it is allowed"
    if code == 404:
        return "check the model's name, and whether it is still served"
    return "the request is refused as it is: check the model's settings"


def _delay(error: Any, details: list[Json]) -> float | None:
    """Seconds the service asks to wait: `RetryInfo` ("37s", "1.5s"), else the header `Retry-After`."""
    for one in _of(details, "RetryInfo"):
        if found := re.fullmatch(r"(\d+(?:\.\d+)?)s", str(one.get("retryDelay"))):
            return float(found[1])
    return retry_after(error.response.headers.get("retry-after")) if error.response is not None else None


def _of(details: list[Json], kind: str) -> list[Json]:
    return [one for one in details if str(one.get("@type", "")).endswith(f"google.rpc.{kind}")]


def without_key(text: str, key: str) -> str:
    """A text in one line, at most 300 characters, with the variable's name in place of the key."""
    for spelled in (key, quote(key, safe="")):
        text = text.replace(spelled, KEY)
    return " ".join(text.split())[:300]
