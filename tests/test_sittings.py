"""Committee experiments of a team: recorded under each model, replayed alone, cases at the same time."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from medagents import cli, cohorts, models, paths, prompts, sittings, turns
from medagents.experiments import SITTINGS
from medagents.models import teams
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import ReplayMiss, Store
from medagents.types import MedagentsError, Request, Transport

CASES = cohorts.load("vignettes", 4)


def letter(request: Request) -> str:
    """A letter that depends on the question and the model, so that experts differ."""
    return "ABCD"[sum(map(ord, request.messages[-1].text + request.model)) % 4] + ". So it looks."


def recorders(store: Store, mode: Mode = Mode.RECORD) -> dict[str, Recorder]:
    """Scripted models under the names of the trio."""
    return {name: Recorder(ScriptedModel(letter, name), store, mode) for name in teams.roster("trio").models}


@pytest.mark.parametrize("experiment", SITTINGS)
def test_a_replay_gives_the_turns_of_the_recording(experiment: str, tmp_path: Path) -> None:
    made = sittings.run(experiment, CASES, "trio", recorders(Store(tmp_path)), "vignettes")
    again = recorders(Store(tmp_path), Mode.REPLAY)
    found = sittings.run(experiment, CASES, "trio", again, "vignettes")
    pd.testing.assert_frame_equal(found.turns, made.turns)
    assert found.sessions == made.sessions and found.calls == 0 < made.calls


def test_a_second_experiment_shares_the_first_answers(tmp_path: Path) -> None:
    store = Store(tmp_path)
    sittings.run("catfish_benchmark", CASES, "trio", recorders(store), "vignettes")
    seats = recorders(store)
    sittings.run("medorch_benchmark", CASES, "trio", seats, "vignettes")
    asked = [request for held in seats.values() for request in held.model.history]
    first = prompts.template("committee/answer")
    again = [request for request in asked if request.messages[-1].text.endswith(f"\n\n{first}")]
    assert asked and {request.decoding.temperature for request in again} == {0.6}  # copies of one model


def test_a_case_that_was_not_recorded_is_a_miss_that_names_the_command(tmp_path: Path) -> None:
    sittings.run("medorch_benchmark", CASES[:1], "trio", recorders(Store(tmp_path)), "vignettes")
    with pytest.raises(ReplayMiss, match="record --experiment medorch_benchmark --cohort vignettes"):
        seats = recorders(Store(tmp_path), Mode.REPLAY)
        sittings.run("medorch_benchmark", CASES[:2], "trio", seats, "vignettes")


class Provider(ScriptedModel):
    """Answers several calls at a time, and notes how many there were at once."""

    transport = Transport(concurrency=8)
    lock, now, most = threading.Lock(), 0, 0

    def complete(self, request: Request):
        with Provider.lock:
            Provider.now += 1
            Provider.most = max(Provider.most, Provider.now)
        time.sleep(0.002)
        reply = super().complete(request)
        with Provider.lock:
            Provider.now -= 1
        return reply


def test_cases_at_the_same_time_give_the_turns_of_one_after_another(tmp_path: Path) -> None:
    Provider.most = 0
    names = teams.roster("trio").models
    store = Store(tmp_path / "together")
    seats = {name: Recorder(Provider(letter, name), store, Mode.RECORD) for name in names}
    together = sittings.run("medorch_benchmark", CASES, "trio", seats, "vignettes")
    alone = sittings.run(
        "medorch_benchmark", CASES, "trio", recorders(Store(tmp_path / "alone")), "vignettes"
    )
    pd.testing.assert_frame_equal(together.turns, alone.turns)
    assert Provider.most > len(teams.roster("trio").experts)


def test_committed_turns_stand_in_where_the_text_is_not_at_hand(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path / "nothing"))
    made = sittings.run("committee_cascade", CASES, "trio", recorders(Store(tmp_path)), "vignettes")
    path = turns.path_of("mmlu_medical", "trio", "committee_cascade", tmp_path)
    path.parent.mkdir(parents=True)
    made.turns.to_csv(path, index=False)
    monkeypatch.setattr(turns, "read", lambda where: made.turns if where == path else None)
    found = sittings.replay("committee_cascade", "mmlu_medical", "trio", 2, root=tmp_path)
    assert list(dict.fromkeys(found.turns["case"])) == [case.id for case in CASES[:2]]
    assert not found.sessions and not found.whole and "committed rows" in found.source


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command line with scripted models, two cases, and a cache of its own."""
    for name in ("RECORDINGS", "ROWS", "TURNS", "SUMS"):
        if hasattr(paths, name):
            monkeypatch.setattr(paths, name, tmp_path / name.lower())
    monkeypatch.setattr(Store.__init__, "__defaults__", (tmp_path / "recordings",))
    monkeypatch.setattr(turns.path_of, "__defaults__", (tmp_path / "turns",))
    monkeypatch.setattr(models, "get", lambda name, **_: ScriptedModel(letter, name))
    return tmp_path


def test_the_command_line_records_a_team_and_a_trial_writes_no_turns(scripted: Path, capsys) -> None:
    command = ["record", "--experiment", "medorch_benchmark", "--cohort", "vignettes", "--model", "trio"]
    assert cli.main([*command, "--n", "2"]) == 0
    assert "turns" in capsys.readouterr().out
    assert not list(scripted.glob("turns/**/*.csv"))
    shards = {path.parent.name for path in scripted.glob("recordings/vignettes/*/medorch_benchmark.jsonl")}
    assert shards == set(teams.roster("trio").models)


@pytest.mark.parametrize(
    ("experiment", "model", "more", "words"),
    [
        ("peer_cascade", "trio", [], "a team takes one experiment of catfish_benchmark, "),
        ("medorch_benchmark catfish_benchmark", "trio", [], "a team takes one experiment"),
        ("medorch_benchmark", "smollm2-135m", [], "unknown team 'smollm2-135m'"),
        ("medorch_benchmark", "quartet", [], "unknown team 'quartet'; known: trio, or models joined by"),
        ("medorch_benchmark", "trio", ["--plant-rule", "from-file"], "a team takes no --plant-rule"),
    ],
)
def test_what_does_not_fit_is_one_line(experiment, model, more, words, capsys) -> None:
    command = ["record", "--experiment", *experiment.split(), "--cohort", "vignettes", "--model", model]
    assert cli.main([*command, *more]) == 1
    error = capsys.readouterr().err
    assert words in error and len(error.strip().splitlines()) == 1


def test_models_joined_by_a_plus_are_a_team_led_by_the_first() -> None:
    roster = teams.roster("qwen2.5-coder-1.5b+smollm2-135m")
    assert roster.experts == ("qwen2.5-coder-1.5b", "smollm2-135m") == roster.models
    assert {roster.chair, roster.catfish, roster.mediator, roster.judge} == {"qwen2.5-coder-1.5b"}
    assert replace(roster, judge="gemma3-270m-base").models[-1] == "gemma3-270m-base"
    assert teams.folder_name("openai:Q/W+smollm2-135m") == "openai--Q--W+smollm2-135m"
    with pytest.raises(MedagentsError, match="unknown team"):
        teams.roster("+smollm2-135m")
