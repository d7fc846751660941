"""What calls cost, by the dated table `prices.csv`; `--prices FILE` of the same columns goes before it.

Columns: `model` (names as the provider knows them, wildcards allowed, several with a space between),
`input`, `output` and `thoughts` (USD per million tokens), `batch` (what a batch call costs of a live one),
`since` (first day it holds, empty if always), `read` (day it was read) and `source`. Prices change: look
at `read`, and at the source. Weights on this machine cost nothing.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import Path

from medagents.models.calls import prompt_tokens
from medagents.types import MedagentsError, Request, Usage

TABLE = Path(__file__).with_name("prices.csv")

MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """One line of the table."""

    model: str
    input: float
    output: float
    thoughts: float
    batch: float
    since: date | None
    read: date
    source: str

    def names(self, model: str) -> bool:
        """Whether the line is of that model."""
        return any(fnmatchcase(model, pattern) for pattern in self.model.split())

    def cost(self, usage: Usage) -> float:
        """USD of one live call."""
        paid = self.input * usage.prompt + self.output * usage.completion + self.thoughts * usage.thoughts
        return paid / MILLION

    def most(self, request: Request) -> float:
        """USD that a live call may cost: its prompt as estimated, its reply as long as it may be."""
        reply = max(self.output, self.thoughts) * request.decoding.max_tokens
        return (self.input * prompt_tokens(request) + reply) / MILLION


class Prices:
    """The table, with the user's own lines before it.

    Raises:
        MedagentsError: a file that is absent or damaged.
    """

    def __init__(self, own: Path | None = None, today: date | None = None) -> None:
        self.own = own
        self._tables = [read(own)] if own else []
        self._tables.append(read(TABLE))
        self._today = today or datetime.now(UTC).date()

    def find(self, request: Request) -> Price | None:
        """The price of a request's model today, None where it is not known."""
        if request.weights is not None:
            return Price(request.model, 0, 0, 0, 1, None, self._today, "weights on this machine")
        for table in self._tables:
            held = [price for price in table if price.names(request.model) and self._holds(price)]
            if held:
                return max(held, key=lambda price: price.since or date.min)
        return None

    def of(self, request: Request) -> Price:
        """As `find`.

        Raises:
            MedagentsError: the price is not known.
        """
        price = self.find(request)
        if price is None:
            where = f"{self.own} or {TABLE}" if self.own else TABLE
            raise MedagentsError(
                f"no price of {request.model} in {where}; give it in a file of the same columns: "
                f"--prices FILE (0 for a server of your own)"
            )
        return price

    def _holds(self, price: Price) -> bool:
        return price.since is None or price.since <= self._today


def read(path: Path) -> Sequence[Price]:
    """Read a table.

    Raises:
        MedagentsError: no such file, other columns, or a line that does not hold what its column says.
    """
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            lines = csv.DictReader(stream)
            wanted = [field.name for field in fields(Price)]
            if lines.fieldnames != wanted:
                raise MedagentsError(f"{path}: the columns must be {','.join(wanted)}")
            return [_line(line, f"{path}:{lines.line_num}") for line in lines]
    except (OSError, UnicodeDecodeError) as error:
        raise MedagentsError(f"{path}: cannot be read ({error})") from None


def _line(line: dict[str, str], where: str) -> Price:
    try:
        numbers = {name: float(line[name]) for name in ("input", "output", "thoughts", "batch")}
        since = date.fromisoformat(line["since"]) if line["since"] else None
        price = Price(
            line["model"].strip(),
            **numbers,
            since=since,
            read=date.fromisoformat(line["read"]),
            source=line["source"],
        )
    except (TypeError, ValueError) as error:
        raise MedagentsError(f"{where}: no line of prices ({error})") from None
    if not price.model or not all(0 <= number < float("inf") for number in numbers.values()):
        raise MedagentsError(f"{where}: a line names a model, and no price is below 0")
    return price
