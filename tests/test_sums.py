"""Sums of the finished files below `cache/`: what they protect, and who may renew them."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from medagents import paths, study, sums
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode
from medagents.types import MedagentsError, Request


@pytest.fixture
def shard() -> Path:
    """A file where recordings are, listed."""
    path = paths.SUMS.parent / "recordings" / "toy" / "m" / "exp.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("first\n")
    sums.update([path])
    return path


def test_the_file_is_what_sha256sum_writes_and_checks(shard: Path) -> None:
    wanted = hashlib.sha256(b"first\n").hexdigest()
    assert paths.SUMS.read_text() == f"{wanted}  recordings/toy/m/exp.jsonl\n"
    command = ["sha256sum", "-c", "--strict", paths.SUMS.name]
    assert subprocess.run(command, cwd=paths.SUMS.parent, capture_output=True).returncode == 0


def test_a_listed_file_that_was_changed_or_is_gone_is_named_with_a_remedy(shard: Path) -> None:
    assert sums.fault(shard) == ""
    shard.write_text("second\n")
    found = hashlib.sha256(b"second\n").hexdigest()[:12]
    assert sums.fault(shard).startswith(f"{shard}: SHA-256 is {found}, ")
    assert sums.fault(shard).endswith(f"if it was made anew run: python -m medagents recordings sums {shard}")
    shard.unlink()
    assert sums.fault(shard).startswith(f"{shard}: listed in {paths.SUMS.name} and missing; restore it")


def test_a_file_that_is_not_listed_has_no_fault(shard: Path) -> None:
    other = shard.with_name("other.jsonl")
    other.write_text("x")
    assert sums.fault(other) == ""


def test_an_update_renews_adds_and_forgets_only_what_it_is_given(shard: Path) -> None:
    other, gone = shard.with_name("other.jsonl"), shard.with_name("gone.jsonl")
    for path in (other, gone):
        path.write_text(path.stem)
    sums.update([other, gone])
    shard.write_text("edited\n")
    other.write_text("made anew")
    gone.unlink()
    sums.update([other, gone])
    assert set(sums.listed()) == {shard, other}
    assert sums.fault(shard) and not sums.fault(other)


@pytest.mark.parametrize("name", ["recordings/toy/m/notes.txt", "recordings/exp.jsonl", "../exp.jsonl"])
def test_only_recordings_rows_and_turns_are_listed(shard: Path, name: str) -> None:
    with pytest.raises(MedagentsError, match="no recordings, rows or turns"):
        sums.update([paths.SUMS.parent / name])


@pytest.mark.parametrize("line", ["rubbish", "abc  recordings/toy/m/exp.jsonl", "0" * 64 + "  "])
def test_a_damaged_list_of_sums_is_named_with_its_line(shard: Path, line: str) -> None:
    with paths.SUMS.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(MedagentsError, match=r":2: no sum; restore the file from version control"):
        sums.listed()


def test_a_run_vouches_for_what_it_wrote_and_finished_and_for_nothing_that_was_edited(shard: Path) -> None:
    edited, grown, new = (shard.with_name(f"{name}.jsonl") for name in ("edited", "grown", "new"))
    for path in (edited, grown):
        path.write_text("as listed")
    sums.update([edited, grown])
    for path in (edited, grown, new):
        path.write_text("another")
    sums.after_run(written=[grown], finished=[edited, new])
    assert sums.fault(edited) and not sums.fault(grown)
    assert new in sums.listed()


def test_a_run_of_some_cases_lists_nothing_new(shard: Path) -> None:
    new = shard.with_name("new.jsonl")
    new.write_text("another")
    sums.after_run(written=[new], finished=[])
    assert new not in sums.listed()


def test_a_recording_lists_its_shard_and_rows_once_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    def says_b(request: Request) -> str:
        return "B"

    monkeypatch.setattr(study.models, "get", lambda name: ScriptedModel(says_b, name))
    monkeypatch.setitem(study.SIZES, ("prompt_format", "vignettes"), 2)
    shard = paths.RECORDINGS / "vignettes" / "m" / "prompt_format.jsonl"
    table = paths.ROWS / "vignettes" / "m" / "prompt_format.csv"
    study.record("prompt_format", "vignettes", "m", Mode.RECORD, n=1, progress=False)
    assert sums.listed() == {}
    study.record("prompt_format", "vignettes", "m", Mode.RECORD, progress=False)
    assert set(sums.listed()) == {shard, table} and not sums.fault(shard) and not sums.fault(table)
    shard.write_text(shard.read_text().replace('"text":"B"', '"text":"C"', 1))
    study.record("prompt_format", "vignettes", "m", Mode.REPLAY, progress=False)
    assert sums.fault(shard) and not sums.fault(table)
    study.record("prompt_format", "vignettes", "m", Mode.REFRESH, progress=False)
    assert not sums.fault(shard) and not sums.fault(table)
