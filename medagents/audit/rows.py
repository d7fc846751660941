"""The authors' per-case rows: where they are, what they must hash to, and how to read them.

Everything that surprises in these files is dealt with here, once:

* case ids come as `case_id` or `case_index`, and honest-peer rows may add `::clean` to theirs; the
  column `case` of a table is the id without it;
* several images belong to one patient, which only the name of the image tells; the column `cluster`
  is the patient where there is one, else the case (the de-identified MIMIC-CXR files tell none);
* an abstention is null, which is neither 0 nor 1;
* referee rows do not hold the key, but honest peers assert it: the column `gold` takes it from there;
* some files cut option texts (`CUT`), so a text equal in the cut may differ beyond it.
"""

import json
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pandas as pd

from medagents import paths
from medagents.types import MedagentsError

COMMIT = "6a6db5084e1906bbf1efdfe8ec27191059fd0677"
"""Commit of `criticaldata/benchmaxxing` whose rows are pinned."""

CUT = {
    "medqa/results/push_c_per_case.jsonl": 30,
    "medqa/results/cascade_v2_per_case.jsonl": 40,
}
"""Characters after which a file cuts its option texts."""

HONEST = "::clean"
"""What the honest-peer arm appends to a case id."""

PATIENT = r"^(\d{8})_\d{3}\.png$|(patient\d+)/"
"""A patient in the name of an image: NIH's eight digits, or CheXpert's folder."""

REMEDY = "restore it with: python -m medagents fetch benchmaxxing"


def pinned() -> pd.DataFrame:
    """Every file the audit reads, by path below `experiments/`: columns rows and sha256."""
    return pd.read_csv(files("medagents.audit").joinpath("files.csv").open(encoding="utf-8")).set_index(
        "path"
    )


class Rows:
    """The authors' files below one folder; each is checked before it is read, and read once.

    Args:
        folder: holds `experiments/`; `MEDAGENTS_ARTEFACTS` if not given.
        pinned: refuse a file whose SHA-256 is not the pinned one. Switch off to audit rows that were
            edited on purpose, or another run of the same experiments.

    Raises:
        MedagentsError: no such folder.
    """

    def __init__(self, folder: Path | None = None, pinned: bool = True) -> None:
        found = folder or paths.artefacts()
        if found is None or not (found / "experiments").is_dir():
            where = (
                "MEDAGENTS_ARTEFACTS is not set" if found is None else f"{found} has no folder experiments"
            )
            raise MedagentsError(
                f"{where}; name a copy of criticaldata/benchmaxxing at commit {COMMIT[:7]} there, "
                "or get one with: python -m medagents fetch benchmaxxing"
            )
        self.folder, self.pinned = found, pinned
        self._tables: dict[str, pd.DataFrame] = {}

    @cached_property
    def _known(self) -> pd.DataFrame:
        return pinned()

    def table(self, path: str) -> pd.DataFrame:
        """One file as a table, nested fields as `outer.inner`, with the columns `case` and `cluster`.

        Raises:
            MedagentsError: the file is missing, truncated, edited (if pinned), unreadable or empty.
        """
        if path not in self._tables:
            content = self.content(path)
            self._tables[path] = _identified(_parse(path, content), path)
        return self._tables[path].copy()

    def content(self, path: str) -> bytes:
        """Bytes of one file, checked as for `table`."""
        file = self.folder / "experiments" / path
        if not file.is_file():
            raise MedagentsError(f"{file}: no such file; {REMEDY}")
        content = file.read_bytes()
        if not self.pinned:
            return content
        if path not in self._known.index:
            raise MedagentsError(f"{path}: no file that the audit knows; see medagents/audit/files.csv")
        expected = self._known.loc[path]
        got = sha256(content).hexdigest()
        if got != expected["sha256"]:
            fault = _cut(path, content, expected["rows"]) or "edited"
            raise MedagentsError(
                f"{file}: {fault} (SHA-256 {got[:16]}, expected {expected['sha256'][:16]}); {REMEDY}; "
                "to audit it as it is, pass --unpinned"
            )
        return content


def _cut(path: str, content: bytes, rows: int) -> str:
    """How a file was cut short; empty where it was not. Pinned files of lines end with one."""
    lines = content.count(b"\n") + (content[-1:] not in (b"\n", b""))
    if lines < rows:
        return f"{lines} of {rows} lines, truncated"
    if path.endswith(".json"):
        try:
            json.loads(content)
        except ValueError:
            return "cut within its JSON, truncated"
        return ""
    return "" if content.endswith(b"\n") else "cut within its last line, truncated"


def table_of(rows: Rows, file: str) -> pd.DataFrame:
    """One file, or several joined on the case (` + `) or stacked (` | `).

    A column that a joined file shares with an earlier one gets the file's place: `adopt@2`.

    Raises:
        MedagentsError: files to be joined are not of the same cases, once each.
    """
    if " | " in file:
        parts = [rows.table(path).assign(file=path) for path in file.split(" | ")]
        return pd.concat(parts, ignore_index=True)
    first, *others = file.split(" + ")
    table = rows.table(first)
    for place, path in enumerate(others, 2):
        other = rows.table(path).drop(columns="cluster")
        other = other.rename(
            columns={name: f"{name}@{place}" for name in other if name in table} | {"case": "case"}
        )
        if sorted(table["case"]) != sorted(other["case"]) or table["case"].duplicated().any():
            raise MedagentsError(f"{path}: not the cases of {first}, once each")
        table = table.merge(other, on="case")
    return table


def _parse(path: str, content: bytes) -> pd.DataFrame:
    if path.endswith(".csv"):
        return _csv(path, content)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise MedagentsError(f"{path}: byte {error.start} is not UTF-8; {REMEDY}") from None
    if path.endswith(".json"):
        whole = _json(path, 1, text)
        return pd.json_normalize(whole.get("per_case", whole))
    lines = text.removesuffix("\n").split("\n")  # replies may hold U+2028, at which splitlines splits too
    records = [_json(path, number, line) for number, line in enumerate(lines, 1)]
    nested = any(isinstance(value, dict) for record in records for value in record.values())
    return pd.json_normalize(records) if nested else pd.DataFrame(records)


def _csv(path: str, content: bytes) -> pd.DataFrame:
    try:
        return pd.read_csv(BytesIO(content), low_memory=False)
    except ValueError as error:
        raise MedagentsError(f"{path}: not a CSV table ({' '.join(str(error).split())}); {REMEDY}") from None


def _json(path: str, number: int, line: str) -> dict:
    try:
        found = json.loads(line)
    except ValueError:
        raise MedagentsError(f"{path}:{number}: not JSON, so cut or damaged; {REMEDY}") from None
    if not isinstance(found, dict):
        raise MedagentsError(f"{path}:{number}: not a record; {REMEDY}")
    return found


def _identified(table: pd.DataFrame, path: str) -> pd.DataFrame:
    if table.empty:
        raise MedagentsError(f"{path}: no rows; {REMEDY}")
    named = next((name for name in ("case_id", "case_index") if name in table), None)
    if named is None:
        return table
    case = table[named].astype(str).str.removesuffix(HONEST)
    nih, chexpert = (case.str.extract(PATIENT)[group] for group in (0, 1))
    table = table.assign(case=case, cluster=nih.fillna(chexpert).fillna(case))
    if {"arm", "inferred_shortcut"} <= set(table):
        honest = table[table["arm"] == "clean"].drop_duplicates("case").set_index("case")
        table["gold"] = table["case"].map(honest["inferred_shortcut"])
    return table
