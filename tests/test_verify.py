"""Recordings against their keys: hashed again where the text is stored, rebuilt where it is not."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medagents import cohorts, study
from medagents.experiments import EXPERIMENTS
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store, read_shard, to_line
from medagents.types import MedagentsError, Model
from medagents.verify import verify_shard, verify_study

CASES = 3


@pytest.fixture(params=[True, False], ids=["with text", "keys alone"])
def recorded(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shard of the prompt formats over three vignettes, by a model that always says B."""
    monkeypatch.setattr(study, "engine", scripted)
    monkeypatch.setattr(study, "publishable", lambda cohort: request.param)
    monkeypatch.setitem(study.SIZES, ("prompt_format", "vignettes"), CASES)
    store = Store(tmp_path)
    recorder = Recorder(scripted("m", "prompt_format"), store, Mode.RECORD, request.param)
    study.run("prompt_format", cohorts.load("vignettes", CASES), recorder, "vignettes")
    recorder.finish("vignettes", "prompt_format")
    return tmp_path / "vignettes" / "m" / "prompt_format.jsonl"


def scripted(model: str, experiment: str) -> Model:
    return ScriptedModel(lambda _: "B", name=model)


def verify(path: Path, experiment: str = "prompt_format") -> list[str]:
    return verify_study(experiment, "vignettes", "m", Store(path.parent.parent.parent))


def edit(path: Path, number: int, change: Callable[[dict], object]) -> None:
    lines = path.read_text().split("\n")
    body = json.loads(lines[number - 1])
    change(body)
    lines[number - 1] = json.dumps(body)
    path.write_text("\n".join(lines))


def test_a_shard_as_recorded_has_no_faults(recorded: Path) -> None:
    assert len(read_shard(recorded)[0]) == CASES * 3
    assert verify_shard(recorded) == []
    assert verify(recorded) == []


@pytest.mark.parametrize("recorded", [True], indirect=True)
def test_every_record_whose_request_was_edited_is_named(recorded: Path) -> None:
    edit(recorded, 2, lambda body: body["request"].update(system="Answer."))
    edit(recorded, 5, lambda body: body["request"]["decoding"].update(seed=1))
    edit(recorded, 6, lambda body: body["reply"].update(text="C"))
    faults = verify_shard(recorded)
    assert [fault.partition(": ")[0] for fault in faults] == [f"{recorded}:2", f"{recorded}:5"]
    assert all("the request's key is" in fault and "version control" in fault for fault in faults)


@pytest.mark.parametrize("recorded", [False], indirect=True)
def test_a_key_without_text_that_no_request_has_is_found_by_rebuilding(recorded: Path) -> None:
    edit(recorded, 2, lambda body: body.update(key="0" * 64))
    assert verify_shard(recorded) == []
    (fault,) = verify(recorded)
    assert "was recorded with another request" in fault


def test_damaged_torn_and_contradictory_lines_are_all_reported(recorded: Path) -> None:
    first = read_shard(recorded)[0][0]
    other = replace(first, reply=replace(first.reply, text="C"))
    recorded.write_text("rubbish\n" + to_line(first) + to_line(other) + to_line(first)[:40])
    faults = verify_shard(recorded)
    assert [fault.partition(": ")[0] for fault in faults] == [f"{recorded}:{n}" for n in (1, 3, 4)]
    for fault, word in zip(faults, ("damaged recording", "two replies", "torn last line"), strict=True):
        assert word in fault


def test_an_absent_shard_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match="no such shard"):
        verify_shard(tmp_path / "x.jsonl")


def test_a_record_that_no_request_accounts_for_is_named(recorded: Path) -> None:
    orphan = read_shard(recorded)[0][0]
    slot = replace(orphan.slot, condition="dropped_format")
    with recorded.open("a") as stream:
        stream.write(to_line(replace(orphan, slot=slot)))
    (fault,) = verify(recorded)
    assert fault == (
        f"vignettes case {slot.case}, dropped_format by m: no request of prompt_format accounts for key "
        f"{orphan.key[:12]}; delete the line"
    )


@pytest.mark.parametrize("recorded", [False], indirect=True)
def test_a_reply_that_quotes_a_question_whose_text_is_withheld_is_named(recorded: Path) -> None:
    record = next(held for held in read_shard(recorded)[0] if held.slot.condition == "letter")
    case = next(case for case in cohorts.load("vignettes", CASES) if case.id == record.slot.case)
    said = " ".join(case.stem.split()[:12])
    number = 1 + recorded.read_text().split("\n").index(to_line(record).rstrip("\n"))
    edit(recorded, number, lambda body: body["reply"].update(text=said))
    (fault,) = verify(recorded)
    assert f"case {case.id}, letter: the reply quotes its question" in fault and "refresh" in fault


@pytest.mark.parametrize("recorded", [True], indirect=True)
def test_a_reply_may_quote_a_question_of_ours(recorded: Path) -> None:
    case = cohorts.load("vignettes", 1)[0]
    edit(recorded, 1, lambda body: body["reply"].update(text=case.stem))
    assert verify(recorded) == []


def test_records_of_other_experiments_are_not_looked_for(recorded: Path) -> None:
    (record, *_) = read_shard(recorded)[0]
    slot = replace(record.slot, experiment="peer_cascade", condition="isolated")
    recorded.with_name("peer_cascade.jsonl").write_text(to_line(replace(record, slot=slot)))
    assert verify(recorded) == []


def test_a_missing_record_is_named_with_the_command(recorded: Path) -> None:
    lines = recorded.read_text().splitlines(keepends=True)
    recorded.write_text("".join(lines[1:]))
    (fault,) = verify(recorded)
    assert "make it with: python -m medagents record --experiment prompt_format" in fault


def test_a_changed_prompt_is_named_by_its_field(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from medagents.experiments import prompt_format

    monkeypatch.setitem(prompt_format.FORMATS, "letter", ("common/system", True))
    assert EXPERIMENTS["prompt_format"] is prompt_format.run_case
    (fault,) = verify(recorded)
    assert "letter was recorded with another request; changed: messages;" in fault


def test_verifying_writes_nothing_and_calls_no_model(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel(lambda _: "B", name="m")
    monkeypatch.setattr(study, "engine", lambda name, experiment: model)
    before = recorded.read_bytes()
    verify_shard(recorded)
    verify(recorded)
    assert model.history == []
    assert recorded.read_bytes() == before
