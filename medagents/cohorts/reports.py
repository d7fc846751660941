"""Free-text chest reports as questions: which of four findings does this report describe?

Two layouts give the same kind of question. Open-i (Indiana University, 3,955 reports as XML) has its
findings as MeSH headings; MIMIC-CXR (credentialed) has its reports as text files and its findings
as CheXpert labels. A report is a case where it has exactly one of `FINDINGS`.

Shown is the findings section alone: the impression names the diagnosis. Reports whose findings
section names it too are refused, since the answer would only have to be looked up, and so are those
that do not describe it at all, since the answer would have to be guessed. What is left asks for
the name of a described finding: "the heart is enlarged" for cardiomegaly.
"""

import re
import tarfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

import pandas as pd

from medagents.cohorts.records import MissingData, Refusal, Selection, seeded_order
from medagents.types import Case, MedagentsError

OPENI = "openi/NLMCXR_reports.tgz"
MIMIC_LABELS = "mimic_cxr/mimic-cxr-2.0.0-chexpert.csv.gz"
MIMIC_REPORTS = "mimic_cxr/files"
OPTIONS = 4
PER_FINDING = 30
TEXT_LIMIT = 600
"""Characters of a findings section, so that a small model can read it in good time."""

CONTEXT = "Findings section of a chest radiograph report:"
QUESTION = "Which finding does this report describe?"
REMOVED = "[removed]"
"""Stands where the publisher took words out: XXXX in Open-i, ___ in MIMIC-CXR."""


@dataclass(frozen=True)
class Finding:
    """One option: the headings and the label that stand for it, the words that name it, and those
    that describe it. `near` are headings and labels that may mean it: where a report has one of
    these, this finding is no wrong option.
    """

    name: str
    headings: frozenset[str]
    label: str
    named: re.Pattern[str]
    described: re.Pattern[str]
    near: frozenset[str]


def _finding(name: str, headings: str, named: str, described: str, near: str) -> Finding:
    split = [frozenset(text.split("; ")) for text in (headings, near)]
    patterns = [re.compile(pattern, re.IGNORECASE) for pattern in (named, described)]
    return Finding(name, split[0], name.title(), patterns[0], patterns[1], split[1])


_SHADOW = r"opaci|infiltrat|air[- ]?space|consolidat"
_SHADOWS = "Opacity; Infiltrate; Airspace Disease; Consolidation; Density; Lung Opacity"
FINDINGS = (
    _finding(
        "Atelectasis",
        "Pulmonary Atelectasis",
        r"atelecta",
        rf"{_SHADOW}|collapse|volume loss|loss of volume",
        f"{_SHADOWS}; Volume Loss; Lung; Diaphragm",
    ),
    _finding(
        "Cardiomegaly",
        "Cardiomegaly",
        r"cardiomegal",
        r"(heart|cardiac|cardiomediastinal|cardiopericardial)\b.*\b(enlarge|large|big|borderline|upper limit"
        r"|promin)|(enlarge|large|borderline|promin)\w*\b.*\b(heart|cardiac)",
        "Cardiac Shadow; Heart; Heart Failure; Heart Atria; Heart Ventricles; Mediastinum; "
        "Pericardial Effusion; Enlarged Cardiomediastinum",
    ),
    _finding(
        "Edema",
        "Pulmonary Edema",
        r"edema",
        r"interstitial|vascular congest|cephaliz|kerley|vascular (prominence|engorge)",
        f"{_SHADOWS}; Pulmonary Congestion; Markings; Heart Failure; Lung Diseases, Interstitial",
    ),
    _finding(
        "Fracture",
        "Fractures, Bone",
        r"fractur",
        r"(rib|vertebra|clavic|humer|stern|spin)\w*\b.*\b(deformit|broken|wedg|displac|compress)"
        r"|(deformit|broken|wedg|displac|compress)\w*\b.*\b(rib|vertebra|clavic|humer|stern|spin)",
        "Deformity; Dislocations; Bone and Bones; Ribs; Thoracic Vertebrae; Spine; Osteoporosis; "
        "Expansile Bone Lesions; Humerus; Shoulder; Kyphosis",
    ),
    _finding(
        "Lung lesion",
        "Nodule; Mass",
        r"lesion|nodul|\bmass",
        r"\bround|\b[cm]m\b.*\b(opacity|density)|\b(opacity|density)\b.*\b[cm]m\b",
        f"{_SHADOWS}; Granuloma; Calcified Granuloma; Granulomatous Disease; Calcinosis; Cicatrix; Cysts; "
        "Cavitation; Nipple Shadow; Lymph Nodes; Tuberculosis",
    ),
    _finding(
        "Pleural effusion",
        "Pleural Effusion; Hydropneumothorax; Hemopneumothorax; Hemothorax",
        r"effusion",
        r"blunt|pleural fluid|fluid (level|collection)|layering",
        "Costophrenic Angle; Thickening; Pleura; Pleural Other; Sulcus",
    ),
    _finding(
        "Pneumonia",
        "Pneumonia",
        r"pneumoni",
        _SHADOW,
        f"{_SHADOWS}; Tuberculosis; Bronchitis; Bronchiolitis; Cavitation",
    ),
    _finding(
        "Pneumothorax",
        "Pneumothorax; Hydropneumothorax; Hemopneumothorax",
        r"pneumothora",
        r"pleural air|air collection|collection of air|pleural line",
        "Lung, Hyperlucent; Lucency; Shift; Subcutaneous Emphysema; Blister; Bullous Emphysema",
    ),
)
"""None is part of another, which is why lung opacity and consolidation are no options."""

_TAKEN_OUT = re.compile(r"(?:X{4,}|_{3,})(?:\s+(?:X{4,}|_{3,}))*")
_SENTENCE = re.compile(r"(?<=[.;])\s+")
_DENIED = re.compile(
    r"\b(no|not|without|free|clear of|absent|negative|normal|unremarkable|resolved)\b", re.IGNORECASE
)
_SECTION = re.compile(r"^\s*FINDINGS?\s*:(?P<text>.*?)(?=^\s*[A-Z][A-Z /()]+:|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Report:
    """One report before it is known to be fit: `found` and `unsure` are its headings or labels, `read`
    gives its findings section as published, empty where it has none.
    """

    id: str
    cluster: str
    file: str
    line: int
    found: frozenset[str]
    unsure: frozenset[str]
    read: Callable[[], str]


def openi(folder: Path) -> Selection:
    """Cohort `reports`: the Open-i reports. The release names no patient: each case is a cluster."""
    return select(read_openi(folder / OPENI))


def mimic(folder: Path) -> Selection:
    """Cohort `reports_mimic`: the MIMIC-CXR reports, clustered by patient."""
    return select(read_mimic(folder / MIMIC_LABELS, folder / MIMIC_REPORTS))


def read_openi(file: Path) -> Iterator[Report]:
    """The reports of the archive, one XML file each, in the archive's order.

    Raises:
        MedagentsError: no readable archive, or a member that is no report.
    """
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                if stream := archive.extractfile(member):
                    yield _openi_report(file, member.name, stream.read())
    except (tarfile.TarError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise MedagentsError(f"{file}: cannot be read ({reason}); use the published file unchanged") from None


def read_mimic(labels: Path, reports: Path) -> Iterator[Report]:
    """The reports that the CheXpert labeller found exactly one of `FINDINGS` in, in the file's order.

    Raises:
        MissingData: there is no folder of reports.
        MedagentsError: the labels break their format.
    """
    if not reports.is_dir():
        raise MissingData(f"{reports} is missing")
    table = pd.read_csv(labels, dtype=str, keep_default_na=False)
    needed = {"subject_id", "study_id", *(finding.label for finding in FINDINGS)}
    if missing := needed - set(table.columns):
        raise MedagentsError(f"{labels}: no column {min(missing)!r}; use the published file unchanged")
    names = [name for name in table.columns if name not in ("subject_id", "study_id")]
    for line, row in enumerate(table.to_dict("records"), start=2):
        values = {name: row[name] for name in names}
        if stray := set(values.values()) - {"", "0.0", "1.0", "-1.0"}:
            raise MedagentsError(
                f"{labels}, line {line}: {min(stray)!r} is no label; 1.0, 0.0, -1.0 or empty"
            )
        found, unsure = (
            frozenset(name for name, value in values.items() if value == wanted) for wanted in ("1.0", "-1.0")
        )
        if sum(finding.label in found for finding in FINDINGS) == 1:
            patient, study = row["subject_id"], f"s{row['study_id']}"
            text = reports / f"p{patient[:2]}" / f"p{patient}" / f"{study}.txt"
            yield Report(
                f"mimic-{study}", f"mimic-p{patient}", labels.name, line, found, unsure, _mimic_reader(text)
            )


def select(reports: Iterable[Report]) -> Selection:
    """The first `PER_FINDING` eligible reports of each finding, in seeded order, findings taking turns.

    The letters of a finding's cases take turns too, so that neither finding nor letter tells the
    other. The log holds every report that was looked at and left out.

    Raises:
        MedagentsError: two reports of one id.
    """
    columns: dict[str, list[Case]] = {finding.name: [] for finding in FINDINGS}
    refused: list[Refusal] = []
    seen: dict[str, Report] = {}
    for report in sorted(reports, key=lambda report: seeded_order(report.id)):
        if (twin := seen.setdefault(report.id, report)) is not report:
            raise MedagentsError(
                f"{report.file}, line {report.line}: {report.id} stands in {twin.file}, line {twin.line}, "
                "too; use the published files unchanged"
            )
        shown = [finding for finding in FINDINGS if report.found & (finding.headings | {finding.label})]
        if len(shown) != 1:
            refused.append(_refusal(report, "none or several of the findings"))
            continue
        column = columns[shown[0].name]
        if len(column) < PER_FINDING:
            made = _case(report, shown[0], (FINDINGS.index(shown[0]) + len(column)) % OPTIONS)
            if isinstance(made, Case):
                column.append(made)
            else:
                refused.append(made)
    turns = chain.from_iterable(zip_longest(*columns.values()))
    return Selection(tuple(case for case in turns if case), tuple(refused))


def describes(text: str, finding: Finding) -> bool:
    """Whether some sentence uses words that describe the finding, and none that deny or call normal.

    For the key: a sentence in doubt does not count. Whether a report surely lacks a finding is asked of
    `speaks_of`, since a word that denies may deny something else in the same sentence.
    """
    return any(not _DENIED.search(part) for part in speaks_of(text, finding))


def speaks_of(text: str, finding: Finding) -> list[str]:
    """The sentences that use words which describe the finding, if only to deny it."""
    return [part for part in _SENTENCE.split(text) if finding.described.search(part)]


def _case(report: Report, gold: Finding, place: int) -> Case | Refusal:
    text = " ".join(_TAKEN_OUT.sub(REMOVED, report.read()).split())
    if not text.replace(REMOVED, "").strip(" ."):
        return _refusal(report, "empty findings section")
    if len(text) > TEXT_LIMIT:
        return _refusal(report, f"findings section over {TEXT_LIMIT} characters")
    if gold.named.search(text):
        return _refusal(report, "the findings section names the finding")
    if not describes(text, gold):
        return _refusal(report, "the findings section does not describe the finding")
    hints = report.found | report.unsure
    wrong = [
        finding.name
        for finding in FINDINGS
        if finding is not gold
        and not hints & (finding.near | finding.headings | {finding.label})
        and not speaks_of(text, finding)
    ]
    if len(wrong) < OPTIONS - 1:
        return _refusal(report, f"fewer than {OPTIONS - 1} findings that it surely does not describe")
    options = sorted(wrong, key=lambda name: seeded_order(f"{report.id}:{name}"))[: OPTIONS - 1]
    options.insert(place, gold.name)
    stem = f"{CONTEXT} {text}\n{QUESTION}"
    return Case(report.id, stem, tuple(options), place, report.cluster, {"finding": gold.name})


def _refusal(report: Report, reason: str) -> Refusal:
    return Refusal(report.id, report.file, report.line, reason)


def _openi_report(file: Path, member: str, content: bytes) -> Report:
    try:
        root = ET.fromstring(content)
    except ET.ParseError as error:
        raise MedagentsError(
            f"{file}, {member}: not XML ({error}); use the published file unchanged"
        ) from None
    number = root.find("uId")
    if number is None or not number.get("id"):
        raise MedagentsError(f"{file}, {member}: no report number (uId); use the published file unchanged")
    id = f"openi-{number.get('id')}"
    sections = {part.get("Label"): part.text or "" for part in root.iter("AbstractText")}
    headings = frozenset((major.text or "").split("/")[0].strip() for major in root.iter("major"))
    return Report(id, id, member, 1, headings, frozenset(), lambda: sections.get("FINDINGS", ""))


def _mimic_reader(file: Path) -> Callable[[], str]:
    def read() -> str:
        if not file.is_file():
            return ""
        section = _SECTION.search(file.read_text(encoding="utf-8"))
        return section["text"] if section else ""

    return read
