"""The format of OpenAI's chat completions: a request as body, a body as reply.

Servers that speak the protocol differ in what they leave out, so everything but `choices` may be missing.
"""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from medagents.keys import Json
from medagents.models.calls import CallFailed
from medagents.models.letters import letter_logprobs
from medagents.types import LETTERS, MedagentsError, Provenance, Reply, Request, Status, Usage

FINISH: Mapping[str, Status] = {
    "stop": Status.ANSWERED,
    "length": Status.TRUNCATED,
    "content_filter": Status.BLOCKED,
}
"""`finish_reason` -> status. A reason that is not here is unparseable: kept, never scored."""


def body(request: Request, own: bool = False) -> Json:
    """The request as the JSON body of a chat completion.

    Args:
        request: what is asked.
        own: a server of one's own. OpenAI has renamed `max_tokens`, which older servers alone know.

    Raises:
        MedagentsError: the last message is the start of a reply, which the protocol cannot continue.
    """
    decoding = request.decoding
    *shown, last = request.messages
    if last.role != "user":
        raise MedagentsError(f"{request.model}: chat completions cannot continue a reply that was begun")
    system = [{"role": "system", "content": request.system}] if request.system else []
    images = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{image.mime};base64,{base64.b64encode(image.data).decode()}"},
        }
        for image in request.images
    ]
    asked = [*images, {"type": "text", "text": last.text}] if images else last.text
    built: Json = {
        "model": request.model,
        "messages": [
            *system,
            *({"role": message.role, "content": message.text} for message in shown),
            {"role": last.role, "content": asked},
        ],
        "max_tokens" if own else "max_completion_tokens": decoding.max_tokens,
        "temperature": decoding.temperature,
        "top_p": 1.0 if decoding.top_p is None else decoding.top_p,
    }
    built |= {} if decoding.seed is None else {"seed": decoding.seed}
    built |= {"stop": list(decoding.stop)} if decoding.stop else {}
    built |= {"logprobs": True, "top_logprobs": decoding.top_logprobs} if decoding.top_logprobs else {}
    return built


def reply(answer: Any, request: Request, engine: str) -> Reply:
    """The reply in a chat completion. Thoughts are no part of the text, and are counted apart.

    A text in the field `refusal` is the model's own refusal: that text, status refused.

    Raises:
        CallFailed: the answer is no chat completion.
    """
    try:
        return _reply(answer, request, engine)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise CallFailed(f"the answer is no chat completion ({error!r})") from None


def _reply(answer: Json, request: Request, engine: str) -> Reply:
    if "choices" not in answer:  # some gateways report a fault this way, with status 200
        raise ValueError(words(answer))
    choice: Json = (answer["choices"] or [{}])[0]
    message: Json = choice.get("message") or {}
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content)
    text = content or message.get("refusal") or None
    finish = choice.get("finish_reason") or ("no finish reason" if choice else "no choice")
    status = FINISH.get(finish, Status.UNPARSEABLE) if choice else Status.EMPTY
    if finish == "length" and text and request.decoding.max_tokens == 1:
        status = Status.ANSWERED  # where one token was asked for, one token is the whole reply
    if status is Status.ANSWERED and not content:
        status = Status.REFUSED if text else Status.EMPTY
    used: Json = answer.get("usage") or {}
    thoughts = (used.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    written = used.get("completion_tokens") or 0
    steps = (choice.get("logprobs") or {}).get("content") or []
    listed = (steps[0].get("top_logprobs") if steps and request.decoding.top_logprobs else None) or []
    return Reply(
        text=text,
        status=status,
        finish=finish,
        model_returned=returned_name(answer.get("model") or "no model named", request.model),
        usage=Usage(used.get("prompt_tokens") or 0, max(0, written - thoughts), thoughts),
        engine=engine,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        provenance=Provenance.LIVE,
        letters=letter_logprobs(listed, request.engine.get("labels", LETTERS)) or None,
    )


def returned_name(returned: str, asked: str) -> str:
    """The model's name as returned; as asked, where it differs by what Ollama or llama.cpp add."""
    if returned.removesuffix(":latest") == asked.removesuffix(":latest"):
        return asked
    file = returned.rpartition("/")[2]
    same_file = returned.endswith(".gguf") and file.removesuffix(".gguf") == asked.removesuffix(".gguf")
    return asked if same_file else returned


def words(answer: object) -> str:
    """What an error's body says, in whichever of the usual fields."""
    if isinstance(answer, Mapping):
        for name in ("error", "message", "detail"):
            if answer.get(name):
                return words(answer[name])
    return str(answer)
