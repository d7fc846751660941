"""A notebook that records: run against a loopback server through the real runner, kernel and SDK, then
replayed with the server gone.
"""

import json
import os
from pathlib import Path

import pandas as pd
import pytest
from loopback import Loopback

from medagents import paths, rows, study
from medagents.recordings import Store, read_shard
from medagents.sweep import job_of, run_notebook
from medagents.types import Provenance

NOTEBOOK = paths.NOTEBOOKS / "02_peer_cascade.ipynb"
MODEL, KEY = "openai--loopback", "sk-loopback-0123456789-neverShown"


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a run in another process writes to."""
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "MEDAGENTS_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEDAGENTS_CACHE", str(tmp_path / "trial"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return tmp_path / "trial"


def run(mode: str, folder: Path) -> list[list]:
    """Outputs of every cell of the notebook's own, after a run in that mode."""
    output = folder / f"{mode}.ipynb"
    run_notebook(job_of(NOTEBOOK, output, MODEL=MODEL, MODE=mode))
    cells = json.loads(output.read_text(encoding="utf-8"))["cells"]
    assert KEY not in output.read_text(encoding="utf-8")
    return [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]


def contents(folder: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"
    }


def test_what_a_notebook_records_it_replays_without_the_server(
    trial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback() as server:
        monkeypatch.setenv("MEDAGENTS_BASE_URL", f"{server.url}/v1")
        recorded = run("record", tmp_path)
    found = contents(trial)
    shard = trial / "recordings" / "vignettes" / MODEL / "peer_cascade.jsonl"
    records = read_shard(shard)[0]
    assert server.count == server.billed.total() == len({record.key for record in records}) > 2_000
    assert {record.reply.provenance for record in records} == {Provenance.LIVE}
    table = rows.path_of("vignettes", MODEL, "peer_cascade", trial / "rows")
    assert set(rows.read(table)["key"]) == {record.key for record in records}
    assert len(list((trial / "figures").glob(f"02_*__vignettes__{MODEL}.png"))) == 2
    assert not any(KEY.encode() in data for data in found.values())

    replayed = run("replay", tmp_path)  # the address is still set, but nobody is there
    assert replayed == recorded and study.REPLAYED in str(replayed)
    assert contents(trial) == found, "a replay writes the same figures and nothing else"
    again = study.replay("peer_cascade", "vignettes", MODEL, store=Store(trial / "recordings"))
    pd.testing.assert_frame_equal(again.rows, rows.read(table))
    for folder in (paths.ROOT / "cache", paths.ROOT / "figures"):
        assert not list(folder.rglob(f"*{MODEL}*")), "a trial left something among what is committed"
