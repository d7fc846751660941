"""What a run would ask and cost: the calls a live run then makes, and no model is asked."""

import math
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from medagents import study
from medagents.dry_run import estimate
from medagents.models.prices import Prices
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store, read_shard, shards
from medagents.types import Case, Decoding, Prompt, Request, Slot

COLUMNS = "model,input,output,thoughts,batch,since,read,source\n"


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.csv"
    path.write_text(f"{COLUMNS}scripted,2,8,8,1,,2026-11-30,my contract\n", encoding="utf-8")
    return Prices(path)


def script(request: Request) -> str:
    """A letter that depends on all of the request."""
    return "ABCDE"[sha256(repr(request.messages).encode()).digest()[0] % 5]


def runs(experiment: str, cases: tuple[Case, ...]) -> Callable[[Recorder], object]:
    return lambda recorder: study.run(experiment, cases, recorder, "toy")


def slots_by_arm(store: Store) -> Counter[str]:
    records = (record for *_, path in shards(store.root) for record in read_shard(path)[0])
    return Counter(record.slot.condition for record in records)


@pytest.mark.parametrize("experiment", ["cue_sensitivity", "break_it", "prompt_format"])
def test_the_calls_are_those_a_run_then_makes(cases, store, experiment):
    model = ScriptedModel(script)
    found = estimate(runs(experiment, cases), [model], store)
    assert model.history == [] and not list(store.root.rglob("*.jsonl"))
    recorder = Recorder(model, store, Mode.RECORD)
    runs(experiment, cases)(recorder)
    assert found.calls == recorder.calls
    assert dict(zip(found.arms["arm"], found.arms["slots"], strict=True)) == slots_by_arm(store)


def test_what_is_recorded_is_taken_off(cases, store):
    model = ScriptedModel(script)
    runs("cue_sensitivity", cases[:2])(Recorder(model, store, Mode.RECORD))
    asked = len(model.history)
    whole = estimate(runs("cue_sensitivity", cases), [model], Store(store.root / "empty"))
    rest = estimate(runs("cue_sensitivity", cases), [model], store)
    assert rest.calls == whole.calls - asked
    assert (rest.arms["recorded"] == 2).all()
    assert len(model.history) == asked


@pytest.mark.parametrize(("experiment", "arm"), [("hidden_rubric", "why"), ("peer_cascade", "own_prior")])
def test_calls_that_only_some_replies_lead_to_are_counted(cases, store, experiment, arm):
    """Why is asked only where the decoy under the key changed the answer; the holdout is told its own
    answer only where it gave one.
    """
    found = estimate(runs(experiment, cases), [ScriptedModel(script)], store)
    slots = dict(zip(found.arms["arm"], found.arms["slots"], strict=True))
    recorder = Recorder(ScriptedModel(script), store, Mode.RECORD)
    runs(experiment, cases)(recorder)
    assert 0 < slots_by_arm(store)[arm] <= slots[arm]
    assert recorder.calls <= found.calls


def test_when_all_is_recorded_there_is_nothing_to_ask(cases, store):
    runs("cue_sensitivity", cases)(Recorder(ScriptedModel(script), store, Mode.RECORD))
    found = estimate(runs("cue_sensitivity", cases), [ScriptedModel(script)], store)
    assert (found.calls, found.usd) == (0, 0.0)
    assert found.text().endswith("Nothing to ask: all is recorded.")


def test_a_refresh_asks_everything_anew(cases, store):
    model = ScriptedModel(script)
    recorder = Recorder(model, store, Mode.RECORD)
    runs("peer_cascade", cases)(recorder)
    anew = estimate(runs("peer_cascade", cases), [model], store, mode=Mode.REFRESH)
    assert anew.calls == recorder.calls > 0
    assert (anew.arms["recorded"] == 0).all()


def one(recorder: Recorder) -> None:
    """Two arms of one request, and one of another; 1,000 and 2,000 tokens, replies of at most 50 and 10."""
    model = recorder.model
    same = model.request(Prompt("", "x" * 2500, ""), Decoding(max_tokens=50))
    recorder.ask(Slot("toy", "1", "e", "alone"), same)
    recorder.ask(Slot("toy", "1", "e", "twin"), same)
    recorder.ask(
        Slot("toy", "1", "e", "told"), model.request(Prompt("", "x" * 5000, ""), Decoding(max_tokens=10))
    )


def test_tokens_and_cost_are_by_arm_and_a_shared_request_is_paid_once(store, prices):
    found = estimate(one, [ScriptedModel(script)], store, prices=prices)
    assert found.arms.set_index("arm")[["calls", "prompt", "reply"]].to_dict("index") == {
        "alone": {"calls": 1, "prompt": 1000, "reply": 50},
        "twin": {"calls": 0, "prompt": 0, "reply": 0},
        "told": {"calls": 1, "prompt": 2000, "reply": 10},
    }
    usd = dict(zip(found.arms["arm"], found.arms["usd"], strict=True))
    assert usd == pytest.approx({"alone": 0.0024, "twin": 0.0, "told": 0.00408})
    assert found.usd == pytest.approx(0.00648)


def test_the_text_has_the_total_the_basis_and_where_prices_are_from(store, prices):
    lines = estimate(one, [ScriptedModel(script)], store, prices=prices).text().splitlines()
    [total] = [line.split() for line in lines if line.split()[:1] == ["total"]]
    assert total[1:] == ["3", "0", "2", "3,000", "60", "0.0065"]
    assert any("2.5 characters" in line for line in lines)
    assert lines[-1] == "scripted: USD a million tokens: 2 in, 8 out (my contract; read 2026-11-30)."


def test_a_price_that_is_not_known_is_said_and_not_counted_as_nothing(store):
    found = estimate(one, [ScriptedModel(script)], store)
    assert math.isnan(found.usd)
    assert "unknown" in found.text()
    assert found.text().endswith("scripted: the price is not known: give it with --prices FILE.")
