"""Tabular cues (benchmaxxing, sections 3.2 and 4.2): the table of a case, written otherwise.

A tabular case has its table in `meta["table"]` and the same table, as `render` writes it, in its
stem. All cues but `administrative_hint` are information-identical: `read` gets from the table they
write the very quantities that the case holds, in exact arithmetic, or no `View` is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction

from medagents.types import Case, MedagentsError, View, plain_view

Entry = tuple[str, str | None, str]
"""Field, value as text (None where it was not measured) and unit (empty where there is none)."""

Meaning = dict[str, tuple[Fraction, str] | str | None]
"""Field -> quantity in its first unit, words, or None where it was not measured."""

NOT_MEASURED = "not measured"
RECODED = "NA"
"""What `missingness_recode` writes for `NOT_MEASURED`."""

BED = ("bed number", "12", "")
"""What `administrative_hint` adds: nothing that bears on the question."""

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])
"""Decimal arithmetic that never rounds."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_TWICE = re.compile(r"(?P<first>.*) \(= (?P<again>.*)\)")


@dataclass(frozen=True)
class Scale:
    """Another unit for the same quantity: `other` = value * `factor` + `offset`, all exact."""

    other: str
    factor: Decimal
    offset: Decimal = Decimal(0)

    def there(self, value: Decimal) -> Decimal:
        """A value of the first unit, in the other."""
        return EXACT.add(EXACT.multiply(value, self.factor), self.offset)

    def back(self, value: Fraction) -> Fraction:
        """A value of the other unit, in the first."""
        return (value - Fraction(self.offset)) / Fraction(self.factor)


SCALES: Mapping[str, Scale] = {
    "years": Scale("months", Decimal(12)),
    "°C": Scale("°F", Decimal("1.8"), Decimal(32)),
    "mmHg": Scale("cmHg", Decimal("0.1")),
    "g/dL": Scale("g/L", Decimal(10)),
    "mg/dL": Scale("mg/L", Decimal(10)),
    "×10^9/L": Scale("cells/µL", Decimal(1000)),
}
"""Unit -> the unit that cues turn it into. Only factors that are short decimals: values in mmol/L or
kPa would have to be rounded."""

_FIRST = {scale.other: (unit, scale) for unit, scale in SCALES.items()}


def render(table: Iterable[Entry], gap: str = " ") -> str:
    """The table as it stands in a stem: a line an entry, `field: value unit`."""
    return "\n".join(f"{field}:{gap}{_shown(value, unit)}" for field, value, unit in table)


def read(text: str) -> Meaning:
    """What a written table says, whatever cue wrote it.

    Raises:
        MedagentsError: a line is no entry (no field or no value), a field stands twice, or a value said
            twice differs.
    """
    found: Meaning = {}
    for line in text.split("\n"):
        field, colon, said = line.partition(": ")
        if not colon or not said.strip():
            raise MedagentsError(f"table line {line!r}: no entry, which is a field, a colon and a value")
        if field in found:
            raise MedagentsError(f"table line {line!r}: its field stands twice")
        twice = _TWICE.fullmatch(said)
        values = [_value(part) for part in (twice.group("first", "again") if twice else (said,))]
        if values[0] != values[-1]:
            raise MedagentsError(f"table line {line!r}: the two values are not the same")
        found[field] = values[0]
    return found


def meaning(table: Iterable[Entry]) -> Meaning:
    """What a table says, taken from the entries themselves."""
    return {
        field: None
        if value is None
        else _first_unit(Fraction(value), unit)
        if _NUMBER.fullmatch(value)
        else _shown(value, unit)
        for field, value, unit in table
    }


def whitespace(case: Case) -> View:
    """A control without content: one more space before every value."""
    return _view(case, "whitespace", render(table_of(case), gap="  "))


def field_order(case: Case) -> View:
    """The same lines, last first."""
    return _view(case, "field_order", render(reversed(table_of(case))))


def unit_rescaling(case: Case) -> View:
    """Every value whose unit has another in `SCALES`, in that one."""
    return _view(case, "unit_rescaling", render(_other_unit(entry) or entry for entry in table_of(case)))


def precision(case: Case) -> View:
    """One zero more after the point of every number: 12 as 12.0."""
    return _view(case, "precision", render(map(_longer, table_of(case))))


def redundancy(case: Case) -> View:
    """Every value whose unit has another in `SCALES`, said again in that one."""
    lines = []
    for entry in table_of(case):
        other = _other_unit(entry)
        lines.append(render([entry]) + (f" (= {_shown(*other[1:])})" if other else ""))
    return _view(case, "redundancy", "\n".join(lines))


def missingness_recode(case: Case) -> View:
    """Another word where a value was not measured (unchanged where all were)."""
    recoded = [entry if entry[1] is not None else (entry[0], RECODED, "") for entry in table_of(case)]
    return _view(case, "missingness_recode", render(recoded))


def administrative_hint(case: Case) -> View:
    """One line more that bears on nothing. Not information-identical: the line is new."""
    return _view(case, "administrative_hint", render([*table_of(case), BED]), added=(BED,))


CUES: Mapping[str, Callable[[Case], View]] = {
    "whitespace": whitespace,
    "field_order": field_order,
    "unit_rescaling": unit_rescaling,
    "precision": precision,
    "redundancy": redundancy,
    "missingness_recode": missingness_recode,
    "administrative_hint": administrative_hint,
}
INFORMATION_IDENTICAL = tuple(name for name in CUES if name != "administrative_hint")


def table_of(case: Case) -> Sequence[Entry]:
    """The table of a tabular case.

    Raises:
        MedagentsError: the case has none.
    """
    if "table" not in case.meta:
        raise MedagentsError(f"case {case.id} has no table; tabular cues need a cohort such as support2")
    table: Sequence[Entry] = case.meta["table"]
    return table


def _view(case: Case, cue: str, text: str, added: Sequence[Entry] = ()) -> View:
    """The case with its table written as `text`, once that is known to say the same."""
    table = table_of(case)
    plain = render(table)
    if case.stem.count(plain) != 1:
        raise MedagentsError(f"case {case.id}: its stem does not show its table once, as written by render")
    says, held = read(text), meaning([*table, *added])
    if wrong := [field for field in says.keys() | held.keys() if says.get(field, "") != held.get(field, "")]:
        raise MedagentsError(f"case {case.id}, cue {cue}: {min(wrong)} would no longer say the same")
    clean = plain_view(case)
    return View(case, clean.options, clean.original, case.stem.replace(plain, text), cue)


def _shown(value: str | None, unit: str) -> str:
    return NOT_MEASURED if value is None else f"{value} {unit}".rstrip()


def _value(said: str) -> tuple[Fraction, str] | str | None:
    said = said.strip()
    number, _, unit = said.partition(" ")
    if _NUMBER.fullmatch(number):
        return _first_unit(Fraction(number), unit)
    return None if said in (NOT_MEASURED, RECODED) else said


def _first_unit(value: Fraction, unit: str) -> tuple[Fraction, str]:
    if unit not in _FIRST:
        return value, unit
    first, scale = _FIRST[unit]
    return scale.back(value), first


def _other_unit(entry: Entry) -> Entry | None:
    field, value, unit = entry
    if value is None or unit not in SCALES or not _NUMBER.fullmatch(value):
        return None
    scale = SCALES[unit]
    return field, f"{scale.there(Decimal(value)).normalize(EXACT):f}", scale.other


def _longer(entry: Entry) -> Entry:
    field, value, unit = entry
    if value is None or not _NUMBER.fullmatch(value):
        return entry
    return field, value + ("0" if "." in value else ".0"), unit
