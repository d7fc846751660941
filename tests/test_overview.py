"""What stands across cohorts and models, against values worked out by hand."""

import math

import pandas as pd
import pytest

from medagents import cohorts, overview, paths, rows, stats, study
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.rows import COLUMNS, Row, to_frame

EVEN = "-1.3863;-1.3863;-1.3863;-1.3863"
SURE = "-0.3567;-2.3026;-2.3026;-2.3026"  # 0.7, 0.1, 0.1, 0.1


def table(*lines, plant=1):
    """Rows of (case, condition, option, logp); the key is option 0."""
    fixed = {"gold": 0, "plant": plant, "plant_rule": "rule", "gold_letter": "A", "plant_letter": "B"}
    fixed |= {"edited": 0, "provenance": "scripted", "key": "0" * 64}
    found = []
    for case, condition, option, logp in lines:
        values = fixed | {"case": case, "cluster": case, "condition": condition, "option": option}
        values |= {"logp": logp, "status": "unparseable" if option is None else "answered"}
        found.append(Row(**{name: values[name] for name in COLUMNS}))
    return to_frame(found)


def test_formats_have_accuracy_log_loss_and_letters():
    found = overview.formats(
        table(
            ("a", "letter", 0, SURE),
            ("b", "letter", 2, EVEN),
            ("c", "letter", None, SURE),
            ("a", "examples", 0, EVEN),
            ("b", "examples", 0, ""),
            ("c", "examples", 3, EVEN),
        )
    ).set_index("format")
    assert list(found.index) == ["letter", "examples"]
    assert found["n"].tolist() == [2, 3]
    assert found["accuracy"].tolist() == pytest.approx([1 / 2, 2 / 3])
    # -(2 log 0.7 + log 0.25) / 3, and -log 0.25 over the two replies that have log-probabilities.
    wanted = [-(2 * math.log(0.7) + math.log(0.25)) / 3, math.log(4)]
    assert found["log_loss"].tolist() == pytest.approx(wanted, abs=1e-3)
    assert found["letters"].tolist() == ["A:1 C:1", "A:2 D:1"]


def test_formats_of_an_engine_without_log_probabilities_lack_only_the_log_loss():
    found = overview.formats(table(("a", "letter", 0, ""), ("b", "letter", 1, ""))).iloc[0]
    assert found["accuracy"] == 0.5 and math.isnan(found["log_loss"])


def test_cases_of_one_patient_count_together_in_every_rate():
    held = table(*((case, "letter", int(case in "ab"), SURE) for case in "abcdef"))
    paired = held.assign(cluster=list("ppqqrr"))
    expected = stats.clustered_rate([0, 0, 1, 1, 1, 1], list("ppqqrr"))
    names = ["accuracy_low", "accuracy_high"]
    assert overview.formats(paired)[names].to_numpy().tolist() == [[expected.low, expected.high]]
    assert overview.formats(held)[names].to_numpy().tolist() != [[expected.low, expected.high]]
    floor = overview.engine_floor(paired, paired.assign(option=[0, 0, 0, 0, 0, 0])).iloc[0]
    differs = stats.clustered_rate([1, 1, 0, 0, 0, 0], list("ppqqrr"))
    assert (floor["rate_low"], floor["rate_high"]) == (differs.low, differs.high)


def test_the_engine_floor_pairs_calls_by_case_and_arm():
    whole = table(
        ("a", "isolated", 0, "-1;-2;-3;-4"),
        ("b", "isolated", 0, "-1;-2;-3;-4"),
        ("c", "isolated", None, "-1;-2;-3;-4"),
        ("a", "two_peers", 1, "-1;-2;-3;-4"),
    )
    reused = table(
        ("a", "isolated", 0, "-1;-2;-3;-4"),
        ("b", "isolated", 1, "-1.3;-2;-3;-4.1"),
        ("c", "isolated", 0, "-1;-2;-3;-4"),
        ("d", "isolated", 3, "-9;-9;-9;-9"),
        ("a", "two_peers", 1, "-1;-2;-3.2;-4"),
        ("a", "one_peer", 1, "-9;-9;-9;-9"),
    )
    found = overview.engine_floor(whole, reused).set_index("condition")
    assert list(found.index) == ["isolated", "two_peers"]
    assert found["n"].tolist() == [2, 1]
    assert found["answers_differ"].tolist() == [1, 0]
    assert found["rate"].tolist() == pytest.approx([1 / 2, 0])
    assert found["mean_difference"].tolist() == pytest.approx([0.4 / 12, 0.2 / 4])
    assert found["largest_difference"].tolist() == pytest.approx([0.3, 0.2])


@pytest.mark.filterwarnings("error")
def test_the_engine_floor_takes_cases_of_four_and_five_options():
    whole = table(("a", "isolated", 0, "-1;-2;-3;-4"), ("b", "isolated", 0, "-1;-2;-3;-4;-5"))
    reused = table(("a", "isolated", 0, "-1;-2;-3;-4"), ("b", "isolated", 0, "-1;-2;-3;-4;-5.9"))
    found = overview.engine_floor(whole, reused).iloc[0]
    assert found["largest_difference"] == pytest.approx(0.9)
    assert found["mean_difference"] == pytest.approx(0.9 / 9)


def write(cohort, model, frame, experiment="peer_cascade"):
    rows.write(frame, rows.path_of(cohort, model, experiment, paths.ROWS))


def cascade(shared):
    lines = [(f"c{number}", "isolated", option, SURE) for number, option in enumerate([0, 0, 2, 0])]
    lines += [(f"c{number}", "irrelevant", option, SURE) for number, option in enumerate([0, 0, 2, 1])]
    lines += [(f"c{number}", "two_peers", option, SURE) for number, option in enumerate(shared)]
    return table(*lines)


def test_across_has_a_line_a_cohort_and_model():
    write("vignettes", "smollm2-135m", cascade([1, 1, 1, 0]))
    write("medqa", "mine", cascade([0, 0, 2, 0]))
    write("medqa", "mine", cascade([0, 0, 2, 0]), "cue_sensitivity")
    found = overview.across()
    assert found[["cohort", "model", "cases"]].to_numpy().tolist() == [
        ["medqa", "mine", 4],
        ["vignettes", "SmolLM2-135M-Instruct (Q4_1)", 4],
    ]
    assert found["accuracy"].tolist() == [0.75, 0.75]
    assert found["contagion"].tolist() == [0, 0.75]
    assert found["irrelevant"].tolist() == [0.25, 0.25]
    control = stats.bonett_price(1, 0, 4)  # one of four goes to the plant, none leaves it
    assert found[["irrelevant_low", "irrelevant_high"]].to_numpy().tolist() == [
        [pytest.approx(control.low), pytest.approx(control.high)]
    ] * len(found)
    assert found["graded"].tolist() == pytest.approx([0, 0])


def test_studies_are_those_of_one_experiment_in_order_and_of_one_model_if_asked():
    for cohort, model in (("vignettes", "b"), ("medqa", "b"), ("medqa", "a")):
        write(cohort, model, cascade([0, 0, 0, 0]))
    write("vignettes", "b", cascade([0, 0, 0, 0]), "other")
    assert [found[:2] for found in overview.studies("peer_cascade")] == [
        ("medqa", "a"),
        ("medqa", "b"),
        ("vignettes", "b"),
    ]
    [*of_b] = overview.studies_of("peer_cascade", "b")
    assert [cohort for cohort, _, _ in of_b] == ["medqa", "vignettes"]
    pd.testing.assert_frame_equal(of_b[0][2], cascade([0, 0, 0, 0]))


def test_recordings_are_counted_shard_by_shard():
    recorder = Recorder(ScriptedModel(lambda _: "B", "m"), Store(paths.RECORDINGS), Mode.RECORD)
    study.run("prompt_format", cohorts.load("vignettes", 2), recorder, "vignettes")
    assert overview.recorded().to_dict("records") == [
        {
            "cohort": "vignettes",
            "model": "m",
            "experiment": "prompt_format",
            "cases": 2,
            "calls": 6,
            "tokens": 0,
            "provenance": "scripted",
        }
    ]


def test_one_primary_a_study_is_corrected_over_all_of_them():
    # Beside two peers all of 4 answer the plant, beside the control the last: p = 2 * 0.5**3.
    write("vignettes", "a", cascade([1] * 4))
    write("vignettes", "b", cascade([0] * 4))
    found = overview.primaries().set_index("model")
    assert found["experiment"].tolist() == ["peer_cascade"] * 2
    assert found[["arm", "baseline"]].to_numpy().tolist() == [["two_peers", "irrelevant"]] * 2
    assert found["p"].tolist() == pytest.approx([0.25, 1.0])
    assert found["holm"].tolist() == pytest.approx([0.5, 1.0])
    assert found["shared_with"].tolist() == [0, 0]


def test_every_experiment_with_a_family_has_a_primary_on_the_same_cases():
    recorded = ("cue_sensitivity", "peer_cascade", "break_it", "referee_detection", "hidden_rubric")
    for experiment in recorded:
        recorder = Recorder(ScriptedModel(lambda _: "B", "m"), Store(paths.RECORDINGS), Mode.RECORD)
        frame = study.run(experiment, cohorts.load("vignettes", 6), recorder, "vignettes")
        write("vignettes", "m", frame, experiment)
    found = overview.primaries()
    assert found["experiment"].tolist() == list(overview.PRIMARIES) == list(recorded)
    assert found["shared_with"].tolist() == [4] * 5
    # Whoever always says B is moved by nothing but the order: 6 flips of 6, and none by chance.
    assert found["p"].tolist() == pytest.approx([2 * 0.5**6, 1, 1, 1, 1])


def test_nothing_recorded_has_no_primaries():
    assert overview.primaries().empty


def test_cases_of_two_options_have_the_next_contrast_as_their_primary():
    arms = ("isolated", "two_peers", "irrelevant")
    both = [(f"c{number}", arm, 0, SURE) for number in range(4) for arm in arms]
    flag = [(f"c{number}", "system_flag", 1, SURE) for number in range(4)]
    write("support2", "m", table(*both, *flag))
    write("support2", "m", table(*both[::3]), "break_it")
    found = overview.primaries().set_index("experiment")
    assert found.loc["break_it", ["arm", "baseline"]].tolist() == ["system_flag", "isolated"]
    assert found.loc["break_it", "p"] == pytest.approx(2 * 0.5**4)
