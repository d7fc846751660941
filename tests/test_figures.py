"""Figures: the same bytes each time, the shipped face, and marks that say where a value is from."""

import csv
import hashlib
import json
import struct
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib import colors, font_manager
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from medagents import figures, paths

FONT = "3fdf69cabf06049ea70a00b5919340e2ce1e6d02b0cc3c4b44fb6801bd1e0d22"
TABLE = pd.DataFrame(
    {
        "condition": ["two_peers", "silent", "one_peer"],
        "rate": [0.5, np.nan, 0.25],
        "rate_low": [0.3, np.nan, 0.1],
        "rate_high": [0.7, np.nan, 0.45],
    }
)
PRINTED = pd.DataFrame(
    {
        "condition": ["two_peers", "one_peer", "elsewhere", "two_peers"],
        "cohort": ["MedQA", "MedQA", "MIMIC", "MedMCQA"],
        "model": ["gemini", "gemini", "gemini", "gemini"],
        "k": [15, 0, 3, 23],
        "n": [40, 20, 20, 40],
    }
)


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def bars(axes):
    return [held for held in axes.containers if isinstance(held, ErrorbarContainer)]


def marks(axes):
    """x and y of the marks of each set of error bars."""
    return [tuple(np.asarray(axis).tolist() for axis in bar[0].get_data()) for bar in bars(axes)]


def spans(bar):
    """Ends of the horizontal error bars."""
    return [tuple(segment[:, 0]) for segment in bar[2][0].get_segments()]


def drawn(folder: Path) -> figures.Saved:
    figure, axes = plt.subplots()
    figures.forest(axes, TABLE)
    axes.set(xlabel="share", title="Two peers")
    return figures.save(figure, "02_x__vignettes__m", TABLE, folder)


def test_a_figure_has_the_same_bytes_each_time(tmp_path):
    for name in ("one", "two"):
        drawn(tmp_path / name)
    for kind in ("png", "svg", "csv"):
        file = f"02_x__vignettes__m.{kind}"
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert sorted(path.suffix for path in (tmp_path / "one").iterdir()) == [".csv", ".png", ".svg"]


def test_a_figure_holds_no_date_and_no_library(tmp_path):
    drawn(tmp_path)
    svg = (tmp_path / "02_x__vignettes__m.svg").read_text()
    assert "<dc:date>" not in svg and "dc:creator" not in svg
    data = (tmp_path / "02_x__vignettes__m.png").read_bytes()
    kinds, at = [], 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        kinds.append(kind)
        at += size + 12
    assert not {b"tEXt", b"iTXt", b"zTXt", b"tIME"} & set(kinds)


def test_a_saved_figure_is_closed_and_shows_its_png(tmp_path):
    before = plt.get_fignums()
    saved = drawn(tmp_path)
    assert plt.get_fignums() == before
    png = saved._repr_png_()
    assert png == (tmp_path / "02_x__vignettes__m.png").read_bytes() and png.startswith(b"\x89PNG")
    assert str(tmp_path) not in repr(saved)


@pytest.mark.parametrize("kind", ["png", "svg", "csv"])
def test_a_figure_that_cannot_be_written_whole_leaves_the_old_file(tmp_path, monkeypatch, kind):
    held = drawn(tmp_path)
    path = tmp_path / f"{held.name}.{kind}"
    before = path.read_bytes()

    def half(*arguments, **options):
        target = next(value for value in arguments if isinstance(value, Path))
        if kind == options.get("format", "csv"):
            target.write_bytes(before[:20])
            raise OSError("the disk is full")
        return real(*arguments, **options)

    owner, name = (pd.DataFrame, "to_csv") if kind == "csv" else (Figure, "savefig")
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, half)
    with pytest.raises(OSError, match="full"):
        drawn(tmp_path)
    assert path.read_bytes() == before


def test_the_data_of_a_figure_are_rounded_and_keep_what_is_undefined(tmp_path):
    figure, _ = plt.subplots()
    data = pd.DataFrame({"case": ["a", "b"], "rate": [1 / 3, np.nan], "n": [3, 0], "p": [4.0392e-28, 1]})
    figures.save(figure, "x", data, tmp_path)
    with (tmp_path / "x.csv").open(newline="") as stream:
        assert list(csv.reader(stream)) == [
            ["case", "rate", "n", "p"],
            ["a", "0.333333", "3", "4.0392e-28"],
            ["b", "", "0", "1"],
        ]
    assert b"\r" not in (tmp_path / "x.csv").read_bytes()


def test_the_manifest_lists_exactly_the_figure_files_by_hash(tmp_path):
    drawn(tmp_path)
    (tmp_path / "notes.txt").write_text("no figure")
    content = json.loads(figures.write_manifest(tmp_path).read_text())
    again = json.loads(figures.write_manifest(tmp_path).read_text())
    names = [f"02_x__vignettes__m.{kind}" for kind in ("csv", "png", "svg")]
    assert content == again
    assert content["files"] == {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names
    }
    assert content["made_with"].keys() == {"matplotlib", "freetype", "numpy", "pandas"}
    assert all(content["made_with"].values())


def test_the_shipped_face_is_the_one_that_is_used():
    assert hashlib.sha256(paths.FONT.read_bytes()).hexdigest() == FONT
    family = plt.rcParams["font.family"]
    found = font_manager.findfont(font_manager.FontProperties(family=family), fallback_to_default=False)
    assert Path(found) == paths.FONT
    assert (paths.FONT.parent / "LICENSE_DEJAVU").read_text().strip()


def test_titles_are_in_a_face_that_is_pinned_with_the_library():
    bold = font_manager.FontProperties(
        family=plt.rcParams["font.family"], weight=plt.rcParams["axes.titleweight"]
    )
    found = Path(font_manager.findfont(bold, fallback_to_default=False))
    assert found.name == "DejaVuSans-Bold.ttf" and "mpl-data" in found.parts


def test_colours_are_those_of_okabe_and_ito():
    names = ("BLACK", "ORANGE", "SKY", "GREEN", "YELLOW", "BLUE", "RED", "PINK")
    published = [
        (0, 0, 0),
        (230, 159, 0),
        (86, 180, 233),
        (0, 158, 115),
        (240, 228, 66),
        (0, 114, 178),
        (213, 94, 0),
        (204, 121, 167),
    ]
    ours = [tuple(round(255 * part) for part in colors.to_rgb(getattr(figures, name))) for name in names]
    assert ours == published


def test_a_forest_draws_each_interval_on_its_line_first_on_top(axes):
    figures.forest(axes, TABLE)
    [bar] = bars(axes)
    assert marks(axes) == [([0.5, 0.25], [0, 2])]
    assert np.array(spans(bar)) == pytest.approx(np.array([(0.3, 0.7), (0.1, 0.45)]))
    assert [text.get_text() for text in axes.get_yticklabels()] == ["two_peers", "silent", "one_peer"]
    bottom, top = axes.get_ylim()
    assert bottom > 2 and top < 0


def test_a_forest_says_where_there_is_nothing(axes):
    figures.forest(axes, TABLE)
    assert [(text.get_text(), text.get_position()[1]) for text in axes.texts] == [("n=0", 1)]


def test_a_forest_says_why_there_is_nothing_where_it_is_told(axes):
    figures.forest(axes, TABLE, missing="the baseline")
    assert [text.get_text() for text in axes.texts] == ["the baseline"]


def test_a_forest_of_nothing_but_empty_lines_is_drawn(axes):
    figures.forest(axes, TABLE.iloc[[1]])
    assert [text.get_text() for text in axes.texts] == ["n=0"]


def test_a_value_without_an_interval_keeps_its_mark(axes):
    figures.forest(axes, TABLE.assign(rate_low=np.nan, rate_high=np.nan))
    [bar] = bars(axes)
    assert marks(axes)[0][0] == [0.5, 0.25] and spans(bar) == [(0.5, 0.5), (0.25, 0.25)]


def test_two_measures_share_a_line_side_by_side(axes):
    table = TABLE.assign(graded=0.1, graded_low=0.0, graded_high=0.2)
    figures.forest(axes, table, name="share", offset=-0.1)
    figures.forest(axes, table, "graded", color=figures.GREEN, marker="s", offset=0.1, name="probability")
    assert marks(axes) == [([0.5, 0.25], [-0.1, 1.9]), ([0.1] * 3, [0.1, 1.1, 2.1])]
    assert axes.get_legend_handles_labels()[1] == ["share", "probability"]


def test_recorded_marks_are_filled_and_printed_ones_hollow_diamonds(axes):
    figures.forest(axes, TABLE)
    figures.printed_marks(axes, TABLE, PRINTED)
    recorded, *printed = (bar[0] for bar in bars(axes))
    assert colors.same_color(recorded.get_markerfacecolor(), figures.BLUE)
    assert recorded.get_marker() != "D"
    assert len(printed) == 2
    for line in printed:
        assert line.get_marker() == "D" and colors.same_color(line.get_markerfacecolor(), "white")
        assert not colors.same_color(line.get_markeredgecolor(), "white")


def test_printed_marks_stand_on_their_condition_with_wilson_intervals(axes):
    figures.printed_marks(axes, TABLE, PRINTED, offset=0.2)
    first, second = marks(axes)
    assert first == ([15 / 40, 0.0], [0.2, 2.2])
    assert second == ([23 / 40], [pytest.approx(0.36)]), "a second model stands beside the first"
    # 0 of 20: from 0 to z^2 / (20 + z^2).
    assert spans(bars(axes)[0])[1] == pytest.approx((0, 3.8415 / 23.8415), abs=1e-4)


def test_what_is_printed_of_no_drawn_condition_is_not_in_the_legend(axes):
    figures.printed_marks(axes, TABLE, PRINTED)
    labels = axes.get_legend_handles_labels()[1]
    assert labels == ["printed: gemini, MedQA", "printed: gemini, MedMCQA"]


def test_no_printed_group_is_left_out(axes):
    many = pd.concat([PRINTED.iloc[[0]].assign(model=f"model-{number}") for number in range(5)])
    figures.printed_marks(axes, TABLE, many)
    assert len(bars(axes)) == 5


def test_fractions_are_whole_numbers_however_the_table_holds_them():
    table = pd.DataFrame({"adopted": [15, 0], "n": [15, 15]}, index=["a", "b"])
    widened = table.reindex(["a", "missing", "b"])  # which makes floats of the counts
    assert widened["n"].dtype == float
    assert figures.fractions(widened, "adopted", "n") == ["15/15", "not run", "0/15"]
    assert figures.fractions(table.astype("Int64"), "adopted", "n") == ["15/15", "0/15"]


def test_counts_of_several_marks_stand_each_beside_its_own(axes):
    figures.counts(axes, ["1/2"], "k/n")
    figures.counts(axes, ["2/3"], "k/n", 0.2)
    assert [(text.get_text(), text.xy[1]) for text in axes.texts if text.get_text() != "k/n"] == [
        ("1/2", 0),
        ("2/3", 0.2),
    ]


def test_counts_stand_right_of_each_line_below_a_heading(axes):
    figures.counts(axes, ["12/60", "0/3"], "adopted/n")
    assert [text.get_text() for text in axes.texts] == ["12/60", "0/3", "adopted/n"]
    assert [text.xy[1] for text in axes.texts[:2]] == [0, 1]
    assert all(text.xy[0] > 1 for text in axes.texts)


def test_a_budget_stands_at_its_calls_and_those_of_as_many_calls_a_little_apart(axes):
    table = pd.DataFrame(
        {
            "committee": ["voting", "undecided", "judge", "debate"],
            "calls": [3.0, 4.0, 3.0, 10.0],
            "rate": [0.4, np.nan, 0.5, 0.6],
            "rate_low": [0.3, np.nan, 0.4, 0.5],
            "rate_high": [0.5, np.nan, 0.6, 0.7],
        }
    )
    figures.budget(axes, table)
    places, values = np.array([bar.lines[0].get_xydata()[0] for bar in axes.containers]).T
    assert values == pytest.approx([0.4, 0.5, 0.6])
    assert places == pytest.approx([3.0, 3.15, 10.0])
    assert axes.get_legend_handles_labels()[1] == ["voting", "judge", "debate"]


def test_a_budget_of_many_committees_has_no_two_marks_alike(axes):
    names = [f"committee {number}" for number in range(2 * len(figures.LANES))]
    table = pd.DataFrame({"committee": names, "calls": range(1, len(names) + 1)})
    figures.budget(axes, table.assign(rate=0.5, rate_low=0.4, rate_high=0.6))
    drawn = [bar.lines[0] for bar in axes.containers]
    looks = {(line.get_marker(), line.get_color(), line.get_markerfacecolor()) for line in drawn}
    assert len(looks) == len(names)


def points(adopted, margins=None):
    size = len(adopted)
    cases = [f"case-{number}" for number in range(size)]
    held = np.linspace(0.1, 4, size) if margins is None else margins
    return pd.DataFrame(
        {"case": cases, "cluster": cases, "margin": held, "adopted": np.array(adopted, dtype=float)}
    )


MIXED = points([1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0])


def curves(axes):
    """Lines of the fit: those of many points."""
    return [line for line in axes.lines if len(line.get_xdata()) == 200]


def test_a_susceptibility_curve_has_line_band_quarters_and_a_tick_a_case(axes):
    fit = figures.susceptibility_curve(axes, MIXED, name="vignettes")
    assert not fit.note and fit.slope.value < 0
    [line] = curves(axes)
    assert line.get_ydata()[0] > line.get_ydata()[-1]
    assert len(axes.collections) > len(bars(axes)), "the band"
    assert len(bars(axes)) == 4
    ticks = {line.get_ydata()[0]: len(line.get_xdata()) for line in axes.lines if line.get_marker() == "|"}
    assert sorted(ticks.values()) == [5, 7] and ticks[max(ticks)] == 7
    assert axes.get_legend_handles_labels()[1] == ["vignettes: 7 of 12 adopt"]
    assert axes.get_xlabel() and axes.get_ylabel()


def test_without_a_fit_there_are_dots_and_no_line(axes):
    fit = figures.susceptibility_curve(axes, points([1] * 6 + [0] * 6), name="split")
    assert "perfect separation" in fit.note and not curves(axes)
    shares = [bar[0].get_ydata()[0] for bar in bars(axes)]
    assert shares == [1, 1, 0, 0]


def test_without_cases_an_empty_panel_says_so(axes):
    fit = figures.susceptibility_curve(axes, points([]), name="empty")
    assert fit.note == "n=0" and not curves(axes) and not bars(axes)
    assert axes.get_legend_handles_labels()[1] == ["empty: 0 of 0 adopt"]


def test_a_curve_without_a_name_is_labelled_by_its_counts(axes):
    figures.susceptibility_curve(axes, MIXED)
    assert axes.get_legend_handles_labels()[1] == ["7 of 12 adopt"]


def test_lanes_keep_curves_of_one_panel_apart(axes):
    for lane in range(6):
        figures.susceptibility_curve(axes, MIXED, name=str(lane), lane=lane)
    heights = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == "|"]
    assert len(set(heights)) == len(heights) == 12


def test_quarters_hold_a_quarter_of_the_cases_each_in_order_of_margin():
    found = figures.quarters(points([1, 1, 1, 0, 0, 0, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]))
    assert [share["margin"] for share in found] == [1.5, 3.5, 5.5, 7.5]
    assert [share["rate"] for share in found] == [0, 0, 0.5, 1]
    assert [share["n"] for share in found] == [2] * 4
    assert figures.quarters(points([1] * 7)) == [], "seven cases make no quarters"


def test_a_fit_in_words(axes):
    words = figures.fit_words(figures.susceptibility_curve(axes, MIXED))
    assert words.startswith("slope -") and words.endswith("per nat, n = 12")
    none = figures.fit_words(figures.susceptibility_curve(axes, points([0] * 9)))
    assert none == "no fit: 0 of 9 adopted: nothing to contrast (n = 9)"
