"""SHA-256 of every finished file below `cache/`, in `cache/SHA256SUMS`: what protects replies and rows.

A key hashes a request. Nothing in a recording says that its reply, or a row, is still the one that was
written, so these sums do. The file has the form of `sha256sum`: in `cache/`, `sha256sum -c SHA256SUMS`
checks it without this package. A file that is not listed is one of a recording in progress.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from medagents import paths
from medagents.cohorts.records import sha256
from medagents.recordings import locked
from medagents.types import MedagentsError

COMMAND = "python -m medagents recordings sums"
KINDS = ("recordings/*/*/*.jsonl", "rows/*/*/*.csv", "turns/*/*/*.csv")
"""What is listed."""


def files() -> Iterator[Path]:
    """Every file that could be listed, in order."""
    for kind in KINDS:
        yield from sorted(paths.SUMS.parent.glob(kind))


def listed() -> dict[Path, str]:
    """File -> SHA-256 of every listed file, whether it is there or not.

    Raises:
        MedagentsError: a line is no sum.
    """
    found = {}
    lines = paths.SUMS.read_text(encoding="utf-8").splitlines() if paths.SUMS.exists() else []
    for number, line in enumerate(lines, 1):
        sum_, gap, name = line.partition("  ")
        if len(sum_) != 64 or not gap or not name:
            raise MedagentsError(f"{paths.SUMS}:{number}: no sum; restore the file from version control")
        found[paths.SUMS.parent / name] = sum_
    return found


def fault(path: Path) -> str:
    """What is wrong with a listed file in one line; empty where nothing is, or it is not listed."""
    wanted = listed().get(path.resolve())
    if wanted is None:
        return ""
    if not path.exists():
        return f"{path}: listed in {paths.SUMS.name} and missing; restore it from version control"
    if (found := sha256(path)) != wanted:
        return (
            f"{path}: SHA-256 is {found[:12]}, {paths.SUMS.name} has {wanted[:12]}; restore it from version "
            f"control, or if it was made anew run: {COMMAND} {path}"
        )
    return ""


def after_run(written: Iterable[Path], finished: Iterable[Path]) -> None:
    """List anew the files that a run wrote to, if they are listed, and those that it finished. One that was
    listed and that it did not write to keeps its sum, so that no run vouches for what somebody edited.
    """
    held, ours = listed(), {path.resolve() for path in written}
    done = {path.resolve() for path in finished}
    update((ours & held.keys()) | (done & ours) | (done - held.keys()))


def update(changed: Iterable[Path]) -> None:
    """List these files as they are now, and forget those that are gone; the others keep their sums.

    Raises:
        MedagentsError: a file that is none of `KINDS`.
    """
    with locked(paths.SUMS):
        sums = listed()
        for path in (path.resolve() for path in changed):
            if not any(path.match(kind) and path.is_relative_to(paths.SUMS.parent) for kind in KINDS):
                raise MedagentsError(f"{path}: no recordings, rows or turns of {paths.SUMS.parent}")
            sums.pop(path, None)
            if path.exists():
                sums[path] = sha256(path)
        names = {path.relative_to(paths.SUMS.parent).as_posix(): sum_ for path, sum_ in sums.items()}
        draft = paths.SUMS.with_suffix(".draft")
        draft.write_text("".join(f"{names[name]}  {name}\n" for name in sorted(names)), encoding="utf-8")
        draft.replace(paths.SUMS)
