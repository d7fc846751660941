"""Download the authors' rows: every file of `files.csv` at the pinned commit, by checksum or not at all."""

import tempfile
from hashlib import sha256
from pathlib import Path

import pooch

from medagents import paths
from medagents.audit.rows import COMMIT, pinned
from medagents.types import MedagentsError

ORIGIN = f"https://raw.githubusercontent.com/criticaldata/benchmaxxing/{COMMIT}/experiments/"


def fetch(folder: Path | None = None) -> tuple[Path, ...]:
    """Bring the rows below `folder` (`MEDAGENTS_ARTEFACTS` if not given); sound files are kept.

    Every file is verified before the first is written, so a failed fetch leaves nothing behind.

    Raises:
        MedagentsError: no folder is named, a download failed or has another checksum, or a file already
            there has.
    """
    target = folder or paths.artefacts()
    if target is None:
        raise MedagentsError(
            "set MEDAGENTS_ARTEFACTS to the folder that is to hold the authors' rows, then fetch again"
        )
    target /= "experiments"
    sums = dict(pinned()["sha256"])
    wanted = [path for path in sums if not _sound(target / path, sums[path])]
    with tempfile.TemporaryDirectory(prefix="medagents-") as scratch:
        content = {path: _download(path, sums[path], Path(scratch)) for path in wanted}
    for path, data in content.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(data)
    return tuple(target / path for path in sums)


def _sound(file: Path, expected: str) -> bool:
    if not file.is_file():
        return False
    if (got := sha256(file.read_bytes()).hexdigest()) != expected:
        raise MedagentsError(
            f"{file}: SHA-256 {got[:16]}, expected {expected[:16]}; "
            "edited or of another commit: move it away and fetch again"
        )
    return True


def _download(path: str, expected: str, scratch: Path) -> bytes:
    try:
        return Path(pooch.retrieve(ORIGIN + path, known_hash=f"sha256:{expected}", path=scratch)).read_bytes()
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise MedagentsError(
            f"{ORIGIN}{path}: {reason}; nothing was kept, check the network or the origin"
        ) from None
