"""What is committed, as a reader finds it: every file of rows, and the rows of our own cohort by replay."""

import pandas as pd
import pytest

from medagents import paths, rows, study
from medagents.experiments import EXPERIMENTS
from medagents.notebook import parameters_of
from medagents.recordings import shards
from medagents.types import Provenance, Status

pytestmark = pytest.mark.committed
FILES = sorted(paths.ROWS.glob("*/*/*.csv"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: "-".join(file.parts[-3:]))
def test_rows_can_be_read_and_are_of_real_runs(file):
    frame = rows.read(file)
    assert file.stem in EXPERIMENTS and len(frame)
    assert set(frame["provenance"]) <= {Provenance.LOCAL.value, Provenance.LIVE.value}
    assert set(frame["status"]) <= {status.value for status in Status}
    assert frame["option"].notna().equals(frame["status"] == Status.ANSWERED.value)
    assert not frame.duplicated(["case", "condition"]).any()


@pytest.mark.parametrize(
    "file", [file for file in FILES if file.parts[-3] == "vignettes"], ids=lambda f: f.stem
)
def test_rows_of_our_own_cohort_are_what_their_recordings_give(file):
    cohort, model = file.parts[-3:-1]
    replayed = study.replay(file.stem, cohort, model)
    assert replayed.source == study.REPLAYED
    pd.testing.assert_frame_equal(replayed.rows, rows.read(file))


def test_every_row_names_a_recording():
    for cohort, model, experiment, path in shards(paths.RECORDINGS):
        file = rows.path_of(cohort, model, experiment)
        if file.exists():
            text = path.read_text(encoding="utf-8")
            assert all(f'"key":"{key}"' in text for key in rows.read(file)["key"])


def test_the_default_of_every_notebook_is_recorded():
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        values = parameters_of(notebook)
        if "COHORT" in values:
            assert rows.path_of(values["COHORT"], values["MODEL"], values["EXPERIMENT"]).exists()
