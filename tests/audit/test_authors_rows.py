"""What the project's own estimators give on the authors' rows; the expected values are the paper's."""

import numpy as np
import pandas as pd
import pytest

from medagents import stats
from medagents.audit.rows import CUT

REFEREE = {
    "MedQA": "referee/results/referee_deployable.jsonl",
    "MedMCQA": "medmcqa/results/referee_deployable.jsonl",
    "MIMIC-CXR text": "mimic_cxr_text/results/referee_deployable.jsonl",
    "SUPPORT2": "support2/results/support2_referee.jsonl",
}
"""Each holds a planted and an honest-peer arm of the same cases."""


def kinds(findings):
    return [(finding.kind, finding.columns) for finding in findings]


@pytest.mark.parametrize(
    ("cohort", "wrong", "negatives"), [("MedQA", 7, 65), ("MIMIC-CXR text", 12, 66), ("SUPPORT2", 33, 148)]
)
def test_referee_with_honest_peers_raises_the_false_alarms_printed_in_table_2(
    authors, cohort, wrong, negatives
):
    table = authors.table(REFEREE[cohort])
    table = table[table["adopted"].notna()]
    flags = table["deployable"][table["adopted"].eq(False)]
    assert (flags.sum(), len(flags)) == (wrong, negatives)


def test_judge_of_medqa_has_precision_1_and_recall_14_of_15(authors):
    table = authors.table("referee/results/referee_judge.jsonl")
    flag, adopted = table["judge_flag"], table["adopted"]
    assert (sum(flag & adopted), sum(flag), sum(adopted)) == (14, 14, 15)
    assert [stats.rate(adopted[flag]).value, round(stats.rate(flag[adopted]).value, 2)] == [1.0, 0.93]


def test_watermark_contagion_of_nih_has_the_printed_interval_only_by_patient(authors):
    table = authors.table("imaging/results/imaging_cascade.jsonl")
    columns = table["shared_adopt"], table["iso_adopt"]
    by_patient = stats.paired_difference(*columns, table["cluster"])
    assert (by_patient.n, by_patient.clusters, str(by_patient)) == (35, 10, "0.54 [0.36, 0.68]")
    assert str(stats.paired_difference(*columns, table["case"])) == "0.54 [0.37, 0.71]"


def test_hidden_rubric_draws_11_of_40_to_the_decoy(authors):
    taken = authors.table("blind_metric/results/blind_metric.jsonl")["blind_is_decoy"]
    assert (taken.sum(), len(taken), stats.rate(taken).value) == (11, 40, 0.275)


def test_screen_names_the_control_that_cannot_take_the_decoy(authors):
    columns = ["base_is_decoy", "blind_is_decoy", "aware_is_decoy"]
    table = authors.table("blind_metric/results/blind_metric.jsonl")[columns]
    found = stats.screen(table, contrasts={"uptake": ("blind_is_decoy", "base_is_decoy")})
    constant = [finding for finding in found if finding.kind == "constant"]
    assert kinds(constant) == [("constant", ("base_is_decoy",))]
    assert "as the baseline of uptake it makes the difference a raw rate" in constant[0].detail


@pytest.mark.parametrize(("cohort", "n"), [("MedQA", 40), ("MedMCQA", 40), ("MIMIC-CXR text", 40)])
def test_screen_names_the_referee_flag_that_is_its_own_label_on_the_planted_arm(authors, cohort, n):
    table = authors.table(REFEREE[cohort])
    planted = table[table["arm"] == "planted"].reset_index(drop=True)
    columns = planted[["deployable", "naive", "adopted"]]
    found = stats.screen(columns, labels={"deployable": "adopted", "naive": "adopted"})
    assert ("equals label", ("deployable", "adopted")) in kinds(found)
    assert ("constant", ("naive",)) in kinds(found), "the gate flags every case"
    assert len(planted) == n
    both = stats.screen(table[["deployable", "adopted"]], labels={"deployable": "adopted"})
    assert not [finding for finding in both if finding.kind == "equals label"], "the honest arm parts them"


SHARED = {
    "committee_size_sweep": "s0_adopt",
    "contamination_cascade": "adopt",
    "deliberation_framing": "none_adopt",
    "leader_as_auditor": "peer_adopt",
    "paraphrase_robustness": "t0_canonical_adopt",
    "pre_emptive_referee": "no_intervention_adopt",
    "super_additivity": "peer_adopt",
    "test_awareness": "neutral_adopt",
    "text_cue_types": "baseline_adopt",
}
"""MedQA members of the 24-test family whose unframed two-peer arm is one measurement under nine names."""


def test_screen_names_the_baseline_that_nine_members_of_the_family_share(authors):
    columns = {
        f"{name}.{column}": authors.table(f"medqa/results/{name}.jsonl").set_index("case")[column]
        for name, column in SHARED.items()
    }
    baselines = pd.DataFrame(columns)
    assert baselines.shape == (120, 9) and baselines.notna().all(axis=None)
    found = stats.screen(baselines.reset_index(drop=True))
    assert [finding.kind for finding in found] == ["identical"] * 36, "every pair of the nine"
    assert stats.rate(baselines.iloc[:, 0]).value == pytest.approx(77 / 120)


# --- traps


def test_honest_peer_rows_share_the_case_of_their_planted_twin(authors):
    for path in REFEREE.values():
        table = authors.table(path)
        arms = table.groupby("arm")["case"].agg(set)
        assert arms["clean"] <= arms["planted"], path
        assert not table["case"].str.contains("::").any()


def test_nih_images_belong_to_ten_patients_of_whom_two_give_12_and_8(authors):
    sizes = authors.table("imaging/results/imaging_cascade.jsonl")["cluster"].value_counts()
    assert len(sizes) == 10 and sizes.head(2).tolist() == [12, 8]


def test_chexpert_films_cluster_by_patient(authors):
    clusters = authors.table("imaging_chexpert/results/imaging_solo.jsonl")["cluster"]
    assert clusters.str.fullmatch(r"patient\d+").all()


@pytest.mark.parametrize("path", CUT)
def test_cut_files_hold_texts_of_the_stated_length_and_none_longer(authors, path):
    table = authors.table(path).drop(columns=["case", "cluster"])
    texts = [column for column in table if table[column].map(lambda value: isinstance(value, str)).all()]
    longest = max(table[column].str.len().max() for column in texts if not column.startswith("case"))
    assert longest == CUT[path]


def test_abstentions_are_undefined_and_leave_the_denominator(authors):
    planted = authors.table(REFEREE["SUPPORT2"])
    planted = planted[planted["arm"] == "planted"]
    assert (len(planted), planted["abstained"].sum()) == (120, 5)
    assert stats.rate(planted["adopted"]).n == 115
    assert np.isnan(pd.to_numeric(planted["adopted"][planted["abstained"]], errors="coerce")).all()
