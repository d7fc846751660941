"""What the OpenAI protocol answers: chat completions."""

from typing import Any

from .server import Answer, Received, Route, Say


def prompt_of(received: Received) -> str:
    """The texts of all messages, in order."""
    return "\n".join(text for message in received.json["messages"] for text in texts(message["content"]))


def texts(content: Any) -> list[str]:
    """The texts of one message, which is a text or a list of parts."""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content if part["type"] == "text"]


def completion(received: Received, say: Say) -> Answer:
    """A whole reply, named as the model that was asked."""
    prompt = prompt_of(received)
    text = say(prompt)
    usage = {"prompt_tokens": max(1, len(prompt) // 4), "completion_tokens": max(1, len(text) // 4)}
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "logprobs": None,
        "message": {"role": "assistant", "content": text, "refusal": None},
    }
    return Answer(
        {
            "id": f"chatcmpl-{received.number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": received.json["model"],
            "choices": [choice],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }
    )


ROUTES = [Route("POST", "(/v1)?/chat/completions", completion)]
