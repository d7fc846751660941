"""SUPPORT2 (Knaus 1995, UCI 880): seriously ill adults, and whether they died in hospital.

`support2-K` is the row whose first field is K. That field has no name: the header has 47 names
and a row 48 fields, so a reader that zips the two shifts every value by one column. Values stand
padded with spaces, and many as short binary fractions (1.19995117 for 1.2): they are stripped and
rounded to two decimals, as the authors did.

The physiology is that of the third day of the study. A case shows `FIELDS` and none of `LEAKS`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from pathlib import Path

from medagents.cohorts.records import Record, Refusal, Selection, csv_rows, refusal
from medagents.cues.tabular import Entry, render
from medagents.types import Case, MedagentsError

FILE = "support2/support2.csv"
PER_OUTCOME = 60
"""Survivors, and deaths, in the cohort."""

OPTIONS = ("Survives to hospital discharge", "Dies in hospital")
"""In the order of `hospdead` 0 and 1, worded as in the published rows."""

CONTEXT = "A seriously ill adult is in hospital. Measurements are those of day 3 of a study."
QUESTION = "Will this patient survive to hospital discharge?"

HEADER = (
    "age,death,sex,hospdead,slos,d.time,dzgroup,dzclass,num.co,edu,income,scoma,charges,totcst,totmcst,"
    "avtisst,race,sps,aps,surv2m,surv6m,hday,diabetes,dementia,ca,prg2m,prg6m,dnr,dnrday,meanbp,wblc,hrt,"
    "resp,temp,pafi,alb,bili,crea,sod,ph,glucose,bun,urine,adlp,adls,sfdm2,adlsc"
)
COLUMNS = ("index", *HEADER.split(","))
"""The fields of a row. The header names all but the first, which is called `index` here."""

LEAKS = frozenset(
    [
        # the outcome, and what is only known after it
        *("hospdead", "death", "d.time", "slos", "sfdm2"),
        # predictions, and scores made to predict
        *("surv2m", "surv6m", "prg2m", "prg6m", "sps", "aps", "avtisst"),
        # what was decided, or paid, in the light of it
        *("dnr", "dnrday", "charges", "totcst", "totmcst"),
        # adlp needs a patient fit to be asked, and adlsc is filled in from it
        *("adlp", "adlsc"),
    ]
)
"""The nineteen columns that tell the outcome or follow from it (benchmaxxing, section 4.2)."""

NOT_SHOWN = frozenset({"index", "race", "edu", "income", "dzclass", "glucose", "bun", "urine"})
"""No leak, but: the row's number; no clinical finding; follows from `dzgroup`; or (the last three)
measured in none of the cohort's 120 patients."""


@dataclass(frozen=True)
class Field:
    """How a column is shown: clinical name, unit, and words for coded values."""

    column: str
    name: str
    unit: str = ""
    words: Mapping[str, str] = field(default_factory=dict)


NO_YES = {"0": "no", "1": "yes"}
FIELDS = (
    Field("age", "age", "years"),
    Field("sex", "sex", words={"male": "male", "female": "female"}),
    Field(
        "dzgroup",
        "main disease",
        words={
            "ARF/MOSF w/Sepsis": "acute respiratory or multiple organ failure with sepsis",
            "MOSF w/Malig": "multiple organ failure with cancer",
            "CHF": "congestive heart failure",
            "COPD": "chronic obstructive pulmonary disease",
            "Cirrhosis": "cirrhosis",
            "Coma": "coma",
            "Colon Cancer": "colon cancer",
            "Lung Cancer": "lung cancer",
        },
    ),
    Field("num.co", "number of other diseases"),
    Field("ca", "cancer", words={"no": "no", "yes": "yes, not metastatic", "metastatic": "metastatic"}),
    Field("diabetes", "diabetes", words=NO_YES),
    Field("dementia", "dementia", words=NO_YES),
    Field("scoma", "coma score (0 awake, 100 deepest)"),
    Field("adls", "daily activities needing help (of 7)"),
    Field("hday", "hospital day at study entry"),
    Field("meanbp", "mean arterial pressure", "mmHg"),
    Field("hrt", "heart rate", "/min"),
    Field("resp", "respiratory rate", "/min"),
    Field("temp", "temperature", "°C"),
    Field("wblc", "white cell count", "×10^9/L"),
    Field("pafi", "PaO2/FiO2", "mmHg"),
    Field("alb", "serum albumin", "g/dL"),
    Field("bili", "bilirubin", "mg/dL"),
    Field("crea", "creatinine", "mg/dL"),
    Field("sod", "sodium", "mmol/L"),
    Field("ph", "arterial pH"),
)
"""What a case shows, in this order. `adls` rises with mortality: it counts what the patient
cannot do alone, though the UCI page says that higher is better."""

_WHOLE, _NUMBER = re.compile(r"[0-9]+"), re.compile(r"[0-9]+(?:\.[0-9]*)?")
"""No field of `FIELDS` can be below 0."""


def read(file: Path) -> Selection:
    """Every row of the file, in file order.

    Raises:
        MedagentsError: the file breaks its format, holds a row twice or holds none.
    """
    cases: list[Case] = []
    refused: list[Refusal] = []
    seen: dict[str, int] = {}
    for record in csv_rows(file, len(COLUMNS), header=COLUMNS[1:]):
        index = record.value[0].strip()
        if (line := seen.setdefault(index, record.line)) != record.line:
            raise record.fault(f"row {index} stands in line {line} too")
        made = _case(record)
        if isinstance(made, Case):
            cases.append(made)
        else:
            refused.append(made)
    if not seen:
        raise MedagentsError(f"{file}: no row; use the published file unchanged")
    return Selection(tuple(cases), tuple(refused))


def cohort(folder: Path) -> Selection:
    """Cohort `support2`: the first sixty survivors and the first sixty deaths, by turns.

    As a set these are the 120 cases of the published rows.
    """
    selection = read(folder / FILE)
    outcomes = [[case for case in selection.cases if case.gold == gold][:PER_OUTCOME] for gold in (0, 1)]
    if short := [len(cases) for cases in outcomes if len(cases) < PER_OUTCOME]:
        raise MedagentsError(f"{folder / FILE}: {short[0]} patients of an outcome, {PER_OUTCOME} needed")
    return Selection(tuple(chain.from_iterable(zip(*outcomes, strict=True))), selection.refused)


def _case(record: Record) -> Case | Refusal:
    row = dict(zip(COLUMNS, (cell.strip() for cell in record.value), strict=True))
    id = f"support2-{row['index']}"
    if not _WHOLE.fullmatch(row["index"]):
        raise record.fault(f"first field {row['index']!r} is not the row's number")
    if not row["hospdead"]:
        return refusal(record, id, "no outcome")
    if row["hospdead"] not in ("0", "1"):
        raise record.fault(f"hospdead {row['hospdead']!r} is neither 0 nor 1")
    table = tuple(_entry(record, shown, row[shown.column]) for shown in FIELDS)
    stem = f"{CONTEXT}\n{render(table)}\n{QUESTION}"
    return Case(id, stem, OPTIONS, int(row["hospdead"]), meta={"table": table})


def _entry(record: Record, shown: Field, cell: str) -> Entry:
    if not cell:
        return shown.name, None, shown.unit
    if shown.words:
        if cell not in shown.words:
            raise record.fault(f"{shown.column} {cell!r} is none of {', '.join(shown.words)}")
        return shown.name, shown.words[cell], shown.unit
    # float() and Decimal() would also take "6_2", digits of other scripts, "nan" and a minus sign.
    if not _NUMBER.fullmatch(cell):
        raise record.fault(f"{shown.column} {cell!r} is no number of 0 or more")
    return shown.name, f"{Decimal(f'{float(cell):.2f}').normalize():f}", shown.unit
