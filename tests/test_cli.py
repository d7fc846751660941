"""The command line: examples that work, faults as one line, and `answers` as a filter."""

import argparse
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from medagents import cli, cohorts, figures, paths, plants, recordings, study, sweep
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store, make_record, read_shard, to_line
from medagents.types import MedagentsError, Message, Provenance, Reply, Request, Slot, Status, Usage

MODEL = "smollm2-135m"


def commands() -> dict[str, argparse.ArgumentParser]:
    top = cli.parser()
    return {" ".join(words): parser for words, parser in below(top)}


def below(parser: argparse.ArgumentParser) -> Iterator[tuple[tuple[str, ...], argparse.ArgumentParser]]:
    """Commands and their actions, each with the words that call it."""
    for held in (action for action in parser._actions if isinstance(action, argparse._SubParsersAction)):
        for name, made in held.choices.items():
            yield (name,), made
            yield from (((name, *words), deeper) for words, deeper in below(made))


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def shard():
    """A shard of the prompt formats over three vignettes, where recordings are looked for."""
    recorder = Recorder(ScriptedModel(lambda _: "B", MODEL), Store(paths.RECORDINGS), Mode.RECORD)
    study.run("prompt_format", cohorts.load("vignettes", 3), recorder, "vignettes")
    recorder.finish("vignettes", "prompt_format")
    return paths.RECORDINGS / "vignettes" / MODEL / "prompt_format.jsonl"


@pytest.mark.parametrize("name", commands())
def test_the_help_of_every_command_has_an_example_that_parses(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit) as stop:
        cli.main([*name.split(), "--help"])
    assert stop.value.code == 0
    [example] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("example: ")]
    words = shlex.split(example.removeprefix("example: python -m medagents ").partition(" <")[0])
    assert words[: len(name.split())] == name.split() or name == words[0]
    assert callable(cli.parser().parse_args(words).run)


@pytest.mark.parametrize("mode", ["record", "refresh", "replay", "batch"])
def test_help_names_every_experiment_and_every_plant_rule(mode, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit):
        cli.main([mode, "--help"])
    words = set(re.findall(r"[\w-]+", capsys.readouterr().out))
    assert {*EXPERIMENTS, *SITTINGS, *plants.RULES} <= words and not set(plants.ARM_RULES) & words


@pytest.mark.parametrize("name", commands())
def test_every_argument_of_every_command_has_a_help_text(name):
    for action in commands()[name]._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), action.dest


def test_help_without_a_command_lists_every_command(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out
    assert all(f"    {name}" in out for name in commands() if " " not in name)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["replay"],
        ["figures", "--workers", "0"],
        ["recordings"],
        ["recordings", "merge", "a.jsonl"],
        ["recordings", "verify", "a.jsonl"],
    ],
)
def test_a_command_line_that_is_not_understood_is_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def asked(experiment="peer_cascade", cohort="vignettes", model=MODEL, mode="replay"):
    return [mode, "--experiment", experiment, "--cohort", cohort, "--model", model]


REPLY = Reply("B", Status.ANSWERED, "stop", "m", Usage(), "e", "t", Provenance.SCRIPTED)
ONE = make_record(Slot("c", "c1", "e", "arm"), Request("m", (Message("user", "Which?"),)), REPLY, True)

FAULTS = {
    "unknown experiment": (asked(experiment="nothing"), "unknown experiment 'nothing'; known: "),
    "unknown cohort": (asked(cohort="nowhere"), "unknown cohort 'nowhere'; known: vignettes"),
    "unknown model": (asked(model="nobody"), "unknown model 'nobody'; known: "),
    "absent weights file": (asked(model="absent.gguf"), "absent.gguf: no such weights"),
    "too many cases": ([*asked(), "--n", "9999"], "n = 9999 is out of range"),
    "no cases": ([*asked(), "--n", "0"], "n = 0 is out of range"),
    "missing data": (asked(cohort="medqa"), "MEDAGENTS_DATA"),
    "merge of an absent shard": (["recordings", "merge", "absent.jsonl", "t.jsonl"], "absent.jsonl: no such"),
    "merge of a folder": (["recordings", "merge", "folder", "t.jsonl"], "folder: Is a directory"),
    "merge of nothing": (
        ["recordings", "merge", "empty.jsonl", "t.jsonl"],
        "empty.jsonl: holds no recordings",
    ),
    "merge into a folder": (["recordings", "merge", "one.jsonl", "folder"], "folder"),
    "merge to a place that is none": (["recordings", "merge", "one.jsonl", "/proc/x/t.jsonl"], "/proc/x"),
    "sums of a stranger": (["recordings", "sums", "empty.jsonl"], "no recordings, rows or turns"),
    "parameter without value": (["run", "01_cue_sensitivity", "-p", "COHORT"], "a parameter is NAME=VALUE"),
    "parameter of another type": (["run", "01_cue_sensitivity", "-p", "N=many"], "'many' is no int"),
    "unknown notebook": (["run", "99_nothing"], "no notebook '99_nothing'; known: 00_read_me_first"),
    "fetch of a stranger": (["fetch", "nobody"], "unknown cohort or model 'nobody'; known: vignettes"),
    "fetch by hand": (["fetch", "medqa"], "cohort medqa cannot be downloaded by a script"),
    "refusals of a stranger": (["cohorts", "--refused", "nowhere"], "unknown cohort 'nowhere'"),
}


@pytest.mark.parametrize("arguments, message", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_line_and_status_1(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "one.jsonl").write_text(to_line(ONE))
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (1, "")
    [line] = err.splitlines()
    assert line.startswith("medagents: ") and message in line


def test_a_replay_miss_names_the_command_that_records_it(capsys):
    status, _, err = run(capsys, *asked(experiment="prompt_format"))
    assert status == 1
    [line] = [line for line in err.splitlines() if line.startswith("medagents: ")]
    assert " ".join(asked(experiment="prompt_format", mode="record")) in line
    assert err.splitlines()[-1] == line and "Traceback" not in err


def test_an_unknown_parameter_of_a_notebook_is_status_1_and_writes_nothing(capsys):
    status, out, err = run(capsys, "run", "01_cue_sensitivity", "-p", "NOTHING=1")
    assert (status, out) == (1, "")
    assert "unknown parameter NOTHING" in err and "Traceback" not in err
    assert not list(paths.BUILD.glob("notebooks/*"))


def test_an_interrupt_is_status_130_and_says_that_nothing_is_lost(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(study, "record_together", interrupted)
    status, out, err = run(capsys, *asked(mode="record"))
    assert (status, out) == (130, "")
    assert err == "medagents: stopped; what was recorded is kept, the same command goes on\n"


def test_other_faults_are_not_hidden(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(study, "record_together", broken)
    with pytest.raises(ZeroDivisionError):
        cli.main(asked())


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            PermissionError(13, "Permission denied", "/x/y.csv"),
            "/x/y.csv: Permission denied; give another place",
        ),
        (OSError(28, "No space left on device"), "No space left on device; give another place, or free this"),
        (OSError("first\nsecond"), "first second; "),
    ],
)
def test_a_fault_of_the_file_system_is_one_line_and_status_1(error, line, capsys, monkeypatch):
    def broken(*_, **__):
        raise error

    monkeypatch.setattr(study, "record_together", broken)
    status, out, err = run(capsys, *asked())
    assert (status, out) == (1, "") and err.startswith(f"medagents: {line}") and err.count("\n") == 1


def piped(*words: str, stdout: object) -> tuple[int, str]:
    """Status and standard error of a command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "medagents", *words],
        input=(json.dumps(FIELD) + "\n").encode() * 5_000,
        cwd=paths.ROOT,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )
    return done.returncode, done.stderr.decode()


def test_a_reader_who_has_enough_is_no_fault():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        assert piped("answers", stdout=closed) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Linux device")
@pytest.mark.parametrize("words", [["answers"], ["recordings", "list"], ["cohorts"]])
def test_a_full_disk_is_one_line(words):
    with Path("/dev/full").open("wb") as full:
        status, err = piped(*words, stdout=full)
    assert (status, err) == (1, "medagents: No space left on device; give another place, or free this one\n")


def test_a_torn_line_is_told_in_one_line_without_its_source(shard, capsys, tmp_path):
    shard.write_text(shard.read_text()[:-5])
    status, _, err = run(capsys, "recordings", "merge", str(shard), str(tmp_path / "t.jsonl"))
    assert status == 0
    assert re.fullmatch(rf"medagents: {shard}: torn last line left out \(\d+ characters\)\n", err)


def test_a_study_is_asked_for_as_given(capsys, monkeypatch):
    held = []

    def record(names, cohort, model, *arguments, plant_rule):
        held.append((names, cohort, model.name, *arguments, plant_rule))
        return {name: study.Study(range(7), "here") for name in names}

    monkeypatch.setattr(study, "record_together", record)
    status, out, _ = run(capsys, *asked(mode="refresh"), "--n", "4", "--plant-rule", "balanced-wrong")
    assert (status, out) == (0, "peer_cascade: 7 rows\n0 calls made\n")
    assert held == [(["peer_cascade"], "vignettes", MODEL, Mode.REFRESH, 4, "balanced-wrong")]


def test_several_experiments_are_recorded_in_one_pass(capsys, monkeypatch):
    held = []

    def record(names, *_, **__):
        held.append(names)
        return {name: study.Study(range(3), "here") for name in names}

    monkeypatch.setattr(study, "record_together", record)
    where = ["--cohort", "vignettes", "--model", MODEL]
    status, out, _ = run(capsys, "record", "--experiment", "break_it", "hidden_rubric", *where)
    assert (status, out) == (0, "break_it: 3 rows\nhidden_rubric: 3 rows\n0 calls made\n")
    assert held == [["break_it", "hidden_rubric"]]


FIELD = {
    "id": "FC01",
    "reply": "The cortisol does not suppress.\n\nFinal answer: **C**",
    "options": {
        "A": "Adenomyosis",
        "B": "Drug eruption",
        "C": "Cushing disease",
        "D": "Dry macular degeneration",
    },
}
READ = {"id": "FC01", "status": "answered", "option": 2, "letter": "C", "rule": "answer_label"}


def test_answers_reads_replies_and_writes_what_they_say(capsys, monkeypatch):
    silent = {"id": "FC02", "reply": None, "options": ["Iron", "Zinc"]}
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{json.dumps(FIELD)}\n\n{json.dumps(silent)}\n"))
    status, out, err = run(capsys, "answers")
    assert (status, err) == (0, "")
    first, second = map(json.loads, out.splitlines())
    assert first == READ
    assert (second["id"], second["status"], second["option"]) == ("FC02", "unparseable", None)


def test_answers_keeps_what_stands_before_a_broken_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{json.dumps(FIELD)}\nno JSON\n"))
    status, out, err = run(capsys, "answers")
    assert (status, json.loads(out)) == (1, READ)
    [line] = err.splitlines()
    assert line.startswith("medagents: line 2: not JSON")


def test_answers_is_a_filter_of_utf_8_whatever_the_locale():
    record = FIELD | {"id": "Ménière \ud83d", "reply": "Réponse\u2028ANSWER: C"}
    lines = json.dumps(record) + "\n" + json.dumps(FIELD | {"id": "Ω"}, ensure_ascii=False) + "\n"
    done = subprocess.run(
        [sys.executable, "-m", "medagents", "answers"],
        input=lines.encode() + b'{"id": "\xff\n',
        cwd=paths.ROOT,
        env={"PATH": "", "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    first, second = map(json.loads, done.stdout.decode("utf-8").splitlines())
    assert (first["id"], first["letter"]) == ("Ménière \ud83d", "C")
    assert second == READ | {"id": "Ω"}
    assert done.returncode == 1
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("medagents: line 3: not JSON")


def test_recordings_are_listed(shard, capsys):
    status, out, _ = run(capsys, "recordings", "list")
    assert status == 0
    assert [line.split() for line in out.splitlines()] == [
        ["vignettes", MODEL, "prompt_format", "9", "records"]
    ]


def test_recordings_are_verified(shard, capsys, monkeypatch):
    monkeypatch.setattr(study, "engine", lambda name, _: ScriptedModel(lambda _: "B", name))
    monkeypatch.setitem(study.SIZES, ("prompt_format", "vignettes"), 3)
    status, out, _ = run(capsys, "recordings", "verify")
    assert status == 0 and out.startswith("new ") and "9 of 9 calls built again" in out
    status, out, _ = run(capsys, "recordings", "sums", str(shard))
    assert (status, out) == (0, f"{paths.SUMS}: 1 files\n")


def test_a_recording_that_was_tampered_with_fails_verification(shard, capsys):
    records = read_shard(shard)[0]
    changed = replace(records[0], request=records[0].request | {"model": "another"})
    shard.write_text("".join(map(to_line, [changed, *records[1:]])))
    status, out, _ = run(capsys, "recordings", "verify")
    assert status == 1
    assert out.startswith("FAULT") and f"{shard}:1: case {records[0].slot.case}, " in out


def test_recordings_are_merged_without_loss(shard, capsys, tmp_path):
    lines = shard.read_text().splitlines(keepends=True)
    parts = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    parts[0].write_text("".join(lines[:5]))
    parts[1].write_text("".join(lines[4:]))
    target = tmp_path / "all.jsonl"
    status, out, _ = run(capsys, "recordings", "merge", *map(str, parts), str(target))
    assert (status, out) == (0, f"{target}: 9 records\n")
    assert target.read_bytes() == shard.read_bytes()


def test_recordings_that_contradict_each_other_are_not_merged(shard, capsys, tmp_path):
    records = read_shard(shard)[0]
    other = replace(records[0], reply=replace(records[0].reply, text="C"))
    (tmp_path / "other.jsonl").write_text(to_line(other))
    target = tmp_path / "all.jsonl"
    status, _, err = run(
        capsys, "recordings", "merge", str(shard), str(tmp_path / "other.jsonl"), str(target)
    )
    [line] = err.splitlines()
    assert status == 1 and "has two replies" in line and not target.exists()


def test_cohorts_are_listed_with_the_way_to_the_missing_ones(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    status, out, _ = run(capsys, "cohorts")
    assert status == 0
    lines = {line.split()[0]: line.split() for line in out.splitlines() if not line.startswith(" ")}
    assert lines.keys() == set(cohorts.names())
    assert lines["vignettes"][1:3] == ["ready", "126"] and lines["medqa"][1:3] == ["missing", "60"]
    assert len([line for line in out.splitlines() if line.startswith(" ")]) == len(cohorts.names()) - 1


def test_a_broken_cohort_makes_the_list_fail(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    (tmp_path / "medqa").mkdir()
    (tmp_path / "medqa" / "test.jsonl").write_text("another file\n")
    status, out, _ = run(capsys, "cohorts")
    assert status == 1 and "medqa              broken" in out


def test_refused_records_are_listed_with_their_reason(capsys, monkeypatch):
    refusal = cohorts.Refusal(id="q7", file="test.jsonl", line=7, reason="two equal options")
    monkeypatch.setattr(cohorts, "refused", lambda name: (refusal,))
    assert run(capsys, "cohorts", "--refused", "medqa")[:2] == (0, "test.jsonl:7\tq7\ttwo equal options\n")


def test_manifests_are_written_only_of_cohorts_that_are_here(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    written = []
    monkeypatch.setattr(cohorts, "write_manifest", lambda name: written.append(name) or name)
    assert run(capsys, "cohorts", "--write-manifests")[:2] == (0, "vignettes\n")
    assert written == ["vignettes"]


def test_a_broken_cohort_does_not_keep_the_others_from_their_manifests(capsys, monkeypatch):
    def write(name):
        if name == "two":
            raise MedagentsError("two: its file is damaged")
        return name

    rows = [cohorts.StatusRow(name, "broken", 1, True, "ours", "") for name in ("one", "two", "three")]
    monkeypatch.setattr(cohorts, "status", lambda: rows)
    monkeypatch.setattr(cohorts, "write_manifest", write)
    assert run(capsys, "cohorts", "--write-manifests") == (
        1,
        "one\nthree\n",
        "medagents: two: its file is damaged\n",
    )


def test_a_cohort_that_ships_is_there_already(capsys):
    status, out, _ = run(capsys, "fetch", "vignettes")
    assert status == 0 and out.splitlines() and all(str(paths.VIGNETTES) in line for line in out.splitlines())


def test_weights_are_fetched_by_the_name_of_their_model(capsys, monkeypatch, tmp_path):
    from medagents.models import weights

    monkeypatch.setattr(weights, "fetch", lambda name: tmp_path / f"{name}.gguf")
    assert run(capsys, "fetch", MODEL)[:2] == (0, f"{tmp_path / MODEL}.gguf\n")


@pytest.mark.parametrize("failed", [0, 1])
def test_the_manifest_of_figures_is_written_only_if_every_notebook_ran(failed, capsys, monkeypatch):
    seen, written = [], []
    monkeypatch.setattr(sweep, "figure_jobs", lambda: ["a job"])
    monkeypatch.setattr(sweep, "sweep", lambda jobs, workers: seen.append((jobs, workers)) or [])
    monkeypatch.setattr(sweep, "report", lambda results: failed)
    monkeypatch.setattr(figures, "write_manifest", lambda: written.append(True))
    assert run(capsys, "figures", "--workers", "3")[0] == failed
    assert seen == [(["a job"], 3)] and len(written) == 1 - failed


@pytest.mark.parametrize("stale", [[], ["01_cue_sensitivity.ipynb", "02_peer_cascade.ipynb"]])
def test_stale_outputs_are_named_and_fail_the_check(stale, capsys, monkeypatch):
    monkeypatch.setattr(sweep, "stale_outputs", lambda: stale)
    status, _, err = run(capsys, "notebooks", "--check")
    assert status == int(bool(stale))
    assert [line.split(":")[0] for line in err.splitlines()] == stale


def test_notebooks_are_run_in_place_with_their_defaults(capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(sweep, "sweep", lambda jobs: seen.extend(jobs) or [])
    assert run(capsys, "notebooks")[0] == 0
    assert [job.output for job in seen] == sorted(paths.NOTEBOOKS.glob("*.ipynb"))
    assert all(job.output == job.notebook for job in seen)


def test_a_notebook_is_run_with_other_parameters_into_the_build_folder(capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(sweep, "sweep", lambda jobs: seen.extend(jobs) or [])
    status, out, _ = run(capsys, "run", "02_peer_cascade.ipynb", "-p", "COHORT=medqa", "-p", "N=3")
    [job] = seen
    assert (job.parameters["COHORT"], job.parameters["N"]) == ("medqa", 3)
    assert job.notebook == paths.NOTEBOOKS / "02_peer_cascade.ipynb"
    assert job.output.parent == paths.BUILD / "notebooks" and "medqa" in job.output.name
    assert (status, out) == (0, f"{job.output}\n")


def test_a_failed_run_of_a_notebook_prints_no_output_path(capsys, monkeypatch):
    result = sweep.Result(None, "02_peer_cascade.ipynb: cell 3: ValueError: no", 1.0)
    monkeypatch.setattr(sweep, "sweep", lambda jobs: [result])
    status, out, err = run(capsys, "run", "02_peer_cascade")
    assert (status, out, err) == (1, "", f"{result.error}\n")


def test_errors_of_the_library_stay_of_one_line():
    with pytest.raises(MedagentsError) as error:
        recordings.merge([paths.BUILD / "absent.jsonl"], paths.BUILD / "t.jsonl")
    assert "\n" not in str(error.value)
