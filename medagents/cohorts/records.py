"""What every loader shares: pinned source files, records with their line, refusals with a reason.

A file that breaks its published format stops the load (`MedagentsError` with file, line and
remedy). A record that is well formed but unfit for the experiments is refused: left out, and
kept in the eligibility log with its line and reason.
"""

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from medagents import paths
from medagents.types import LETTERS, Case, MedagentsError, same_text


class MissingData(MedagentsError):
    """The cohort's source files are not on this machine; committed rows may still serve."""


@dataclass(frozen=True)
class Source:
    """One file of a data set: path below the data folder and SHA-256.

    `url` is where a plain request downloads it: the file itself, or a tar or zip archive with its own
    SHA-256 that holds it as `member`. None where the origin has no such address. An empty `sha256`
    marks a file of the project itself, which git already guards, or one that only credentialed
    users may have.
    """

    path: str
    sha256: str = ""
    url: str | None = None
    archive_sha256: str | None = None
    member: str | None = None

    def verified(self, folder: Path) -> Path:
        """The file's place in `folder`, once its checksum is found right.

        Raises:
            MissingData: there is no such file.
            MedagentsError: its SHA-256 is not the pinned one.
        """
        file = folder / self.path
        if not file.is_file():
            raise MissingData(f"{file} is missing")
        if self.sha256 and (got := sha256(file)) != self.sha256:
            raise MedagentsError(
                f"{file}: SHA-256 {got[:16]}, expected {self.sha256[:16]}; "
                "another release or a damaged copy: replace the file"
            )
        return file


@dataclass(frozen=True)
class Refusal:
    """A record left out of every cohort: `line` counts from 1, `reason` is the same for all of a kind."""

    id: str
    file: str
    line: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Selection:
    """Cases in order, and the records refused on the way."""

    cases: tuple[Case, ...]
    refused: tuple[Refusal, ...]


@dataclass(frozen=True)
class Record:
    """One record as it stands in its file: 0-based index among records, 1-based line."""

    file: Path
    index: int
    line: int
    value: Any

    def fault(self, what: str, remedy: str = "use the published file unchanged") -> MedagentsError:
        """The error that stops the load at this record."""
        return MedagentsError(f"{self.file}, line {self.line}: {what}; {remedy}")

    def text(self, key: str) -> str:
        """The string under `key`; its absence or another type stops the load."""
        value = self.get(key)
        if not isinstance(value, str):
            raise self.fault(f"{key!r} is {type(value).__name__}, not text")
        return value

    def get(self, key: str) -> Any:
        """The value under `key`; its absence stops the load."""
        if key not in self.value:
            raise self.fault(f"no key {key!r}")
        return self.value[key]


def data_folder() -> Path:
    """Where data sets are looked for and fetched to: `MEDAGENTS_DATA`, else the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return paths.data() or cache / "medagents" / "data"


def sha256(file: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def json_lines(file: Path) -> Iterator[Record]:
    """The objects of a JSON-lines file. Blank lines are skipped and do not count as records."""
    index = 0
    # Split at newlines only: clinical text may hold U+2028, which str.splitlines would cut at.
    for line, text in enumerate(_text(file).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except ValueError as error:
            raise MedagentsError(
                f"{file}, line {line}: not JSON ({error}); one object a line is needed"
            ) from None
        record = Record(file, index, line, value)
        if not isinstance(value, dict):
            raise record.fault("not a JSON object", "one object a line is needed")
        yield record
        index += 1


def json_entries(file: Path) -> Iterator[tuple[str, Record]]:
    """Key and value of each entry of a file that is one JSON object, with the line of its key."""
    text = _text(file)
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise MedagentsError(f"{file}: not JSON ({error}); use the published file unchanged") from None
    if not isinstance(whole, dict):
        raise MedagentsError(f"{file}: not a JSON object; use the published file unchanged")
    place, line = 0, 1
    for index, (key, value) in enumerate(whole.items()):
        found = text.find(json.dumps(key, ensure_ascii=False), place)
        if found >= 0:
            line += text.count("\n", place, found)
            place = found
        yield key, Record(file, index, line, value)


def json_list(file: Path) -> Iterator[Record]:
    """The objects of a file that is one JSON list, each with the line it begins in."""
    text, decoder = _text(file), json.JSONDecoder()
    gap = re.compile(r"[\s,]*")
    opening = text.find("[")
    if opening < 0 or text[:opening].strip():
        raise MedagentsError(f"{file}: not a JSON list; use the published file unchanged")
    place, index = opening + 1, 0
    while True:
        place = gap.match(text, place).end()  # type: ignore[union-attr]
        line = text.count("\n", 0, place) + 1
        if text[place : place + 1] == "]":
            return
        try:
            value, place = decoder.raw_decode(text, place)
        except ValueError as error:
            raise MedagentsError(f"{file}, line {line}: not JSON ({error}); use the published file") from None
        record = Record(file, index, line, value)
        if not isinstance(value, dict):
            raise record.fault("not a JSON object")
        yield record
        index += 1


def csv_rows(file: Path, columns: int, header: Sequence[str] = ()) -> Iterator[Record]:
    """The rows of a CSV, every cell as text: 'None' and 'NA' are answers here.

    Where a `header` is given, the first line must be just that, and is no row.
    """
    reader = csv.reader(io.StringIO(_text(file), newline=""), strict=True)
    try:
        if header and (first := next(reader, [])) != list(header):
            got, needed = next(pair for pair in zip_longest(first, header) if pair[0] != pair[1])
            raise MedagentsError(
                f"{file}, line 1: column {got!r} where {needed!r} is needed; use the published file unchanged"
            )
        for index, row in enumerate(row for row in reader if row):
            record = Record(file, index, reader.line_num, row)
            if len(row) != columns:
                raise record.fault(f"{len(row)} columns, {columns} needed")
            yield record
    except csv.Error as error:
        raise MedagentsError(f"{file}, line {reader.line_num}: {error}; use the published file") from None


def refusal(record: Record, id: str, reason: str, detail: str = "") -> Refusal:
    """The log entry for a record that is left out."""
    return Refusal(id, record.file.name, record.line, reason, detail)


def unfit(stem: str, options: Sequence[str]) -> str | None:
    """Why a question cannot be a case at all, or None."""
    if not stem.strip():
        return "empty stem"
    if not all(option.strip() for option in options):
        return "empty option"
    if len({same_text(option) for option in options}) < len(options):
        return "duplicate options"
    return None


_CROSS_REFERENCE = re.compile(
    r"\b(all|none|both|any|some|either|neither)\s+(of\s+)?(the\s+)?"
    r"(above|these|those|following|options|choices|two|three|four|other)\b"
    r"|^\W*(all|none|both|either|neither)(\s+(are\s+|is\s+)?(true|false|correct|wrong))?\W*$"
    r"|^\W*((both|either)\W+)?[a-e](\W*(,|&|\+|/|\band\b|\bor\b)\W*[a-e]\b)+"
    r"\W*($|(is|are|true|false|correct|wrong|only)\b)"
    r"|^\W*(both|either)\s+(option\s+)?([a-e]{2}\b|[1-5]\W*(,|&|and|or)\W*[1-5]\b)",
    re.IGNORECASE,
)


def refers_to_options(option: str) -> bool:
    """Whether an option means other options ('all of the above', 'both', 'A and C').

    Its meaning changes when options are reordered, so option-order cues would edit the answer.
    """
    return bool(_CROSS_REFERENCE.search(option))


def gold_of(record: Record, letter: str, count: int) -> int:
    """Index of an answer letter among `count` options; any other letter stops the load."""
    allowed = LETTERS[:count]
    if len(letter) != 1 or letter not in allowed:
        raise record.fault(f"answer letter {letter!r} is not one of {allowed}")
    return allowed.index(letter)


def unique_id(record: Record, seen: dict[str, int]) -> str:
    """The record's `id`, noted in `seen` with its line; rows are joined by id, so a repeat stops the load."""
    id = record.text("id").strip()
    if not id:
        raise record.fault("'id' is empty")
    if id in seen:
        raise record.fault(f"id {id!r} stands in line {seen[id]} too", "ids must be unique")
    seen[id] = record.line
    return id


def digest(case: Case) -> str:
    """First 16 hex digits of the SHA-256 of stem and options, as JSON; the answer is not in it."""
    text = json.dumps([case.stem, list(case.options)], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def seeded_order(id: str) -> str:
    """Sort key of a fixed, arbitrary order that does not depend on how many records there are."""
    return hashlib.sha256(f"medagents:{id}".encode()).hexdigest()


def _text(file: Path) -> str:
    if not file.is_file():
        raise MissingData(f"{file} is missing")
    try:
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise MedagentsError(f"{file}, byte {error.start}: not UTF-8; save the file as UTF-8") from None
