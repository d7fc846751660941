"""What the OpenAI protocol answers: chat completions, well and badly."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .server import Answer, Behaviour, Received, Route, Say

Json = dict[str, Any]

LISTED = "ABCDEFGHIJYN"
"""Letters whose log-probability is listed where it is asked for, the answer first."""


def prompt_of(received: Received) -> str:
    """The texts of all messages, in order."""
    return "\n".join(text for message in received.json["messages"] for text in texts(message["content"]))


def texts(content: Any) -> list[str]:
    """The texts of one message, which is a text or a list of parts."""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def images(received: Received) -> list[tuple[str, bytes]]:
    """Mime type and bytes of every image, in order."""
    urls = [
        part["image_url"]["url"]
        for message in received.json["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    pairs = [url.removeprefix("data:").split(";base64,") for url in urls]
    return [(mime, base64.b64decode(data, validate=True)) for mime, data in pairs]


def completion(received: Received, say: Say) -> Answer:
    """A whole reply, named as the model that was asked; what OpenAI and vLLM refuse is refused."""
    asked = received.json
    if asked.get("top_logprobs", 0) > 20:
        return refused(400, "Invalid 'top_logprobs': expected a value <= 20.")
    if asked.get("top_logprobs") and not asked.get("logprobs"):
        return refused(400, "'top_logprobs' needs 'logprobs'.")
    prompt = prompt_of(received)
    text = say(prompt)
    usage = {"prompt_tokens": max(1, len(prompt) // 4), "completion_tokens": max(1, len(text) // 4)}
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "logprobs": logprobs(text) if asked.get("logprobs") else None,
        "message": {"role": "assistant", "content": text, "refusal": None},
    }
    return Answer(
        {
            "id": f"chatcmpl-{received.number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": asked["model"],
            "choices": [choice],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }
    )


def logprobs(text: str) -> Json:
    """The first letter of a text as likeliest first token, then the others."""
    first = text[:1]
    listed = [first, *(letter for letter in LISTED if letter != first)]
    pairs = [
        {"token": letter, "logprob": -0.1 if letter == first else -4.0, "bytes": [ord(letter)]}
        for letter in listed
    ]
    return {"content": [{**pairs[0], "top_logprobs": pairs}], "refusal": None}


def refused(
    status: int, message: str, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """An HTTP error in the usual form."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Answer({"error": error}, status, headers or {})


def too_many(retry_after: str | None = None, message: str = "Rate limit reached.") -> Answer:
    """Status 429, of a minute unless the message says otherwise."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return refused(429, message, "rate_limit_exceeded", headers)


def changed(**fields: Any) -> Behaviour:
    """The good reply with other top-level fields, such as `model` or `choices`."""
    return lambda good: replace(good, body=good.body | fields)


def choice(**fields: Any) -> Behaviour:
    """The good reply with other fields in its choice, such as `finish_reason`."""
    return lambda good: replace(good, body=good.body | {"choices": [good.body["choices"][0] | fields]})


def message(**fields: Any) -> Callable[[Answer], Answer]:
    """The good reply with other fields in its message, such as `content`."""

    def change(good: Answer) -> Answer:
        [held] = good.body["choices"]
        return replace(good, body=good.body | {"choices": [held | {"message": held["message"] | fields}]})

    return change


ROUTES = [Route("POST", "(/v1)?/chat/completions", completion)]
