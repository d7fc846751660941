"""A model that answers from a function: for tests and planted-truth checks, never drawn as results."""

from collections.abc import Callable, Mapping

from medagents.types import Decoding, Message, Prompt, Provenance, Reply, Request, Status, Usage

TIME = "2000-01-01T00:00:00+00:00"
"""Scripted replies carry one fixed time, so that what is made from them is the same every time."""


class ScriptedModel:
    """Answers with `script(request)`: a text, None for an empty reply, or a mapping of option
    letters to log-probabilities, of which the likeliest is the text. `history` keeps the requests.
    """

    def __init__(
        self, script: Callable[[Request], str | Mapping[str, float] | None], name: str = "scripted"
    ) -> None:
        self.script, self.name = script, name
        self.history: list[Request] = []

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The request in chat form, case before turn."""
        return Request(
            model=self.name,
            system=prompt.system,
            messages=chat(prompt),
            images=prompt.images,
            decoding=decoding,
            repeat=repeat,
        )

    def complete(self, request: Request) -> Reply:
        """The scripted reply."""
        self.history.append(request)
        said = self.script(request)
        letters = dict(said) if isinstance(said, Mapping) else None
        text = max(letters, key=letters.__getitem__) if letters else said if isinstance(said, str) else None
        status = Status.ANSWERED if text else Status.EMPTY
        return Reply(text, status, "stop", self.name, Usage(), "scripted", TIME, Provenance.SCRIPTED, letters)


def chat(prompt: Prompt) -> tuple[Message, ...]:
    """A prompt as user and assistant messages: worked examples, then case and turn as one."""
    shown = [
        Message(role, text)
        for pair in prompt.examples
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return (*shown, Message("user", prompt.case + prompt.turn))
