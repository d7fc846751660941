"""What is committed, as a reader finds it: every file of rows, and the rows of our own cohort by replay."""

import pandas as pd
import pytest

from medagents import paths, rows, study
from medagents.experiments import EXPERIMENTS
from medagents.notebook import parameters_of
from medagents.recordings import read_shard, shards
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


def keys(cohort, model=None):
    """Keys of the recordings of a cohort, of one model or of all."""
    found = [(path, of) for name, of, _, path in shards(paths.RECORDINGS) if name == cohort]
    return {record.key for path, of in found if model in (None, of) for record in read_shard(path)[0]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: "-".join(file.parts[-3:]))
def test_every_row_names_a_recording(file):
    cohort, model = file.parts[-3:-1]
    frame = rows.read(file)
    # A referee of another lineage makes no call: its verdict names the holdout's discussion.
    borrowed = frame["condition"].str.match(r"referee@.+@") if file.stem == "transcript_review" else False
    own = frame[~pd.Series(borrowed, index=frame.index)]
    assert set(own["key"]) <= keys(cohort, model)
    assert set(frame["key"]) <= keys(cohort)


def test_the_default_of_every_notebook_is_recorded():
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        values = parameters_of(notebook)
        if "COHORT" in values:
            assert rows.path_of(values["COHORT"], values["MODEL"], values["EXPERIMENT"]).exists()
