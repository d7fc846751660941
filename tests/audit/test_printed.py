"""The printed values that figures set beside ours, against the claims they were taken from."""

import csv

import pandas as pd
import pytest

from medagents import audit, paths
from medagents.audit import verdicts
from medagents.committees import break_it, hidden_rubric
from medagents.committees.cascade import ARMS
from medagents.detection import DETECTORS
from medagents.experiments.cue_sensitivity import CONDITIONS

EXPERIMENTS = ("cue_sensitivity", "peer_cascade", "break_it", "referee_detection", "hidden_rubric")

KNOWN = {
    "cue_sensitivity": CONDITIONS,
    "peer_cascade": tuple(arm.name for arm in ARMS),
    "break_it": ("two_peers", *(arm.name for arm in break_it.ARMS)),
    "referee_detection": DETECTORS,
    "hidden_rubric": tuple(arm.name for arm in hidden_rubric.ARMS),
}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_printed_counts_make_the_printed_rates(experiment):
    for line in audit.printed(experiment).itertuples():
        assert line.k == round(line.value * line.n)
        assert abs(line.k / line.n - line.value) <= 0.005, "further than two printed decimals allow"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_printed_line_belongs_to_a_condition_that_is_run(experiment):
    printed = audit.printed(experiment)
    assert len(printed)
    assert set(printed["condition"]) <= set(KNOWN[experiment])
    assert not printed.duplicated(["condition", "cohort", "model", "quantity"]).any()
    assert " ".join(printed.columns) == "condition cohort model quantity value k n section claim_id source"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_printed_line_says_where_its_value_was_read_as_its_claim_does(experiment):
    claims = {claim.claim_id: claim for claim in verdicts.claims()}
    for line in audit.printed(experiment).itertuples():
        claim = claims[line.claim_id]
        assert (line.value, line.source) == (float(claim.printed.split()[0]), claim.where_printed)


def test_values_of_table_bodies_are_from_the_release_documents():
    lines = pd.concat([audit.printed(name) for name in EXPERIMENTS])
    release = lines[lines["source"].str.contains("release documents")]
    assert set(release["section"]) == {"Table 1", "Table 2"}
    assert sorted(release["value"]) == [0.11, 0.12, 0.23, 0.41, 0.64, 0.68, 1.0]


def test_an_experiment_of_which_nothing_is_printed_has_no_lines():
    assert audit.printed("engine_check").empty


@pytest.fixture(scope="module")
def claims():
    folder = paths.artefacts()
    if folder is None or not (folder / "claims.csv").is_file():
        pytest.skip("MEDAGENTS_ARTEFACTS is unset or has no claims.csv")
    with (folder / "claims.csv").open(newline="", encoding="utf-8") as stream:
        return {claim["claim_id"]: claim for claim in csv.DictReader(stream)}


WORDS = {
    "one_peer": "one bare peer",
    "two_peers": "two-peer cascade",
    "two_confident": "confident adoption",
    "two_hedged": "hedged adoption",
    "two_anchored": "adoption anchored",
    "warned": "adoption with warning",
    "rubric": "decoy uptake",
}
"""How the claims name an arm; a cue, a framing and a detector have the same name in both."""

UNFRAMED = "adoption none"
"""The two peers of the break-it sweep, which its framings are compared with."""


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_printed_values_are_those_of_the_claims(experiment, claims):
    for line in audit.printed(experiment).itertuples():
        claim_id = line.claim_id
        claim = claims[claim_id]
        assert (line.value, line.n) == (float(claim["value_as_printed"].split()[0]), float(claim["n"]))
        assert line.section.replace(" ", "") in claim["section"], claim_id
        size = "" if experiment == "referee_detection" else f" n={line.n}"  # there n is of a rate
        assert claim["cohort"].casefold().startswith(f"{line.cohort.casefold()}{size}"), claim_id
        said = f"{claim['experiment']} {claim['quantity']}"
        framed = experiment == "break_it" and line.condition == "two_peers"
        assert (UNFRAMED if framed else WORDS.get(line.condition, line.condition)) in said, claim_id
        if "flash" in claim["cohort"]:
            assert ("flash-lite" in claim["cohort"]) == (line.model == "gemini-2.5-flash-lite"), claim_id


def test_the_count_of_two_peers_is_printed_as_such(claims):
    line = audit.printed("peer_cascade").set_index("condition").loc["two_peers"]
    assert f"{line['k']} of {line['n']}" == claims["C036"]["value_as_printed"]
