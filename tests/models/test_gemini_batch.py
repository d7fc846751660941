"""Batches against a loopback server with the real SDK: written, submitted once, polled, imported by key."""

import io
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from google.genai import types as sdk
from loopback import Loopback, Received, answered, reset
from loopback import gemini as service
from PIL import Image as PillowImage

from medagents import study
from medagents.keys import canonical, key_of
from medagents.models import gemini_batch as batch
from medagents.models import gemini_jobs as jobs
from medagents.models import gemini_wire as wire
from medagents.models.calls import Caller, Limits
from medagents.models.gemini import GeminiModel
from medagents.pending import pending
from medagents.recorder import Mode, ModelDrift, Recorder
from medagents.recordings import Store
from medagents.types import Case, Decoding, Image, MedagentsError, Prompt, Request, Slot, Status, Transport

KEY = "AIzaLoopback-0123456789_neverShown"
FLASH = "gemini-2.5-flash"
LETTER = Decoding(temperature=0.0, max_tokens=1, top_logprobs=60)
Line = dict[str, Any]


def slot(case: int, condition: str = "isolated", cohort: str = "toy") -> Slot:
    return Slot(cohort, f"toy-{case}", "peer_cascade", condition)


def prompt(case: int) -> Prompt:
    return Prompt("Reply with the letter only.", f"Case number {case}.\nA. Croup\nB. Asthma\n", "Answer:")


@pytest.fixture
def service_of() -> Iterator[Callable[..., tuple[Loopback, service.Batches]]]:
    """Starts servers of the Batch API; a reply names the case it was asked."""
    running: list[Loopback] = []

    def start(**settings: Any) -> tuple[Loopback, service.Batches]:
        batches = service.Batches(**settings)
        server = Loopback(routes=batches.routes, say=lambda asked: f"B for {asked.split('.')[0]}")
        running.append(server.__enter__())
        return server, batches

    yield start
    for server in running:
        server.__exit__()


def make(server: Loopback | None = None, name: str = FLASH, **settings: Any) -> GeminiModel:
    transport = Transport(base_url=server.url if server else None, timeout=20)
    caller = Caller(name, transport, Limits(), sleep=lambda _: None)
    return GeminiModel(name, transport=transport, api_key=KEY, caller=caller, **settings)


def asked(cases: Iterable[int], model: GeminiModel | None = None) -> list[tuple[Slot, Request]]:
    model = model or make()
    return [(slot(case), model.request(prompt(case), LETTER)) for case in cases]


def through(path: Path, server: Loopback, pairs: list[tuple[Slot, Request]]) -> Path:
    """A batch written, submitted, waited for and fetched."""
    batch.write(pairs, path)
    with make(server) as model:
        jobs.submit(path, model)
        jobs.wait(path, model, sleep=lambda _: None)
        jobs.fetch(path, model)
    return path


def lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recorded(store: Store) -> dict[Slot, Any]:
    return dict(store.catch_up("toy", FLASH).by_slot)


# Written


def test_a_line_is_the_key_of_the_recording_and_the_body_of_a_live_call(tmp_path: Path) -> None:
    film = io.BytesIO()
    PillowImage.linear_gradient("L").save(film, "PNG")
    image = Image(film.getvalue(), "image/png")
    request = make().request(replace(prompt(1), images=(image,)), LETTER)
    path = tmp_path / "first.jsonl"
    assert batch.write([(slot(1), request)], path) == 1
    assert lines(path) == [{"key": key_of(canonical(request)), "request": wire.body(request)}]
    [line] = batch.slots_of(batch.Place(path))
    assert (line.key, line.slot) == (key_of(canonical(request)), slot(1))
    assert line.request == json.loads(json.dumps(canonical(request)))


def test_slots_with_one_request_share_a_line(tmp_path: Path) -> None:
    [(_, request)] = asked([1])
    pairs = [(slot(1, name), request) for name in ("isolated", "repeated", "isolated")]
    path = tmp_path / "first.jsonl"
    assert batch.write(pairs, path) == len(lines(path)) == 1
    assert [line.slot.condition for line in batch.slots_of(batch.Place(path))] == ["isolated", "repeated"]


def mixed() -> dict[str, list[tuple[Slot, Request]]]:
    [one, two] = asked([1, 2])
    return {
        "nothing to ask": [],
        "asked two things": [one, (one[0], two[1])],
        "one cohort, model": [one, *asked([2], make(name="gemini-2.5-pro"))],
        "one cohort, model and": [one, (slot(2, cohort="other"), two[1])],
        "and API version": [one, *asked([2], make(api_version="v1"))],
    }


@pytest.mark.parametrize("words", list(mixed()))
def test_what_cannot_be_one_batch_is_refused_and_leaves_no_file(tmp_path: Path, words: str) -> None:
    with pytest.raises(MedagentsError, match=words):
        batch.write(mixed()[words], tmp_path / "first.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_batch_larger_than_the_service_takes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_BYTES", 1000)
    with pytest.raises(MedagentsError, match="split it"):
        batch.write(asked(range(5)), tmp_path / "first.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_batch_is_never_written_over_another(tmp_path: Path) -> None:
    path = tmp_path / "first.jsonl"
    batch.write(asked([1]), path)
    before = path.read_bytes()
    with pytest.raises(MedagentsError, match="a batch is there already"):
        batch.write(asked([2]), path)
    assert path.read_bytes() == before


# There and back


def test_replies_come_in_any_order_and_each_is_recorded_for_its_own_question(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of()
    pairs = asked(range(12))
    path = through(tmp_path / "first.jsonl", server, pairs)
    came = [line["key"] for line in lines(batch.Place(path).results)]
    assert came == [line["key"] for line in lines(path)][::-1]
    assert batch.import_results(path, store, publishable=True) == batch.Imported(12)
    texts = {place.case: record.reply.text for place, record in recorded(store).items()}
    assert texts == {f"toy-{case}": f"B for Case number {case}" for case in range(12)}
    assert verify_clean(store)
    keys = [line["key"] for line in lines(store.shard(slot(1), FLASH))]
    assert keys == sorted(keys)  # as `Recorder.finish` leaves a shard


def verify_clean(store: Store) -> bool:
    """Whether a fresh reading of the files finds every record under the key of its own request."""
    fresh = Store(store.root).index("toy", FLASH)
    return all(record.key == key_of(record.request) for record in fresh.by_slot.values())


def test_a_batch_records_what_live_calls_record(tmp_path: Path, store: Store, service_of: Callable) -> None:
    server, _ = service_of()
    pairs = asked(range(4))
    path = through(tmp_path / "first.jsonl", server, pairs)
    batch.import_results(path, store, publishable=True)
    live = Store(tmp_path / "live")
    with make(server) as model:
        recorder = Recorder(model, live, Mode.RECORD)
        for place, request in pairs:
            recorder.ask(place, request)
    same = {"engine": "", "time": ""}

    def told(held: Store) -> dict[Slot, Any]:
        return {
            place: replace(record, reply=replace(record.reply, **same))
            for place, record in recorded(held).items()
        }

    assert told(store) == told(live)
    assert {record.reply.engine.endswith(" batch") for record in recorded(store).values()} == {True}


def test_a_run_over_an_imported_batch_makes_no_call(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of()
    pairs = asked(range(3))
    batch.import_results(through(tmp_path / "first.jsonl", server, pairs), store, publishable=True)
    for mode in (Mode.RECORD, Mode.REPLAY):
        recorder = Recorder(make(), store, mode)
        assert [recorder.ask(*pair).reply.status for pair in pairs] == [Status.ANSWERED] * 3
        assert recorder.calls == 0


def test_an_experiment_recorded_in_batches_has_the_rows_of_one_recorded_live(
    tmp_path: Path, store: Store, service_of: Callable, cases: tuple[Case, ...]
) -> None:
    server, batches = service_of()
    server.say = lambda asked: f"{answered(asked)}. The finding {len(asked)} decides."

    def run(recorder: Recorder) -> pd.DataFrame:
        return study.run("peer_cascade", cases, recorder, "toy")

    with make(server) as model:
        live = run(Recorder(model, Store(tmp_path / "live"), Mode.RECORD))
    number = 0
    while pairs := pending(run, make(), store):
        path = through(tmp_path / f"round-{number}.jsonl", server, pairs)
        batch.import_results(path, store, publishable=True)
        number += 1
    assert number == len(batches.jobs) == 2  # arguments first, then the arms that show them
    recorder = Recorder(make(), store, Mode.RECORD)
    assert run(recorder).equals(live)
    assert recorder.calls == 0


def test_importing_again_changes_nothing(tmp_path: Path, store: Store, service_of: Callable) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(5)))
    batch.import_results(path, store, publishable=True)
    shard = store.shard(slot(1), FLASH)
    before = shard.read_bytes()
    assert batch.import_results(path, Store(store.root), publishable=True) == batch.Imported(0, held=5)
    assert shard.read_bytes() == before


def test_a_slot_recorded_live_meanwhile_keeps_its_reply(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of()
    pairs = asked(range(3))
    path = through(tmp_path / "first.jsonl", server, pairs)
    server.say = lambda asked: "A, live"
    with make(server) as model:
        Recorder(model, store, Mode.RECORD).ask(*pairs[0])
    twin = (slot(0, "twin"), pairs[0][1])
    other = through(tmp_path / "second.jsonl", server, [twin])
    assert batch.import_results(path, store, publishable=True) == batch.Imported(2, held=1)
    batch.import_results(other, store, publishable=True)
    assert recorded(store)[slot(0)].reply.text == recorded(store)[twin[0]].reply.text == "A, live"


def test_a_cohort_that_may_not_be_published_leaves_no_text_in_its_recordings(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of()
    text = "A lighthouse keeper of forty has had a cough each winter since the lamp was changed to oil."
    server.say = lambda asked: f"It says: {text} So B."
    pair = (slot(1), make().request(replace(prompt(1), case=text), LETTER))
    path = through(tmp_path / "first.jsonl", server, [pair])
    batch.import_results(path, store, publishable=False)
    record = recorded(store)[slot(1)]
    live = Store(tmp_path / "live")
    with make(server) as model:
        want = Recorder(model, live, Mode.RECORD, publishable=False).ask(*pair)
    assert (record.request, record.parts, record.reply.text) == (None, want.parts, want.reply.text)
    assert "So B." in (record.reply.text or "")
    assert "lighthouse" not in store.shard(slot(1), FLASH).read_text()


def test_blocked_and_cut_off_lines_are_recorded_as_such(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    bodies = [
        {"candidates": [{"finishReason": "SAFETY"}], "modelVersion": FLASH},
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": FLASH},
        service.answer(None, FLASH, "MAX_TOKENS", thoughts=576),
        service.answer("B", FLASH, "SOME_NEW_REASON"),
    ]

    def spoil(found: list[Line]) -> list[Line]:
        found.sort(key=lambda line: line["response"]["candidates"][0]["content"]["parts"][0]["text"])
        return [line | {"response": body} for line, body in zip(found, bodies, strict=True)]

    server, _ = service_of(spoil=spoil)
    path = through(tmp_path / "first.jsonl", server, asked(range(4)))
    assert batch.import_results(path, store, publishable=True).stored == 4
    statuses = [recorded(store)[slot(case)].reply.status for case in range(4)]
    assert statuses == [Status.BLOCKED, Status.BLOCKED, Status.TRUNCATED, Status.UNPARSEABLE]


def test_the_key_of_the_service_is_in_no_file(tmp_path: Path, store: Store, service_of: Callable) -> None:
    server, batches = service_of()
    path = through(tmp_path / "batch" / "first.jsonl", server, asked(range(2)))
    batch.import_results(path, store, publishable=True)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) >= 5
    assert not any(KEY.encode() in file.read_bytes() for file in files)
    assert not any(KEY.encode() in content for content in batches.files.values())


# Lines that are not as they should be


def spoiled(path: Path, change: Callable[[list[Line]], list[Line]]) -> None:
    results = batch.Place(path).results
    results.write_text("".join(json.dumps(line) + "\n" for line in change(lines(results))))


REFUSED: dict[str, Callable[[list[Line]], list[Line]]] = {
    "3: key ffffffffffff was not asked": lambda found: [*found[:2], {**found[2], "key": "f" * 64}],
    "4: key [0-9a-f]{12} has two lines": lambda found: [*found, found[0]],
    "2: key None was not asked": lambda found: [found[0], {"response": {}}, *found[1:]],
    r"2: key \['a'\] was not asked": lambda found: [found[0], {"key": ["a"]}, *found[1:]],
}


@pytest.mark.parametrize("words", list(REFUSED))
def test_a_key_too_many_is_refused_with_its_line_and_nothing_is_stored(
    tmp_path: Path, store: Store, service_of: Callable, words: str
) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(3)))
    spoiled(path, REFUSED[words])
    with pytest.raises(MedagentsError, match=f"first.results.jsonl:{words}.*nothing stored"):
        batch.import_results(path, store, publishable=True)
    assert not list(store.root.rglob("*.jsonl"))


@pytest.mark.parametrize("damage", [b'{"key": "abc', b"[1]\n", b"nonsense\n"])
def test_a_damaged_line_is_told_by_its_number_and_nothing_is_stored(
    tmp_path: Path, store: Store, service_of: Callable, damage: bytes
) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(3)))
    with batch.Place(path).results.open("ab") as stream:
        stream.write(damage)
    with pytest.raises(MedagentsError, match=r"first\.results\.jsonl:4: damaged"):
        batch.import_results(path, store, publishable=True)
    assert not list(store.root.rglob("*.jsonl"))


def test_a_blank_line_does_not_count(tmp_path: Path, store: Store, service_of: Callable) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(3)))
    results = batch.Place(path).results
    results.write_bytes(b"\n" + results.read_bytes().replace(b"\n", b"\n\n"))
    assert batch.import_results(path, store, publishable=True) == batch.Imported(3)
    assert recorded(store)[slot(2)].reply.text == "B for Case number 2"


def test_a_missing_key_is_reported_and_the_others_are_stored(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of(spoil=lambda found: found[1:])
    pairs = asked(range(3))
    path = through(tmp_path / "first.jsonl", server, pairs)
    found = batch.import_results(path, store, publishable=True)
    assert found == batch.Imported(2, missing=(key_of(canonical(pairs[2][1])),))
    with make(server) as model:  # and the next run asks it
        recorder = Recorder(model, store, Mode.RECORD)
        for pair in pairs:
            recorder.ask(*pair)
        assert recorder.calls == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"error": {"code": 400, "message": "Logprobs is not enabled"}}, "Logprobs is not enabled"),
        ({"status": {"code": 13, "message": "internal"}}, "internal"),
        ({}, "no response"),
        ({"response": {}}, "another form"),
        ({"response": None}, "another form"),
        ({"response": {"candidates": [{"finishReason": "PUP_LIMITED_DISABLED"}]}}, "PUP_LIMITED"),
    ],
)
def test_a_failed_line_is_reported_and_not_stored(
    tmp_path: Path, store: Store, service_of: Callable, line: Line, words: str
) -> None:
    server, _ = service_of(spoil=lambda found: [{"key": found[0]["key"], **line}, *found[1:]])
    pairs = asked(range(3))
    path = through(tmp_path / "first.jsonl", server, pairs)
    found = batch.import_results(path, store, publishable=True)
    [(key, reason)] = found.failed.items()
    assert (found.stored, key) == (2, key_of(canonical(pairs[2][1])))
    assert words in reason
    assert slot(2) not in recorded(store)


def test_lines_that_the_service_refuses_one_by_one_are_failed_lines(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    server, _ = service_of()
    both = {"thinkingBudget": 0, "thinkingLevel": "LOW"}
    pairs = [(place, replace(request, thinking=both)) for place, request in asked([1])] + asked([2])
    found = batch.import_results(through(tmp_path / "first.jsonl", server, pairs), store, publishable=True)
    assert (found.stored, list(found.failed)) == (1, [key_of(canonical(pairs[0][1]))])
    assert "mutually exclusive" in str(found.failed)


def test_lines_of_another_model_are_drift_and_the_others_are_stored(
    tmp_path: Path, store: Store, service_of: Callable
) -> None:
    def spoil(found: list[Line]) -> list[Line]:
        other = found[0]["response"] | {"modelVersion": "gemini-3.5-flash-lite"}
        nameless = {name: part for name, part in found[1]["response"].items() if name != "modelVersion"}
        return [found[0] | {"response": other}, found[1] | {"response": nameless}, *found[2:]]

    server, _ = service_of(spoil=spoil)
    path = through(tmp_path / "first.jsonl", server, asked(range(5)))
    with pytest.raises(ModelDrift, match="2 replies come from a model without a name, gemini-3"):
        batch.import_results(path, store, publishable=True)
    assert set(recorded(store)) == {slot(0), slot(1), slot(2)}


def test_a_slots_file_that_was_changed_is_refused(tmp_path: Path, store: Store, service_of: Callable) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(2)))
    place = batch.Place(path)
    place.slots.write_text(place.slots.read_text().replace("Case number 1", "Case number 7"))
    with pytest.raises(MedagentsError, match=r"first\.slots\.jsonl:2: damaged"):
        batch.import_results(path, store, publishable=True)


def test_importing_before_fetching_says_so(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "first.jsonl"
    with pytest.raises(MedagentsError, match="no such file"):
        batch.import_results(path, store, publishable=True)
    batch.write(asked([1]), path)
    with pytest.raises(MedagentsError, match="no results; fetch them first"):
        batch.import_results(path, store, publishable=True)


# Jobs


def test_a_batch_submitted_twice_is_sent_once(tmp_path: Path, service_of: Callable) -> None:
    server, batches = service_of()
    path = tmp_path / "first.jsonl"
    batch.write(asked(range(3)), path)
    names = set()
    for _ in range(2):
        with make(server) as model:  # each time as in a process of its own
            names.add(jobs.submit(path, model))
    assert len(names) == len(batches.jobs) == 1


def test_a_job_whose_name_was_lost_is_found_by_its_content(tmp_path: Path, service_of: Callable) -> None:
    server, batches = service_of()
    path, other = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    batch.write(asked(range(3)), path)
    batch.write(asked(range(4)), other)
    with make(server) as model:
        name = jobs.submit(path, model)
        batch.Place(path).job.unlink()  # as if the process had died before it was noted
        sent = len(batches.files)
        assert jobs.submit(path, model) == name
        assert len(batches.files) == sent
        assert jobs.submit(other, model) != name
    assert len(batches.jobs) == 2


def test_a_job_whose_creation_was_not_confirmed_is_not_created_twice(
    tmp_path: Path, service_of: Callable
) -> None:
    server, batches = service_of()
    left = [reset]

    def choose(received: Received) -> Any:
        return left.pop() if left and received.path.endswith(":batchGenerateContent") else None

    server.behave(choose)
    path = tmp_path / "first.jsonl"
    batch.write(asked(range(3)), path)
    with make(server) as model:
        name = jobs.submit(path, model)
    assert not left
    assert list(batches.jobs) == [name]


def test_a_file_of_several_pieces_arrives_whole(tmp_path: Path, service_of: Callable) -> None:
    server, batches = service_of()
    path = tmp_path / "first.jsonl"
    long = [
        (slot(case), make().request(replace(prompt(case), system="x" * 10**6), LETTER)) for case in range(9)
    ]
    batch.write(long, path)
    assert path.stat().st_size > 8 * 2**20  # the SDK's piece
    with make(server) as model:
        jobs.submit(path, model)
    assert path.read_bytes() in batches.files.values()


def test_a_batch_of_another_model_is_refused_before_it_is_sent(tmp_path: Path, service_of: Callable) -> None:
    server, _ = service_of()
    path = tmp_path / "first.jsonl"
    batch.write(asked([1]), path)
    for other in (make(server, "gemini-2.5-pro"), make(server, api_version="v1")):
        with other, pytest.raises(MedagentsError, match=f"written for {FLASH}"):
            jobs.submit(path, other)
    assert not server.requests


def test_a_job_is_waited_for_and_polled_by_its_name_in_another_process(
    tmp_path: Path, service_of: Callable
) -> None:
    server, _ = service_of(states=("PENDING", "RUNNING", "RUNNING", "SUCCEEDED"))
    path = tmp_path / "first.jsonl"
    batch.write(asked([1]), path)
    with make(server) as model:
        name = jobs.submit(path, model)
        with pytest.raises(MedagentsError, match="JOB_STATE_PENDING; wait for it"):
            jobs.fetch(path, model)
    waits: list[float] = []
    with make(server) as model:
        job = jobs.wait(path, model, every=60, sleep=waits.append)
    assert (job.name, job.state, waits) == (name, "JOB_STATE_SUCCEEDED", [60, 60])
    with make(server) as model:
        assert jobs.fetch(path, model) == batch.Place(path).results


STATES = {
    **dict.fromkeys(
        ["UNSPECIFIED", "QUEUED", "PENDING", "RUNNING", "CANCELLING", "PAUSED", "UPDATING"], "on"
    ),
    **dict.fromkeys(["SUCCEEDED", "PARTIALLY_SUCCEEDED"], "done"),
    **dict.fromkeys(["FAILED", "CANCELLED", "EXPIRED"], "lost"),
}


@pytest.mark.parametrize("state", [*sdk.JobState, "JOB_STATE_NEW_ONE"])
def test_every_state_of_a_job_goes_on_is_done_or_lost(
    tmp_path: Path, service_of: Callable, state: Any
) -> None:
    name = str(getattr(state, "value", state)).removeprefix("JOB_STATE_")
    server, _ = service_of(states=("PENDING", name))
    path = tmp_path / "first.jsonl"
    batch.write(asked([1]), path)
    with make(server) as model, warnings.catch_warnings():
        warnings.simplefilter("error")
        jobs.submit(path, model)
        jobs.poll(path, model)
        if STATES.get(name) == "lost":
            with pytest.raises(MedagentsError, match=f"JOB_STATE_{name}; .*(submit again|one case live)"):
                jobs.poll(path, model)
        else:
            assert jobs.poll(path, model).waiting is (STATES.get(name, "on") == "on")


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED", "EXPIRED"])
def test_a_job_that_was_lost_can_be_submitted_again(
    tmp_path: Path, store: Store, service_of: Callable, state: str
) -> None:
    server, batches = service_of(states=(state,))
    path = tmp_path / "first.jsonl"
    batch.write(asked(range(2)), path)
    with make(server) as model:
        jobs.submit(path, model)
        with pytest.raises(MedagentsError):
            jobs.wait(path, model, sleep=lambda _: None)
        batches.states = ("SUCCEEDED",)
        jobs.submit(path, model)
        assert jobs.wait(path, model).state == "JOB_STATE_SUCCEEDED"
        jobs.fetch(path, model)
    assert len(batches.jobs) == 2
    assert batch.import_results(path, store, publishable=True) == batch.Imported(2)


@pytest.mark.parametrize("damage", ["", "{", '{"title": 1}'])
def test_a_damaged_note_of_a_job_says_what_to_do(tmp_path: Path, service_of: Callable, damage: str) -> None:
    server, _ = service_of()
    path = tmp_path / "first.jsonl"
    batch.write(asked([1]), path)
    with make(server) as model:
        name = jobs.submit(path, model)
        note = batch.Place(path).job
        note.write_text(damage)
        with pytest.raises(MedagentsError, match="delete it and submit again"):
            jobs.poll(path, model)
        note.unlink()
        assert jobs.submit(path, model) == name


def test_steps_out_of_turn_say_which_comes_first(tmp_path: Path, service_of: Callable) -> None:
    server, _ = service_of()
    path = tmp_path / "first.jsonl"
    with make(server) as model:
        with pytest.raises(MedagentsError, match="write it first"):
            jobs.submit(path, model)
        batch.write(asked([1]), path)
        with pytest.raises(MedagentsError, match="submit it first"):
            jobs.poll(path, model)


# Asked anew


def test_a_recheck_of_good_results_finds_them_the_same(tmp_path: Path, service_of: Callable) -> None:
    server, _ = service_of()
    path = through(tmp_path / "first.jsonl", server, asked(range(40)))
    with make(server) as model:
        for share, count in ((0.01, 1), (0.1, 4), (1.0, 40)):
            before = len(server.requests)
            found = batch.recheck(path, model, share)
            assert len(found) == len({one.key for one in found}) == count == len(server.requests) - before
            assert all(one.same for one in found)
        keys = [[one.key for one in batch.recheck(path, model, 0.1, seed)] for seed in (0, 0, 1)]
    assert keys[0] == keys[1] != keys[2]


def test_a_recheck_passes_over_failed_lines(tmp_path: Path, service_of: Callable) -> None:
    server, _ = service_of(spoil=lambda found: [{"key": found[0]["key"], "error": {"code": 13}}, *found[1:]])
    path = through(tmp_path / "first.jsonl", server, asked(range(3)))
    with make(server) as model:
        assert len(batch.recheck(path, model, 1.0)) == 2


def test_a_recheck_shows_replies_that_came_under_the_wrong_key(tmp_path: Path, service_of: Callable) -> None:
    def spoil(found: list[Line]) -> list[Line]:
        keys = [line["key"] for line in found]
        return [line | {"key": key} for line, key in zip(found, keys[1:] + keys[:1], strict=True)]

    server, _ = service_of(spoil=spoil)
    path = through(tmp_path / "first.jsonl", server, asked(range(10)))
    with make(server) as model:
        found = batch.recheck(path, model, 1.0)
    assert not any(one.same for one in found)
    assert {one.live.text for one in found} == {f"B for Case number {case}" for case in range(10)}
