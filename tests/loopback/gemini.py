"""What the Gemini protocol answers: generated content, and batches of it.

Bodies are those of https://ai.google.dev/api: camel case, where the SDK's snake case inside is taken
too. What the service refuses is refused here: both ways of setting the reasoning, a model's turn at the
end, settings in the wrong place.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .server import Answer, Behaviour, Received, Route, Say

Json = dict[str, Any]

TOP = {"contents", "systemInstruction", "safetySettings", "generationConfig"}
GENERATION = {
    *("temperature", "topP", "topK", "seed", "maxOutputTokens", "stopSequences", "candidateCount"),
    *("responseLogprobs", "logprobs", "thinkingConfig", "mediaResolution"),
    *("responseMimeType", "responseSchema", "responseJsonSchema"),
}


def camel(value: Any) -> Any:
    """A body with every name in camel case, as the service reads either."""
    if isinstance(value, list):
        return [camel(one) for one in value]
    if isinstance(value, dict):
        return {re.sub("_([a-z])", lambda m: m[1].upper(), name): camel(one) for name, one in value.items()}
    return value


def refused(code: int, status: str, message: str, *details: Json, headers: Mapping[str, str] = {}) -> Answer:
    """An error as the service words it."""
    error: Json = {"code": code, "message": message, "status": status}
    return Answer({"error": error | ({"details": list(details)} if details else {})}, code, headers)


def retry_info(delay: str) -> Json:
    """The detail that says how long to wait, such as "37s"."""
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota(*ids: str) -> Json:
    """The detail that names the quotas used up."""
    violations = [{"quotaMetric": "generativelanguage.googleapis.com/requests", "quotaId": id} for id in ids]
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": violations}


def too_many(*details: Json, headers: Mapping[str, str] = {}) -> Answer:
    """Status 429."""
    return refused(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", *details, headers=headers)


def prompt_of(body: Json) -> str:
    """The texts of all contents, in order."""
    return "\n".join(part["text"] for turn in body["contents"] for part in turn["parts"] if "text" in part)


def generated(received: Received, say: Say) -> Answer:
    """A whole reply, named as the model that was asked."""
    model = received.path.split("/models/")[1].split(":")[0]
    return content(camel(received.json), model, say)


def content(body: Json, model: str, say: Say) -> Answer:
    """The reply to the body of one request."""
    config = body.get("generationConfig", {})
    unknown = (body.keys() - TOP) | (config.keys() - GENERATION)
    thinking = config.get("thinkingConfig", {})
    if unknown:
        return refused(400, "INVALID_ARGUMENT", f"no such field: {', '.join(sorted(unknown))}")
    if {"thinkingBudget", "thinkingLevel"} <= thinking.keys():
        return refused(400, "INVALID_ARGUMENT", "thinking_budget and thinking_level are mutually exclusive")
    if body["contents"][-1]["role"] != "user":
        return refused(400, "INVALID_ARGUMENT", "the last turn must be the user's")
    prompt = prompt_of(body)
    return Answer(answer(say(prompt), model, prompt=max(1, len(prompt) // 4)))


def answer(text: str | None, model: str, finish: str = "STOP", prompt: int = 10, thoughts: int = 0) -> Json:
    """A `GenerateContentResponse` with one candidate."""
    parts = {} if text is None else {"parts": [{"text": text}]}
    usage = {"promptTokenCount": prompt, "totalTokenCount": prompt + thoughts}
    if text is not None:
        usage |= {"candidatesTokenCount": max(1, len(text) // 4)}
    if thoughts:
        usage |= {"thoughtsTokenCount": thoughts}
    return {
        "candidates": [{"content": {"role": "model", **parts}, "finishReason": finish, "index": 0}],
        "usageMetadata": usage,
        "modelVersion": model,
        "responseId": "loopback",
    }


def changed(change: Callable[[Json], Json]) -> Behaviour:
    """The good answer with another body."""
    return lambda good: replace(good, body=change(good.body))


def candidate(**fields: Any) -> Behaviour:
    """The good answer with its candidate replaced: only what is given is there."""
    return changed(lambda body: body | {"candidates": [fields]})


def prompt_blocked(reason: str) -> Behaviour:
    """The good answer's place taken by a refusal of the prompt: no candidates."""
    kept = ("usageMetadata", "modelVersion")
    return changed(
        lambda body: {"promptFeedback": {"blockReason": reason}, **{name: body[name] for name in kept}}
    )


def by_model(name: str) -> Behaviour:
    """The good answer, by another model."""
    return changed(lambda body: body | {"modelVersion": name})


ROUTES = [Route("POST", r"/v1(beta)?/models/[^/:]+:generateContent", generated)]


@dataclass
class Batches:
    """The Batch API and the files it needs. Give `routes` to the server.

    Args:
        states: what a job is in, one more of them at each look; the last one stays.
        spoil: what becomes of the lines of the results.

    Results come in the reverse order. `files` holds what was uploaded, `jobs` what was created.
    """

    states: tuple[str, ...] = ("PENDING", "RUNNING", "SUCCEEDED")
    spoil: Callable[[list[Json]], Iterable[Json]] = list
    files: dict[str, bytes] = field(default_factory=dict)
    jobs: dict[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._number = itertools.count(1)
        self.routes = [
            Route("POST", r"/upload/v1beta/files", self.start),
            Route("POST", r"/upload/\d+", self.upload),
            Route("POST", r"/v1beta/models/[^/:]+:batchGenerateContent", self.create),
            Route("GET", r"/v1beta/batches", self.list),
            Route("GET", r"/v1beta/batches/[^/]+", self.look),
            Route("GET", r"/v1beta/files/[^/]+:download", self.download),
            *ROUTES,
        ]

    def start(self, received: Received, say: Say) -> Answer:
        """Begin a resumable upload: says where to."""
        number = next(self._number)
        self.files[f"files/{number}"] = b""
        where = f"http://{received.headers['host']}/upload/{number}"
        return Answer({}, headers={"x-goog-upload-url": where})

    def upload(self, received: Received, say: Say) -> Answer:
        """Take a piece of a file."""
        name = f"files/{received.path.rsplit('/', 1)[1]}"
        self.files[name] += received.body
        over = "finalize" in received.headers["x-goog-upload-command"]
        body = {"file": {"name": name, "mimeType": "application/jsonl"}} if over else {}
        return Answer(body, headers={"x-goog-upload-status": "final" if over else "active"})

    def create(self, received: Received, say: Say) -> Answer:
        """Begin a job."""
        batch = received.json["batch"]
        model = received.path.split("/models/")[1].split(":")[0]
        name = f"batches/{next(self._number)}"
        lines = self.files[batch["inputConfig"]["fileName"]].splitlines()
        results = [
            self._result(line["key"], content(line["request"], model, say)) for line in map(json.loads, lines)
        ]
        spoiled = self.spoil(results[::-1])
        out = "".join(json.dumps(line) + "\n" for line in spoiled).encode()
        self.files[f"files/out{next(self._number)}"] = out
        self.jobs[name] = {
            "title": batch["displayName"],
            "model": f"models/{model}",
            "states": list(self.states),
            "file": list(self.files)[-1],
        }
        return Answer(self._operation(name))

    @staticmethod
    def _result(key: str, good: Answer) -> Json:
        if good.status == 200:
            return {"key": key, "response": good.body}
        return {"key": key, "error": good.body["error"]}

    def _operation(self, name: str) -> Json:
        job = self.jobs[name]
        state = job["states"][0]
        metadata = {"displayName": job["title"], "model": job["model"], "state": f"BATCH_STATE_{state}"}
        if "SUCCEEDED" in state:
            metadata["output"] = {"responsesFile": job["file"]}
        return {"name": name, "metadata": metadata}

    def look(self, received: Received, say: Say) -> Answer:
        """A job as it is, which then goes one state on."""
        name = received.path.removeprefix("/v1beta/")
        if name not in self.jobs:
            return refused(404, "NOT_FOUND", f"{name} is not found")
        found = self._operation(name)
        states = self.jobs[name]["states"]
        self.jobs[name]["states"] = states[1:] or states
        return Answer(found)

    def list(self, received: Received, say: Say) -> Answer:
        """All jobs."""
        return Answer({"operations": [self._operation(name) for name in self.jobs]})

    def download(self, received: Received, say: Say) -> Answer:
        """A file as it is."""
        name = received.path.removeprefix("/v1beta/").removesuffix(":download")
        return Answer(self.files[name])
