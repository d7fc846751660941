"""One recorded call, and the line of JSON it is kept as."""

import json
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from medagents.keys import Json, canonical, canonical_json, digest, key_of, parts
from medagents.types import MedagentsError, Provenance, Reply, Request, Slot, Status, Usage

AROUND = 24
"""Characters told on either side of a change."""


class ReplayMiss(MedagentsError):
    """No recording for a slot; the message names the command that would make it."""


class StaleRecording(MedagentsError):
    """A slot was recorded with another request; the message names the fields that changed."""


class ConflictingRecordings(MedagentsError):
    """Two replies to one key, or two requests for one slot."""


@dataclass(frozen=True)
class Record:
    """One recorded call. `request` is None where the text may not be stored; then `parts` tells
    which field changed when a later request differs, and is empty elsewhere.
    """

    key: str
    slot: Slot
    reply: Reply
    request: Json | None
    parts: dict[str, str]

    def field_digests(self) -> dict[str, str]:
        """Short digest of each field of the recorded request."""
        return self.parts if self.request is None else parts(self.request)


def make_record(slot: Slot, request: Request, reply: Reply, publishable: bool) -> Record:
    """The record of a call, without the request's text unless it is publishable."""
    text = canonical_json(canonical(request))
    whole: Json = json.loads(text)
    kept = (whole, {}) if publishable else (None, parts(whole))
    return Record(digest(text), slot, reply, *kept)


def to_line(record: Record) -> str:
    """One line of JSON, newline included."""
    reply = vars(record.reply) | {"usage": vars(record.reply.usage)}
    reply["letters"] = None if record.reply.letters is None else dict(record.reply.letters)
    body: Json = {"key": record.key, "slot": vars(record.slot), "reply": reply}
    body |= {"parts": record.parts} if record.request is None else {"request": record.request}
    return canonical_json(body) + "\n"


def from_line(line: str) -> Record:
    """Read one line.

    Raises:
        ValueError, KeyError, TypeError: the line is no record.
    """
    body: dict[str, Any] = json.loads(line)
    reply = dict(body["reply"])
    reply["usage"] = Usage(**reply["usage"])
    reply["status"] = Status(reply["status"])
    reply["provenance"] = Provenance(reply["provenance"])
    request = body.get("request")
    pieces = body["parts"] if request is None else {}
    return Record(body["key"], Slot(**body["slot"]), Reply(**reply), request, pieces)


def wrong_key(record: Record) -> str:
    """Why the key of a record cannot be right; empty where it can, as it can where no text is stored."""
    if record.request is None or (key := key_of(record.request)) == record.key:
        return ""
    return f"the request's key is {key[:12]}, not {record.key[:12]}; restore the line from version control"


def same_reply(one: Reply, other: Reply) -> bool:
    """Whether two replies say the same, whenever they were made."""
    return replace(one, time="") == replace(other, time="")


def change(record: Record, request: Request) -> tuple[str, str]:
    """The line in which a request's texts first differ from the recorded ones, as it was and as it is, cut to
    `AROUND` characters on either side; two empty texts where the text was not stored or is the same.
    """
    if record.request is None:
        return "", ""
    then, now = (_texts(whole) for whole in (record.request, canonical(request)))
    for old, new in zip_longest(then, now, fillvalue=""):
        if old != new:
            both = zip(old, new, strict=False)
            at = next((place for place, (a, b) in enumerate(both) if a != b), min(len(old), len(new)))
            begin = max(0, at - AROUND)
            return old[begin : at + AROUND], new[begin : at + AROUND]
    return "", ""


def _texts(whole: Json) -> list[str]:
    """The lines that a canonical request shows, in order."""
    shown = [whole["system"], *(message["text"] for message in whole["messages"])]
    return [line for text in shown for line in text.split("\n")]


def changed_fields(record: Record, request: Request) -> list[str]:
    """Fields in which a request differs from the recorded one."""
    now, then = parts(canonical(request)), record.field_digests()
    return sorted(name for name in now.keys() | then.keys() if now.get(name) != then.get(name))
