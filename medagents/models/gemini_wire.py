"""The REST format of the Gemini API: a request as body, a body as reply.

Live calls and batch files share these two functions, so that a reply is a function of its request
and not of the way it was asked. The closed tables below say what became of a reply; the names are
those of the API (https://ai.google.dev/api/generate-content).
"""

import base64
from collections.abc import Mapping
from typing import Any

from medagents.keys import Json
from medagents.models.calls import CallFailed
from medagents.models.letters import letter_logprobs
from medagents.types import LETTERS, MedagentsError, Message, Provenance, Reply, Request, Status, Usage

ROLES: Mapping[str, str] = {"user": "user", "assistant": "model"}
"""Role of a message -> the API's word for it."""

FINISH: Mapping[str, Status] = {
    "STOP": Status.ANSWERED,
    "MAX_TOKENS": Status.TRUNCATED,
    "CONTINUATION": Status.TRUNCATED,
    "SAFETY": Status.BLOCKED,
    "RECITATION": Status.BLOCKED,
    "LANGUAGE": Status.BLOCKED,
    "BLOCKLIST": Status.BLOCKED,
    "PROHIBITED_CONTENT": Status.BLOCKED,
    "SPII": Status.BLOCKED,
    "ESCALATION": Status.BLOCKED,
    "MODEL_ARMOR": Status.BLOCKED,
    "IMAGE_SAFETY": Status.BLOCKED,
    "IMAGE_PROHIBITED_CONTENT": Status.BLOCKED,
    "IMAGE_RECITATION": Status.BLOCKED,
    "PUP_LIMITED_DISABLED": Status.ERROR,
    "FINISH_REASON_UNSPECIFIED": Status.UNPARSEABLE,
    "OTHER": Status.UNPARSEABLE,
    "IMAGE_OTHER": Status.UNPARSEABLE,
    "NO_IMAGE": Status.UNPARSEABLE,
    "MALFORMED_FUNCTION_CALL": Status.UNPARSEABLE,
    "MALFORMED_RESPONSE": Status.UNPARSEABLE,
    "UNEXPECTED_TOOL_CALL": Status.UNPARSEABLE,
    "TOO_MANY_TOOL_CALLS": Status.UNPARSEABLE,
    "MISSING_THOUGHT_SIGNATURE": Status.UNPARSEABLE,
}
"""`finishReason` of a candidate -> status. `PUP_LIMITED_DISABLED` is about the account (limited or
disabled), not about the prompt, so it is no reply. A reason that is not here is unparseable: stored
with its name, since it was paid for, and never scored."""

BLOCK: Mapping[str, Status] = {
    "BLOCKED_REASON_UNSPECIFIED": Status.BLOCKED,
    "SAFETY": Status.BLOCKED,
    "OTHER": Status.BLOCKED,
    "BLOCKLIST": Status.BLOCKED,
    "PROHIBITED_CONTENT": Status.BLOCKED,
    "IMAGE_SAFETY": Status.BLOCKED,
    "MODEL_ARMOR": Status.BLOCKED,
    "JAILBREAK": Status.BLOCKED,
}
"""`promptFeedback.blockReason` -> status, where the prompt was refused before anything was generated."""

PARTS = frozenset({"candidates", "promptFeedback", "usageMetadata", "modelVersion"})
"""What a `GenerateContentResponse` may consist of; one without any of these is something else."""


def body(request: Request) -> Json:
    """A request as `GenerateContentRequest`: the body of a live call, and `request` of a batch line.

    Images stand before the text of the last user message, their bytes untouched.

    Raises:
        MedagentsError: a message of an unknown role, or no user message at the end.
    """
    built: Json = {"contents": _contents(request)}
    if request.system:
        built["systemInstruction"] = {"parts": [{"text": request.system}]}
    if safety := request.engine.get("safety"):
        built["safetySettings"] = [
            {"category": category, "threshold": threshold} for category, threshold in safety.items()
        ]
    return built | {"generationConfig": _generation(request)}


def _contents(request: Request) -> list[Json]:
    *shown, last = request.messages
    if last.role != "user":
        raise MedagentsError(
            f"{request.model}: the last message is the {last.role}'s; Gemini answers a user's message only"
        )
    images = [
        {"inlineData": {"mimeType": image.mime, "data": base64.b64encode(image.data).decode("ascii")}}
        for image in request.images
    ]
    return [*(_turn(message, []) for message in shown), _turn(last, images)]


def _turn(message: Message, images: list[Json]) -> Json:
    if message.role not in ROLES:
        raise MedagentsError(f"message of role {message.role!r}; known: {', '.join(ROLES)}")
    return {"role": ROLES[message.role], "parts": [*images, {"text": message.text}]}


def _generation(request: Request) -> Json:
    decoding = request.decoding
    config: Json = {"temperature": float(decoding.temperature), "maxOutputTokens": decoding.max_tokens}
    if decoding.top_p is not None:
        config["topP"] = float(decoding.top_p)
    if decoding.seed is not None:
        config["seed"] = decoding.seed
    if decoding.stop:
        config["stopSequences"] = list(decoding.stop)
    if decoding.top_logprobs:
        config |= {"responseLogprobs": True, "logprobs": decoding.top_logprobs}
    if request.thinking:
        config["thinkingConfig"] = dict(request.thinking)
    if request.schema:
        config |= {"responseMimeType": "application/json", "responseJsonSchema": dict(request.schema)}
    if resolution := request.engine.get("media_resolution"):
        config["mediaResolution"] = resolution
    return config


def reply(answer: Json, request: Request, engine: str, time: str) -> Reply:
    """The reply in a `GenerateContentResponse`; status by the closed tables, whatever is missing.

    Thoughts are no part of the text. `model_returned` is without the prefix `models/`; where nothing
    was generated and the service names no model, it is the model asked.

    Args:
        answer: the response body.
        request: what was asked.
        engine: SDK and version, as stored.
        time: ISO 8601, as stored.

    Raises:
        CallFailed: the body is no such response.
    """
    try:
        if not answer.keys() & PARTS:
            raise ValueError(f"none of {', '.join(sorted(PARTS))}")
        return _reply(answer, request, engine, time)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        words = " ".join(str(error).split())[:200]
        raise CallFailed(f"the service's answer has another form than documented ({words})") from None


def _reply(answer: Json, request: Request, engine: str, time: str) -> Reply:
    candidates = answer.get("candidates") or []
    candidate = candidates[0] if candidates else {}
    parts = (candidate.get("content") or {}).get("parts") or []
    text = "".join(part.get("text") or "" for part in parts if not part.get("thought")) or None
    status, finish = _outcome(answer, candidate, text)
    used = answer.get("usageMetadata") or {}
    returned = (answer.get("modelVersion") or "").removeprefix("models/")
    return Reply(
        text=text,
        status=status,
        finish=finish,
        model_returned=returned or ("" if text else request.model),
        usage=Usage(
            prompt=used.get("promptTokenCount") or 0,
            completion=used.get("candidatesTokenCount") or 0,
            thoughts=used.get("thoughtsTokenCount") or 0,
        ),
        engine=engine,
        time=time,
        provenance=Provenance.LIVE,
        letters=_letters(candidate, request),
    )


def _outcome(answer: Json, candidate: Json, text: str | None) -> tuple[Status, str]:
    """Status, and the reason as the service named it (`prompt:` before one that is about the prompt)."""
    finish = candidate.get("finishReason")
    blocked = (answer.get("promptFeedback") or {}).get("blockReason")
    if blocked and not finish:
        return BLOCK.get(blocked, Status.UNPARSEABLE), f"prompt:{blocked}"
    if not candidate:
        return Status.EMPTY, "no candidate"
    status = FINISH.get(finish or "", Status.UNPARSEABLE)
    return (Status.EMPTY if status is Status.ANSWERED and not text else status), finish or "no finish reason"


def _letters(candidate: Json, request: Request) -> dict[str, float] | None:
    """Log-probabilities of the labels in place of the answer's first token, None where not given."""
    steps = (candidate.get("logprobsResult") or {}).get("topCandidates") or []
    if not steps or not request.decoding.top_logprobs:
        return None
    first: list[dict[str, Any]] = [
        {"token": one.get("token") or "", "logprob": one.get("logProbability", 0.0)}
        for one in steps[0].get("candidates") or []
    ]
    return letter_logprobs(first, request.engine.get("labels", LETTERS)) or None
