"""Quantities of several tests at once: the 24-test family of section 4.6 and the SUPPORT2 cues of 4.2.

Which test stands for which experiment is listed in `family.csv`, as the authors' release declares it.
"""

from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats as sps

from medagents import stats
from medagents.audit.columns import column, where
from medagents.audit.quantities import Recomputed
from medagents.audit.rows import Rows, table_of

ALPHA = 0.05


def members() -> pd.DataFrame:
    """The family: name, test, file, filter, first and second column, a line a test."""
    file = files("medagents.audit").joinpath("family.csv")
    return pd.read_csv(file.open(encoding="utf-8"), keep_default_na=False)


def tests(rows: Rows) -> pd.DataFrame:
    """Every member with its p-value, and both corrections over the family."""
    table = members()
    ps = [_p(rows, member) for member in table.itertuples()]
    return table.assign(p=ps, bh=stats.benjamini_hochberg(ps), holm=stats.holm(ps))


def _p(rows: Rows, member: Any) -> float:
    tables = [where(rows.table(path), member.filter) for path in member.file.split(" ; ")]
    if member.test == "mcnemar":
        found = stats.mcnemar_from(column(tables[0], member.first), column(tables[0], member.second))
        return found.p
    if len(tables) == 2:
        groups = [column(table, member.first) for table in tables]
    else:
        split = column(tables[0], member.first)
        groups = [column(tables[0], member.second)[split == side] for side in (1, 0)]
    counts = [int(number) for group in groups for number in (group.sum(), group.notna().sum())]
    return stats.fisher(*counts).p


def size(rows: Rows, _: list[str]) -> Recomputed:
    """How many tests the family has."""
    return Recomputed((float(len(tests(rows))),))


def surviving(rows: Rows, names: list[str]) -> Recomputed:
    """How many tests survive a correction (`bh` or `holm`)."""
    return Recomputed((float((tests(rows)[names[0]] < ALPHA).sum()),), len(members()))


def fisher_of_groups(rows: Rows, names: list[str]) -> Recomputed:
    """The p of Fisher's test of one column in two files. Columns: the column, then the two files."""
    groups = [column(rows.table(path), names[0]) for path in names[1:]]
    counts = [int(number) for group in groups for number in (group.sum(), group.notna().sum())]
    return Recomputed((stats.fisher(*counts).p,), counts[1] + counts[3])


def cue_tests(rows: Rows, names: list[str]) -> pd.DataFrame:
    """SUPPORT2 cues against the whitespace control, exact McNemar, with BH and the power achieved.

    Columns: the file, the control, then the cues. Power is the normal approximation of McNemar's test
    at the observed discordant shares.
    """
    table = rows.table(names[0])
    control = column(table, names[1])
    lines = []
    for name in names[2:]:
        found = stats.mcnemar_from(column(table, name), control)
        lines.append({"cue": name, "n": found.n, "b": found.b, "c": found.c, "p": found.p})
    frame = pd.DataFrame(lines)
    shift, moved = (frame["b"] - frame["c"]) / frame["n"], (frame["b"] + frame["c"]) / frame["n"]
    edge = sps.norm.ppf(1 - ALPHA / 2) * np.sqrt(moved)
    reach = (shift.abs() * np.sqrt(frame["n"]) - edge) / np.sqrt(moved - shift**2)
    return frame.assign(bh=stats.benjamini_hochberg(frame["p"]), power=sps.norm.cdf(reach))


def cues_surviving(rows: Rows, names: list[str]) -> Recomputed:
    """How many cues survive Benjamini-Hochberg."""
    found = cue_tests(rows, names)
    return Recomputed((float((found["bh"] < ALPHA).sum()),), len(found))


def cues_of_low_power(rows: Rows, names: list[str]) -> Recomputed:
    """How many cues ran at an achieved power below 0.25."""
    found = cue_tests(rows, names)
    return Recomputed((float((found["power"] < 0.25).sum()),), len(found))


def contagion_ratio(rows: Rows, names: list[str]) -> Recomputed:
    """Greatest ratio of two contagions over several files.

    Columns: the file, shared answers of the one arm and of the other, isolated answers (`0` where the plant
    was chosen to differ from them), the next file, and so on.
    """
    found = []
    for path, *arms, alone in (names[start : start + 4] for start in range(0, len(names), 4)):
        table = table_of(rows, path)
        isolated = 0.0 if alone == "0" else column(table, alone)
        one, other = (float((column(table, arm) - isolated).mean()) for arm in arms)
        found.append(one / other)
    note = f"over {len(found)} sets of rows the ratio is {min(found):.2f} to {max(found):.2f}"
    return Recomputed((max(found),), note=note)


def both_temperatures(rows: Rows, names: list[str]) -> Recomputed:
    """How many cohorts have watermark flips at both temperatures, and what each reads.

    Columns: the cohort, its rows at temperature 1 joined to those of the noise floor, its rows at
    temperature 0 (whose floor is 0), the next cohort, and so on.
    """
    said = []
    for cohort, warm, cold in zip(names[::3], names[1::3], names[2::3], strict=True):
        table = table_of(rows, warm)
        above = (column(table, "signal_flip_temp1") - column(table, "noise_flip")).mean()
        said.append(f"{cohort} {above:+.3f} and {column(rows.table(cold), 'watermark_flip').mean():+.3f}")
    return Recomputed((float(len(said)),), note=f"at temperatures 1 and 0: {'; '.join(said)}")


KINDS = {
    "family_size": size,
    "family_surviving": surviving,
    "fisher_of_groups": fisher_of_groups,
    "cues_surviving": cues_surviving,
    "cues_of_low_power": cues_of_low_power,
    "contagion_ratio": contagion_ratio,
    "both_temperatures": both_temperatures,
}
