"""Every prompt as a readable text file; this module only reads and fills them."""

import re
from functools import cache
from pathlib import Path

from medagents import paths
from medagents.types import LETTERS, MedagentsError, View

MARKERS = ("[seeded]", "planted", "condition=", "gold=", "plant=", "holdout", "decoy")
"""Words of the experiment itself. A prompt that shows one measures the effect of the label."""

_MARKER = re.compile("|".join(rf"(?<![a-z]){re.escape(marker)}" for marker in MARKERS), re.IGNORECASE)
"""A marker in any case, but not inside a word: an implanted device is no leak."""


@cache
def template(name: str) -> str:
    """Text of `<experiment>/<name>.txt`, without its last newline.

    Raises:
        MedagentsError: there is no such file.
    """
    path = paths.PROMPTS / f"{name}.txt"
    if not path.exists():
        raise MedagentsError(f"{path}: no such prompt; restore it from version control")
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise MedagentsError(f"{path}: not UTF-8 ({error.reason}); restore it from version control") from None


def fill(name: str, **values: str) -> str:
    """A prompt with its fields filled in.

    Raises:
        MedagentsError: there is no such file, or it has another field or a brace that is none.
    """
    try:
        return template(name).format(**values)
    except (KeyError, IndexError, ValueError) as error:
        raise MedagentsError(
            f"{paths.PROMPTS / name}.txt: field {error} is none of {', '.join(values) or 'no field'}; write "
            f"{{{{ and }}}} for braces, or restore the file from version control"
        ) from None


def holding(words: str) -> list[str]:
    """Files that hold these words, from the clone's root; none for empty words.

    A change is told by them, since a prompt is put together out of several files.
    """
    return [path.relative_to(paths.ROOT).as_posix() for path in _holding(words, paths.PROMPTS)]


@cache
def _holding(words: str, folder: Path) -> list[Path]:
    found = sorted(folder.rglob("*.txt")) if words.strip() else []
    return [path for path in found if words in path.read_text(encoding="utf-8", errors="replace")]


def case_text(view: View) -> str:
    """Question and lettered options as shown."""
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, view.options, strict=False))
    return fill("common/case", stem=view.stem, options=options)


@cache
def examples(name: str = "common/examples") -> tuple[tuple[str, str], ...]:
    """Worked (question, answer) turns shown before every case; our own, in no cohort."""
    pairs, question = [], ""
    for line in template(name).splitlines(keepends=True):
        if line.startswith("--- "):
            pairs.append((question.removesuffix("\n"), line.removeprefix("--- ").strip()))
            question = ""
        else:
            question += line
    return tuple(pairs)


def refuse_markers(text: str, allowed: str = "") -> str:
    """The text, unless it shows a marker of the experiment that is not in `allowed` (the case's own words).

    Raises:
        MedagentsError: naming the marker; nothing is sent.
    """
    own = {marker.casefold() for marker in _MARKER.findall(allowed)}
    for marker in _MARKER.findall(text):
        if marker.casefold() not in own:
            raise MedagentsError(f"the prompt shows the run's own marker {marker!r}; nothing was sent")
    return text
