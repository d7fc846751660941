"""Figures: one style, one way to save, one function a kind of figure.

Colours are Okabe and Ito's, and a marker's shape says the same as its colour: filled circles are
recorded by this project, hollow diamonds are printed in a paper. Every figure is saved as PNG and
SVG with the numbers it draws as CSV, the same bytes on every run.
"""

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import font_manager, ft2font
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from medagents import paths, stats

font_manager.fontManager.addfont(paths.FONT)
# First in the list, since the first of several equal faces is the one that is found.
font_manager.fontManager.ttflist.insert(0, font_manager.fontManager.ttflist.pop())
plt.style.use(paths.PACKAGE / "medagents.mplstyle")

BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)
"""The Okabe-Ito palette, told apart with any colour vision."""

GREY = "#8c8c8c"

MARKERS = "osD^vPX"
LANES = (BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK)
"""Shapes and colours of curves that share a panel."""

DIGITS = 6
"""Significant digits of a figure's data: past them two machines' libraries may differ."""

METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
"""What a file would otherwise tell of the day and library it was made with."""


@dataclass(frozen=True)
class Saved:
    """A saved figure; as the last line of a notebook cell it shows its PNG."""

    name: str
    folder: Path = field(repr=False)

    def _repr_png_(self) -> bytes:
        return (self.folder / f"{self.name}.png").read_bytes()


def save(figure: Figure, name: str, data: pd.DataFrame, folder: Path = paths.FIGURES) -> Saved:
    """Write `<name>.png`, `.svg` and `.csv`, each in one step, and close the figure.

    `name` begins with the notebook's number and names cohort and model:
    `02_adoption__vignettes__qwen2.5-coder-1.5b`. `folder` is that of the study it shows (`Study.figures`).
    """
    name = name.replace("/", "-")  # a model may be the path of a file
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{name}.draft"
    for kind, metadata in METADATA.items():
        figure.savefig(draft, format=kind, metadata=metadata)
        draft.replace(folder / f"{name}.{kind}")
    data.to_csv(draft, index=False, lineterminator="\n", float_format=f"%.{DIGITS}g")
    draft.replace(folder / f"{name}.csv")
    plt.close(figure)
    return Saved(name, folder)


def write_manifest(folder: Path = paths.FIGURES) -> Path:
    """`manifest.json`: SHA-256 of every figure file, and what they were made with."""
    files = sorted(path for kind in ("csv", "png", "svg") for path in folder.glob(f"*.{kind}"))
    made = {"matplotlib": mpl.__version__, "freetype": ft2font.__freetype_version__}
    made |= {"numpy": np.__version__, "pandas": pd.__version__}
    content = {"made_with": made, "files": {path.name: sha256(path) for path in files}}
    target, draft = folder / "manifest.json", folder / "manifest.draft"
    draft.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(target)
    return target


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def forest(
    axes: Axes,
    table: pd.DataFrame,
    value: str = "rate",
    label: str = "condition",
    color: str = BLUE,
    marker: str = "o",
    offset: float = 0.0,
    name: str = "",
    missing: str = "n=0",
) -> None:
    """One interval a line, first line on top: `value` between `<value>_low` and `<value>_high`.

    Lines without a value keep their place and say what `missing` does. `offset` moves the marks within the
    line (in lines, downwards), so that two measures can share it.
    """
    for place in range(0, len(table), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="#f5f5f5", linewidth=0, zorder=0)
    places = np.arange(len(table)) + offset
    found = table[value].notna().to_numpy()
    low, high = (table[f"{value}_{end}"].fillna(table[value]) for end in ("low", "high"))
    spread = np.clip([table[value] - low, high - table[value]], 0, None)
    axes.errorbar(
        table[value][found],
        places[found],
        xerr=spread[:, found],
        fmt=marker,
        color=color,
        markersize=5,
        capsize=2,
        linewidth=1.2,
        label=name or None,
    )
    for place in places[~found]:
        axes.text(0.0, place, missing, color=color, va="center", fontsize=8)
    axes.set_yticks(np.arange(len(table)), table[label])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def printed_marks(
    axes: Axes, table: pd.DataFrame, printed: pd.DataFrame, label: str = "condition", offset: float = 0.0
) -> None:
    """What a paper prints, as hollow diamonds with its Wilson interval on the line of its condition."""
    place = {name: line for line, name in enumerate(table[label])}
    printed = printed[printed[label].isin(place)]
    groups = printed.groupby(["cohort", "model"], sort=False)
    styles = zip(itertools.cycle([RED, ORANGE, PINK, SKY]), groups, strict=False)
    for number, (color, ((cohort, model), part)) in enumerate(styles):
        rates = [stats.wilson(int(k), int(n)) for k, n in zip(part["k"], part["n"], strict=True)]
        lines = np.array([place[name] + offset + 0.16 * number for name in part[label]])
        centre = np.array([rate.value for rate in rates])
        spread = [
            centre - [rate.low for rate in rates],
            np.array([rate.high for rate in rates]) - centre,
        ]
        axes.errorbar(
            centre,
            lines,
            xerr=np.clip(spread, 0, None),
            fmt="D",
            color=color,
            markerfacecolor="white",
            markersize=4.5,
            capsize=2,
            linewidth=0.9,
            label=f"printed: {model}, {cohort}",
        )


def counts(axes: Axes, texts: Sequence[str], heading: str, offset: float = 0.0) -> None:
    """A column of counts right of a forest, such as 12/60; `offset` as in `forest`, for several a line."""
    for place, text in enumerate(texts):
        at = (1.02, place + offset)
        axes.annotate(text, at, xycoords=("axes fraction", "data"), va="center", fontsize=8)
    axes.annotate(heading, (1.02, 1.0), xycoords="axes fraction", va="bottom", fontsize=8, color=GREY)


def fractions(table: pd.DataFrame, count: str, total: str) -> list[str]:
    """Two columns as texts for `counts`: `12/60`, in whole numbers however they are stored, and `not run`
    where either is missing.
    """
    pairs = zip(table[count], table[total], strict=True)
    return ["not run" if pd.isna(k) or pd.isna(n) else f"{int(k)}/{int(n)}" for k, n in pairs]


def budget(axes: Axes, table: pd.DataFrame, value: str = "rate", label: str = "committee") -> None:
    """A committee a mark: `value` with its interval against the mean number of calls a case.

    Committees of as many calls stand a little apart; beyond the colours there are, marks are hollow.
    """
    drawn = table[table[value].notna()].reset_index(drop=True)
    aside = drawn.groupby(drawn["calls"].round(1)).cumcount() * (0.015 * max(drawn["calls"].max(), 1.0))
    for place, line in drawn.iterrows():
        low, high = (line[f"{value}_{end}"] for end in ("low", "high"))
        axes.errorbar(
            line["calls"] + aside[place],
            line[value],
            yerr=np.clip([[line[value] - low], [high - line[value]]], 0, None),
            fmt=MARKERS[place % len(MARKERS)],
            color=LANES[place % len(LANES)],
            markerfacecolor="white" if place >= len(LANES) else None,
            markersize=6,
            capsize=2,
            linewidth=1.2,
            label=line[label],
        )


def susceptibility_curve(
    axes: Axes, points: pd.DataFrame, color: str = BLUE, name: str = "", lane: int = 0
) -> stats.Susceptibility:
    """Adoption against the isolated margin: every case as a tick, the logistic fit with its 95 %
    band, and the observed share in each quarter of the cases with its Wilson interval.

    `lane` (0, 1, ...) tells several curves in one panel apart: their ticks stand in lanes of their
    own, with other markers, and their quarters a little aside.
    """
    fit = stats.susceptibility(points["margin"], points["adopted"], points["cluster"])
    lines = np.linspace(0, max(points["margin"].max(), 0.5), 200) if len(points) else np.array([])
    middle, low, high = fit.curve(lines)
    marker = MARKERS[lane % len(MARKERS)]
    label = f"{name}: " * bool(name) + f"{int(points['adopted'].sum())} of {len(points)} adopt"
    axes.plot([], [], marker + "-", color=color, markersize=4.5, label=label)
    if len(lines) and np.isfinite(middle).all():
        axes.plot(lines, middle, color=color, linewidth=1.6)
        axes.fill_between(lines, low, high, color=color, alpha=0.12, linewidth=0)
    for share in quarters(points):
        axes.errorbar(
            share["margin"] + 0.012 * lane * lines[-1],
            share["rate"],
            yerr=[[share["rate"] - share["rate_low"]], [share["rate_high"] - share["rate"]]],
            fmt=marker,
            color=color,
            markersize=4.5,
            capsize=2,
            linewidth=1.0,
        )
    for adopted, edge in ((1.0, 1.05 + 0.035 * lane), (0.0, -0.05 - 0.035 * lane)):
        margins = points["margin"][points["adopted"] == adopted]
        axes.plot(margins, np.full(len(margins), edge), "|", color=color, markersize=5, alpha=0.7)
    axes.set_ylim(-0.24, 1.24)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.set_xlabel("isolated margin: log P(own answer) - log P(plant), nats")
    axes.set_ylabel("share that adopts the plant")
    return fit


def quarters(points: pd.DataFrame) -> list[Mapping[str, Any]]:
    """Mean margin and share adopted in each quarter of the cases by margin (`stats.clustered_rate`)."""
    if len(points) < 8:
        return []
    ordered = points.sort_values(["margin", "case"]).reset_index(drop=True)
    pieces = np.array_split(np.arange(len(ordered)), 4)
    found: list[Mapping[str, Any]] = []
    for piece in pieces:
        part = ordered.loc[piece]
        rate = stats.clustered_rate(part["adopted"], part["cluster"])
        found.append(
            {"margin": part["margin"].mean(), "n": len(part), "rate": rate.value}
            | {"rate_low": rate.low, "rate_high": rate.high}
        )
    return found


def fit_words(fit: stats.Susceptibility) -> str:
    """A fit in words: slope with interval and n, or why there is none."""
    if fit.note:
        return f"no fit: {fit.note} (n = {fit.n})"
    slope = fit.slope
    return f"slope {slope.value:.2f} [{slope.low:.2f}, {slope.high:.2f}] per nat, n = {fit.n}"
