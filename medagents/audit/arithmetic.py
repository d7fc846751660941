"""Claims that need no rows: what follows from the printed numbers themselves, of either paper.

`medorch.csv` holds Tables 1 and 2 of arXiv 2508.05996 (accuracy in %) and the numbers of its Table 3.
"""

from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from functools import lru_cache
from importlib.resources import files

import pandas as pd

from medagents import stats
from medagents.audit.quantities import Recomputed
from medagents.audit.rows import Rows

TEAMS = {
    "Ours small": ("Qwen2.5-VL-7B", "HuatuoGPT-Vision-7B", "LLaVA-Med-7B"),
    "Ours large": ("Qwen2.5-VL-32B", "HuatuoGPT-Vision-34B", "LLaVA-Next-34B"),
    "Ours mixed": ("HuatuoGPT-Vision-7B", "Qwen2.5-VL-32B", "HuatuoGPT-Vision-34B"),
}
"""Agents of each combination, marked by a diamond, a club and a spade in the paper."""

LARGEST = 5_000
"""No benchmark of Table 1 states more cases than this."""


@lru_cache(maxsize=1)
def medorch() -> pd.DataFrame:
    """Accuracies as printed (text), methods by benchmarks; line `stated n` of Table 3 where given."""
    file = files("medagents.audit").joinpath("medorch.csv")
    return pd.read_csv(file.open(encoding="utf-8"), dtype=str, keep_default_na=False).set_index("method")


def _percent(method: str, benchmark: str) -> Decimal:
    return Decimal(medorch().loc[method, benchmark])


def product(_: Rows | None, names: list[str]) -> Recomputed:
    """First over second, times the rest."""
    first, second, *rest = map(float, names)
    value = first / second
    for factor in rest:
        value *= factor
    return Recomputed((value,))


def total(_: Rows | None, names: list[str]) -> Recomputed:
    """Sum of numbers."""
    return Recomputed((float(sum(Decimal(name) for name in names)),))


def fisher(_: Rows | None, names: list[str]) -> Recomputed:
    """The p of Fisher's test of k1 of n1 against k2 of n2."""
    return Recomputed((stats.fisher(*map(int, names)).p,))


def fisher_least(_: Rows | None, names: list[str]) -> Recomputed:
    """Least p over pairs of printed shares. Columns: share, n, share, n for each pair."""
    ps = []
    for start in range(0, len(names), 4):
        share1, n1, share2, n2 = map(float, names[start : start + 4])
        ps.append(stats.fisher(round(share1 * n1), int(n1), round(share2 * n2), int(n2)).p)
    return Recomputed((min(ps),))


def average(_: Rows | None, names: list[str]) -> Recomputed:
    """Mean of a method's accuracies. Columns: method, then benchmarks."""
    values = [_percent(names[0], benchmark) for benchmark in names[1:]]
    return Recomputed((float(sum(values) / len(values)),))


def gap(_: Rows | None, names: list[str]) -> Recomputed:
    """Accuracy of a combination above its weakest and above its best agent. Columns: method, benchmark."""
    method, benchmark = names
    agents = [_percent(agent, benchmark) for agent in TEAMS[method]]
    own = _percent(method, benchmark)
    return Recomputed((float(own - min(agents)), float(own - max(agents))))


def gain_range(_: Rows | None, names: list[str]) -> Recomputed:
    """Least and greatest accuracy of a combination above its best agent. Columns: method, benchmarks."""
    method, *benchmarks = names
    above = [gap(None, [method, benchmark]).values[1] for benchmark in benchmarks]
    return Recomputed((min(above), max(above)))


def gain(_: Rows | None, names: list[str]) -> Recomputed:
    """Accuracy of the first method above the second. Columns: two methods, benchmark."""
    return Recomputed((float(_percent(names[0], names[2]) - _percent(names[1], names[2])),))


def leads(_: Rows | None, names: list[str]) -> Recomputed:
    """Accuracy of a benchmark's best method; -1 if not the one named. Columns: method, benchmark."""
    table = medorch().drop(index="stated n")[names[1]]
    best = max(map(Decimal, table[table != ""]))
    return Recomputed((float(best) if _percent(*names) == best else -1.0,))


def fits(percents: list[str], n: int) -> bool:
    """Whether every printed percentage is a whole number of n cases, rounded half up or half down."""
    for text in percents:
        printed = Decimal(text)
        step = Decimal(1).scaleb(int(printed.as_tuple().exponent))
        near = int((printed * n / 100).to_integral_value())
        if not any(
            (Decimal(100 * k) / n).quantize(step, way) == printed
            for k in (near - 1, near, near + 1)
            for way in (ROUND_HALF_UP, ROUND_HALF_DOWN)
        ):
            return False
    return True


def denominators(benchmark: str, largest: int = LARGEST) -> list[int]:
    """Every n up to `largest` that makes each printed percentage of a column a ratio of whole numbers."""
    column = medorch().drop(index="stated n")[benchmark]
    percents = [text for text in column if text]
    return [n for n in range(1, largest + 1) if fits(percents, n)]


def denominator(_: Rows | None, names: list[str]) -> Recomputed:
    """The stated n if a column's percentages fit it, else the least n that they fit. Columns: benchmark."""
    stated = int(medorch().loc["stated n", names[0]])
    found = denominators(names[0])
    return Recomputed((float(stated if stated in found else found[0]),))


KINDS = {
    function.__name__: function
    for function in (product, total, fisher, fisher_least, average, gap, gain_range, gain, leads, denominator)
}
