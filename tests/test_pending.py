"""Calls that can be made before any reply is known, and rounds of them until a run is recorded."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from medagents import study
from medagents.keys import canonical, key_of
from medagents.models.scripted import ScriptedModel
from medagents.pending import pending
from medagents.recorder import Mode, Recorder
from medagents.recordings import StaleRecording, Store, make_record
from medagents.types import Case, Decoding, Model, Prompt, Request, Slot


def script(request: Request) -> str:
    """A letter or a sentence that depends on all of the request, so that nothing can be guessed."""
    mixed = sha256(f"8{request}".encode()).digest()[0]
    return "ABCD"[mixed % 4] if request.decoding.max_tokens == 1 else f"Reason {mixed} speaks for it."


def runs(experiment: str, cases: tuple[Case, ...]) -> Callable[[Recorder], object]:
    return lambda recorder: study.run(experiment, cases, recorder, "toy")


def rounds(experiment: str, cases: tuple[Case, ...], store: Store) -> list[int]:
    """Asks what is pending, round by round, as batches would; how many calls each takes."""
    model = ScriptedModel(script)
    counts = []
    while found := pending(runs(experiment, cases), model, store):
        replies = {key_of(canonical(request)): model.complete(request) for _, request in found}
        for slot, request in found:
            reply = replies[key_of(canonical(request))]
            store.append(make_record(slot, request, reply, True), model.name)
        counts.append(len(replies))
        assert len(counts) < 10
    return counts


@pytest.mark.parametrize(
    ("experiment", "several"),
    [("cue_sensitivity", False), ("peer_cascade", True), ("break_it", True), ("hidden_rubric", True)],
)
def test_rounds_of_pending_calls_record_what_a_live_run_records(
    cases: tuple[Case, ...], store: Store, tmp_path, experiment: str, several: bool
) -> None:
    live = Recorder(ScriptedModel(script), Store(tmp_path / "live"), Mode.RECORD)
    want = study.run(experiment, cases, live, "toy")
    counts = rounds(experiment, cases, store)
    assert sum(counts) == live.calls  # nothing asked that a live run does not ask, nothing twice
    assert (len(counts) > 1) is several
    again = Recorder(ScriptedModel(script), store, Mode.RECORD)  # slots that share a request get their line
    assert study.run(experiment, cases, again, "toy").equals(want)
    assert again.calls == 0


def test_no_model_is_called_and_nothing_is_stored(cases: tuple[Case, ...], store: Store) -> None:
    model = ScriptedModel(script)
    assert pending(runs("peer_cascade", cases), model, store)
    assert not model.history
    assert not list(store.root.rglob("*"))


def test_a_request_that_a_reply_decides_waits_for_it(store: Store) -> None:
    model = ScriptedModel(script)

    def request(text: str) -> Request:
        return replace(model.request(Prompt("", "", text), Decoding()), repeat=0)

    def run(recorder: Recorder) -> None:
        first = recorder.ask(Slot("toy", "1", "e", "first"), request("first")).reply.text
        recorder.ask(Slot("toy", "1", "e", "about it"), request(f"You said {first}."))
        recorder.ask(Slot("toy", "1", "e", "whatever it is"), request("second"))
        if first == "A":
            recorder.ask(Slot("toy", "1", "e", "only then"), request("third"))

    def conditions(model: Model) -> list[str]:
        return [slot.condition for slot, _ in pending(run, model, store)]

    assert conditions(model) == ["first", "whatever it is"]
    recorder = Recorder(ScriptedModel(lambda _: "A"), store, Mode.RECORD)
    recorder.ask(Slot("toy", "1", "e", "first"), request("first"))
    assert conditions(model) == ["about it", "whatever it is", "only then"]


def test_a_request_recorded_for_another_slot_is_not_pending(store: Store) -> None:
    model = ScriptedModel(script)
    request = model.request(Prompt("", "", "same"), Decoding())
    Recorder(model, store, Mode.RECORD).ask(Slot("toy", "1", "e", "first"), request)
    assert not pending(lambda recorder: recorder.ask(Slot("toy", "1", "e", "twin"), request), model, store)


def test_a_stale_recording_stops_the_plan(store: Store) -> None:
    model = ScriptedModel(script)
    slot = Slot("toy", "1", "e", "first")
    Recorder(model, store, Mode.RECORD).ask(slot, model.request(Prompt("", "", "old"), Decoding()))
    with pytest.raises(StaleRecording):
        pending(lambda one: one.ask(slot, model.request(Prompt("", "", "new"), Decoding())), model, store)
