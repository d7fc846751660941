"""Gemini's Batch API: half the price, within a day (https://ai.google.dev/gemini-api/docs/batch-api).

    write -> gemini_jobs.submit -> wait -> fetch -> import_results

A batch is a few files side by side: `NAME.jsonl`, which is sent; `NAME.slots.jsonl`, which slots and
request each key stands for; `NAME.job.json`, the job; `NAME.results.jsonl`, what came back. Each step
can be run again in another process and takes up where the last one stopped. The files hold the text of
the requests: keep them out of version control, and delete them when all is imported.

A line is known by its key, which is the key of its recording: the service returns lines in any order
(googleapis/python-genai#1909) and is reported to have returned some under the wrong key. `recheck` asks
a few anew, live, and compares.
"""

import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from medagents.keys import Json, canonical, canonical_json, key_of, parts, to_bytes
from medagents.models import gemini_wire as wire
from medagents.models.calls import CallFailed
from medagents.models.gemini import GeminiModel, engine_version, now
from medagents.models.gemini_thinking import recorded_name
from medagents.recorder import ModelDrift, same_model, unquoted
from medagents.recordings import Record, Store
from medagents.types import Decoding, MedagentsError, Message, Reply, Request, Slot, Status

MOST_BYTES = 2 * 10**9
"""Largest file the service takes."""


class Place(NamedTuple):
    """The files of a batch, from the one that is sent."""

    requests: Path

    @property
    def slots(self) -> Path:
        """One line a slot: its key, and the request as recorded."""
        return self.requests.with_suffix(".slots.jsonl")

    @property
    def job(self) -> Path:
        """The job's name and last known state."""
        return self.requests.with_suffix(".job.json")

    @property
    def results(self) -> Path:
        """What the service returned, as it came."""
        return self.requests.with_suffix(".results.jsonl")


@dataclass(frozen=True)
class Imported:
    """What became of a batch: slots stored now and before; keys that got no reply, with the reason."""

    stored: int = 0
    held: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recheck:
    """One request asked anew: the reply of the batch, and the live one."""

    key: str
    batch: Reply
    live: Reply

    @property
    def same(self) -> bool:
        """Whether both say the same."""
        return (self.batch.status, self.batch.text) == (self.live.status, self.live.text)


def write(asked: Iterable[tuple[Slot, Request]], path: Path) -> int:
    """Write a batch of requests, each once however many slots share it; returns how many.

    Raises:
        MedagentsError: a batch is there already, nothing is asked, several cohorts or models are, a slot is
            asked two things, or the file is larger than the service takes. No file is left then.
    """
    place = Place(path)
    for there in (place.requests, place.job):
        if there.exists():
            raise MedagentsError(f"{there}: a batch is there already; import it, or give another name")
    place.requests.parent.mkdir(parents=True, exist_ok=True)
    drafts = [file.with_suffix(".draft") for file in (place.slots, place.requests)]
    try:
        with drafts[0].open("wb") as slots, drafts[1].open("wb") as requests:
            count = _write(asked, slots.write, requests.write, path)
        if drafts[1].stat().st_size > MOST_BYTES:
            raise MedagentsError(f"{path}: {drafts[1].stat().st_size >> 20} MB; split it below 2 GB")
        drafts[0].replace(place.slots)
        drafts[1].replace(place.requests)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)
    return count


def _write(
    asked: Iterable[tuple[Slot, Request]],
    slots: Callable[[bytes], object],
    requests: Callable[[bytes], object],
    path: Path,
) -> int:
    placed: dict[Slot, str] = {}
    kinds: set[tuple[str, str, str]] = set()
    keys: set[str] = set()
    for slot, request in asked:
        whole = json.loads(canonical_json(canonical(request)))
        key = key_of(whole)
        if slot in placed:
            if placed[slot] != key:
                raise MedagentsError(f"{path}: case {slot.case}, {slot.condition} is asked two things")
            continue
        placed[slot] = key
        kinds.add((slot.cohort, request.model, request.engine["api_version"]))
        if len(kinds) > 1:
            raise MedagentsError(f"{path}: {sorted(kinds)}; a batch is of one cohort, model and API version")
        slots(_line({"key": key, "slot": asdict(slot), "request": whole}))
        if key not in keys:
            requests(_line({"key": key, "request": wire.body(request)}))
            keys.add(key)
    if not keys:
        raise MedagentsError(f"{path}: nothing to ask; everything is recorded")
    return len(keys)


def _line(value: Json) -> bytes:
    return to_bytes(canonical_json(value) + "\n")


class SlotLine(NamedTuple):
    """A line of the slots' file."""

    key: str
    slot: Slot
    request: Json


def slots_of(place: Place) -> Iterator[SlotLine]:
    """The lines of the slots' file, each checked against its key.

    Raises:
        MedagentsError: no such file, or a damaged line.
    """
    for number, line in _lines(place.slots, "write the batch anew"):
        try:
            held = SlotLine(line["key"], Slot(**line["slot"]), line["request"])
            if key_of(held.request) != held.key:
                raise ValueError("the request has another key")
        except (KeyError, TypeError, ValueError) as error:
            raise MedagentsError(f"{place.slots}:{number}: damaged ({error}); write the batch anew") from None
        yield held


def _lines(path: Path, remedy: str) -> Iterator[tuple[int, Json]]:
    """Number and content of each line."""
    if not path.exists():
        raise MedagentsError(f"{path}: no such file; {remedy}")
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            yield number, _parsed(line, path, number, remedy)


def _parsed(line: bytes, path: Path, number: int, remedy: str) -> Json:
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise ValueError("no object")
    except ValueError as error:
        raise MedagentsError(f"{path}:{number}: damaged ({error}); {remedy}") from None
    return value


def import_results(path: Path, store: Store, publishable: bool) -> Imported:
    """Store the replies of a fetched batch, each by its key; may be run again.

    Lines that failed, and keys without a line, are reported and not stored: ask them in another batch
    or live. A slot that is recorded already keeps its reply.

    Args:
        path: the batch, as written.
        store: the recordings.
        publishable: whether request texts may be stored, as for `Recorder`.

    Raises:
        MedagentsError: a key that was not asked, or two lines of one key: nothing is stored then.
        ModelDrift: some replies are another model's; these are not stored, the others are.
    """
    place = Place(path)
    lines = _found_lines(place, {line.key for line in slots_of(place)})
    failed: dict[str, str] = {}
    drifted: dict[str, str] = {}
    missing: dict[str, None] = {}
    stored = held = 0
    shards: set[tuple[str, str, str]] = set()
    with place.results.open("rb") as results:
        for key, slot, request in slots_of(place):
            if key not in lines:
                missing[key] = None
                continue
            try:
                reply = _read(results, lines[key], _request(request))
            except CallFailed as error:
                failed[key] = str(error)
                continue
            if not same_model(request["model"], reply.model_returned):
                drifted[key] = reply.model_returned
                continue
            folder = recorded_name(request["model"], request["thinking"])
            index = store.index(slot.cohort, folder)
            there = index.by_slot.get(slot)
            if there and there.key == key:
                held += 1
                continue
            twin = index.by_key.get(key)
            reply = twin.reply if twin else reply if publishable else unquoted(reply, _request(request))
            kept = (request, {}) if publishable else (None, parts(request))
            store.append(Record(key, slot, reply, *kept), folder)
            stored += 1
            shards.add((slot.cohort, folder, slot.experiment))
    for shard in sorted(shards):
        store.tidy(*shard)
    if drifted:
        others = ", ".join(sorted(name or "a model without a name" for name in set(drifted.values())))
        raise ModelDrift(
            f"{place.results}: {len(drifted)} replies come from {others}, not from the model asked; "
            f"these are not stored, {stored + held} others are"
        )
    return Imported(stored, held, failed, tuple(missing))


def _found_lines(place: Place, asked: set[str]) -> dict[str, int]:
    """Key -> where its line begins in the results."""
    found: dict[str, int] = {}
    begin = 0
    remedy = "fetch the results again"
    if not place.results.exists():
        raise MedagentsError(f"{place.results}: no results; fetch them first")
    with place.results.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                begin += len(line)
                continue
            key = str(_parsed(line, place.results, number, remedy).get("key"))
            where = f"{place.results}:{number}: key {key[:12]}"
            if key not in asked:
                raise MedagentsError(f"{where} was not asked; nothing stored: {remedy}, or take out the line")
            if key in found:
                raise MedagentsError(
                    f"{where} has two lines; nothing stored: {remedy}, or take both out and ask it anew"
                )
            found[key] = begin
            begin += len(line)
    return found


def _read(results: BinaryIO, begin: int, request: Request) -> Reply:
    """The reply of the line that begins there.

    Raises:
        CallFailed: the line holds none.
    """
    results.seek(begin)
    line = json.loads(results.readline())
    if "response" not in line:
        raise CallFailed(canonical_json(line.get("error") or line.get("status") or "no response")[:300])
    reply = wire.reply(line["response"], request, f"{engine_version()} batch", now())
    if reply.status is Status.ERROR:
        raise CallFailed(reply.finish)
    return reply


def _request(whole: Json) -> Request:
    """A request from its canonical form, without its images."""
    decoding = whole["decoding"]
    return Request(
        model=whole["model"],
        system=whole["system"],
        messages=tuple(Message(**message) for message in whole["messages"]),
        engine=whole["engine"],
        decoding=Decoding(**decoding | {"stop": tuple(decoding["stop"])}),
        thinking=whole["thinking"],
        schema=whole["schema"],
        repeat=whole["repeat"],
    )


def recheck(path: Path, model: GeminiModel, share: float = 0.01, seed: int = 0) -> list[Recheck]:
    """Ask a random share of a fetched batch anew, live, and set the replies side by side.

    Nothing is stored, and the calls are paid for. Some replies differ by chance even at temperature 0;
    replies under the wrong key differ as often as those to different questions do.

    Args:
        path: the batch, as written.
        model: the model it was written for.
        share: of the keys that have a reply, in (0, 1]; at least one key is asked.
        seed: of the choice.

    Raises:
        MedagentsError: no results, or no live reply.
    """
    place = Place(path)
    lines = _found_lines(place, {line.key for line in slots_of(place)})
    chosen = set(random.Random(seed).sample(sorted(lines), min(len(lines), math.ceil(share * len(lines)))))
    requests = {key: _request(request) for key, _, request in slots_of(place) if key in chosen}
    compared = []
    with place.results.open("rb") as results:
        for _, line in _lines(place.requests, "write the batch anew"):
            if (key := line["key"]) in chosen:
                try:
                    reply = _read(results, lines[key], requests[key])
                except CallFailed:
                    continue
                compared.append(Recheck(key, reply, model.send(requests[key], line["request"])))
    return compared
