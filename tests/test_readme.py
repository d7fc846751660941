"""What the README says of results: every number computed again from the committed files."""

import itertools
import re

import pandas as pd
import pytest

from medagents import cohorts, committee_tables, overview, paths, rows, tables, turns
from medagents.cohorts import manifest
from medagents.models.catalog import title

pytestmark = pytest.mark.committed
README = (paths.ROOT / "README.md").read_text(encoding="utf-8")
COHORT, MODEL = "mmlu_medical", "qwen2.5-coder-1.5b"
"""What the picture shows."""


def lines_of(heading: str) -> list[str]:
    """Lines of the table with that heading."""
    tables = re.findall(rf"^\| {re.escape(heading)} \|.*\n\|[-|]+\n((?:\|.+\n)+)", README, re.MULTILINE)
    return tables[0].splitlines()


def test_what_each_model_knows_alone_is_computed():
    wanted = [
        f"| {line.model} | `{line.cohort}` | {line.accuracy:.2f} [{line.accuracy_low:.2f}, "
        f"{line.accuracy_high:.2f}] of {line.n:.0f} | {line.chance:.2f} | {line.letter}, {line.times} of "
        f"{line.n:.0f} |"
        for line in overview.alone().sort_values(["model", "cohort"]).itertuples()
    ]
    assert lines_of("model") == wanted, "\n".join(wanted)


def test_every_cohort_is_listed_with_the_cases_that_are_recorded():
    found = {re.findall(r"`(\w+)`", line)[0]: line for line in lines_of("cohort")}
    assert set(found) == set(cohorts.names())
    for name, recorded in overview.coverage().items():
        assert found[name].endswith(f" | {recorded} |"), f"{name}: {recorded}"
        size = manifest.size(name)
        assert size is None or name == "medqa" or re.search(rf"\b{size}\b", found[name]), f"{name}: {size}"


def test_the_numbers_beside_the_picture_are_those_it_draws():
    assert f"figures/02_adoption__{COHORT}__{MODEL}.png" in README
    arms = pd.read_csv(paths.FIGURES / f"02_adoption__{COHORT}__{MODEL}.csv").set_index("condition")
    two, one = arms.loc["two_peers"], arms.loc["one_peer"]
    assert f"wrongly assert in {two.adopted} of {two.n} questions" in README
    assert f"one peer is enough ({one.adopted} of {one.n})" in README
    assert f"Circles: of the {two.n} questions" in README
    known = tables.alone(rows.read(rows.path_of(COHORT, MODEL, "peer_cascade", paths.ROWS)), "isolated").iloc[
        0
    ]
    right = round(known.accuracy * known.n)
    assert f"on {known.n} questions of MMLU, of which it answers {right} right alone" in README
    assert f"({known.accuracy:.2f}; chance is {known.chance:.2f})" in README


def test_one_model_alone_knows_more_than_chance():
    known = overview.alone()
    assert set(known["model"][known["accuracy_low"] > known["chance"]]) == {MODEL}


def apart(table: pd.DataFrame, name: str) -> float:
    """Share of pairs of lines whose intervals do not meet."""
    ends = [(table[f"{name}_low"][line], table[f"{name}_high"][line]) for line in table.index]
    pairs = [one[1] < other[0] or other[1] < one[0] for one, other in itertools.combinations(ends, 2)]
    return sum(pairs) / len(pairs)


def test_near_one_the_circles_hardly_tell_lines_apart_and_the_squares_do():
    arms = pd.read_csv(paths.FIGURES / f"02_adoption__{COHORT}__{MODEL}.csv")
    near = arms[(arms["rate"] > 0.9) & (arms["condition"] != "two_first_wrong")]
    assert len(near) > 5
    assert apart(near, "rate") < 0.1 and apart(near, "graded") > 0.6


def test_no_detector_is_shown_to_beat_flagging_every_answer_of_the_model_that_knows_something():
    scores = [pd.read_csv(path) for path in paths.FIGURES.glob(f"04_detectors__*__{MODEL}.csv")]
    assert scores
    for table in scores:
        flag_all = table["adopted"] / table["n"]
        assert not (table["precision_low"] > flag_all).any()


def test_what_is_said_of_committees_is_what_their_tables_give():
    frame = turns.read(turns.path_of("vignettes", "trio", "committee_cascade"))
    decided = committee_tables.decisions(frame)
    found = committee_tables.cascade(decided).set_index("committee")
    counts = {
        name: f"{found.adopted[name]} of {found.n[name]}"
        for name in ("debate", "catfish_debate", "medorch_asked")
    }
    assert (
        f"in {counts['debate']} debates, in {counts['catfish_debate']} with a Catfish and in "
        f"{counts['medorch_asked']} with a mediator who must ask" in README
    )
    assert set(found.index[found["holm"] < 0.05]) == {"voting", "debate", "moa"}
    assert (committee_tables.contrasts(decided)["holm"] > 0.05).all()
    assert f"({decided['case'].nunique()} questions)" in README


def test_words_of_the_project_are_explained_before_they_are_used():
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|!\[[^]]*\]", " ", README, flags=re.DOTALL)
    for word in ("holdout", "board", "plant", "adopt", "shard", "lane", "slot", "twin"):
        explained, used = (
            [found.start() for found in re.finditer(rf"{marks}{word}s?{marks}", prose)]
            for marks in (r"\*\*", r"(?<!\*)\b(?!\*)")
        )
        assert not used or (explained and explained[0] < used[0]), word


def test_every_recorded_model_is_named_by_the_weights_that_its_title_says():
    for model in {model for _, model, _ in overview.studies("peer_cascade")}:
        family = title(model).split("-")[0]
        assert family.lower() in README.lower()
