"""Figures of the audit (notebook 09), from its committed tables."""

import string

import pandas as pd
from matplotlib.axes import Axes

from medagents import figures
from medagents.audit.verdicts import VERDICTS
from medagents.types import MedagentsError

STYLES = {
    "reproduced": (figures.BLUE, ""),
    "caveat": (figures.SKY, "///"),
    "not reproduced": (figures.RED, "xxx"),
    "not recomputable": (figures.GREY, "..."),
}
"""Colour and hatch of a verdict: told apart in grey as well."""

PLACES = {
    "abstract": "abstract",
    "3": "3 methods",
    "4.1": "4.1 cues alone",
    "4.2": "4.2 peers, Table 1",
    "Table 1": "4.2 peers, Table 1",
    "4.3": "4.3 detectors, Table 2",
    "Table 2": "4.3 detectors, Table 2",
    "4.4": "4.4 imaging, Table 3",
    "Table 3": "4.4 imaging, Table 3",
    "4.5": "4.5 hidden rubric",
    "4.6": "4.6 statistics",
}
"""Place of a claim of the first paper by the start of its section."""

MEDORCH = "MedOrch, Tables 1 to 3"
"""Place of every claim of the other paper."""

DETECTORS = (("gate", figures.RED, "o"), ("judge", figures.ORANGE, "s"), ("referee", figures.BLUE, "D"))


def by_place(claims: pd.DataFrame) -> pd.DataFrame:
    """Claims with their verdicts counted: places of the papers by verdicts, in reading order."""
    places = [_place(*pair) for pair in zip(claims["paper"], claims["section"], strict=True)]
    counts = pd.crosstab(pd.Series(places, name="place"), claims["verdict"].reset_index(drop=True))
    every = [*dict.fromkeys(PLACES.values()), MEDORCH]
    order = [name for name in every if name in counts.index]
    return counts.reindex(order, columns=list(VERDICTS), fill_value=0).rename_axis(None, axis=1).reset_index()


def _place(paper: str, section: str) -> str:
    if paper == "medorch":
        return MEDORCH
    for start, place in PLACES.items():
        if section.startswith(start):
            return place
    raise MedagentsError(f"section {section!r} has no place in the overview; see draw.PLACES")


def verdict_bars(axes: Axes, counts: pd.DataFrame) -> None:
    """One bar a place, a segment a verdict, with its count."""
    left = pd.Series(0, index=counts.index)
    for verdict, (color, hatch) in STYLES.items():
        width = counts[verdict]
        axes.barh(
            counts["place"], width, left=left, color=color, hatch=hatch, edgecolor="white", label=verdict
        )
        for place, (start, number) in enumerate(zip(left, width, strict=True)):
            if number:
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
                axes.text(
                    start + number / 2, place, str(number), ha="center", va="center", fontsize=7, bbox=box
                )
        left = left + width
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("claims")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.12), ncols=4)


def cohort_marks(axes: Axes, summary: pd.DataFrame) -> None:
    """Flips above floor against contagion, a line a cohort; hollow with a letter where the number is
    another quantity, which `note_key` spells out.
    """
    order, letters = list(dict.fromkeys(summary["cohort"])), _letters(summary)
    for measure, color, marker, offset in (
        ("flips above floor", figures.GREEN, "o", -0.17),
        ("contagion", figures.PINK, "s", 0.17),
    ):
        part = _lines(summary, measure, order)
        figures.forest(axes, part, label="cohort", color=color, marker=marker, offset=offset, name=measure)
        for place, (note, rate) in enumerate(zip(part["note"], part["rate"], strict=True)):
            if note:
                here = rate, place + offset
                axes.plot(*here, marker, color=color, markerfacecolor="white", markersize=5, zorder=5)
                axes.annotate(
                    letters[note], here, (0, 4), textcoords="offset points", ha="center", fontsize=8
                )
    axes.axvline(0, color=figures.GREY, linewidth=0.8)
    axes.set(xlabel="share of cases; flips are the mean over cues (95 % intervals)", xlim=(-0.3, 1.02))


def note_key(summary: pd.DataFrame) -> str:
    """The key to the letters of hollow marks, a line a note."""
    return "\n".join(f"{letter}  {note}" for note, letter in _letters(summary).items())


def _letters(summary: pd.DataFrame) -> dict[str, str]:
    notes = [note for note in dict.fromkeys(summary["note"].fillna("")) if note]
    return dict(zip(notes, string.ascii_lowercase, strict=False))


def detector_marks(axes: Axes, summary: pd.DataFrame) -> None:
    """False-alarm rate of gate, judge and referee, a line a cohort; no mark where it was not run."""
    order = list(dict.fromkeys(summary["cohort"]))
    for place in range(0, len(order), 2):  # the bands of `figures.forest`
        axes.axhspan(place - 0.5, place + 0.5, color="#f5f5f5", linewidth=0, zorder=0)
    for place, (name, color, marker) in enumerate(DETECTORS):
        part = _lines(summary, name, order)
        run = part[part["rate"].notna()]
        offset = 0.22 * (place - 1)
        axes.errorbar(
            run["rate"],
            run.index + offset,
            xerr=[run["rate"] - run["rate_low"], run["rate_high"] - run["rate"]],
            fmt=marker,
            color=color,
            markersize=4.5,
            capsize=2,
            linewidth=1.2,
            label=name,
        )
    axes.set(xlabel="share of answers not adopted that are flagged (95 % intervals)", xlim=(-0.04, 1.04))
    axes.grid(axis="y", visible=False)


def _lines(summary: pd.DataFrame, measure: str, order: list[str]) -> pd.DataFrame:
    part = summary[summary["measure"] == measure].set_index("cohort")
    return part.reindex(order).assign(note=lambda table: table["note"].fillna("")).reset_index()


def sizes(summary: pd.DataFrame, measures: tuple[str, ...]) -> list[str]:
    """The n behind each cohort's marks, in order of `measures`, a dash where there is none."""
    order = list(dict.fromkeys(summary["cohort"]))
    parts = [_lines(summary, measure, order)["n"] for measure in measures]
    return [" / ".join("-" if pd.isna(n) else f"{n:.0f}" for n in line) for line in zip(*parts, strict=True)]


def agreement_marks(axes: Axes, table: pd.DataFrame) -> None:
    """Case-by-case agreement with its interval, and what the two rates alone would give; hollow where a
    side is constant or nearly so, and agreement tells of the other alone.
    """
    named = table.assign(pair=[f"{line.cohort}: {line.measure}" for line in table.itertuples()])
    figures.forest(axes, named, "agreement", "pair", name="agreement (Wilson 95 %)")
    screened = named.reset_index(drop=True)["screen"].fillna("") != ""
    axes.plot(
        named["agreement"].to_numpy()[screened],
        screened.index[screened],
        "o",
        color=figures.BLUE,
        markerfacecolor="white",
        markersize=5,
        zorder=5,
        label="one side nearly constant",
    )
    axes.plot(
        named["chance"],
        range(len(named)),
        "|",
        color=figures.RED,
        markersize=13,
        markeredgewidth=2,
        label="agreement of independent answers with these rates",
    )
    axes.set(xlabel="share of shared cases", xlim=(0, 1.02))
