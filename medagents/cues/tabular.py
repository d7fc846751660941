"""The table of a tabular case: `meta["table"]` holds it, the stem shows it, cues show it otherwise."""

from collections.abc import Sequence

Entry = tuple[str, str | None, str]
"""Field, value as text (None where it was not measured) and unit (empty where there is none)."""

NOT_MEASURED = "not measured"


def render(table: Sequence[Entry]) -> str:
    """The table as it stands in a stem: a line an entry, `field: value unit`."""
    return "\n".join(
        f"{field}: {NOT_MEASURED if value is None else f'{value} {unit}'.rstrip()}"
        for field, value, unit in table
    )
