"""Every location the project reads or writes, one constant each; nothing depends on the working directory."""

import os
from pathlib import Path


def _folder(variable: str) -> Path | None:
    value = os.environ.get(variable, "").strip()
    return Path(value).expanduser().resolve() if value else None


ROOT = Path(__file__).resolve().parent.parent
"""The clone: notebooks, cache and figures live beside the package."""

PACKAGE = ROOT / "medagents"
PROMPTS = PACKAGE / "prompts"
"""One folder an experiment, one text file a prompt."""

FONT = PACKAGE / "fonts" / "DejaVuSans.ttf"
"""The face every figure uses, shipped so that figures do not depend on the machine."""

VIGNETTES = PACKAGE / "cohorts" / "vignettes"
MANIFESTS = PACKAGE / "cohorts" / "manifests"
"""Case ids, digests and gold index of each cohort; never its text."""

NOTEBOOKS = ROOT / "notebooks"

_TRIAL = _folder("MEDAGENTS_CACHE")
CACHE = _TRIAL or ROOT / "cache"
"""Recordings, rows and turns. `MEDAGENTS_CACHE` names another folder for them, and for the figures drawn of
them, so that a trial run (against a test server, say) reads and changes nothing that is committed.
"""

RECORDINGS = CACHE / "recordings"
"""`<cohort>/<model>/<experiment>.jsonl`, one line a model call."""

ROWS = CACHE / "rows"
"""`<cohort>/<model>/<experiment>.csv`, one line a case and condition."""

TURNS = CACHE / "turns"
"""`<cohort>/<team>/<experiment>.csv`, one line a turn of a committee."""

SUMS = CACHE / "SHA256SUMS"
"""SHA-256 of every finished file of these three folders."""

FIGURES = (_TRIAL or ROOT) / "figures"
BUILD = ROOT / "build"
"""Untracked: executed notebooks of cohorts whose text may not be published, logs."""


def data() -> Path | None:
    """Folder of the data sets, from `MEDAGENTS_DATA`; None where it is not set."""
    return _folder("MEDAGENTS_DATA")


def artefacts() -> Path | None:
    """Folder of the authors' per-case rows, from `MEDAGENTS_ARTEFACTS`; None where it is not set."""
    return _folder("MEDAGENTS_ARTEFACTS")


def weights() -> Path:
    """Folder of local model weights: `MEDAGENTS_WEIGHTS`, else the user's cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "medagents" / "weights"
    return _folder("MEDAGENTS_WEIGHTS") or default
