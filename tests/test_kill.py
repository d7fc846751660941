"""A recorder killed at random points, again and again: no reply is lost and none is paid for twice.

The real SDK asks a loopback server, with several calls in flight at each kill. What was in flight then
is the only thing that may be asked again.
"""

import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import openai
import pytest
from loopback import Loopback, Received, answered, slow
from loopback.openai import prompt_of

from medagents import study
from medagents.models.openai_compatible import OpenAIModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Record, Store, read_shard, shards
from medagents.types import Case, Request, Slot, Transport
from medagents.verify import verify_shard

FORK = multiprocessing.get_context("fork")
KILLS, CONCURRENCY, CALLS_A_LIFE = 50, 6, 20
EXPERIMENT = "peer_cascade"

Asked = tuple[str, float, int | None]
"""A request as it is told from others: its text, temperature and seed."""


def asked(received: Received) -> Asked:
    return prompt_of(received), received.json["temperature"], received.json.get("seed")


def asked_by(record: Record) -> Asked:
    assert record.request is not None
    texts = [record.request["system"], *(message["text"] for message in record.request["messages"])]
    decoding = record.request["decoding"]
    return "\n".join(texts), decoding["temperature"], decoding["seed"]


class Telling(Recorder):
    """Writes into a pipe what it has handed out."""

    def __init__(self, model: OpenAIModel, store: Store, into: int) -> None:
        super().__init__(model, store, Mode.RECORD)
        self.into = into

    def ask(self, slot: Slot, request: Request) -> Record:
        record = super().ask(slot, request)
        os.write(self.into, f"{record.key}\n".encode())
        return record


@pytest.fixture
def many(cases: tuple[Case, ...]) -> list[Case]:
    """Sixty cases: the shared ones under other ages."""
    return [
        Case(f"{case.id}-{age}", f"{case.stem} The patient is {age}.", case.options, case.gold)
        for age in range(20, 32)
        for case in cases
    ]


def test_killed_fifty_times_a_run_loses_no_reply_and_pays_for_none_twice(
    tmp_path: Path, many: list[Case]
) -> None:
    assert openai.OpenAI(api_key="none").chat.completions  # loads what every child would load anew
    chance = random.Random(5)
    in_flight_at_a_kill: Counter[Asked] = Counter()

    def model() -> OpenAIModel:
        return OpenAIModel("m", Transport(base_url=f"{server.url}/v1", concurrency=CONCURRENCY))

    def held() -> dict[Slot, Record]:
        return {record.slot: record for *_, path in shards(tmp_path) for record in read_shard(path)[0]}

    def run(into: int) -> None:
        study.run(EXPERIMENT, many, Telling(model(), Store(tmp_path), into), "toy")

    with Loopback(latency=0.002) as server:
        server.behave(lambda _: slow(chance.uniform(0, 0.01)))
        before = held()
        for _ in range(KILLS):
            first = server.count
            until = first + chance.randint(0, CALLS_A_LIFE)
            out, into = os.pipe()
            child = FORK.Process(target=run, args=(into,))
            child.start()
            os.close(into)
            while server.count < until and child.is_alive():
                time.sleep(0.0005)
            time.sleep(chance.uniform(0, 0.02))
            os.kill(child.pid, signal.SIGKILL)
            child.join(60)
            assert child.exitcode == -signal.SIGKILL, "it was done before it could be killed"
            told = set(os.fdopen(out).read().split())
            while server.busy:  # these too are billed
                time.sleep(0.0005)
            after = held()
            assert told <= {record.key for record in after.values()}, "what was handed out is lost"
            assert all(after.get(slot) == record for slot, record in before.items()), "a reply is lost"
            life = [asked(received) for received in server.requests[first:]]
            assert len(set(life)) == len(life), "asked twice within a life"
            assert not set(life) & set(map(asked_by, before.values())), "what was recorded is asked again"
            lost = set(life) - set(map(asked_by, after.values()))
            assert len(lost) <= CONCURRENCY
            in_flight_at_a_kill.update(lost)
            before = after
        recorder = Recorder(model(), Store(tmp_path), Mode.RECORD)
        rows = study.run(EXPERIMENT, many, recorder, "toy")
        recorder.finish("toy", EXPERIMENT)
        billed = Counter(map(asked, server.requests))
        assert billed.total() == server.billed.total()

    assert sum(in_flight_at_a_kill.values()) > KILLS, "too few calls in flight to show anything"
    again = billed - Counter(billed.keys())
    assert again <= in_flight_at_a_kill, "paid for twice, though not in flight at a kill"
    records = held().values()
    assert {asked_by(record) for record in records} == set(billed)
    assert all(record.reply.text == answered(asked_by(record)[0]) for record in records)
    assert list(dict.fromkeys(rows["case"])) == [case.id for case in many]
    replayed = study.run(EXPERIMENT, many, Recorder(model(), Store(tmp_path)), "toy")
    assert replayed.equals(rows)
    assert [verify_shard(path) for *_, path in shards(tmp_path)] == [[], []]
