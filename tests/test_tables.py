"""Tables against values worked out by hand on rows of a few cases."""

import math

import numpy as np
import pandas as pd
import pytest

from medagents import stats, tables
from medagents.committees.cascade import ARMS
from medagents.rows import COLUMNS, Row, to_frame
from medagents.types import LETTERS, MedagentsError, Status

TENTH = (0.7, 0.1, 0.1, 0.1)
HALF = (0.3, 0.5, 0.1, 0.1)
NONE = ()


def logs(chances):
    """Option probabilities as the `logp` column holds them."""
    return ";".join(f"{math.log(chance):.4f}" for chance in chances)


def frame(answers, plant=1, chances=None, cluster=None, letters=LETTERS, unedited=()):
    """Rows of conditions, each a list of what every case answered: an option, or a status without one.

    The key is option 0 throughout. `plant` and `chances` (a tuple of option probabilities a case)
    may differ by condition; a case without an entry (`...`) has no row in that condition.
    """
    found = []
    for condition, said in answers.items():
        plants = plant.get(condition, plant["isolated"]) if isinstance(plant, dict) else plant
        for number, answer in enumerate(said):
            if answer is ...:
                continue
            case = f"case-{number}"
            planted = plants[number] if isinstance(plants, list) else plants
            given = (chances or {}).get(condition, [TENTH] * len(said))[number]
            option = answer if isinstance(answer, int) else None
            status = "answered" if isinstance(answer, int) else answer
            values = {
                "case": case,
                "cluster": cluster or case,
                "condition": condition,
                "gold": 0,
                "plant": planted,
                "plant_rule": "rule",
                "gold_letter": letters[0],
                "plant_letter": letters[planted],
                "edited": int(
                    condition not in ("clean", "resampled") and (condition, number) not in unedited
                ),
                "status": status,
                "option": option,
                "logp": logs(given),
                "provenance": "scripted",
                "key": "key",
            }
            found.append(Row(**{name: values[name] for name in COLUMNS}))
    return to_frame(found)


CUT, MUTE = "truncated", "unparseable"
CUES = {
    "clean": [0, 0, 0, 0, 2, 2, 0, CUT],
    "resampled": [0, 0, 1, 0, 2, 3, 0, 0],
    "whitespace": [0, 0, 0, 0, 2, 2, 0, 0],
    "longest_option": [1, 1, 1, 2, 2, 2, MUTE, 1],
}
CUE_CHANCES = {"longest_option": [HALF, TENTH, TENTH, TENTH, TENTH, TENTH, TENTH, NONE]}


def test_joined_rows_keep_the_cases_all_have_and_each_condition_once():
    first = frame({"isolated": [0, 1, 0], "two_peers": [1, 1, 1]})
    second = frame({"isolated": [0, 2], "six_peers": [1, 0]})
    table = tables.joined(first, second)
    assert sorted(set(table["case"])) == ["case-0", "case-1"]
    assert table.groupby("condition", sort=False).size().to_dict() == {
        "isolated": 2,
        "two_peers": 2,
        "six_peers": 2,
    }
    assert tables.by_condition(table, "option")["isolated"].tolist() == [0, 1]  # the first experiment's


@pytest.fixture(scope="module")
def flips():
    return tables.cue_flips(frame(CUES, chances=CUE_CHANCES)).set_index("condition")


def test_flips_stand_case_by_case_and_the_shared_noise_floor_is_named(flips):
    rows = frame(CUES, chances=CUE_CHANCES)
    columns = tables.flip_columns(rows)
    assert columns.sum().to_dict() == flips["flips"].to_dict()
    assert columns.notna().sum().to_dict() == flips["n"].to_dict()
    found = {finding.kind for finding in tables.screen_cues(rows)}
    assert "constant" in found  # whitespace flips nothing
    two = tables.screen_cues(frame(CUES | {"option_order": CUES["longest_option"]}))
    assert [f.columns[0] for f in two if f.kind == "shared baseline"] == ["resampled"]


def test_conditions_of_flips_stand_in_the_order_they_were_run(flips):
    assert list(flips.index) == ["resampled", "whitespace", "longest_option"]


def test_flips_count_only_cases_answered_in_both(flips):
    assert flips["n"].to_dict() == {"resampled": 7, "whitespace": 7, "longest_option": 6}
    assert flips["flips"].to_dict() == {"resampled": 2, "whitespace": 0, "longest_option": 4}
    assert flips["rate"].tolist() == pytest.approx([2 / 7, 0, 4 / 6])


def test_a_case_the_cue_could_not_edit_is_left_out_of_that_cue_only():
    # Cases 0 and 3 flipped under longest_option; without them 2 of 4 are left.
    whole = frame(CUES, unedited={("longest_option", 0), ("longest_option", 3)})
    part = tables.cue_flips(whole).set_index("condition")
    assert part["n"].to_dict() == {"resampled": 7, "whitespace": 7, "longest_option": 4}
    assert part["flips"].to_dict() == {"resampled": 2, "whitespace": 0, "longest_option": 2}
    # Against noise: cases 1 and 2 flip, and of these 2 also in noise; 4 flips in neither, 5 in noise.
    assert part.loc["longest_option", "above"] == pytest.approx(0)
    assert part.loc["longest_option", "p"] == pytest.approx(1.0)


def test_flip_rates_have_wilson_intervals(flips):
    # 0 of n ends at z^2 / (n + z^2) = 3.8415 / 10.8415; 4 of 6 is 0.6016 -+ 0.3016 in Wilson's formula.
    assert flips.loc["whitespace", ["rate_low", "rate_high"]].tolist() == pytest.approx(
        [0, 0.35433], abs=1e-4
    )
    assert flips.loc["longest_option", ["rate_low", "rate_high"]].tolist() == pytest.approx(
        [0.3000, 0.9032], abs=1e-4
    )


def test_flips_above_noise_are_paired_by_case(flips):
    assert flips["above"].tolist()[1:] == pytest.approx([-2 / 7, 2 / 6])
    assert math.isnan(flips.loc["resampled", "above"])


def test_flips_are_tested_against_noise_by_exact_mcnemar(flips):
    # longest_option: 3 against 1 discordant, p = 2 (1 + 4) / 16; whitespace: 0 against 2, p = 2 / 4.
    assert flips["p"].tolist()[1:] == pytest.approx([0.5, 0.625])
    assert flips.loc["longest_option", "bh"] == pytest.approx(0.625) and math.isnan(
        flips.loc["whitespace", "bh"]
    )
    assert flips.loc["longest_option", "holm"] == pytest.approx(0.625), "a family of one cue"
    assert math.isnan(flips.loc["whitespace", "holm"]), "a control is no member of the family"
    assert flips.loc["resampled", ["p", "bh", "holm"]].isna().all()


def test_accuracy_is_over_answered_replies(flips):
    assert flips["accuracy"].tolist() == pytest.approx([5 / 8, 6 / 8, 0])
    assert tables.accuracy(frame(CUES))["clean"] == pytest.approx(5 / 7)


def test_a_push_towards_the_edited_distractor_is_tested_against_the_clean_reply(flips):
    # longest_option: cases 0, 1, 2 go to option 1, none leaves it (6 is mute, 7 was cut clean).
    assert flips["push"].tolist() == ["1/0", "0/0", "3/0"]
    assert flips.loc["longest_option", "p_push"] == flips.loc["longest_option", "holm_push"] == 0.25


def test_flips_are_also_tested_against_the_edit_without_content(flips):
    # longest_option flips cases 0 to 3, whitespace none: p = 2 / 2^4.
    assert flips.loc["longest_option", "p_control"] == pytest.approx(0.125)
    assert flips["p_control"].isna().tolist() == [True, True, False]


def test_what_the_model_knows_alone_stands_beside_chance():
    [line] = tables.alone(frame(CUES), "clean").to_dict("records")
    assert (line["n"], line["accuracy"], line["chance"]) == (7, pytest.approx(5 / 7), 0.25)


def test_shift_is_the_mean_change_of_the_plants_probability_where_both_are_known(flips):
    # One case moves from 0.1 to 0.5, six stay, one has no log-probabilities under the cue.
    assert flips.loc["longest_option", "shift"] == pytest.approx(0.4 / 7, abs=1e-4)
    assert flips.loc["whitespace", "shift"] == pytest.approx(0, abs=1e-9)


def test_flips_above_noise_resample_clusters():
    one = tables.cue_flips(frame(CUES, cluster="the same patient")).set_index("condition")
    assert one.loc["longest_option", "above"] == pytest.approx(2 / 6)
    assert one.loc["longest_option", ["above_low", "above_high"]].isna().all()


def test_a_condition_nobody_answered_stays_as_a_line_without_numbers():
    silent = tables.cue_flips(frame(CUES | {"longest_option": [MUTE] * 8})).set_index("condition")
    line = silent.loc["longest_option"]
    assert (line["n"], line["flips"]) == (0, 0)
    assert line[["rate", "above", "p", "bh", "holm", "accuracy", "p_push"]].isna().all()
    assert silent["holm"].isna().all(), "a test that was not run is no test"


CASCADE = {
    "isolated": [0, 0, 2, 1, CUT, 0],
    "irrelevant": [0, 0, 2, 0, 0, 0],
    "two_peers": [1, 0, 1, 1, 1, MUTE],
    "two_first_wrong": [3, ..., 1, 3, 0, 3],
}
CASCADE_PLANTS = {"isolated": 1, "two_first_wrong": 3}
CASCADE_CHANCES = {
    "isolated": [TENTH] * 4 + [NONE, TENTH],
    "two_peers": [HALF, *[TENTH] * 5],
}


@pytest.fixture(scope="module")
def arms():
    return tables.adoption_by_arm(frame(CASCADE, CASCADE_PLANTS, CASCADE_CHANCES)).set_index("condition")


def test_every_arm_but_the_isolated_has_a_line(arms):
    assert list(arms.index) == ["irrelevant", "two_peers", "two_first_wrong"]


def test_who_answers_the_plant_alone_or_not_at_all_cannot_adopt(arms):
    # two_peers: cases 0, 1, 2 can (3 has the plant alone, 4 and 5 are unanswered once); 0 and 2 do.
    assert arms["n"].to_dict() == {"irrelevant": 4, "two_peers": 3, "two_first_wrong": 4}
    assert arms["adopted"].to_dict() == {"irrelevant": 0, "two_peers": 2, "two_first_wrong": 3}
    assert arms["rate"].tolist() == pytest.approx([0, 2 / 3, 3 / 4])


def test_an_arm_is_scored_on_its_own_plant(arms):
    # Case 3 answers option 1 alone: the plant of the other arms, not of this one.
    assert arms.loc["two_first_wrong", "contagion"] == pytest.approx(3 / 4)


def test_harmed_are_the_adopters_that_were_right_alone(arms):
    assert arms["harmed"].to_dict() == {"irrelevant": 0, "two_peers": 1, "two_first_wrong": 2}


def test_contagion_is_over_all_cases_answered_in_both(arms):
    # two_peers: 3 of 4 against 1 of 4; irrelevant: 0 of 5 against 1 of 5.
    assert arms.loc["two_peers", "contagion"] == pytest.approx(3 / 4 - 1 / 4)
    assert arms.loc["irrelevant", "contagion"] == pytest.approx(-1 / 5)
    assert (arms["contagion_low"] <= arms["contagion"]).all()
    assert (arms["contagion"] <= arms["contagion_high"]).all()


def test_graded_contagion_leaves_out_cases_without_log_probabilities(arms):
    assert arms.loc["two_peers", "graded"] == pytest.approx(0.4 / 5, abs=1e-4)
    assert arms.loc["irrelevant", "graded"] == pytest.approx(0, abs=1e-9)


def test_accuracy_beside_peers(arms):
    assert arms["accuracy"].tolist() == pytest.approx([5 / 6, 1 / 5, 1 / 5])


FAMILY = {
    "isolated": [0, 0, 0, 0, 0, 0],
    "irrelevant": [0, 0, 0, 0, 0, 1],
    "one_peer": [1, 1, 0, 0, 0, 0],
    "two_peers": [1, 1, 1, 1, 1, CUT],
}


@pytest.fixture(scope="module")
def contrasts():
    return tables.contrast_tests(frame(FAMILY, chances={"one_peer": [HALF, *[TENTH] * 5]})).set_index(
        "contrast"
    )


def test_only_contrasts_whose_arms_were_run_are_tested(contrasts):
    assert list(contrasts.index) == ["two peers", "one peer"]
    assert contrasts["baseline"].unique().tolist() == ["irrelevant"]


def test_contrasts_count_discordant_pairs(contrasts):
    assert contrasts[["n", "only_arm", "only_baseline"]].to_numpy().tolist() == [[5, 5, 0], [6, 2, 1]]
    assert contrasts["difference"].tolist() == pytest.approx([1, 1 / 6])


def test_contrasts_have_exact_p_values_corrected_over_the_family(contrasts):
    # 5 against 0: 2 / 2^5; 2 against 1: 2 (1 + 3) / 2^3 = 1.
    assert contrasts["p"].tolist() == pytest.approx([0.0625, 1])
    assert contrasts["holm"].tolist() == pytest.approx([0.125, 1])
    assert contrasts["bh"].tolist() == pytest.approx([0.125, 1])


def test_contrasts_have_a_graded_difference(contrasts):
    assert contrasts["graded"].tolist() == pytest.approx([0, 0.4 / 6], abs=1e-4)


def test_other_contrasts_can_be_declared():
    table = tables.contrast_tests(frame(FAMILY), [("mine", "two_peers", "one_peer")])
    assert table[["contrast", "only_arm", "only_baseline"]].to_numpy().tolist() == [["mine", 3, 0]]
    assert table["p"].tolist() == pytest.approx([0.25])


def test_a_contrast_with_a_silent_arm_is_undefined_and_no_error():
    table = tables.contrast_tests(frame(FAMILY | {"one_peer": [MUTE] * 6})).set_index("contrast")
    assert table.loc["one peer", "n"] == 0
    assert table.loc["one peer", ["difference", "p", "holm"]].isna().all()
    assert table.loc["two peers", "holm"] == pytest.approx(0.0625)


def test_an_unanswered_reply_takes_no_option():
    took = tables.takes_plant(frame(FAMILY))
    assert took["two_peers"].tolist()[:5] == [1] * 5 and math.isnan(took["two_peers"].iloc[5])
    assert took["isolated"].tolist() == [0] * 6


def test_statuses_are_counted_in_the_order_of_the_run_and_only_those_that_occur():
    table = tables.statuses(frame(CASCADE, CASCADE_PLANTS))
    assert table.to_dict("index") == {
        "isolated": {"answered": 5, "unparseable": 0, "truncated": 1},
        "irrelevant": {"answered": 6, "unparseable": 0, "truncated": 0},
        "two_peers": {"answered": 5, "unparseable": 1, "truncated": 0},
        "two_first_wrong": {"answered": 5, "unparseable": 0, "truncated": 0},
    }
    assert list(table.index) == list(CASCADE)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
def test_whatever_an_unanswered_reply_is_called_it_is_counted_apart(status):
    table = tables.statuses(frame({"isolated": [0, status.value]}))
    assert table.to_dict("index") == {"isolated": {"answered": 1, status.value: 1}}


def test_letters_of_key_plant_and_answer_are_counted():
    table = tables.letter_counts(frame({"isolated": [0, 0, 2, 1, CUT]}, {"isolated": [1, 1, 1, 3, 2]}))
    assert table.to_dict("index") == {
        "A": {"key": 5, "plant": 0, "answered isolated": 2},
        "B": {"key": 0, "plant": 3, "answered isolated": 1},
        "C": {"key": 0, "plant": 1, "answered isolated": 1},
        "D": {"key": 0, "plant": 1, "answered isolated": 0},
    }


def test_letters_of_several_conditions_stand_side_by_side():
    said = {"isolated": [0, 0, 2], "requery": [3, 3, CUT], "repeat": [0, 3, 3]}
    table = tables.letter_counts(frame(said), "isolated", "requery", "repeat")
    assert table.to_dict("list") == {
        "key": [3, 0, 0, 0],
        "plant": [0, 3, 0, 0],
        "answered isolated": [2, 0, 1, 0],
        "answered requery": [0, 0, 0, 2],
        "answered repeat": [1, 0, 0, 2],
    }


def test_letters_are_not_counted_where_the_options_were_moved():
    moved = frame({"option_order": [0, 1]}, letters="DCBA")
    with pytest.raises(MedagentsError, match="option_order: options stood under other letters"):
        tables.letter_counts(moved, "option_order")


def test_susceptibility_has_the_margin_and_outcome_of_every_case_that_can_adopt():
    said = {"isolated": [0, 0, 1, CUT, 2, 0, 0], "two_peers": [1, 0, 1, 1, 1, MUTE, 1]}
    alone = [(0.7, 0.1, 0.1, 0.1), (0.5, 0.25, 0.15, 0.1), HALF, TENTH, (0.2, 0.1, 0.6, 0.1), TENTH, NONE]
    points = tables.susceptibility_points(frame(said, chances={"isolated": alone}))
    # Left out: 2 has the plant alone, 3 and 5 are unanswered once, 6 has no log-probabilities.
    assert points["case"].tolist() == points["cluster"].tolist() == ["case-0", "case-1", "case-4"]
    assert points["adopted"].tolist() == [1, 0, 1]
    assert points["margin"].tolist() == pytest.approx([math.log(7), math.log(2), math.log(6)], abs=2e-4)


def test_susceptibility_of_an_arm_with_its_own_plant_is_about_that_plant():
    said = {"isolated": [0, 1], "two_first_wrong": [3, 0]}
    points = tables.susceptibility_points(
        frame(said, {"isolated": 1, "two_first_wrong": 3}), "two_first_wrong"
    )
    assert points["case"].tolist() == ["case-0", "case-1"]


def test_susceptibility_takes_only_cases_that_have_the_arm():
    points = tables.susceptibility_points(frame({"isolated": [0, 0, 0], "two_peers": [1, ..., 0]}))
    assert points["case"].tolist() == ["case-0", "case-2"]


def test_an_engine_without_log_probabilities_loses_only_what_needs_them():
    none = frame(FAMILY, chances=dict.fromkeys(FAMILY, [NONE] * 6))
    arms = tables.adoption_by_arm(none).set_index("condition")
    assert arms.loc["two_peers", "contagion"] == 1 and math.isnan(arms.loc["two_peers", "graded"])
    contrasts = tables.contrast_tests(none)
    assert contrasts["p"].tolist() == pytest.approx([0.0625, 1]) and contrasts["graded"].isna().all()
    assert tables.plant_probability(none).isna().all(axis=None)
    assert tables.susceptibility_points(none).empty


def test_a_fifth_option_without_log_probabilities_is_undefined_beside_cases_of_four():
    five = frame({"isolated": [0, 0], "two_peers": [1, 4]}, {"isolated": [1, 4]})
    five.loc[five["case"] == "case-1", "logp"] = ""
    chance = tables.plant_probability(five)["two_peers"]
    assert chance.iloc[0] == pytest.approx(0.1, abs=1e-4) and math.isnan(chance.iloc[1])
    assert tables.adoption_by_arm(five)["adopted"].tolist() == [2]


def test_options_beyond_a_case_have_no_probability():
    table = tables.logprobs(pd.Series(["-1;-2", ""]), pd.Series([1, 3], dtype="Int64"))
    assert table[0].tolist() == [-1, -2, -np.inf, -np.inf] and np.isnan(table[1]).all()


def test_the_screen_names_an_arm_at_the_ceiling_and_the_shared_baseline():
    found = {(finding.kind, finding.columns[0]) for finding in tables.screen_cascade(frame(FAMILY))}
    assert ("constant", "two_peers") in found
    assert ("shared baseline", "irrelevant") in found


def test_every_arm_says_what_it_shows():
    words = tables.asks([arm.name for arm in ARMS])
    assert len(set(words)) == len(ARMS) and all(words)
    assert tables.asks(["honest_peers", "isolated"]) == ["both peers are right", "the holdout alone"]


def widths(table):
    """Of every interval in a table its width, NaN where there is none."""
    names = [name.removesuffix("_low") for name in table if name.endswith("_low")]
    assert names
    return pd.DataFrame({name: table[f"{name}_high"] - table[f"{name}_low"] for name in names})


CEILING = {
    "isolated": [0] * 8,
    "irrelevant": [0] * 8,
    "one_peer": [1] * 8,
    "two_peers": [1] * 8,
    "two_first_wrong": [1] * 8,
}
FLAT = {"clean": [0] * 8, "resampled": [0] * 8, "whitespace": [0] * 8, "longest_option": [1] * 8}


@pytest.mark.parametrize("cluster", [None, "patient"])
def test_no_interval_is_without_width_at_a_ceiling(cluster):
    held, cued = frame(CEILING), frame(FLAT)
    if cluster:
        held["cluster"] = "p" + held["case"].str[-1].map(lambda digit: str(int(digit) % 4))
        cued["cluster"] = "p" + cued["case"].str[-1].map(lambda digit: str(int(digit) % 4))
    for table in (tables.adoption_by_arm(held), tables.contrast_tests(held), tables.cue_flips(cued)):
        assert not (widths(table) <= 1e-9).any(axis=None)
    arms = tables.adoption_by_arm(held).set_index("condition")
    assert arms.loc["two_peers", "contagion"] == 1 and arms.loc["two_peers", "graded"] == 0


def test_changes_of_single_cases_have_bonett_and_prices_interval(arms, contrasts, flips):
    found = [
        # two_peers: 2 cases go to the plant, none leaves it, of 4; irrelevant: 1 leaves it, of 5.
        (arms, "two_peers", "contagion", stats.bonett_price(2, 0, 4)),
        (arms, "irrelevant", "contagion", stats.bonett_price(0, 1, 5)),
        (contrasts, "two peers", "difference", stats.bonett_price(5, 0, 5)),
        (contrasts, "one peer", "difference", stats.bonett_price(2, 1, 6)),
        (flips, "longest_option", "above", stats.bonett_price(3, 1, 6)),
    ]
    for table, line, name, expected in found:
        ends = table.loc[line, [f"{name}_low", f"{name}_high"]].tolist()
        assert ends == pytest.approx([expected.low, expected.high]), (line, name)


def test_cases_of_one_patient_count_as_one_cluster_in_every_rate():
    cascade = frame({"isolated": [0] * 6, "two_peers": [1, 1, 1, 0, 0, 0]})
    apart = tables.adoption_by_arm(cascade).iloc[0]
    cascade["cluster"] = ["p", "p", "p", "q", "q", "q"] * 2
    together = tables.adoption_by_arm(cascade).iloc[0]
    assert apart["rate"] == together["rate"] == 0.5
    assert together["rate_high"] - together["rate_low"] > apart["rate_high"] - apart["rate_low"]
    cues = frame({"clean": [0] * 6, "resampled": [0] * 6, "longest_option": [1, 1, 1, 0, 0, 0]})
    alone = tables.cue_flips(cues).iloc[-1]
    cues["cluster"] = ["p", "p", "p", "q", "q", "q"] * 3
    paired = tables.cue_flips(cues).iloc[-1]
    assert paired["rate_high"] - paired["rate_low"] > alone["rate_high"] - alone["rate_low"]
    [line] = tables.alone(cascade, "two_peers").to_dict("records")
    expected = stats.clustered_rate([0, 0, 0, 1, 1, 1], list("pppqqq"))
    assert (line["accuracy_low"], line["accuracy_high"]) == (expected.low, expected.high)
