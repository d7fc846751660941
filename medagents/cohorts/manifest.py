"""Manifests: what the project commits of a cohort whose text it may not.

One JSON file a cohort under `paths.MANIFESTS`: source checksums, eligibility rule, refusals by
reason, and for each case its id, digest of stem and options, gold index and cluster.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medagents import paths
from medagents.cohorts.records import Selection, Source, digest
from medagents.types import Case, MedagentsError

REMEDY = "python -m medagents cohorts --write-manifests"


def file_of(name: str) -> Path:
    """Where the manifest of a cohort is."""
    return paths.MANIFESTS / f"{name}.json"


def write(name: str, sources: Sequence[Source], rule: str, selection: Selection) -> Path:
    """Write a cohort's manifest; the same cohort always gives the same bytes."""
    reasons = Counter(refusal.reason for refusal in selection.refused)
    head = {
        "name": name,
        "sources": [{"path": source.path, "sha256": source.sha256} for source in sources],
        "rule": rule,
        "refused": dict(sorted(reasons.items())),
        "size": len(selection.cases),
    }
    # One case a line, so that a diff shows which cases changed.
    lines = ",\n".join("  " + json.dumps(_entry(case)) for case in selection.cases)
    text = (
        json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
        + f',\n "cases": [\n{lines}\n ]\n}}\n'
    )
    file = file_of(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def read(name: str) -> dict[str, Any] | None:
    """A cohort's manifest, or None where there is none.

    Raises:
        MedagentsError: the file is not a manifest.
    """
    file = file_of(name)
    if not file.is_file():
        return None
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        if not all(isinstance(entry["id"], str) for entry in value["cases"]):
            raise TypeError("an id is not text")
    except (ValueError, KeyError, TypeError) as error:
        raise MedagentsError(
            f"{file}: not a manifest ({error!r}); restore it from git or run {REMEDY}"
        ) from None
    return dict(value)


def size(name: str) -> int | None:
    """How many cases the manifest lists; None without a readable manifest."""
    try:
        found = read(name)
    except MedagentsError:
        return None
    return len(found["cases"]) if found else None


def verify(name: str, cases: Sequence[Case]) -> None:
    """Compare cases with the manifest: same ids in the same order, same text, same gold.

    Raises:
        MedagentsError: names the first case that differs, or says that there is no manifest.
    """
    found = read(name)
    if found is None:
        raise MedagentsError(f"{file_of(name)} is missing; restore it from git or run {REMEDY}")
    hint = f"restore the data, or run {REMEDY} if the change is meant"
    listed = found["cases"]
    for place, (case, entry) in enumerate(zip(cases, listed, strict=False)):
        if case.id != entry["id"]:
            raise MedagentsError(
                f"cohort {name}, place {place}: case {case.id} where the manifest has {entry['id']}; {hint}"
            )
        if changed := [key for key, value in _entry(case).items() if entry.get(key) != value]:
            raise MedagentsError(
                f"cohort {name}, case {case.id}: {', '.join(changed)} differs from the manifest; {hint}"
            )
    if len(cases) != len(listed):
        raise MedagentsError(f"cohort {name}: {len(cases)} cases, the manifest has {len(listed)}; {hint}")


def _entry(case: Case) -> dict[str, str | int]:
    return {"id": case.id, "digest": digest(case), "gold": case.gold, "cluster": case.cluster}
