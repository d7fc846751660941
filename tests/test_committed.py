"""What is committed, as a reader finds it: sums of every file, rows and turns, and both by replay."""

import subprocess

import pandas as pd
import pytest

from medagents import paths, rows, sums, turns
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.notebook import parameters_of
from medagents.recordings import read_shard, shards
from medagents.types import Provenance
from medagents.verify import Held
from medagents.verify_run import run_again, table_runs

pytestmark = pytest.mark.committed
RUNS = list(table_runs())
FILES = [run.table for run in RUNS if run.experiment in EXPERIMENTS]


@pytest.fixture(scope="module")
def store() -> Held:
    """The recordings, each shard read once."""
    return Held()


def tracked() -> set:
    """Files below `cache/` that are committed; those that are here where this is no clone."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "cache"], cwd=paths.ROOT, capture_output=True, check=False
    )
    names = [paths.ROOT / name for name in done.stdout.decode().split("\0") if name]
    return {path for path in names or sums.files() if path != paths.SUMS}


def test_every_committed_file_of_the_cache_is_listed_and_is_what_its_sum_says():
    assert tracked() == set(sums.listed())
    assert [fault for path in sums.listed() if (fault := sums.fault(path))] == []


@pytest.mark.parametrize("run", RUNS, ids="-".join)
def test_committed_outcomes_can_be_read_and_are_of_real_runs(run):
    frame = (turns if run.experiment in SITTINGS else rows).read(run.table)
    asked = frame[frame["key"] != ""]
    assert run.experiment in {*EXPERIMENTS, *SITTINGS}
    assert set(asked["provenance"]) <= {Provenance.LOCAL.value, Provenance.LIVE.value}


@pytest.mark.parametrize("run", RUNS, ids="-".join)
def test_committed_outcomes_are_what_the_recordings_give(run, store):
    outcome = run_again(run, store)
    if outcome.unbuilt:
        pytest.skip(outcome.unbuilt)
    assert not outcome.differences and not any(outcome.faults.values()) and not any(outcome.missing.values())


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
            table = turns if values["EXPERIMENT"] in SITTINGS else rows
            assert table.path_of(values["COHORT"], values["MODEL"], values["EXPERIMENT"]).exists()
