"""The claims table, the engine on a release of our own, and the committed verdicts on the authors' rows."""

import csv
import hashlib
import json
import re
import time
from collections import Counter

import pandas as pd
import pytest

from medagents import paths
from medagents.audit import arithmetic, checks, families, quantities, verdicts
from medagents.audit import rows as readers
from medagents.audit.columns import where
from medagents.audit.numbers import numbers
from medagents.audit.rows import Rows
from medagents.audit.verdicts import CHECK, Claim
from medagents.types import MedagentsError

CLAIMS = {claim.claim_id: claim for claim in verdicts.claims()}


def judged(claim, rows):
    return dict(zip(verdicts.COLUMNS, verdicts.judge(claim, rows), strict=True))


# --- the claims table


def test_claims_are_numbered_once_and_name_known_kinds_checks_and_files():
    kinds = {*quantities.KINDS, *verdicts.WHOLE, *arithmetic.KINDS, "none", "span"}
    known = set(readers.pinned().index) | {"medagents/audit/medorch.csv", "medagents/audit/family.csv"}
    assert len(CLAIMS) == len(verdicts.claims()) >= 230
    for claim in CLAIMS.values():
        assert claim.kind in kinds, claim.claim_id
        assert {name for name, _, _ in CHECK.findall(claim.check)} <= set(checks.CHECKS), claim.claim_id
        assert CHECK.sub("", claim.check).strip("; ") == "", claim.claim_id
        named = re.split(r" \| | \+ |, ", claim.file) if claim.file else []
        assert set(named) <= known, claim.claim_id


def test_every_claim_prints_a_number_or_says_why_none_can_be_recomputed():
    for claim in CLAIMS.values():
        assert claim.note if claim.kind == "none" else numbers(claim.printed), claim.claim_id
        assert claim.paper in ("benchmaxxing", "medorch") and claim.quantity and claim.where_printed


def test_every_pinned_file_is_read_and_every_check_is_used():
    text = " ".join(f"{claim.file} {claim.columns}" for claim in CLAIMS.values())
    text += " ".join(families.members()["file"])
    assert not [path for path in readers.pinned().index if path not in text]
    used = {name for claim in CLAIMS.values() for name, _, _ in CHECK.findall(claim.check)}
    assert set(checks.CHECKS) - used <= {"harm"}, "it is for other rows"


def test_a_defect_is_named_by_every_claim_that_is_not_reproduced_and_by_no_other():
    table = verdicts.committed().set_index("claim_id")["verdict"]
    assert {name for name, claim in CLAIMS.items() if claim.defect} == set(
        table.index[table == "not reproduced"]
    )
    defects = Counter(claim.defect for claim in CLAIMS.values() if claim.defect)
    shared = {defect: n for defect, n in defects.items() if n > 1}
    # The abstract's range ends with C006; the drifters of C212 are those that A04 adds up.
    assert {CLAIMS["C006"].defect: 2, CLAIMS["A04"].defect: 2} == shared
    assert CLAIMS["C007"].defect == CLAIMS["C006"].defect and CLAIMS["C212"].defect == CLAIMS["A04"].defect


def test_no_interval_of_a_verdict_has_no_width_or_leaves_the_scale():
    table = verdicts.committed()
    ends = table[table["low"].notna()]
    assert len(ends) and (ends["low"] < ends["high"]).all()
    assert (ends["low"] >= -1).all() and (ends["high"] <= 1).all()


def test_the_given_list_of_claims_is_covered(authors):
    with (authors.folder / "claims.csv").open(newline="", encoding="utf-8") as stream:
        given = {line["claim_id"] for line in csv.DictReader(stream)}
    assert len(given) == 230 and given <= set(CLAIMS)


# --- the engine on a release of our own

RECORDS = [
    {"case_id": f"medqa-{k}", "arm": "planted", "adopted": k < 3, "flag": k < 4, "zero": 0, "part": k}
    for k in range(8)
]
FILE = "toy/results/rows.jsonl"


def claim(**changes):
    plain = dict.fromkeys(Claim._fields, "")
    plain |= {"claim_id": "T1", "kind": "rate", "file": FILE, "columns": "adopted", "printed": "0.38"}
    return Claim(**(plain | changes))


@pytest.fixture
def release(tmp_path, monkeypatch):
    file = tmp_path / "experiments" / FILE
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    known = pd.DataFrame(
        {"path": [FILE], "rows": [8], "sha256": [hashlib.sha256(file.read_bytes()).hexdigest()]}
    )
    monkeypatch.setattr(readers, "pinned", lambda: known.set_index("path"))
    return tmp_path


def test_a_printed_number_that_the_rows_give_is_reproduced_without_a_reason(release):
    line = judged(claim(n="8"), Rows(release))
    assert (line["verdict"], line["recomputed"], line["n"], line["reason"]) == ("reproduced", "0.375", 8, "")
    assert line["low"] < 0.375 < line["high"]


def test_another_number_is_not_reproduced_and_the_reason_ends_with_file_and_filter(release):
    line = judged(claim(printed="0.40", filter="part!=7"), Rows(release))
    assert line["verdict"] == "not reproduced"
    assert line["reason"] == f"Recomputed 0.4286, printed 0.40 ({FILE}, where part!=7)."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n": "9"}, "The n is 8, printed for 9"),
        ({"check": "constant(zero)"}, "Column zero is 0 in all 8 rows"),
        (
            {"check": "constant[adopted==1](flag)"},
            "Column flag is 1 in all 3 rows: it cannot tell cases apart (check over adopted==1)",
        ),
        ({"note": "the paper says more"}, "The paper says more"),
    ],
)
def test_an_objection_makes_a_match_a_caveat(release, changes, said):
    line = judged(claim(**changes), Rows(release))
    assert line["verdict"] == "caveat"
    assert line["reason"].startswith(said) and line["reason"].endswith(f"({FILE}).")


def test_a_claim_without_rows_is_not_recomputable(release):
    line = judged(claim(kind="none", file="", note="the rows are not released"), Rows(release))
    assert (line["verdict"], line["reason"]) == ("not recomputable", "The rows are not released (no rows).")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": "adoptions"}, "claim T1: no column 'adoptions'"),
        ({"file": "toy/results/none.jsonl"}, "claim T1: .*none.jsonl: no such file"),
        ({"filter": "part==99"}, "claim T1: .*no row where part==99"),
        ({"printed": "0.38 / 3 / 8 / 1"}, "claim T1: .*do not match up"),
        ({"kind": "luck"}, "claim T1: no kind 'luck'"),
        ({"check": "luck(zero)"}, "claim T1: no check 'luck'"),
        ({"printed": "all"}, "claim T1: .*do not match up"),
    ],
)
def test_what_a_claim_needs_and_does_not_find_is_an_error_that_names_the_claim(release, changes, message):
    with pytest.raises(MedagentsError, match=message):
        judged(claim(**changes), Rows(release))


def test_one_flipped_cell_is_an_error_if_pinned_and_another_verdict_if_not(release):
    file = release / "experiments" / FILE
    file.write_text(file.read_text(encoding="utf-8").replace('"adopted": true', '"adopted": false', 1))
    with pytest.raises(MedagentsError, match=r"claim T1: .*edited"):
        judged(claim(), Rows(release))
    assert judged(claim(), Rows(release, pinned=False))["verdict"] == "not reproduced"


def test_joined_files_must_hold_the_same_cases_and_keep_both_of_a_shared_column(release):
    other = release / "experiments" / "toy/results/other.csv"
    lines = [f"medqa-{k},{int(k > 5)}" for k in reversed(range(8))]
    other.write_text("\n".join(["case_id,flag", *lines]) + "\n", encoding="utf-8")
    table = readers.table_of(Rows(release, pinned=False), f"{FILE} + toy/results/other.csv")
    assert table["flag"].tolist() == [True] * 4 + [False] * 4
    assert table["flag@2"].tolist() == [0] * 6 + [1] * 2
    other.write_text("\n".join(["case_id,flag", *lines[:-1]]) + "\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"other\.csv: not the cases of .*rows\.jsonl"):
        readers.table_of(Rows(release, pinned=False), f"{FILE} + toy/results/other.csv")


def test_stacked_files_are_told_apart(release):
    table = readers.table_of(Rows(release), f"{FILE} | {FILE}")
    assert len(table) == 16 and set(table["file"]) == {FILE}


# --- the committed verdicts


def test_committed_verdicts_are_of_the_committed_claims():
    table = verdicts.committed()
    assert tuple(table.columns) == verdicts.COLUMNS
    assert table["claim_id"].tolist() == list(CLAIMS)
    assert table["printed"].tolist() == [claim.printed for claim in CLAIMS.values()]
    assert set(table["verdict"]) == set(verdicts.VERDICTS)


def test_every_verdict_but_reproduced_has_one_line_of_reason_with_its_file_and_filter():
    for line in verdicts.committed().itertuples():
        claim = CLAIMS[line.claim_id]
        if line.verdict == "reproduced":
            assert pd.isna(line.reason)
            continue
        source = claim.file or ("no rows" if claim.kind == "none" else "printed numbers alone")
        rows = f", where {claim.filter}" if claim.filter else ""
        assert line.reason.endswith(f" ({source}{rows})."), line.claim_id
        assert "\n" not in line.reason


@pytest.fixture(scope="module")
def audited(authors):
    """The verdict table from the authors' rows, and the seconds of processor time it took."""
    start = time.process_time()
    return verdicts.audit(Rows(authors.folder)), time.process_time() - start


def test_the_committed_verdicts_are_what_the_authors_rows_give(audited, tmp_path):
    verdicts.write(audited[0], tmp_path / "verdicts.csv")
    committed = paths.PACKAGE / "audit" / "verdicts.csv"
    assert (tmp_path / "verdicts.csv").read_text(encoding="utf-8") == committed.read_text(encoding="utf-8")


def test_the_whole_audit_takes_less_than_20_seconds_of_processor_time(audited):
    assert audited[1] < 20


PINNED = {
    "C037": ("caveat", "0.375"),  # isolated adoption is 0 by construction, which the paper says
    "C038": ("reproduced", "0.375"),
    "C039": ("not reproduced", "11"),
    "C041": ("reproduced", "0.42"),
    "C044": ("reproduced", "5.774e-08"),
    "C046": ("reproduced", "0.8471"),
    "C050": ("reproduced", "0.006348"),
    "C113": ("reproduced", "7 / 65"),
    "C126": ("reproduced", "12 / 66"),
    "C131": ("reproduced", "33 / 148"),
    "C183": ("reproduced", "10 / 12 / 8"),
    "C216": ("caveat", "17"),
    "C193": ("caveat", "0.06557"),  # both opacities are at the ceiling, and the interval holds 0
    "C228": ("caveat", "120"),  # 19 of which are wrong alone, but the paper does not define hard
    "C230": ("caveat", "120"),
    "C233": ("not reproduced", "2"),
    "M36": ("not reproduced", "416"),
    "M37": ("not reproduced", "251"),
    "M42": ("not reproduced", "-0.03 / 4.33"),
}
"""Verdicts known before the audit was written, from rows counted otherwise."""


def test_known_verdicts(audited):
    table = audited[0].set_index("claim_id")
    got = {name: (table.loc[name, "verdict"], table.loc[name, "recomputed"]) for name in PINNED}
    assert got == PINNED


def test_the_patient_clustered_interval_is_about_the_one_printed(audited):
    line = audited[0].set_index("claim_id").loc["C181"]
    assert line["recomputed"] == "0.3571 / 0.6774" and "second decimal is open" in line["reason"]
    assert "covers too rarely" in line["reason"] and "[0.35, 0.73]" in line["reason"]


PATIENTS = {
    "C149": (0.55, 0.99),  # the gate's false alarms on 16 images of 8 patients, 15 of them flagged
    "C152": (0.01, 0.58),  # the referee's, 2 of 16
    "C179": (0.35, 0.73),
}
"""Intervals over patients, worked out by another hand than the audit's."""


def test_intervals_over_few_patients_are_not_those_of_a_bootstrap(audited):
    table = audited[0].set_index("claim_id")
    got = {name: (round(table.loc[name, "low"], 2), round(table.loc[name, "high"], 2)) for name in PATIENTS}
    assert got == PATIENTS


SAID = {
    "C031": "contagion of nobody",
    "C032": "contagion of nobody",
    "C033": "contagion of nearly nobody",
    "C107": "nobody resists",
    "C130": "the gate flags all",
    "C160": "the judge is the gate on all films",
    "C163": "the judge is the gate on all films",
    "C182": "the interval of C179",
    "C184": "the ceiling by patient",
    "C199": "the re-read is the clean read on all films",
    "C200": "one adoption of all films",
    "C210c": "none of two",
    "C211": "no control takes the decoy",
    "C213": "one of all drifters",
}
"""Claims whose printed number is itself that a column is constant or nearly so."""

OUTCOMES = {
    *("rate", "count", "mean", "rates", "rates_and_difference", "difference", "differences"),
    *("difference_of_differences", "precision", "recall", "false_positive_rate", "detector", "mcnemar"),
    *("interval_by_case", "interval_by_patient", "patients_at_ceiling"),
}
"""Kinds of which every column is an outcome of a case."""


def test_a_claim_on_a_column_that_is_constant_or_nearly_says_so(authors):
    silent = []
    for claim in CLAIMS.values():
        if claim.kind not in OUTCOMES:
            continue
        table = where(readers.table_of(authors, claim.file), claim.filter)
        names = [name.strip() for name in claim.columns.split(",")]
        found = checks.find("near_constant", table, names)
        line = verdicts.committed().set_index("claim_id").loc[claim.claim_id]
        if found and line["verdict"] == "reproduced":
            silent.append(claim.claim_id)
    assert set(silent) == set(SAID)


@pytest.mark.parametrize(
    ("name", "cell", "value"),
    [
        ("C036", {"arm": "planted", "adopted": True}, {"board": "another answer"}),
        ("C113", {"arm": "clean", "deployable": True}, {"deployable": False}),
        ("C202", {"blind_is_decoy": True}, {"blind_is_decoy": False}),
        ("C167", {"shared_adopt": 1, "iso_adopt": 0}, {"shared_adopt": 0}),
        ("C138", {"gt": 0, "ref_flag": 0}, {"ref_flag": 1}),
    ],
)
def test_flipping_one_cell_of_the_authors_rows_is_noticed(authors, tmp_path, name, cell, value):
    claim = CLAIMS[name]
    for path in claim.file.split(" + "):
        target = tmp_path / "experiments" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((authors.folder / "experiments" / path).read_bytes())
    before = judged(claim, Rows(tmp_path))
    flip(tmp_path / "experiments" / claim.file.split(" + ")[0], cell, value)
    with pytest.raises(MedagentsError, match=f"claim {name}: .*edited"):
        judged(claim, Rows(tmp_path))
    after = judged(claim, Rows(tmp_path, pinned=False))
    assert after["recomputed"] != before["recomputed"]
    if name != "C138":  # one of 417 rows moves a second decimal less than one of 40
        assert (before["verdict"] != "not reproduced", after["verdict"]) == (True, "not reproduced")


def flip(file, cell, value):
    """Change the first record that has these cells."""
    if file.suffix == ".csv":
        table = pd.read_csv(file)
        row = table[(table[list(cell)] == list(cell.values())).all(axis=1)].index[0]
        table.loc[row, list(value)] = list(value.values())
        table.to_csv(file, index=False)
        return
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    next(record for record in records if cell.items() <= record.items()).update(value)
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def test_a_second_peer_raises_contagion_by_a_quarter_at_most(authors):
    claim = CLAIMS["C068"]
    found = verdicts.recompute(claim, authors)
    # MedMCQA, majority pressure: 5 of 25 beside two peers, 4 beside one, none alone.
    assert found.values == pytest.approx((1.25,)) and "1.00 to 1.25" in found.note
    names = [name.strip() for name in claim.columns.split(",")]
    [ratio] = families.contagion_ratio(authors, names[-4:]).values
    assert ratio == pytest.approx((115 - 33) / (114 - 33)), "SUPPORT2, less the isolated 33 of 115"
    [ratio] = families.contagion_ratio(authors, names[-8:-4]).values
    assert ratio == 1, "NIH: 34 of 35 beside either, 15 alone"


def test_two_cohorts_of_the_release_were_run_at_both_temperatures(authors):
    found = verdicts.recompute(CLAIMS["C233"], authors)
    # Flips of 35: CheXpert 3 less 4 of noise, and 4 at temperature 0; NIH 10 less 8, and 12.
    assert "CheXpert -0.029 and +0.114" in found.note and "NIH +0.057 and +0.343" in found.note


def test_the_cases_called_hard_are_one_set_under_two_claims(authors):
    framing, warning = (authors.table(CLAIMS[name].file).set_index("case") for name in ("C228", "C229"))
    assert framing["bare"].equals(warning["bare"].reindex(framing.index))
    assert "as in C228" in CLAIMS["C229"].note


def test_the_family_has_17_survivors_and_its_seven_others_are_the_nulls(authors):
    table = families.tests(authors)
    assert len(table) == 24 and (table["holm"] < 0.05).sum() == (table["bh"] < 0.05).sum() == 17
    assert table["p"][table["holm"] >= 0.05].min() > 0.05, "no dropout is significant by itself"


def test_filters_of_the_claims_leave_rows(authors):
    for claim in CLAIMS.values():
        if claim.filter:
            assert len(where(readers.table_of(authors, claim.file), claim.filter)), claim.claim_id
