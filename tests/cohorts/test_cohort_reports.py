"""Chest reports in both layouts, on small files of our own; the real Open-i archive where it is."""

import gzip
import io
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from medagents import cohorts, paths
from medagents.cohorts import MissingData, Selection, reports
from medagents.types import Case, MedagentsError

DATA = paths.data() or Path("no-data")
needs_openi = pytest.mark.skipif(
    not (DATA / reports.OPENI).exists(),
    reason=f"MEDAGENTS_DATA has no {reports.OPENI}; python -m medagents fetch reports gets it",
)

ENLARGED = "The heart is enlarged. No effusion is seen."
UNDESCRIBED = "the findings section does not describe the finding"
HEART = {"Cardiomegaly": "1.0"}


def xml(number: int, findings: str | None = ENLARGED, headings: tuple[str, ...] = ("Cardiomegaly",)) -> str:
    text = "<AbstractText Label='FINDINGS'/>"
    if findings is not None:
        text = f"<AbstractText Label='FINDINGS'>{findings}</AbstractText>"
    majors = "".join(f"<major>{heading}</major>" for heading in headings)
    return (
        f"<?xml version='1.0' encoding='utf-8'?><eCitation><uId id='CXR{number}'/><MedlineCitation><Article>"
        f"<Abstract><AbstractText Label='INDICATION'>Cough</AbstractText>{text}"
        "<AbstractText Label='IMPRESSION'>Cardiomegaly, surely.</AbstractText></Abstract></Article>"
        f"</MedlineCitation><MeSH>{majors}<automatic>pneumonia</automatic></MeSH></eCitation>"
    )


def openi(folder: Path, *files: str) -> Selection:
    """The cohort made from an archive in Open-i's layout."""
    file = folder / reports.OPENI
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        top = tarfile.TarInfo("ecgen-radiology")
        top.type = tarfile.DIRTYPE
        archive.addfile(top)
        for place, text in enumerate(files, start=1):
            member = tarfile.TarInfo(f"ecgen-radiology/{place}.xml")
            content = text.encode()
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return reports.openi(folder)


LABELS = (
    "Atelectasis,Cardiomegaly,Consolidation,Edema,Enlarged Cardiomediastinum,Fracture,Lung Lesion,"
    "Lung Opacity,No Finding,Pleural Effusion,Pleural Other,Pneumonia,Pneumothorax,Support Devices"
)
REPORT = """                                 FINAL REPORT
 EXAMINATION:  CHEST (PA AND LAT)

 INDICATION:  ___ year old man with cough  // pneumonia?

 FINDINGS:

 {findings}

 IMPRESSION:

 Cardiomegaly without edema.
"""


def mimic(
    folder: Path,
    rows: list[tuple[str, str, dict[str, str]]],
    findings: str | None = ENLARGED,
    header: str = LABELS,
) -> Selection:
    """The cohort made from files in MIMIC-CXR's layout, every report with the same findings section."""
    names = header.split(",")
    lines = [f"subject_id,study_id,{header}"]
    for patient, study, labels in rows:
        lines.append(",".join([patient, study, *(labels.get(name, "") for name in names)]))
        if findings is not None:
            text = folder / reports.MIMIC_REPORTS / f"p{patient[:2]}" / f"p{patient}" / f"s{study}.txt"
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_text(REPORT.format(findings=findings))
    file = folder / reports.MIMIC_LABELS
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    return reports.mimic(folder)


# What both layouts share


def test_the_report_is_a_question_with_its_finding_among_four(tmp_path: Path) -> None:
    (case,) = openi(tmp_path, xml(7)).cases
    assert case.id == "openi-CXR7" and case.options[case.gold] == "Cardiomegaly"
    assert len(case.options) == 4 and set(case.options) <= {finding.name for finding in reports.FINDINGS}
    assert case.stem.endswith(f"report: {ENLARGED}\nWhich finding does this report describe?")


def test_neither_the_indication_nor_the_impression_is_shown(tmp_path: Path) -> None:
    (case,) = openi(tmp_path, xml(7)).cases
    assert "surely" not in case.stem and "Cough" not in case.stem
    (case,) = mimic(tmp_path, [("10000032", "50414267", {"Cardiomegaly": "1.0"})]).cases
    assert "without edema" not in case.stem and "year old" not in case.stem and ENLARGED in case.stem


@pytest.mark.parametrize(
    ("findings", "headings", "reason"),
    [
        (None, ("Cardiomegaly",), "empty findings section"),
        ("XXXX XXXX.", ("Cardiomegaly",), "empty findings section"),
        (ENLARGED, ("normal",), "none or several of the findings"),
        (ENLARGED, (), "none or several of the findings"),
        (ENLARGED, ("Cardiomegaly", "Pneumonia"), "none or several of the findings"),
        (
            "Mild cardiomegaly. The heart is enlarged.",
            ("Cardiomegaly",),
            "the findings section names the finding",
        ),
        (
            "The heart is not enlarged.",
            ("Cardiomegaly",),
            "the findings section does not describe the finding",
        ),
        ("Clear lungs.", ("Cardiomegaly",), "the findings section does not describe the finding"),
        (f"{ENLARGED} {'x' * 600}", ("Cardiomegaly",), "findings section over 600 characters"),
    ],
)
def test_an_unfit_report_is_refused_with_its_file_and_reason(
    tmp_path: Path, findings: str | None, headings: tuple[str, ...], reason: str
) -> None:
    selection = openi(tmp_path, xml(1, findings, headings))
    assert not selection.cases
    (entry,) = selection.refused
    assert (entry.id, entry.file, entry.reason) == ("openi-CXR1", "ecgen-radiology/1.xml", reason)


def test_a_finding_that_the_report_may_have_is_no_wrong_option(tmp_path: Path) -> None:
    # an opacity may be atelectasis, edema, a lesion or pneumonia
    (case,) = openi(tmp_path, xml(1, headings=("Cardiomegaly", "Opacity/lung/base"))).cases
    assert set(case.options) == {"Cardiomegaly", "Pleural effusion", "Pneumothorax", "Fracture"}


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("The heart is enlarged, without congestion.", "Cardiomegaly"),
        ("Old rib deformities and no congestion.", "Fracture"),
        ("A 4 cm round opacity; otherwise clear lungs, free of air.", "Lung lesion"),
        ("Streaky opacities at both bases without change.", "Atelectasis"),
        ("No rib deformity.", "Fracture"),
    ],
)
def test_a_word_that_denies_something_else_makes_no_finding_a_wrong_option(
    tmp_path: Path, text: str, finding: str
) -> None:
    blunt = f"{text} Blunting of the left costophrenic angle."
    cases = openi(tmp_path, *(xml(n, blunt, ("Pleural Effusion",)) for n in range(1, 61))).cases
    assert len(cases) == reports.PER_FINDING and {case.meta["finding"] for case in cases} == {
        "Pleural effusion"
    }
    assert not [case.id for case in cases if finding in case.options]


def test_a_report_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        MedagentsError, match=r"/2\.xml, line 1: openi-CXR1 stands in ecgen-radiology/1\.xml, line 1, too"
    ):
        openi(tmp_path, xml(1), xml(1, "Clear lungs."))


def test_too_few_wrong_options_refuse_the_report(tmp_path: Path) -> None:
    headings = ("Cardiomegaly", "Opacity/lung/base", "Deformity/ribs")  # which may be a fracture
    selection = openi(tmp_path, xml(1, headings=headings))
    assert [entry.reason for entry in selection.refused] == [
        "fewer than 3 findings that it surely does not describe"
    ]


def test_what_the_text_describes_is_no_wrong_option_either(tmp_path: Path) -> None:
    text = "The heart is enlarged. The right costophrenic sulcus is blunted. Old rib deformities."
    cases = openi(tmp_path, *(xml(number, text) for number in range(1, 30))).cases
    assert len(cases) == 29
    assert all(not {"Pleural effusion", "Fracture"} & set(case.options) for case in cases)


@pytest.mark.parametrize(
    ("name", "said", "denied"),
    [
        ("Cardiomegaly", "Heart size is mildly enlarged.", "Heart size is normal, not enlarged."),
        ("Pneumonia", "A patchy infiltrate within the right base.", "No infiltrate within the right base."),
        ("Atelectasis", "Streaky opacities at both bases.", "Without focal opacity."),
        ("Pleural effusion", "Blunting of the left angle.", "No blunting of the left angle."),
        ("Fracture", "Wedge deformity of a vertebral body.", "No rib deformity."),
        ("Pneumothorax", "A small pleural air collection at the apex.", "No pleural air."),
        ("Edema", "Vascular congestion.", "No vascular congestion."),
        ("Lung lesion", "A 4 cm opacity on the left.", "No round density."),
    ],
)
def test_a_finding_is_described_by_a_sentence_that_does_not_deny_it(
    name: str, said: str, denied: str
) -> None:
    finding = next(finding for finding in reports.FINDINGS if finding.name == name)
    assert reports.describes(f"Lungs are clear. {said}", finding)
    assert not reports.describes(f"{denied} The aorta is tortuous.", finding)
    assert not finding.named.search(said)


@pytest.mark.parametrize(
    ("published", "shown"),
    [
        ("The heart is enlarged on XXXX XXXX view.", "The heart is enlarged on [removed] view."),
        ("The heart is enlarged since ___.", "The heart is enlarged since [removed]."),
        ("XXXX-year-old; the heart\n is  enlarged.", "[removed]-year-old; the heart is enlarged."),
    ],
)
def test_words_taken_out_by_the_publisher_are_marked_alike(
    tmp_path: Path, published: str, shown: str
) -> None:
    (case,) = openi(tmp_path, xml(1, published)).cases
    assert shown in case.stem and "XXXX" not in case.stem and "___" not in case.stem


def test_findings_take_turns_and_so_do_the_letters_of_each(tmp_path: Path) -> None:
    hearts = [xml(number) for number in range(1, 41)]
    bases = [
        xml(number, "A patchy infiltrate. Heart normal.", ("Pneumonia/base", "Infiltrate"))
        for number in range(41, 81)
    ]
    cases = openi(tmp_path, *hearts, *bases).cases
    assert len(cases) == 2 * reports.PER_FINDING
    assert [case.meta["finding"] for case in cases[:4]] == ["Cardiomegaly", "Pneumonia"] * 2
    for finding in ("Cardiomegaly", "Pneumonia"):
        letters = Counter(case.gold for case in cases if case.meta["finding"] == finding)
        assert sorted(letters.values()) == [7, 7, 8, 8]


def test_the_order_of_the_files_is_of_no_account(tmp_path: Path) -> None:
    files = [xml(number) for number in range(1, 9)]
    assert openi(tmp_path, *files).cases == openi(tmp_path, *reversed(files)).cases


# Open-i


def test_each_openi_report_is_its_own_cluster(tmp_path: Path) -> None:
    cases = openi(tmp_path, xml(1), xml(2)).cases
    assert {case.cluster for case in cases} == {"openi-CXR1", "openi-CXR2"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<eCitation>", r"ecgen-radiology/1\.xml: not XML \(no element found"),
        ("<eCitation/>", r"ecgen-radiology/1\.xml: no report number"),
    ],
)
def test_a_member_that_is_no_report_stops_the_load_by_name(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(MedagentsError, match=says):
        openi(tmp_path, text)


def test_a_file_that_is_no_archive_is_a_one_line_error(tmp_path: Path) -> None:
    file = tmp_path / reports.OPENI
    file.parent.mkdir()
    file.write_bytes(b"not an archive")
    with pytest.raises(MedagentsError, match="cannot be read") as error:
        reports.openi(tmp_path)
    assert "\n" not in str(error.value)


# MIMIC-CXR


def test_mimic_reports_are_joined_by_patient_and_study_and_clustered_by_patient(tmp_path: Path) -> None:
    rows = [
        ("10000032", "50414267", {"Cardiomegaly": "1.0", "Pneumothorax": "0.0", "Support Devices": "1.0"})
    ]
    rows += [
        ("10000032", "53189527", {"Cardiomegaly": "1.0"}),
        ("11000011", "51029426", {"Cardiomegaly": "1.0"}),
    ]
    cases = {case.id: case for case in mimic(tmp_path, rows).cases}
    assert set(cases) == {"mimic-s50414267", "mimic-s53189527", "mimic-s51029426"}
    clusters = [case.cluster for case in sorted(cases.values(), key=lambda case: case.id)]
    assert clusters == ["mimic-p10000032", "mimic-p11000011", "mimic-p10000032"]


def made(tmp_path: Path, labels: dict[str, str]) -> tuple[Case, ...]:
    return mimic(tmp_path, [("10000032", f"5{n:07}", labels) for n in range(20)]).cases


def test_an_uncertain_label_is_neither_key_nor_wrong_option(tmp_path: Path) -> None:
    assert not made(tmp_path, {"Cardiomegaly": "-1.0"})
    cases = made(tmp_path, {"Cardiomegaly": "1.0", "Pleural Effusion": "-1.0", "Lung Opacity": "-1.0"})
    # an unsure opacity leaves only fracture and pneumothorax, an unsure effusion nothing more
    assert not cases
    cases = made(tmp_path, {"Cardiomegaly": "1.0", "Pleural Effusion": "-1.0"})
    assert len(cases) == 20 and not any("Pleural effusion" in case.options for case in cases)


def test_two_labels_of_the_list_are_no_single_finding(tmp_path: Path) -> None:
    assert not made(tmp_path, {"Cardiomegaly": "1.0", "Edema": "1.0"})
    assert len(made(tmp_path, {"Cardiomegaly": "1.0", "Support Devices": "1.0", "Edema": "0.0"})) == 20


def test_a_report_without_text_or_section_is_refused_by_the_line_of_its_label(tmp_path: Path) -> None:
    (tmp_path / reports.MIMIC_REPORTS).mkdir(parents=True)
    rows = [("10000032", "50000001", {}), ("10000032", "50000002", {"Cardiomegaly": "1.0"})]
    (entry,) = mimic(tmp_path, rows, findings=None).refused
    assert (entry.id, entry.line, entry.reason) == ("mimic-s50000002", 3, "empty findings section")


def test_mimic_files_that_break_the_format_or_are_not_there_are_errors(tmp_path: Path) -> None:
    rows = [("10000032", "50000001", {"Cardiomegaly": "2.0"})]
    with pytest.raises(MissingData, match="files is missing"):
        mimic(tmp_path, rows, findings=None)
    with pytest.raises(MedagentsError, match=r"line 2: '2.0' is no label; 1\.0, 0\.0, -1\.0 or empty"):
        mimic(tmp_path, rows)
    with pytest.raises(MedagentsError, match="no column 'Edema'"):
        mimic(tmp_path, rows, header=LABELS.replace("Edema,", ""))


def test_missing_mimic_reports_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    with pytest.raises(MissingData, match="PhysioNet"):
        cohorts.load("reports_mimic")
    with pytest.raises(MissingData):
        mimic(tmp_path, [], findings=None)
    with pytest.raises(MissingData, match="PhysioNet"):
        cohorts.load("reports_mimic")


# The real archive


@needs_openi
def test_openi_has_3955_reports_and_none_of_the_chosen_names_its_finding() -> None:
    assert len({report.id for report in reports.read_openi(DATA / reports.OPENI)}) == 3955
    cases = cohorts.load("reports")
    by_name = {finding.name: finding for finding in reports.FINDINGS}
    assert all(not by_name[case.meta["finding"]].named.search(case.stem) for case in cases)
    assert all(case.options[case.gold] == case.meta["finding"] for case in cases)
    letters = Counter(case.gold for case in cases)
    assert max(letters.values()) - min(letters.values()) <= 3
