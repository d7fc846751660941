"""Recordings against the file that was committed, their keys, the runs they are of, and the rows."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from medagents import cohorts, models, paths, rows, sittings, study, sums, turns, verify
from medagents.cohorts import MissingData
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode
from medagents.recordings import read_shard, to_line
from medagents.types import MedagentsError, Model, Provenance, Reply, Request, Status, Usage
from medagents.verify import verify_shard
from medagents.verify_run import Run, runs_of, unlikely

CASES = 3
FORMATS = ("letter", "committee", "examples")
LETTERS = {"A": -1.5, "B": -0.5, "C": -2.0, "D": -3.0}


def scripted(model: str, experiment: str = "") -> Model:
    return ScriptedModel(lambda _: LETTERS, name=model)


@pytest.fixture(params=[True, False], ids=["with text", "keys alone"])
def shard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two experiments over three vignettes by a model that always says B, recorded whole; returns the shard
    of the prompt formats.
    """
    monkeypatch.setattr(study, "engine", scripted)
    monkeypatch.setattr(study, "publishable", lambda cohort: request.param)
    for experiment in ("prompt_format", "cue_sensitivity"):
        monkeypatch.setitem(study.SIZES, (experiment, "vignettes"), CASES)
        study.record(experiment, "vignettes", "m", Mode.RECORD, progress=False)
    return paths.RECORDINGS / "vignettes" / "m" / "prompt_format.jsonl"


Verified = tuple[int, dict[str, str], str]


@pytest.fixture
def verified(capsys: pytest.CaptureFixture[str]) -> Callable[[], Verified]:
    """Runs `verify`: exit status, what it calls each shard, and all that it prints."""

    def run() -> Verified:
        capsys.readouterr()
        status = verify.report()
        out = capsys.readouterr().out
        lines = [line.split() for line in out.splitlines() if line[:1].strip() and "vignettes" in line]
        return status, {line[3]: line[0] for line in lines if len(line) > 3}, out

    return run


def edit(path: Path, number: int, change: Callable[[dict], object]) -> None:
    """Change one line of a shard."""
    lines = path.read_text().split("\n")
    body = json.loads(lines[number - 1])
    change(body)
    lines[number - 1] = json.dumps(body)
    path.write_text("\n".join(lines))


def listed_anew(*changed: Path) -> None:
    """Whoever edits a file may well renew its sum."""
    sums.update(changed)


def test_what_was_recorded_whole_is_ok(shard: Path, verified: Callable[[], Verified]) -> None:
    status, states, out = verified()
    assert (status, states) == (0, {"prompt_format": "ok", "cue_sensitivity": "ok"})
    assert f"{CASES * len(FORMATS)} of {CASES * len(FORMATS)} calls built again" in out
    assert verify_shard(shard) == []


def emptied(path: Path) -> None:
    path.write_text("")


def without_first_line(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


def moved(path: Path) -> None:
    path.rename(path.with_suffix(".away"))


def renamed_condition(path: Path) -> None:
    path.write_text(path.read_text().replace('"condition":"letter"', '"condition":"leter"'))


def reworded_reply(path: Path) -> None:
    path.write_text(path.read_text().replace('"text":"B"', '"text":"A"'))


def other_letters(path: Path) -> None:
    path.write_text(path.read_text().replace('"A":-1.5', '"A":-0.1').replace('"text":"B"', '"text":"A"'))


def other_key(path: Path) -> None:
    edit(path, 2, lambda body: body.update(key="0" * 64))


def other_case(path: Path) -> None:
    edit(path, 2, lambda body: body["slot"].update(case="vig-999"))


def other_experiment(path: Path) -> None:
    edit(path, 2, lambda body: body["slot"].update(experiment="peer_cascade"))


def damaged(path: Path) -> None:
    path.write_text("rubbish\n" + path.read_text())


def torn(path: Path) -> None:
    path.write_text(path.read_text()[:-40])


def one_more(path: Path) -> None:
    record = read_shard(path)[0][0]
    with path.open("a") as stream:
        stream.write(to_line(replace(record, slot=replace(record.slot, condition="dropped_format"))))


DAMAGE = {
    emptied: "no recording of vignettes case",
    without_first_line: "no recording of vignettes case",
    moved: "no recording of vignettes case",
    renamed_condition: "letter by m; make it with: python -m medagents record --experiment prompt_format",
    reworded_reply: "the reply says A, though its own log-probabilities make B the likeliest letter",
    other_letters: "where the recordings give",
    other_key: "0",
    other_case: "no recording of vignettes case",
    other_experiment: "it belongs to peer_cascade of vignettes",
    damaged: ":1: damaged recording",
    torn: "torn last line",
    one_more: "no request of prompt_format accounts for key",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("renewed", [False, True], ids=["", "sum renewed"])
def test_damage_to_a_shard_is_found_also_where_its_sum_was_renewed_and_hides_no_other_shard(
    shard: Path, verified: Callable[[], Verified], damage: Callable[[Path], None], renewed: bool
) -> None:
    before = shard.read_bytes()
    damage(shard)
    assert not shard.exists() or shard.read_bytes() != before
    if renewed:
        listed_anew(shard)
    status, states, out = verified()
    assert (status, states) == (1, {"prompt_format": "FAULT", "cue_sensitivity": "ok"})
    assert DAMAGE[damage] in out
    said = "SHA-256 is" in out or "listed in" in out
    assert said == (not renewed)


@pytest.mark.parametrize("shard", [True], indirect=True)
def test_a_shard_whose_request_was_edited_names_the_line(shard: Path) -> None:
    edit(shard, 2, lambda body: body["request"].update(system="Answer."))
    edit(shard, 5, lambda body: body["request"]["decoding"].update(seed=1))
    faults = verify_shard(shard)
    assert [fault.partition(": ")[0] for fault in faults] == [f"{shard}:2", f"{shard}:5"]
    assert all("the request's key is" in fault and "version control" in fault for fault in faults)


@pytest.mark.parametrize("shard", [False], indirect=True)
def test_a_wrong_digest_of_a_field_is_found(shard: Path, verified: Callable[[], Verified]) -> None:
    edit(shard, 2, lambda body: body["parts"].update(system="0" * 12))
    listed_anew(shard)
    status, _, out = verified()
    assert status == 1 and "the digests of the request's fields are not those it has" in out


def test_a_changed_prompt_is_a_fault_of_every_call_that_shows_it(
    shard: Path, verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from medagents.experiments import prompt_format

    monkeypatch.setitem(prompt_format.FORMATS, "letter", ("prompt_format/system_committee", False))
    status, states, out = verified()
    assert (status, states) == (1, {"prompt_format": "FAULT", "cue_sensitivity": "ok"})
    assert out.count("letter was recorded with another request; changed: system") == CASES


def test_two_shards_that_contradict_each_other_are_both_looked_at_and_the_conflict_is_named(
    shard: Path, verified: Callable[[], Verified]
) -> None:
    other = shard.with_name("cue_sensitivity.jsonl")
    same = next(
        record for record in read_shard(other)[0] if record.key in {held.key for held in read_shard(shard)[0]}
    )
    number = 1 + [record.slot for record in read_shard(shard)[0]].index(
        next(held.slot for held in read_shard(shard)[0] if held.key == same.key)
    )
    edit(shard, number, lambda body: body["reply"].update(engine="another"))
    listed_anew(shard)
    status, states, out = verified()
    assert status == 1 and set(states) == {"prompt_format", "cue_sensitivity"}
    assert "has two replies" in out and f"{CASES * len(FORMATS)} of {CASES * len(FORMATS)} calls" in out


def test_damaged_torn_and_contradictory_lines_are_all_reported(shard: Path) -> None:
    first = read_shard(shard)[0][0]
    other = replace(first, reply=replace(first.reply, text="C"))
    shard.with_name("cue_sensitivity.jsonl").unlink()
    shard.write_text("rubbish\n" + to_line(first) + to_line(other) + to_line(first)[:40])
    faults = verify_shard(shard)
    assert [fault.partition(": ")[0] for fault in faults] == [f"{shard}:{n}" for n in (1, 3, 4)]
    for fault, word in zip(faults, ("damaged recording", "two replies", "torn last line"), strict=True):
        assert word in fault


def test_an_absent_shard_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match="no such shard"):
        verify_shard(tmp_path / "x.jsonl")


def edited_option(table: Path) -> None:
    table.write_text(table.read_text().replace("answered,1,", "answered,2,", 1))


def cut_short(table: Path) -> None:
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:4]))


@pytest.mark.parametrize(
    "damage", [edited_option, cut_short, Path.unlink], ids=lambda damage: damage.__name__
)
@pytest.mark.parametrize("renewed", [False, True], ids=["", "sum renewed"])
def test_rows_that_are_not_what_the_recordings_give_are_found(
    shard: Path, verified: Callable[[], Verified], damage: Callable[[Path], None], renewed: bool
) -> None:
    table = rows.path_of("vignettes", "m", "prompt_format", paths.ROWS)
    damage(table)
    if renewed:
        listed_anew(table)
    status, states, out = verified()
    assert (status, states) == (1, {"prompt_format": "FAULT", "cue_sensitivity": "ok"})
    assert f"{table}: " in out


def test_a_shard_whose_text_is_not_here_is_partly_checked_and_not_called_ok(
    shard: Path, verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*arguments: object) -> None:
        raise MissingData("no text")

    monkeypatch.setattr(study, "recorded_cases", missing)
    status, states, out = verified()
    assert (status, states) == (0, {"prompt_format": "partly", "cue_sensitivity": "partly"})
    assert "0 of 9 calls built again: the cohort's text is not on this machine (MEDAGENTS_DATA)" in out
    reworded_reply(shard)
    status, states, out = verified()
    assert (status, states["prompt_format"]) == (1, "FAULT") and "SHA-256 is" in out


def test_a_broken_source_of_a_cohort_is_a_fault_and_the_other_shards_are_verified(
    shard: Path, verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = study.recorded_cases

    def broken(cohort: str, model: str, experiment: str, n: int | None = None) -> object:
        if experiment == "cue_sensitivity":
            raise MedagentsError("toy.csv: SHA-256 is another")
        return real(cohort, model, experiment, n)

    monkeypatch.setattr(study, "recorded_cases", broken)
    status, states, out = verified()
    assert (status, states) == (1, {"prompt_format": "ok", "cue_sensitivity": "FAULT"})
    assert "toy.csv: SHA-256 is another" in out


def test_a_model_that_is_known_by_a_path_alone_is_partly_checked(
    shard: Path, verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "engine", lambda name, experiment: models.get(name))
    status, states, out = verified()
    assert (status, states) == (0, {"prompt_format": "partly", "cue_sensitivity": "partly"})
    assert "unknown model 'm'" in out


def test_a_recording_in_progress_is_new_and_no_fault_though_cases_are_missing_and_a_line_is_half_written(
    shard: Path, verified: Callable[[], Verified]
) -> None:
    rows.path_of("vignettes", "m", "prompt_format", paths.ROWS).unlink()
    shard.write_text(shard.read_text()[:-400])
    paths.SUMS.unlink()
    listed_anew(shard.with_name("cue_sensitivity.jsonl"), *paths.ROWS.glob("*/*/*.csv"))
    status, states, out = verified()
    assert (status, states) == (0, {"prompt_format": "new", "cue_sensitivity": "ok"})
    assert f"once it is finished: python -m medagents recordings sums {shard}" in out
    reworded_reply(shard)
    status, states, out = verified()
    assert (status, states["prompt_format"]) == (1, "FAULT")


def test_a_committee_in_progress_has_no_turns_yet_and_is_new(
    shard: Path, verified: Callable[[], Verified]
) -> None:
    record = read_shard(shard)[0][0]
    path = shard.with_name("committee_cascade.jsonl")
    path.write_text(to_line(replace(record, slot=replace(record.slot, experiment="committee_cascade"))))
    assert verified()[:2] == (0, {"prompt_format": "ok", "cue_sensitivity": "ok", "committee_cascade": "new"})


def test_shards_that_rows_stand_for_must_be_listed(shard: Path, verified: Callable[[], Verified]) -> None:
    paths.SUMS.unlink()
    status, states, out = verified()
    assert (status, set(states.values())) == (1, {"FAULT"})
    assert f"not in {paths.SUMS.name}, though rows of it are here" in out


def test_a_copy_under_another_name_is_foreign(shard: Path, verified: Callable[[], Verified]) -> None:
    shard.with_name("peer_cascade_2.jsonl").write_bytes(shard.read_bytes())
    status, states, out = verified()
    assert status == 1 and states["peer_cascade_2"] == "FAULT"
    assert "no experiment 'peer_cascade_2'" in out


def test_of_many_faults_of_one_kind_the_first_are_shown_and_the_others_counted(
    shard: Path, verified: Callable[[], Verified]
) -> None:
    reworded_reply(shard)
    _, _, out = verified()
    assert out.count("the reply says A") == verify.SHOWN
    assert f"and {CASES * len(FORMATS) - verify.SHOWN} more of this kind" in out
    assert "SHA-256 is" in out and f"({CASES * len(FORMATS)} lines differ)" in out


@pytest.mark.parametrize("shard", [False], indirect=True)
def test_a_reply_that_quotes_a_question_whose_text_is_withheld_is_named(
    shard: Path, verified: Callable[[], Verified]
) -> None:
    record = next(held for held in read_shard(shard)[0] if held.slot.condition == "letter")
    case = next(case for case in cohorts.load("vignettes", CASES) if case.id == record.slot.case)
    said = " ".join(case.stem.split()[:12])
    number = 1 + shard.read_text().split("\n").index(to_line(record).rstrip("\n"))
    edit(shard, number, lambda body: body["reply"].update(text=said))
    listed_anew(shard)
    _, _, out = verified()
    assert f"case {case.id}, letter: the reply quotes its question" in out and "refresh" in out


def test_verifying_writes_nothing_and_calls_no_model(
    shard: Path, verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(lambda _: "B", name="m")
    monkeypatch.setattr(study, "engine", lambda name, experiment: model)
    before = {path: path.read_bytes() for path in paths.CACHE.rglob("*") if path.is_file()}
    verified()
    assert model.history == []
    assert {path: path.read_bytes() for path in paths.CACHE.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("text", "letters", "named"),
    [
        ("B", {"A": -1.0, "B": -0.5}, None),
        ("A", {"A": -1.0, "B": -0.5}, "B"),
        (" A", {"A": -1.0, "B": -0.5}, "B"),
        ("A. Because of the ECG.", {"A": -1.0, "B": -0.5}, "B"),
        ("A", {"A": -0.5004, "B": -0.5}, None),  # a tie but for the spelling that the engine took
        ("A", {"A": -0.502, "B": -0.5}, "B"),
        ("N", {"Y": -0.1, "N": -3.0}, "Y"),
        ("Aspirin", {"A": -1.0, "B": -0.5}, None),  # no letter
        ("E", {"A": -1.0, "B": -0.5}, None),  # a letter that was not listed
        ("A", None, None),
        (None, {"A": -1.0}, None),
    ],
)
def test_a_greedy_reply_names_the_likeliest_of_its_letters(
    text: str | None, letters: dict[str, float] | None, named: str | None
) -> None:
    reply = Reply(text, Status.ANSWERED, "stop", "m", Usage(), "e", "t", Provenance.LOCAL, letters)
    fault = unlikely(reply)
    assert bool(fault) == (named is not None)
    assert named is None or f"make {named} the likeliest letter" in fault


def test_a_sampled_reply_may_be_an_unlikely_letter(
    verified: Callable[[], Verified], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sampled(ScriptedModel):
        def complete(self, request: Request) -> Reply:
            greedy = super().complete(request)
            return replace(greedy, text="D") if request.decoding.temperature else greedy

    monkeypatch.setattr(study, "engine", lambda name, experiment: Sampled(lambda _: LETTERS, "m"))
    monkeypatch.setitem(study.SIZES, ("cue_sensitivity", "vignettes"), CASES)
    found = study.record("cue_sensitivity", "vignettes", "m", Mode.RECORD, progress=False).rows
    assert set(found.loc[found["condition"] == "resampled", "option"]) == {3}
    assert verified()[:2] == (0, {"cue_sensitivity": "ok"})


@pytest.fixture
def committee(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A committee experiment of two models over two vignettes; returns the shards of its models."""
    monkeypatch.setattr(study, "engine", scripted)
    monkeypatch.setitem(sittings.SIZES, "medorch_benchmark", 2)
    team = "one+two+three"
    sittings.record("medorch_benchmark", "vignettes", team, Mode.RECORD, progress=False, make=scripted)
    return Run("medorch_benchmark", "vignettes", "one+two+three").shards(paths.RECORDINGS)


def test_a_committee_is_made_again_for_the_shards_of_all_its_models(
    committee: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert [runs_of("vignettes", name, "medorch_benchmark") for name in ("one", "two", "four")] == [
        [("medorch_benchmark", "vignettes", "one+two+three")],
        [("medorch_benchmark", "vignettes", "one+two+three")],
        [],
    ]
    status, out = verify.report(), capsys.readouterr().out
    assert status == 0 and [line.split()[0] for line in out.splitlines()] == ["ok", "ok", "ok", "3"]
    assert "0 of" not in out and not any(EXPERIMENTS.keys() & SITTINGS.keys())


@pytest.mark.parametrize("damage", [without_first_line, reworded_reply, emptied, moved, one_more])
def test_damage_to_a_shard_of_a_committee_is_found(
    committee: list[Path], capsys: pytest.CaptureFixture[str], damage: Callable[[Path], None]
) -> None:
    _, second, _ = committee
    damage(second)
    listed_anew(second)
    status, out = verify.report(), capsys.readouterr().out
    assert status == 1
    assert [line[:5] for line in out.splitlines() if " two " in line] == ["FAULT"]


def test_turns_that_are_not_what_the_recordings_give_are_found(
    committee: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table = turns.path_of("vignettes", "one+two+three", "medorch_benchmark", paths.TURNS)
    edited_option(table)
    listed_anew(table)
    status, out = verify.report(), capsys.readouterr().out
    assert status == 1 and f"{table}: case vig-" in out and "option is '2'" in out
