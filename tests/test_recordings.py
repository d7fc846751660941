"""The call store: what is appended stays, what is damaged or contradictory is said, never guessed."""

import itertools
import json
import multiprocessing
import os
import random
import resource
import signal
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from medagents.recordings import (
    ConflictingRecordings,
    Index,
    Record,
    Store,
    change,
    changed_fields,
    from_line,
    make_record,
    merge,
    read_shard,
    shard,
    shards,
    to_line,
)
from medagents.types import (
    Decoding,
    MedagentsError,
    Message,
    Provenance,
    Reply,
    Request,
    Slot,
    Status,
    Usage,
)

FORK = multiprocessing.get_context("fork")
STEM = "A sailor has bleeding gums and poor wound healing."


def request_of(case: str = "c1", **changes: object) -> Request:
    base = Request("m", (Message("user", f"{STEM} ({case})"),), system="Reply with the letter only.")
    return replace(base, **changes)  # type: ignore[arg-type]


def reply_of(text: str | None = "B", **changes: object) -> Reply:
    reply = Reply(
        text=text,
        status=Status.ANSWERED,
        finish="stop",
        model_returned="m",
        usage=Usage(360, 1),
        engine="xllamacpp 1",
        time="2026-01-01T00:00:00+00:00",
        provenance=Provenance.LOCAL,
    )
    return replace(reply, **changes)  # type: ignore[arg-type]


def record_of(case: str = "c1", condition: str = "isolated", text: str = "B", **kept: bool) -> Record:
    slot = Slot("cohort", case, "cascade", condition)
    return make_record(slot, request_of(case), reply_of(text), kept.get("publishable", True))


def shard_in(root: Path) -> Path:
    return root / "cohort" / "m" / "cascade.jsonl"


def filled(root: Path, *records: Record) -> Path:
    store = Store(root)
    for record in records:
        store.append(record, "m")
    return shard_in(root)


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(lines).encode())
    return path


# What is written is what is read


@pytest.mark.parametrize("publishable", [True, False])
@pytest.mark.parametrize(
    "reply",
    [
        reply_of("B", letters={"A": -1.670956, "B": -0.25}),
        reply_of(None, status=Status.EMPTY, usage=Usage(7, 0, 512), provenance=Provenance.LIVE),
        reply_of('Fièvre: 39 °C\u2028no\x85line\x0bends\r\n\x1c here \\ " \ud83d', status=Status.TRUNCATED),
    ],
    ids=["letters", "empty", "separators"],
)
def test_every_field_is_read_back_as_written(tmp_path: Path, reply: Reply, publishable: bool) -> None:
    request = Request(
        "m",
        (Message("user", "one\u2028two\x85three\n"), Message("assistant", "")),
        weights="ab" * 32,
        engine={"stages": (1, 2)},
        decoding=Decoding(1.0, 40, 1, 0.5, ("\n", "\u2029"), 60),
        thinking={},
        repeat=1,
    )
    slot = Slot("cohort", "c\u2028 1", "cascade", "isolated", agent="peer", turn=2, repeat=1)
    record = make_record(slot, request, reply, publishable)
    path = filled(tmp_path, record, record_of("after"))
    assert read_shard(path) == ([record, record_of("after")], None)
    assert Store(tmp_path).index("cohort", "m").by_slot[slot] == record


def test_a_line_is_the_format_that_committed_shards_have() -> None:
    body = json.loads(to_line(record_of()))
    assert sorted(body) == ["key", "reply", "request", "slot"]
    assert body["slot"] == {
        "agent": "holdout",
        "case": "c1",
        "cohort": "cohort",
        "condition": "isolated",
        "experiment": "cascade",
        "repeat": 0,
        "turn": 0,
    }
    assert body["request"]["messages"] == [{"role": "user", "text": f"{STEM} (c1)"}]
    assert body["reply"]["usage"] == {"completion": 1, "prompt": 360, "thoughts": 0}
    assert to_line(from_line(to_line(record_of()))) == to_line(record_of())


def test_shards_are_listed_by_cohort_model_and_experiment(tmp_path: Path) -> None:
    path = filled(tmp_path, record_of())
    assert list(shards(tmp_path)) == [("cohort", "m", "cascade", path)]


# Text that may not be published


def test_no_text_of_an_unpublishable_prompt_stands_in_its_line() -> None:
    line = to_line(record_of(publishable=False))
    body = json.loads(line)
    assert "request" not in body
    assert all(word not in line for word in ("sailor", "gums", "Reply with", "user"))
    assert all(len(digest) == 12 and int(digest, 16) >= 0 for digest in body["parts"].values())


@pytest.mark.parametrize("publishable", [True, False])
def test_the_changed_fields_are_named_with_and_without_the_text(publishable: bool) -> None:
    held = from_line(to_line(record_of(publishable=publishable)))
    assert changed_fields(held, request_of("c1")) == []
    assert changed_fields(held, request_of("c1", system="Reply.", repeat=2)) == ["repeat", "system"]


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ("Reply.", "Answer.", ("Reply.", "Answer.")),
        ("one\ntwo\nthree", "one\ntwo!\nthree", ("two", "two!")),
        ("one", "one\ntwo", ("", "two")),
        (
            "a" * 50 + "b" + "c" * 50,
            "a" * 50 + "d" + "c" * 50,
            ("a" * 24 + "b" + "c" * 23, "a" * 24 + "d" + "c" * 23),
        ),
        ("same", "same", ("", "")),
    ],
)
def test_the_change_of_a_text_is_told_by_its_line_and_briefly(
    then: str, now: str, told: tuple[str, str]
) -> None:
    slot = Slot("cohort", "c1", "cascade", "isolated")
    request = request_of(system="Reply.", messages=(Message("user", then),))
    changed = replace(request, messages=(Message("user", now),))
    assert change(make_record(slot, request, reply_of(), True), changed) == told
    assert change(make_record(slot, request, reply_of(), False), changed) == ("", "")


# Contradictions


def test_a_second_reply_to_a_key_is_refused_and_nothing_written(tmp_path: Path) -> None:
    path = filled(tmp_path, record_of())
    before = path.read_bytes()
    twin = make_record(Slot("cohort", "c1", "cascade", "clean"), request_of("c1"), reply_of("C"), True)
    store = Store(tmp_path)
    for record in (record_of(text="C"), twin):
        with pytest.raises(ConflictingRecordings, match=r"has two replies.*nothing was written"):
            store.append(record, "m")
    assert path.read_bytes() == before
    assert store.append(record_of("c2"), "m") == record_of("c2")


def test_a_second_request_for_a_slot_is_refused_and_nothing_written(tmp_path: Path) -> None:
    path = filled(tmp_path, record_of())
    before = path.read_bytes()
    other = make_record(record_of().slot, request_of("c1", system="Answer."), reply_of(), True)
    with pytest.raises(ConflictingRecordings, match="case c1, isolated: recorded with two requests"):
        Store(tmp_path).append(other, "m")
    assert path.read_bytes() == before


def test_contradictions_between_shards_of_a_model_are_found_when_read(tmp_path: Path) -> None:
    path = filled(tmp_path, record_of())
    slot = Slot("cohort", "c1", "cues", "clean")
    write(path.with_name("cues.jsonl"), to_line(make_record(slot, request_of("c1"), reply_of("D"), True)))
    store = Store(tmp_path)
    for _ in range(2):
        with pytest.raises(
            ConflictingRecordings, match=r"cues.jsonl: case c1, clean: key \w+ has two replies"
        ):
            store.index("cohort", "m")


def test_the_same_reply_at_another_time_is_no_contradiction_and_not_stored_twice(tmp_path: Path) -> None:
    first = record_of()
    path = filled(tmp_path, first)
    again = replace(first, reply=replace(first.reply, time="2027-07-07T07:07:07+00:00"))
    assert Store(tmp_path).append(again, "m") == first
    assert read_shard(path)[0] == [first]


def test_identical_duplicate_lines_are_one_record(tmp_path: Path) -> None:
    write(shard_in(tmp_path), *[to_line(record_of())] * 2)
    store = Store(tmp_path)
    assert list(store.index("cohort", "m").by_slot.values()) == [record_of()]
    store.tidy("cohort", "m", "cascade")
    assert read_shard(shard_in(tmp_path))[0] == [record_of()]


# Torn and damaged lines


def test_a_torn_last_line_is_reported_and_left_out(tmp_path: Path) -> None:
    """FC32: cases 1 to 7 are done, the half line of case 8 is not."""
    done = [record_of(f"c{n}") for n in range(1, 8)]
    half = to_line(record_of("c8"))[:30]
    path = write(shard_in(tmp_path), *map(to_line, done), half)
    assert read_shard(path) == (done, half)
    with pytest.warns(UserWarning, match=r"cascade.jsonl: torn last line left out \(30 characters\)"):
        index = Store(tmp_path).index("cohort", "m")
    assert [slot.case for slot in index.by_slot] == [f"c{n}" for n in range(1, 8)]


def test_wherever_the_last_line_is_torn_the_next_append_cuts_it_and_no_other(tmp_path: Path) -> None:
    first, torn, last = (record_of(name) for name in ("c1", "é\u2028", "c3"))
    line = to_line(torn).encode()
    cuts = [*range(1, len(line) - 1, 37), len(line) - 2]
    for cut in cuts:
        path = write(shard_in(tmp_path / str(cut)), to_line(first))
        path.write_bytes(path.read_bytes() + line[:cut])
        cut_off = pytest.warns(UserWarning, match=rf"torn last line cut off \({cut} bytes\)")
        with pytest.warns(UserWarning, match="torn last line left out"), cut_off:
            Store(tmp_path / str(cut)).append(last, "m")
        assert read_shard(path) == ([first, last], None)


def test_a_last_line_that_lacks_only_its_newline_is_kept(tmp_path: Path) -> None:
    path = write(shard_in(tmp_path), to_line(record_of("c1")), to_line(record_of("c2")).rstrip("\n"))
    store = Store(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [slot.case for slot in store.index("cohort", "m").by_slot] == ["c1", "c2"]
        store.append(record_of("c3"), "m")
        store.append(record_of("c2"), "m")
    assert read_shard(path) == ([record_of("c1"), record_of("c2"), record_of("c3")], None)


@pytest.mark.parametrize(
    "bad",
    [
        b'{"key": "12\n',
        b"\n",
        b"<<<<<<< HEAD\n",
        b"[]\n",
        b"{}\n",
        to_line(record_of("c2")).encode().replace(b"sailor", b"s\xffilor"),
        to_line(record_of("c2")).encode().replace(b'"answered"', b'"replied"'),
    ],
    ids=["cut", "blank", "merge marker", "list", "no fields", "not UTF-8", "unknown status"],
)
def test_a_damaged_line_in_the_middle_is_an_error_naming_line_and_remedy(tmp_path: Path, bad: bytes) -> None:
    path = write(shard_in(tmp_path), to_line(record_of("c1\u2028")))
    path.write_bytes(path.read_bytes() + bad + to_line(record_of("c3")).encode())
    store = Store(tmp_path)
    for read in (lambda: read_shard(path), lambda: store.index("cohort", "m")):
        with pytest.raises(MedagentsError, match=r"cascade.jsonl:2: damaged.*restore .* version control"):
            read()
    before = path.read_bytes()
    with pytest.raises(MedagentsError, match=r"cascade.jsonl:2"):
        store.append(record_of("c4"), "m")
    assert path.read_bytes() == before


def test_damage_that_ends_in_a_newline_is_no_torn_line(tmp_path: Path) -> None:
    path = write(shard_in(tmp_path), to_line(record_of()), '{"key": "12\n')
    with pytest.raises(MedagentsError, match=r"cascade.jsonl:2: damaged"):
        read_shard(path)


def test_an_absent_shard_is_named(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match=r"cascade.jsonl: no such shard"):
        read_shard(shard_in(tmp_path))


# The index


@pytest.mark.parametrize("room", [0, 2, 100])
def test_an_index_gives_the_same_in_memory_and_out_of_it(room: int) -> None:
    odd = make_record(Slot("cohort", "\ud83d", "cues", "é"), request_of("\ud83d"), reply_of("\ud83d"), True)
    twin = make_record(Slot("cohort", "c1", "cues", "clean"), request_of("c1"), reply_of(), True)
    records = [record_of("c1"), twin, record_of("c2", publishable=False), odd, record_of("c3")]
    index = Index(room)
    assert all(index.add(record, "here") for record in records)
    assert [index.by_slot[record.slot] for record in records] == records
    assert {record.slot: record for record in records} == dict(index.by_slot)
    assert {record.key for record in records} == set(index.by_key) and len(index.by_key) == 4
    assert index.by_key[record_of("c1").key].reply == reply_of()
    assert sorted(index.records(), key=str) == sorted(records, key=str)
    assert record_of("c4").slot not in index.by_slot and "0" * 64 not in index.by_key
    assert not index.add(record_of("c2", publishable=False), "again")
    with pytest.raises(ConflictingRecordings, match="two replies"):
        index.add(record_of("c3", text="D"), "here")
    with pytest.raises(ConflictingRecordings, match="two requests"):
        index.add(make_record(odd.slot, request_of("c9"), reply_of(), True), "here")


@pytest.mark.parametrize("room", [0, 100])
def test_what_is_put_takes_the_place_of_the_same_slot(room: int) -> None:
    index = Index(room)
    index.add(record_of("c1"), "here")
    other = make_record(record_of("c1").slot, request_of("c1", system="Answer."), reply_of("D"), True)
    index.put(other)
    assert dict(index.by_slot) == {other.slot: other}
    assert index.by_key[other.key] == other


def test_a_store_does_not_read_again_what_it_wrote_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = Store(tmp_path), Store(tmp_path)
    other.append(record_of("theirs"), "m")
    store.append(record_of("c0"), "m")
    read = []
    whole = shard.from_line
    monkeypatch.setattr(shard, "from_line", lambda line: read.append(line) or whole(line))
    for n in range(1, 30):
        store.append(record_of(f"c{n}"), "m")
        store.append(replace(record_of(f"c{n}", "clean"), slot=Slot("cohort", f"c{n}", "cues", "clean")), "m")
    assert read == []
    other.append(record_of("theirs", "clean"), "m")
    assert len(store.catch_up("cohort", "m").by_slot) == 1 + 1 + 29 + 29 + 1
    assert [json.loads(line)["slot"]["condition"] for line in read if "theirs" in line] == ["clean"]


# Several writers


def test_threads_of_one_store_and_of_two_lose_nothing_and_write_no_slot_twice(tmp_path: Path) -> None:
    stores = [Store(tmp_path), Store(tmp_path)]
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait(20)
        for n in range(60):
            kept = stores[number % 2].append(record_of(f"common{n}"), "m")
            assert kept == record_of(f"common{n}")
            stores[number % 2].append(record_of(f"{number}-{n}"), "m")
            assert record_of(f"{number}-{n}").slot in stores[number % 2].index("cohort", "m").by_slot

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    records, torn = read_shard(shard_in(tmp_path))
    assert torn is None
    names = [f"common{n}" for n in range(60)] + [f"{number}-{n}" for number in range(4) for n in range(60)]
    assert sorted(record.slot.case for record in records) == sorted(names)


def in_processes(*targets: Callable[[], None]) -> list[int | None]:
    workers = [FORK.Process(target=target) for target in targets]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    return [worker.exitcode for worker in workers]


def test_concurrent_writers_lose_nothing_tear_nothing_and_write_no_slot_twice(tmp_path: Path) -> None:
    def writer(name: str) -> Callable[[], None]:
        def work() -> None:
            store = Store(tmp_path)
            for n in range(200):
                store.append(record_of(f"{name}{n}"), "m")
                if n % 10 == 0:
                    store.append(record_of(f"common{n}"), "m")

        return work

    assert in_processes(*map(writer, "abc")) == [0, 0, 0]
    records, torn = read_shard(shard_in(tmp_path))
    assert torn is None
    expected = [f"{name}{n}" for name in "abc" for n in range(200)] + [
        f"common{n}" for n in range(0, 200, 10)
    ]
    assert sorted(record.slot.case for record in records) == sorted(expected)
    assert all(record == record_of(record.slot.case) for record in records)


def test_killing_a_writer_loses_nothing_it_had_appended(tmp_path: Path) -> None:
    path, chance = shard_in(tmp_path), random.Random(4)
    acknowledged: set[str] = set()
    for life in range(4):
        out, into = os.pipe()

        def work(into: int = into, life: int = life) -> None:
            store = Store(tmp_path)
            for n in itertools.count():  # a full pipe stops it, if nobody kills it
                store.append(record_of(f"{life}-{n}", text="B" * 3000), "m")
                os.write(into, f"{life}-{n}\n".encode())

        worker = FORK.Process(target=work)
        worker.start()
        os.close(into)
        said = os.read(out, 1 << 16)
        time.sleep(chance.uniform(0, 0.05))
        os.kill(worker.pid, signal.SIGKILL)
        worker.join(60)
        while piece := os.read(out, 1 << 16):
            said += piece
        os.close(out)
        assert worker.exitcode == -signal.SIGKILL
        acknowledged |= set(said.decode().split())
        records, _ = read_shard(path)
        assert acknowledged <= {record.slot.case for record in records}
    Store(tmp_path).append(record_of("after"), "m")
    records, torn = read_shard(path)
    assert torn is None
    assert acknowledged | {"after"} <= {record.slot.case for record in records}


def test_a_record_that_does_not_fit_the_disk_leaves_the_shard_as_it_was(tmp_path: Path) -> None:
    path = filled(tmp_path, record_of())
    before = path.read_bytes()

    def work() -> None:
        store = Store(tmp_path)
        store.index("cohort", "m")
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, resource.RLIM_INFINITY))
        with pytest.raises(MedagentsError, match="no room for a record"):
            store.append(record_of("c2"), "m")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert path.read_bytes() == before
        store.append(record_of("c2"), "m")

    assert in_processes(work) == [0]
    assert read_shard(path) == ([record_of("c1"), record_of("c2")], None)


def test_the_first_of_two_writers_of_a_slot_is_kept(tmp_path: Path) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    mine.index("cohort", "m"), theirs.index("cohort", "m")
    first = replace(record_of(), reply=reply_of(time="2026-01-01T00:00:01+00:00"))
    assert theirs.append(first, "m") == first
    assert mine.append(record_of(), "m") == first
    theirs.append(record_of("c2"), "m")
    with pytest.raises(ConflictingRecordings, match="nothing was written"):
        mine.append(record_of("c2", text="C"), "m")
    other = make_record(record_of("c2").slot, request_of("c2", repeat=1), reply_of(), True)
    with pytest.raises(ConflictingRecordings, match="two requests"):
        mine.append(other, "m")
    assert read_shard(shard_in(tmp_path)) == ([first, record_of("c2")], None)


def test_a_store_sees_what_others_appended_sorted_or_replaced_since(tmp_path: Path) -> None:
    mine, theirs = Store(tmp_path), Store(tmp_path)
    names = [f"c{n}" for n in range(12)]
    for name in names[:6]:
        mine.append(record_of(name), "m")
    for name in names[6:9]:
        theirs.append(record_of(name), "m")
    assert len(mine.catch_up("cohort", "m").by_slot) == 9
    theirs.tidy("cohort", "m", "cascade")
    for name in names[9:]:
        theirs.append(record_of(name), "m")
    theirs.tidy("cohort", "m", "cascade")
    assert sorted(slot.case for slot in mine.catch_up("cohort", "m").by_slot) == sorted(names)
    write(shard_in(tmp_path), to_line(record_of("c1", text="D")))
    assert [record.reply.text for record in mine.catch_up("cohort", "m").by_slot.values()] == ["D"]
    shard_in(tmp_path).unlink()
    assert mine.catch_up("cohort", "m").by_slot == {}


def test_damage_others_did_later_is_named_by_its_line(tmp_path: Path) -> None:
    store = Store(tmp_path)
    path = filled(tmp_path, record_of("c1"), record_of("c2"))
    store.index("cohort", "m")
    with path.open("a") as stream:
        stream.write(to_line(record_of("c3")) + "garbage\n")
    for _ in range(2):
        with pytest.raises(MedagentsError, match=r"cascade.jsonl:4: damaged"):
            store.catch_up("cohort", "m")


# Sorting and merging


def test_a_sorted_shard_holds_everything_in_one_order_whatever_the_order_of_calls(tmp_path: Path) -> None:
    twins = [
        make_record(
            Slot("cohort", "c1", "cascade", "isolated", agent, turn), request_of("c1"), reply_of(), True
        )
        for agent in ("peer", "holdout")
        for turn in (1, 0)
    ]
    records = [*twins, *(record_of(f"c{n}") for n in range(2, 20)), record_of("c3", "clean")]
    paths = []
    for name, order in (("one", records), ("other", records[::-1])):
        paths.append(filled(tmp_path / name, *order))
        Store(tmp_path / name).tidy("cohort", "m", "cascade")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    held = read_shard(paths[0])[0]
    assert {record.slot: record for record in held} == {record.slot: record for record in records}
    assert len(held) == len(records)
    assert [record.key for record in held] == sorted(record.key for record in records)
    before = paths[0].read_bytes()
    Store(tmp_path / "one").tidy("cohort", "m", "cascade")
    assert paths[0].read_bytes() == before


def test_sorting_a_shard_that_contradicts_itself_leaves_it(tmp_path: Path) -> None:
    path = write(shard_in(tmp_path), to_line(record_of()), to_line(record_of(text="C")))
    before = path.read_bytes()
    with pytest.raises(ConflictingRecordings):
        Store(tmp_path).tidy("cohort", "m", "cascade")
    assert path.read_bytes() == before


def test_merging_loses_nothing_and_counts_common_records_once(tmp_path: Path) -> None:
    one = filled(tmp_path / "1", record_of("c1"), record_of("c2"))
    two = filled(tmp_path / "2", record_of("c2"), record_of("c3\u2028"))
    target = filled(tmp_path / "3", record_of("c4"))
    assert merge([one, two], target) == 4
    records, torn = read_shard(target)
    assert torn is None
    assert {record.slot.case: record for record in records} == {
        name: record_of(name) for name in ("c1", "c2", "c3\u2028", "c4")
    }
    assert merge([two], tmp_path / "new" / "cascade.jsonl") == 2


def test_merging_reports_a_torn_source(tmp_path: Path) -> None:
    source = write(tmp_path / "1.jsonl", to_line(record_of("c1")), to_line(record_of("c2"))[:99])
    with pytest.warns(UserWarning, match=r"1.jsonl: torn last line left out"):
        assert merge([source], tmp_path / "all.jsonl") == 1


@pytest.mark.parametrize("held", [True, False], ids=["against the target", "between sources"])
def test_a_conflict_leaves_the_target_untouched(tmp_path: Path, held: bool) -> None:
    one = filled(tmp_path / "1", record_of("c1"))
    two = filled(tmp_path / "2", record_of("c1", text="C"))
    target = filled(tmp_path / "3", record_of("c1" if held else "c9"))
    before = target.read_bytes()
    with pytest.raises(ConflictingRecordings, match="two replies"):
        merge([two] if held else [one, two], target)
    assert target.read_bytes() == before


def test_an_absent_source_leaves_the_target_untouched(tmp_path: Path) -> None:
    target = filled(tmp_path, record_of("c1"))
    before = target.read_bytes()
    with pytest.raises(MedagentsError, match=r"absent.jsonl: no such shard"):
        merge([tmp_path / "absent.jsonl"], target)
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "holds no recordings"),
        (b"null", ":1: damaged recording"),
        (b"{}", ":1: damaged recording"),
        (b"null\n", ":1: damaged recording"),
    ],
)
def test_a_source_without_recordings_is_refused_and_leaves_nothing_behind(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    source, target = tmp_path / "source.jsonl", tmp_path / "new" / "all.jsonl"
    source.write_bytes(content)
    with pytest.raises(MedagentsError, match=fault):
        merge([source], target)
    assert not target.parent.exists()


def test_a_record_whose_key_is_not_that_of_its_request_is_not_merged(tmp_path: Path) -> None:
    source, target = tmp_path / "source.jsonl", tmp_path / "new" / "all.jsonl"
    source.write_text(to_line(replace(record_of(), key="0" * 64)))
    with pytest.raises(MedagentsError, match=r"source\.jsonl: case c1, isolated: the request's key is"):
        merge([source], target)
    assert not target.parent.exists()


def test_a_merge_waits_for_a_writer_that_holds_the_target(tmp_path: Path) -> None:
    source = filled(tmp_path / "1", *(record_of(f"s{n}") for n in range(30)))
    target = filled(tmp_path / "2", record_of("c0"))

    def write_on() -> None:
        store = Store(tmp_path / "2")
        for n in range(1, 100):
            store.append(record_of(f"c{n}"), "m")

    def merge_often() -> None:
        for _ in range(5):
            merge([source], target)

    assert in_processes(write_on, merge_often) == [0, 0]
    assert {record.slot.case for record in read_shard(target)[0]} == {
        *(f"s{n}" for n in range(30)),
        *(f"c{n}" for n in range(100)),
    }
