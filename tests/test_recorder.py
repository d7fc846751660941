"""Who answers: replay never calls, record fills what is missing, refresh replaces at the end."""

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from medagents import paths, prompts, study
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, ModelDrift, Recorder, same_model
from medagents.recordings import (
    ReplayMiss,
    StaleRecording,
    Store,
    make_record,
    read_shard,
    refreshing,
    to_line,
)
from medagents.threads import Stopped
from medagents.types import (
    Case,
    Decoding,
    MedagentsError,
    Message,
    Prompt,
    Provenance,
    Reply,
    Request,
    Slot,
    Status,
    Transport,
)

SYSTEM = "Reply with the letter only."


class Provider(ScriptedModel):
    """Scripted texts, made to look as if a provider had sent them."""

    def __init__(self, script: Callable[[Request], str | None] = lambda _: "B", **sent: object) -> None:
        super().__init__(script, name="m-1")
        self.sent = sent

    def complete(self, request: Request) -> Reply:
        return replace(super().complete(request), **self.sent)  # type: ignore[arg-type]


def slot_of(case: str, condition: str = "isolated", experiment: str = "cascade") -> Slot:
    return Slot("cohort", case, experiment, condition)


def request_of(model: ScriptedModel, case: str, system: str = SYSTEM, seed: int | None = None) -> Request:
    return model.request(Prompt(system, f"A sailor with bleeding gums ({case}).", ""), Decoding(seed=seed))


def ask(recorder: Recorder, *cases: str, system: str = SYSTEM, **slot: str) -> list[str | None]:
    model = recorder.model
    assert isinstance(model, ScriptedModel)
    return [recorder.ask(slot_of(case, **slot), request_of(model, case, system)).reply.text for case in cases]


def recorded(root: Path, *cases: str, model: ScriptedModel | None = None, **slot: str) -> Path:
    recorder = Recorder(model or Provider(), Store(root), Mode.RECORD)
    ask(recorder, *cases, **slot)
    return recorder.store.shard(slot_of("", **slot), recorder.model.name)


def asked(model: ScriptedModel) -> list[str]:
    """Cases in the order in which the model was asked of them."""
    return [re.findall(r"\((\w+)\)", request.messages[-1].text)[0] for request in model.history]


# Replay


def test_replay_gives_what_was_recorded_and_never_calls(tmp_path: Path) -> None:
    recorded(tmp_path, "c1", "c2")
    model = Provider(lambda _: "D")
    recorder = Recorder(model, Store(tmp_path))
    assert ask(recorder, "c2", "c1") == ["B", "B"]
    assert (recorder.calls, model.history) == (0, [])


def test_a_replay_miss_names_the_command_that_makes_the_recording(tmp_path: Path) -> None:
    recorded(tmp_path, "c1")
    model = Provider()
    with pytest.raises(ReplayMiss) as error:
        ask(Recorder(model, Store(tmp_path)), "c2", condition="two_peers")
    assert str(error.value) == (
        "no recording of cohort case c2, two_peers by m-1; make it with: "
        "python -m medagents record --experiment cascade --cohort cohort --model m-1"
    )
    assert model.history == []


def test_replay_does_not_fill_a_slot_from_another_with_the_same_request(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c1")
    before = path.read_bytes()
    with pytest.raises(ReplayMiss):
        ask(Recorder(Provider(), Store(tmp_path)), "c1", condition="clean")
    assert path.read_bytes() == before


@pytest.mark.parametrize("publishable", [True, False])
@pytest.mark.parametrize("mode", [Mode.REPLAY, Mode.RECORD])
def test_a_changed_request_is_stale_names_its_fields_and_makes_no_call(
    tmp_path: Path, mode: Mode, publishable: bool
) -> None:
    ask(Recorder(Provider(), Store(tmp_path), Mode.RECORD, publishable), "c1")
    model = Provider()
    recorder = Recorder(model, Store(tmp_path), mode, publishable)
    before = recorder.store.shard(slot_of("c1"), "m-1").read_bytes()
    with pytest.raises(StaleRecording) as error:
        recorder.ask(slot_of("c1"), request_of(model, "c1", "Answer.", seed=3))
    told = f" ({SYSTEM[:24]!r} is now 'Answer.')" if publishable else ""
    assert str(error.value) == (
        f"cohort case c1, isolated was recorded with another request; changed: decoding, system{told}; "
        "restore what changed (git diff), or ask anew with: python -m medagents refresh --experiment cascade "
        "--cohort cohort --model m-1"
    )
    assert model.history == []
    assert recorder.store.shard(slot_of("c1"), "m-1").read_bytes() == before


@pytest.mark.parametrize("publishable", [True, False])
@pytest.mark.parametrize("name", ["common/system", "committee/system"])
def test_a_stale_recording_names_the_prompt_that_was_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, publishable: bool, name: str
) -> None:
    edited = tmp_path / "prompts" / f"{name}.txt"
    edited.parent.mkdir(parents=True)
    edited.write_text(prompts.template(name) + "\n")
    monkeypatch.setattr(paths, "PROMPTS", tmp_path / "prompts")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    asked = request_of(Provider(), "c1", edited.read_text().strip())
    Recorder(Provider(), Store(tmp_path), Mode.RECORD, publishable).ask(slot_of("c1"), asked)
    edited.write_text(edited.read_text().strip() + " PLEASE.\n")
    now = request_of(Provider(), "c1", edited.read_text().strip())
    with pytest.raises(StaleRecording) as error:
        Recorder(Provider(), Store(tmp_path), Mode.REPLAY, publishable).ask(slot_of("c1"), now)
    words = str(error.value)
    assert f"prompts/{name}.txt);" in words and words.count(".txt") == 1
    assert ("PLEASE" in words) == publishable and "\n" not in words


# Record


def test_recording_joins_earlier_runs_and_asks_only_what_is_missing(tmp_path: Path) -> None:
    """FC32: 1 to 6 in one run, 7 in another, 8 torn; 8, 9 and 10 are left."""
    path = recorded(tmp_path, *(f"c{n}" for n in range(1, 7)))
    recorded(tmp_path, "c7")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"case": 8, "rep')
    model = Provider()
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    with pytest.warns(UserWarning, match="torn last line"):
        ask(recorder, *(f"c{n}" for n in range(1, 11)))
    assert asked(model) == ["c8", "c9", "c10"]
    assert recorder.calls == 3
    assert path.read_bytes().startswith(whole)
    assert [record.slot.case for record in read_shard(path)[0]] == [f"c{n}" for n in range(1, 11)]


def test_a_run_that_was_interrupted_does_not_ask_finished_cases_again(tmp_path: Path) -> None:
    def tired(request: Request) -> str:
        if "(c3)" in request.messages[-1].text:
            raise KeyboardInterrupt
        return "B"

    with pytest.raises(KeyboardInterrupt):
        recorded(tmp_path, "c1", "c2", "c3", model=Provider(tired))
    model = Provider()
    recorded(tmp_path, "c1", "c2", "c3", model=model)
    assert asked(model) == ["c3"]


def test_a_slot_with_the_request_of_another_copies_its_reply_without_a_call(tmp_path: Path) -> None:
    texts = iter("BCD")
    model = Provider(lambda _: next(texts))
    recorded(tmp_path, "c1", model=model)
    twin = recorded(tmp_path, "c1", model=model, condition="clean", experiment="cues")
    assert len(model.history) == 1
    (copied,) = read_shard(twin)[0]
    assert (copied.slot.condition, copied.reply.text) == ("clean", "B")
    assert ask(Recorder(model, Store(tmp_path)), "c1", condition="clean", experiment="cues") == ["B"]


def test_what_another_process_recorded_meanwhile_is_not_asked_again(tmp_path: Path) -> None:
    model, other = Provider(lambda _: "C"), Provider(lambda _: "B")
    mine, theirs = (Recorder(who, Store(tmp_path), Mode.RECORD) for who in (model, other))
    ask(mine, "c1")
    ask(theirs, "c1", "c2")
    assert ask(mine, "c2") == ["B"]
    assert (asked(model), asked(other)) == (["c1"], ["c2"])


def test_the_text_of_an_unpublishable_cohort_is_in_no_file(tmp_path: Path) -> None:
    recorder = Recorder(Provider(), Store(tmp_path), Mode.RECORD, publishable=False)
    ask(recorder, "c1")
    recorder.finish("cohort", "cascade")
    refresh = Recorder(Provider(), Store(tmp_path), Mode.REFRESH, publishable=False)
    ask(refresh, "c1")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".jsonl", ".lock", ".refreshing"}
    assert not any(b"sailor" in path.read_bytes() or b"Reply" in path.read_bytes() for path in files)


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REFRESH])
def test_what_a_reply_quotes_of_an_unpublishable_question_is_cut_before_anything_sees_it(
    tmp_path: Path, mode: Mode
) -> None:
    stem = "A cook of fifty years coughs at night and has lost his sense of smell."
    model = Provider(lambda _: f"{stem} Then it is B.")
    request = model.request(Prompt(SYSTEM, stem, ""), Decoding())
    open_text = Recorder(model, Store(tmp_path / "open"), mode).ask(slot_of("c1"), request)
    assert open_text.reply.text == f"{stem} Then it is B."
    for recorder in (
        Recorder(model, Store(tmp_path / "kept"), mode, publishable=False),
        Recorder(model, Store(tmp_path / "kept"), Mode.RECORD, publishable=False),
    ):
        assert recorder.ask(slot_of("c1"), request).reply.text == "[...]. Then it is B."
        recorder.finish("cohort", "cascade")
    assert not any(b"coughs" in path.read_bytes() for path in (tmp_path / "kept").rglob("*.jsonl"))


def test_finishing_a_recording_sorts_its_shard_and_loses_nothing(tmp_path: Path) -> None:
    recorder = Recorder(Provider(), Store(tmp_path), Mode.RECORD)
    names = [f"c{n}" for n in range(9)]
    ask(recorder, *names)
    path = recorder.store.shard(slot_of(""), "m-1")
    before = read_shard(path)[0]
    recorder.finish("cohort", "cascade")
    records = read_shard(path)[0]
    assert records == sorted(before, key=lambda record: record.key) != before
    assert ask(recorder, "c9", *names) == ["B"] * 10


# What is never stored


def files_below(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.suffix in (".jsonl", ".refreshing")]


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REFRESH])
def test_a_reply_that_reports_an_error_is_logged_and_not_stored(
    tmp_path: Path, mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    """FC07: `ERROR.` holds an E, but is no answer."""
    recorder = Recorder(Provider(lambda _: "ERROR.", status=Status.ERROR), Store(tmp_path), mode)
    with pytest.raises(MedagentsError, match="case c1, isolated: the call failed; nothing stored"):
        ask(recorder, "c1")
    assert files_below(tmp_path) == []
    assert "call failed" in caplog.text
    assert "c1" in caplog.text


def test_a_call_that_raises_is_logged_and_not_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """FC07: the transport times out on every try."""

    def timeout(_: Request) -> str:
        raise TimeoutError

    recorder = Recorder(Provider(timeout), Store(tmp_path), Mode.RECORD)
    with pytest.raises(TimeoutError):
        ask(recorder, "c1")
    assert files_below(tmp_path) == []
    assert recorder.calls == 0
    assert "call failed" in caplog.text


@pytest.mark.parametrize("status", [Status.TRUNCATED, Status.BLOCKED, Status.EMPTY, Status.ANSWERED])
def test_what_the_model_did_say_is_stored_whatever_it_was(tmp_path: Path, status: Status) -> None:
    path = recorded(tmp_path, "c1", model=Provider(lambda _: None, status=status))
    assert [record.reply.status for record in read_shard(path)[0]] == [status]


@pytest.mark.parametrize("returned", ["m-1-mini", "m-10", "m", "other", "m-1-preview-05-20"])
@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REFRESH])
def test_a_live_reply_of_another_model_is_not_stored(tmp_path: Path, returned: str, mode: Mode) -> None:
    model = Provider(provenance=Provenance.LIVE, model_returned=returned)
    with pytest.raises(ModelDrift, match=f"asked m-1, answered by {returned}; reply not stored"):
        ask(Recorder(model, Store(tmp_path), mode), "c1")
    assert files_below(tmp_path) == []


@pytest.mark.parametrize(
    ("asked_of", "returned"),
    [
        ("gemini-2.5-flash", "gemini-2.5-flash"),
        ("gemini-2.0-flash", "gemini-2.0-flash-001"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("claude-3-5-sonnet", "claude-3-5-sonnet@20240620"),
    ],
)
def test_a_version_of_the_model_asked_is_that_model(asked_of: str, returned: str) -> None:
    assert same_model(asked_of, returned)


@pytest.mark.parametrize(
    ("asked_of", "returned"),
    [("gpt-4o", "gpt-4o-mini-2024-07-18"), ("gemini-2.5-flash", "gemini-2.5-flash-lite"), ("m.1", "m-1")],
)
def test_a_model_whose_name_begins_the_same_is_another(asked_of: str, returned: str) -> None:
    assert not same_model(asked_of, returned)


def test_a_prompt_that_shows_the_runs_own_marker_is_not_sent(tmp_path: Path) -> None:
    """FC28."""
    meta = {"distractor": 1, "wrong_rationale": "[seeded] I read this as pneumothorax."}
    case = Case("c1", "Sudden breathlessness?", ("Embolism", "Pneumothorax", "Asthma"), 0, meta=meta)
    model = Provider(lambda _: "A")
    with pytest.raises(MedagentsError, match=r"marker '\[seeded\]'"):
        study.run("peer_cascade", [case], Recorder(model, Store(tmp_path), Mode.RECORD), "cohort")
    assert model.history
    assert not any("[seeded]" in message.text for request in model.history for message in request.messages)


# Refresh


def test_refreshing_asks_anew_and_replaces_only_when_finished(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c1", "c2", "c3")
    before = path.read_bytes()
    model = Provider(lambda _: "D")
    recorder = Recorder(model, Store(tmp_path), Mode.REFRESH)
    assert ask(recorder, "c1", "c2", system="Answer.") == ["D", "D"]
    assert asked(model) == ["c1", "c2"]
    assert path.read_bytes() == before
    recorder.finish("cohort", "cascade")
    assert not refreshing(path).exists()
    assert [record.reply.text for record in sorted(read_shard(path)[0], key=lambda r: r.slot.case)] == [
        "D",
        "D",
        "B",
    ]
    assert ask(Recorder(model, Store(tmp_path)), "c1", "c2", system="Answer.") == ["D", "D"]
    assert ask(Recorder(model, Store(tmp_path)), "c3") == ["B"]


def test_an_interrupted_refresh_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c1", "c2", "c3")
    before = path.read_bytes()
    first = Provider(lambda _: "D")
    ask(Recorder(first, Store(tmp_path), Mode.REFRESH), "c1", "c2")
    draft = refreshing(path)
    draft.write_bytes(draft.read_bytes() + b'{"key": "12')
    second = Provider(lambda _: "D")
    recorder = Recorder(second, Store(tmp_path), Mode.REFRESH)
    with pytest.warns(UserWarning, match="torn last line"):
        assert ask(recorder, "c1", "c2", "c3") == ["D"] * 3
    assert asked(second) == ["c3"]
    assert path.read_bytes() == before
    recorder.finish("cohort", "cascade")
    assert {record.slot.case: record.reply.text for record in read_shard(path)[0]} == {
        "c1": "D",
        "c2": "D",
        "c3": "D",
    }


def test_a_prompt_changed_during_a_refresh_is_asked_again_and_the_later_reply_kept(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c1")
    ask(Recorder(Provider(lambda _: "C"), Store(tmp_path), Mode.REFRESH), "c1")
    recorder = Recorder(Provider(lambda _: "D"), Store(tmp_path), Mode.REFRESH)
    assert ask(recorder, "c1", system="Answer.") == ["D"]
    recorder.finish("cohort", "cascade")
    assert [record.reply.text for record in read_shard(path)[0]] == ["D"]


def test_a_second_refresh_by_the_same_recorder_asks_again(tmp_path: Path) -> None:
    texts = iter("CD")
    recorder = Recorder(Provider(lambda _: next(texts)), Store(tmp_path), Mode.REFRESH)
    for text in "CD":
        assert ask(recorder, "c1") == [text]
        recorder.finish("cohort", "cascade")
    assert ask(Recorder(Provider(), recorder.store), "c1") == ["D"]


def test_a_refresh_mends_a_study_whose_shard_contradicts_itself(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c1")
    (record,) = read_shard(path)[0]
    with path.open("a") as stream:
        stream.write(to_line(replace(record, reply=replace(record.reply, text="C"))))
    recorder = Recorder(Provider(lambda _: "D"), Store(tmp_path), Mode.REFRESH)
    ask(recorder, "c1")
    recorder.finish("cohort", "cascade")
    assert [record.reply.text for record in read_shard(path)[0]] == ["D"]


def test_refreshed_slots_with_one_request_share_one_reply_in_every_experiment(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = iter("BCDE")
    model = Provider(lambda _: next(texts))
    recorded(tmp_path, "c1", model=model)
    cues = recorded(tmp_path, "c1", "c2", model=model, condition="clean", experiment="cues")
    recorder = Recorder(model, Store(tmp_path), Mode.REFRESH)
    assert ask(recorder, "c1") == ["D"]
    assert ask(recorder, "c1", condition="again") == ["D"]
    with caplog.at_level(logging.WARNING):
        recorder.finish("cohort", "cascade")
    assert {record.slot.case: record.reply.text for record in read_shard(cues)[0]} == {"c1": "D", "c2": "C"}
    assert "cues.jsonl: 1 replies replaced" in caplog.text
    assert "record --experiment cues --cohort cohort --model m-1" in caplog.text
    assert len(Store(tmp_path).index("cohort", "m-1").by_slot) == 4


def test_finishing_without_a_refresh_or_a_recording_changes_nothing(tmp_path: Path) -> None:
    path = recorded(tmp_path, "c2", "c1")
    before = path.read_bytes()
    for mode in (Mode.REPLAY, Mode.REFRESH):
        Recorder(Provider(), Store(tmp_path), mode).finish("cohort", "cascade")
    Recorder(Provider(), Store(tmp_path / "empty"), Mode.RECORD).finish("cohort", "cascade")
    assert path.read_bytes() == before
    assert files_below(tmp_path) == [path]


def test_settings_share_a_recording_only_where_they_are_the_same(tmp_path: Path) -> None:
    """FC08: the fifth call is a hit on the first."""
    model = Provider()
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    settings = [Decoding(0.0), Decoding(0.7), Decoding(0.0, max_tokens=64), Decoding(0.0)]
    keys = [
        recorder.ask(slot_of(f"call{n}"), Request("m-1", (Message("user", "p"),), decoding=decoding)).key
        for n, decoding in enumerate(settings)
    ]
    assert recorder.calls == 3
    assert (len(set(keys)), keys[3]) == (3, keys[0])


def test_a_record_read_from_the_store_is_the_one_that_was_made(tmp_path: Path) -> None:
    model = Provider()
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    request = request_of(model, "c1")
    made = recorder.ask(slot_of("c1"), request)
    assert made == make_record(
        slot_of("c1"), request, ScriptedModel(lambda _: "B", "m-1").complete(request), True
    )
    assert Recorder(model, Store(tmp_path)).ask(slot_of("c1"), request) == made


# Several threads


class Crowd(Provider):
    """Takes several calls at a time; counts how many it has at once and holds them till `go` is set."""

    def __init__(
        self, concurrency: int | None, script: Callable[[Request], str | None] = lambda _: "B"
    ) -> None:
        super().__init__(script)
        if concurrency is not None:
            self.transport = Transport(concurrency=concurrency)
        self.lock, self.go, self.full = threading.Lock(), threading.Event(), threading.Event()
        self.now = self.most = 0

    def complete(self, request: Request) -> Reply:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            if self.now == (self.transport.concurrency if hasattr(self, "transport") else 1):
                self.full.set()
        assert self.go.wait(20)
        try:
            return super().complete(request)
        finally:
            with self.lock:
                self.now -= 1


def in_threads(*calls: Callable[[], object]) -> list[object]:
    """What calls in threads of their own give, or the error they raise."""
    start = threading.Barrier(len(calls))

    def one(call: Callable[[], object]) -> object:
        start.wait(20)
        try:
            return call()
        except MedagentsError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


@pytest.mark.parametrize("mode", [Mode.RECORD, Mode.REFRESH])
@pytest.mark.parametrize("recorders", [1, 2], ids=["one recorder", "two over a store"])
def test_a_request_that_many_threads_want_is_asked_once_and_every_slot_gets_its_line(
    tmp_path: Path, mode: Mode, recorders: int
) -> None:
    model, store = Crowd(8), Store(tmp_path)
    model.go.set()
    asking = [Recorder(model, store, mode) for _ in range(recorders)]
    slots = [slot_of("c1", condition=f"arm{n % 4}") for n in range(8)]
    request = request_of(model, "c1")
    records = in_threads(
        *(
            lambda recorder=asking[n % recorders], slot=slot: recorder.ask(slot, request)
            for n, slot in enumerate(slots)
        )
    )
    assert len(model.history) == sum(recorder.calls for recorder in asking) == 1
    assert [record.slot for record in records] == slots
    path = store.shard(slots[0], "m-1")
    lines = read_shard(refreshing(path) if mode is Mode.REFRESH else path)[0]
    assert sorted(record.slot.condition for record in lines) == [f"arm{n}" for n in range(4)]


@pytest.mark.parametrize(("concurrency", "most"), [(3, 3), (1, 1), (None, 1)], ids=["3", "1", "in process"])
def test_no_more_calls_are_made_at_a_time_than_the_transport_allows_and_an_engine_takes_one(
    tmp_path: Path, concurrency: int | None, most: int
) -> None:
    model = Crowd(concurrency)
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    threading.Thread(target=lambda: model.full.wait(20) and model.go.set()).start()
    in_threads(*(lambda n=n: ask(recorder, f"c{n}") for n in range(12)))
    assert (model.most, recorder.calls) == (most, 12)
    assert recorder.concurrency == most
    assert Recorder(model, recorder.store, Mode.REPLAY).concurrency == 1


def test_of_several_calls_the_one_that_fails_is_named_in_its_error(tmp_path: Path) -> None:
    class Refused(MedagentsError):
        def __init__(self, status: int) -> None:
            super().__init__(f"HTTP {status}")
            self.status = status

    same = Refused(429)

    def fail(request: Request) -> str:
        if "(c2)" in request.messages[-1].text or "(c4)" in request.messages[-1].text:
            raise same
        return "B"

    model = Crowd(4, fail)
    model.go.set()
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    found = in_threads(*(lambda n=n: ask(recorder, f"c{n}") for n in range(1, 5)))
    assert found[0] == found[2] == ["B"]
    for error, case in ((found[1], "c2"), (found[3], "c4")):
        assert isinstance(error, Refused) and error.status == 429 and error.__cause__ is same
        assert str(error) == f"case {case}, isolated: HTTP 429"


def test_an_error_of_another_kind_carries_the_call_as_a_note(tmp_path: Path) -> None:
    def fail(_: Request) -> str:
        raise TimeoutError("slow")

    with pytest.raises(TimeoutError, match="slow") as error:
        ask(Recorder(Provider(fail), Store(tmp_path), Mode.RECORD), "c1")
    assert error.value.__notes__ == ["case c1, isolated"]


def test_while_a_run_ends_what_is_recorded_is_still_had_and_nothing_else_is_asked(tmp_path: Path) -> None:
    recorded(tmp_path, "c1")
    model = Provider()
    recorder = Recorder(model, Store(tmp_path), Mode.RECORD)
    recorder.store.stopped.set()
    assert ask(recorder, "c1") == ["B"]
    with pytest.raises(Stopped, match="case c2, isolated: not asked"):
        ask(recorder, "c2")
    assert (model.history, recorder.calls) == ([], 0)
