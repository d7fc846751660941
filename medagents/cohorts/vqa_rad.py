"""VQA-RAD, official release with images (CC0): closed questions about radiology images.

Test questions whose answer is yes or no: 251 of the 451 of the test split, the number that MedOrch's
printed percentages fit. A handful of closed questions have another answer (left, MRI) and none of the
options they had in mind, so they cannot be cases. Nearly every test image stands in the training split
too: a model that was trained on VQA-RAD has seen them.
"""

from pathlib import Path

from medagents.cohorts.records import Record, Refusal, Selection, json_list, refusal, seeded_order, unfit
from medagents.types import Case

FILE = "vqa_rad/VQA_RAD Dataset Public.json"
IMAGES = "vqa_rad/VQA_RAD Image Folder"
OPTIONS = ("yes", "no")


def read(file: Path) -> Selection:
    """Every closed question of the test split, in file order; questions about one image share a cluster."""
    cases: list[Case] = []
    refused: list[Refusal] = []
    for record in json_list(file):
        if not record.text("phrase_type").startswith("test_"):
            continue
        if record.text("answer_type").strip() != "CLOSED":
            continue
        made = _case(record)
        if isinstance(made, Case):
            cases.append(made)
        else:
            refused.append(made)
    return Selection(tuple(cases), tuple(refused))


def cohort(folder: Path) -> Selection:
    """Cohort `vqa_rad`: in seeded order. `meta["image"]` is the image's path below the data folder."""
    selection = read(folder / FILE)
    return Selection(
        tuple(sorted(selection.cases, key=lambda case: seeded_order(case.id))), selection.refused
    )


def _case(record: Record) -> Case | Refusal:
    id = f"vqa-rad-{record.get('qid')}"  # the first is text, the others numbers
    answer = str(record.get("answer")).strip().casefold()
    stem, image = record.text("question").strip(), record.text("image_name")
    if answer not in OPTIONS:
        return refusal(record, id, "the answer is neither yes nor no")
    if reason := unfit(stem, OPTIONS):
        return refusal(record, id, reason)
    gold, meta = OPTIONS.index(answer), {"image": f"{IMAGES}/{image}", "organ": record.text("image_organ")}
    return Case(id, stem, OPTIONS, gold, cluster=image, meta=meta)
