"""The vocabulary of the project as frozen dataclasses: no logic beyond invariants.

Answers are compared by **option index in the original case**. Whatever a cue does to the
options (reorder, pad), the index is mapped back before anything is counted; comparing option
text instead calls a model flipped whenever the cue edited the option it kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

LETTERS = "ABCDEFGHIJ"
"""Option letters in display order; a case has two to ten options."""


VERDICT = "YN"
"""Labels of a yes or no verdict, yes first."""


class MedagentsError(Exception):
    """A fault whose one-line message names the file, the record and the remedy."""


class Status(StrEnum):
    """What became of one reply. Only `ANSWERED` carries an option; the rest are counted apart."""

    ANSWERED = "answered"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    BLOCKED = "blocked"
    EMPTY = "empty"
    ERROR = "error"


class Provenance(StrEnum):
    """Where a reply came from. Scripted replies are for tests and never drawn as results."""

    LIVE = "live"
    LOCAL = "local"
    SCRIPTED = "scripted"


def same_text(text: str) -> str:
    """Canonical form in which two option texts count as the same: case and spacing folded."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True)
class Case:
    """One clinical question. `gold` is a 0-based index into `options` (two to ten, distinct).

    `cluster` is what a bootstrap resamples: the patient where several cases share one, else the
    case itself. `meta` holds what a cohort knows besides (subject, difficulty, rationale).

    Raises:
        MedagentsError: empty stem, fewer than 2 or more than 10 options, an empty or repeated
            option, or a gold index out of range.
    """

    id: str
    stem: str
    options: tuple[str, ...]
    gold: int
    cluster: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id or not self.stem.strip():
            raise MedagentsError(f"case {self.id!r}: empty id or stem")
        if not 2 <= len(self.options) <= len(LETTERS):
            raise MedagentsError(f"case {self.id}: {len(self.options)} options; two to ten needed")
        texts = [same_text(option) for option in self.options]
        if not all(texts):
            raise MedagentsError(f"case {self.id}: empty option text")
        if len(set(texts)) < len(texts):
            raise MedagentsError(f"case {self.id}: duplicate options; the answer text is ambiguous")
        if not 0 <= self.gold < len(self.options):
            raise MedagentsError(f"case {self.id}: gold index {self.gold} is not an option")
        if not self.cluster:
            object.__setattr__(self, "cluster", self.id)


@dataclass(frozen=True)
class View:
    """A case as shown: `options[i]` is the text under letter i, `original[i]` its index in the case."""

    case: Case
    options: tuple[str, ...]
    original: tuple[int, ...]
    stem: str
    cue: str = "none"

    def __post_init__(self) -> None:
        if sorted(self.original) != list(range(len(self.case.options))):
            raise MedagentsError(f"case {self.case.id}, cue {self.cue}: options are not a permutation")
        if len(self.options) != len(self.original):
            raise MedagentsError(f"case {self.case.id}, cue {self.cue}: option count changed")

    def shown(self, option: int) -> int:
        """Position (0-based) at which the original option index `option` is shown."""
        return self.original.index(option)

    def letter(self, option: int) -> str:
        """Letter under which the original option index `option` is shown."""
        return LETTERS[self.shown(option)]


def plain_view(case: Case) -> View:
    """The case as it stands, without a cue."""
    return View(case, case.options, tuple(range(len(case.options))), case.stem)


@dataclass(frozen=True)
class Answer:
    """What a reply says. `option` is a 0-based display index, set only when `status` is answered;
    `span` is the text that decided and `rule` the name of the rule that fired.
    """

    status: Status
    option: int | None
    span: str | None
    rule: str

    def __post_init__(self) -> None:
        if (self.status is Status.ANSWERED) != (self.option is not None):
            raise MedagentsError(f"an answer has an option exactly when answered, not {self}")


@dataclass(frozen=True)
class Image:
    """Image bytes exactly as sent, with their mime type."""

    data: bytes
    mime: str


@dataclass(frozen=True)
class Prompt:
    """A prompt before any provider's format. The user's turn is `case` then `turn`.

    `case` is the part every arm of a case shares and comes first, so that a local engine can
    evaluate it once; it is empty where an arm needs another order. `examples` are worked
    (user, assistant) turns shown before. `labels` are the letters that answer it. `images` belong to
    the case and come before its text.
    """

    system: str
    case: str
    turn: str
    examples: tuple[tuple[str, str], ...] = ()
    labels: str = LETTERS
    images: tuple[Image, ...] = ()


@dataclass(frozen=True)
class Message:
    """One turn of a conversation as a provider gets it; `role` is user or assistant.

    A closing assistant message is the start of the reply, which the model continues.
    """

    role: str
    text: str


@dataclass(frozen=True)
class Decoding:
    """Settings that decide the words of a reply. `top_logprobs` asks for that many alternatives."""

    temperature: float = 0.0
    max_tokens: int = 4
    seed: int | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0


@dataclass(frozen=True)
class Transport:
    """Settings that cannot change a reply, so no part of a key (see `keys.EXCLUDED`).

    `timeout` is seconds of one attempt; `max_attempts` and `max_seconds` bound all attempts of a call,
    waits between them included; `concurrency` is how many calls are made at a time.
    """

    timeout: float = 120.0
    max_attempts: int = 5
    max_seconds: float = 600.0
    concurrency: int = 1
    base_url: str | None = None


@dataclass(frozen=True)
class Request:
    """All that can change a reply, and the transport settings that cannot.

    `weights` is the SHA-256 of the weights on disk (local models); `engine` holds engine
    parameters that change output, JSON values only; `repeat` numbers deliberate re-asks.
    """

    model: str
    messages: tuple[Message, ...]
    system: str = ""
    images: tuple[Image, ...] = ()
    weights: str | None = None
    engine: Mapping[str, Any] = field(default_factory=dict)
    decoding: Decoding = Decoding()
    thinking: Mapping[str, Any] | None = None
    schema: Mapping[str, Any] | None = None
    repeat: int = 0
    transport: Transport = Transport()


@dataclass(frozen=True)
class Usage:
    """Tokens of one call: prompt, reply, and thoughts where the provider bills them apart."""

    prompt: int = 0
    completion: int = 0
    thoughts: int = 0


@dataclass(frozen=True)
class Reply:
    """One reply as stored. `status` is the transport's word (answered, truncated, blocked, empty,
    error); whether the text names an option is for `answers.extract`.

    `letters` maps an option letter, or another label the prompt asks for, to its natural-log
    probability as the first token of the answer (summed over spellings with and without a leading
    space), where the engine gives them.
    """

    text: str | None
    status: Status
    finish: str
    model_returned: str
    usage: Usage
    engine: str
    time: str
    provenance: Provenance
    letters: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Slot:
    """The place of one call in an experiment; a slot keeps its place when its prompt changes."""

    cohort: str
    case: str
    experiment: str
    condition: str
    agent: str = "holdout"
    turn: int = 0
    repeat: int = 0


class Model(Protocol):
    """What every provider implements. `request` must work without the engine or a key, so that
    recordings can be replayed anywhere; `complete` makes the call.
    """

    name: str

    def request(self, prompt: Prompt, decoding: Decoding, repeat: int = 0) -> Request:
        """The request that asks `prompt` of this model."""
        ...

    def complete(self, request: Request) -> Reply:
        """Make the call.

        Raises:
            MedagentsError: when no reply could be had; nothing is stored then.
        """
        ...
