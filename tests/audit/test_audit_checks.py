"""Each check on rows that have its fault and on rows that do not; then on the authors' rows."""

import pandas as pd
import pytest

from medagents import stats
from medagents.audit import checks, quantities
from medagents.audit.columns import where
from medagents.planted import coverage
from medagents.types import MedagentsError


def sentences(check, table, *names, terms=""):
    return [finding.sentence for finding in checks.find(check, table, names, "rows.csv", terms)]


FLIPS = pd.DataFrame(
    {
        "before": ["Iron", "Iron", "Zinc", "Zinc", "Lead"],
        "after": ["Iron [more detail]", "Zinc", "Zinc", "Zincate", "iron"],
        "flipped": [True, True, False, True, True],
    }
)


def test_flips_that_only_edited_text_are_told_from_flips():
    [said] = sentences("same_option_flips", FLIPS, *FLIPS)
    assert said.startswith("1 of 4 flips keep the option") and said.endswith("without them 3 of 5 flip")
    assert not sentences("same_option_flips", FLIPS.iloc[1:], *FLIPS), "Zincate is another word"


@pytest.mark.parametrize(
    ("line", "flip", "flips", "without", "n", "odd"),
    [
        (2, True, 5, 4, 5, 1),  # one more flip than the answers say
        (1, False, 3, 2, 5, 1),  # one less
        (1, None, 3, 2, 4, 0),  # undefined: no flip and not counted
    ],
)
def test_flips_are_counted_as_the_claim_counts_them_and_what_the_answers_say_otherwise_is_told(
    line, flip, flips, without, n, odd
):
    table = FLIPS.astype({"flipped": object})
    table.loc[line, "flipped"] = flip
    assert quantities.KINDS["rate"](table, ["flipped"]).n == n
    first, *others = sentences("same_option_flips", table, *FLIPS)
    assert first.startswith(f"1 of {flips} flips keep") and first.endswith(
        f"without them {without} of {n} flip"
    )
    assert others == [f"in 1 of {n} rows flipped is not what the two answers say"] * odd


ANSWERS = pd.DataFrame(
    {
        "shared": ["B", "B", "B", "A"],
        "alone": ["A", "C", "B", "A"],
        "plant": ["B", "B", "B", "B"],
        "gold": ["A", "A", "A", "A"],
    }
)


def test_harm_is_an_adoption_of_what_was_right_alone():
    [said] = sentences("harm", ANSWERS, "shared", "alone", "plant", "gold")
    assert said.startswith("1 of 2 adoptions")
    assert not sentences("harm", ANSWERS.iloc[[0, 2, 3]], "shared", "alone", "plant", "gold")


def test_hard_cases_are_those_that_are_wrong_alone():
    assert sentences("hard", ANSWERS, "alone", "gold") == [
        "the holdout alone is wrong on 2 of 4 of these cases"
    ]
    assert not sentences("hard", ANSWERS.iloc[[1, 2]], "alone", "gold")


def groups(first, second, right=None):
    table = pd.DataFrame({"case": [*first, *second], "file": ["x"] * len(first) + ["y"] * len(second)})
    return table.assign(right=right if right is not None else 1)


def test_groups_that_share_cases_are_no_independent_groups():
    assert "2 cases are in both groups" in sentences("unmatched", groups("abc", "bcd"), "file")[0]
    assert not sentences("unmatched", groups("abc", "def"), "file")


def test_groups_that_number_their_cases_apart_cannot_be_paired():
    [said] = sentences("unmatched", groups("01", "012", [1, 0, 0, 0, 1]), "file", "right")
    assert "right agrees on 50%" in said
    with pytest.raises(MedagentsError, match="two groups"):
        sentences("unmatched", groups("ab", ""), "file")


def test_a_cohort_within_another_is_no_second_sample():
    assert sentences("nested_cohorts", groups("ab", "abcd"), "file") == [
        "2 of its 4 cases are the smaller cohort's 2: no second sample"
    ]
    assert not sentences("nested_cohorts", groups("ab", "cdef"), "file")


PATIENTS = pd.DataFrame({"cluster": list("ppppqqqqrr"), "hit": [1, 1, 1, 1, 0, 0, 0, 0, 1, 0], "no": 0})


def test_patients_with_many_rows_are_seen_and_both_intervals_given():
    [said] = sentences("clusters", PATIENTS, "hit")
    assert said.startswith("10 rows come from 3 patients")
    by_patient = stats.clustered_rate(PATIENTS["hit"], PATIENTS["cluster"])
    assert f"{by_patient} with patients as clusters, {stats.wilson(5, 10)} as if rows" in said
    [said] = sentences("clusters", PATIENTS, "hit", "no")
    assert f"{stats.bonett_price(5, 0, 10)} as if rows were independent" in said
    assert not sentences("clusters", PATIENTS.assign(cluster=range(10)), "hit")


def test_a_bootstrap_of_few_patients_is_objected_to_and_one_of_many_is_not():
    [said] = sentences("few_clusters", PATIENTS, "hit", "no")
    assert said.startswith("a percentile bootstrap of 3 patients covers too rarely")
    many = pd.DataFrame({"cluster": [k // 2 for k in range(2 * checks.FEW)], "hit": [1, 0] * checks.FEW})
    assert not sentences("few_clusters", many.assign(no=0), "hit", "no")
    assert not sentences("few_clusters", PATIENTS.assign(cluster=range(10)), "hit", "no"), "no patient twice"


def test_the_bootstraps_objected_to_are_those_measured_to_cover_too_rarely():
    table = coverage.table()
    table = table[(table["design"] == "patients") & (table["estimator"] == "contagion")]
    held = table[table["interval"] == "bootstrap"].set_index("n")["coverage"]
    few = [n for n in held.index if len(set(coverage.patients_of(n))) < checks.FEW]
    assert {35, 40} <= set(few) and (held[few] < 0.93).all() and (held.drop(few) >= 0.93).all()


def test_a_sign_is_open_where_the_interval_holds_0():
    table = pd.DataFrame({"a": [1, 1, 0, 0, 0, 0], "b": 0, "c": 1, "d": [1, 1, 0, 0, 0, 0]})
    assert "so its sign is open" in sentences("open_sign", table, "a", "b")[0]
    assert not sentences("open_sign", table.assign(a=1), "a", "b")
    both = sentences("open_sign", table, "a", "b", "c", "d")[0]
    assert both.startswith("with its interval the difference is -0.33"), "2 of 6 less 4 of 6"


def test_a_difference_from_a_ceiling_tells_of_the_other_column():
    table = pd.DataFrame({"shared": [1] * 20, "alone": [1, 0, 0, 0] * 5})
    assert sentences("ceiling", table, "shared", "alone") == [
        "column shared is 1 in all 20 rows, so the difference tells nothing but alone (0.250)"
    ]
    nearly = table.assign(shared=[0] * 4 + [1] * 16)
    assert (
        "1 in all but 4 of 20 rows, so the difference tells little but"
        in sentences("ceiling", nearly, "shared", "alone")[0]
    )
    assert not sentences("ceiling", table.assign(shared=[0] * 5 + [1] * 15), "shared", "alone")
    assert len(sentences("ceiling", nearly, "shared", "alone", "shared", "alone")) == 2
    undefined = table.astype(float).assign(shared=[None] * 2 + [1.0] * 18)
    assert "all 18 rows" in sentences("ceiling", undefined, "shared", "alone")[0]


def test_an_end_that_the_draws_leave_open_is_named():
    sizes = (12, 8, 4, 3, 2, 2, 1, 1, 1, 1)
    patients = [letter for letter, size in zip("abcdefghij", sizes, strict=True) for _ in range(size)]
    half = pd.DataFrame({"cluster": patients, "a": [1, 0, 1, 1, 0] * 7, "b": 0})
    [said] = sentences("bootstrap_size", half, "a", "b")
    assert said.startswith("over 50 bootstraps of 20,000 an end is") and "second decimal is open" in said
    assert not sentences("bootstrap_size", half.assign(a=1), "a", "b"), "every draw gives 1"


def test_too_few_discordant_pairs_cannot_be_significant():
    pairs = pd.DataFrame({"a": [1] * 5 + [0] * 5, "b": [0] * 10})
    assert sentences("low_power", pairs, "a", "b") == ["5 discordant pairs cannot give p below 0.0625"]
    assert not sentences("low_power", pd.DataFrame({"a": [1] * 6, "b": [0] * 6}), "a", "b")


def test_one_measurement_under_several_names():
    table = pd.DataFrame({"a": [1, 0, None], "b": [1, 0, None], "c": [1, 1, 0]})
    [said] = sentences("one_measurement", table, "a", "b", "c")
    assert said.startswith("2 columns are one measurement on all 3 rows (a, b)")
    assert not sentences("one_measurement", table, "a", "c")


def test_constants_labels_and_subsets_are_those_of_the_screen():
    table = pd.DataFrame(
        {"zero": [0] * 12, "flag": [1, 1, 0] * 4, "label": [1, 1, 0] * 4, "all": [1] * 11 + [0]}
    )
    assert sentences("constant", table, "zero", "flag")[0].startswith("column zero is 0 in all 12 rows")
    assert "all but 1 of 12" in sentences("near_constant", table, "all")[0]
    assert "0 in all 12" in sentences("near_constant", table, "zero")[0], "a constant is nearly one too"
    assert "equals its label" in sentences("own_label", table, "flag", "label")[0]
    assert "recall 1 by that alone" in sentences("nested", table, "all", "label")[0]
    assert not sentences("constant", table, "flag") and not sentences("own_label", table, "all", "label")


def test_a_finding_carries_file_and_filter_and_looks_at_the_filtered_rows():
    table = ANSWERS.assign(arm=["x", "x", "y", "y"])
    [found] = checks.find("hard", table, ["alone", "gold"], "rows.csv", "arm=='x'")
    assert (found.check, found.file, found.filter) == ("hard", "rows.csv", "arm=='x'")
    assert "1 of 2" in found.sentence


def test_an_unknown_check_names_the_known():
    with pytest.raises(MedagentsError, match="no check 'luck'; known: same_option_flips"):
        checks.find("luck", ANSWERS, [])


# --- on the authors' rows


@pytest.mark.parametrize(
    ("check", "path", "names", "said"),
    [
        (
            "same_option_flips",
            "medqa/results/solo_records.jsonl",
            ["clean", "contaminated", "flipped"],
            "12 of 54 flips",
        ),
        ("hard", "medqa/results/deliberation_framing.jsonl", ["bare", "ground_truth"], "19 of 120"),
        (
            "clusters",
            "imaging/results/imaging_solo.jsonl",
            ["watermark_flip"],
            "35 rows come from 10 patients",
        ),
        ("constant", "blind_metric/results/blind_metric.jsonl", ["base_is_decoy"], "0 in all 40 rows"),
        (
            "near_constant",
            "imaging/results/imaging_referee.jsonl",
            ["naive_flag"],
            "1 in all but 1 of 35 rows",
        ),
        (
            "ceiling",
            "imaging/results/imaging_cascade_cable.jsonl",
            ["shared_adopt", "iso_adopt"],
            "1 in all 35 rows, so the difference tells nothing but iso_adopt (0.457)",
        ),
        (
            "few_clusters",
            "imaging/results/imaging_cascade.jsonl",
            ["shared_adopt", "iso_adopt"],
            "the jackknife over them gives 0.54 [0.35, 0.73]",
        ),
    ],
)
def test_the_authors_rows_put_through_a_check(authors, check, path, names, said):
    [found] = checks.find(check, authors.table(path), names, path)
    assert said in found.sentence


def test_the_opacities_of_the_sharpest_evidence_differ_in_isolated_adoption_alone(authors):
    table = where(authors.table("mimic_cxr_image/results/deid/strength_cascade.csv"), "clean_correct==1")
    names = ["op0.15_shared_adopt", "op0.15_iso_adopt", "op0.45_shared_adopt", "op0.45_iso_adopt"]
    assert [table[name].sum() for name in names] == [183, 74, 182, 85], "of 183"
    assert len(sentences("ceiling", table, *names)) == 2
    assert "0.07 [-0.02, 0.15]" in sentences("open_sign", table, *names)[0]


def test_the_harm_of_the_two_peer_cascade_is_11_of_15(authors):
    table = authors.table("referee/results/referee_deployable.jsonl")
    names = ["board", "bare", "wrong", "gold"]
    [found] = checks.find("harm", table, names, terms="arm=='planted'")
    assert found.sentence.startswith("11 of 15 adoptions")
    planted = table[table["arm"] == "planted"]
    right = planted["adopted"] & (planted["bare"] == planted["gold"])
    assert right.sum() == 11, "counted again without the package"
