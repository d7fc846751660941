"""`audit` and `fetch benchmaxxing` on a release of our own; nothing here needs the network."""

import csv
import hashlib
import json
from pathlib import Path

import pandas as pd
import pooch
import pytest

from medagents import cli, paths
from medagents.audit import derived, fetch, rows, verdicts
from medagents.audit.verdicts import Claim
from medagents.types import MedagentsError

CONTENT = {
    f"toy/results/{name}.jsonl": json.dumps({"case_id": name, "hit": 1}) + "\n" for name in ("one", "two")
}


@pytest.fixture
def pinned(monkeypatch):
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in CONTENT.items()}
    table = pd.DataFrame({"path": list(sums), "rows": 1, "sha256": list(sums.values())}).set_index("path")
    for module in (rows, fetch):
        monkeypatch.setattr(module, "pinned", lambda: table)
    plain = dict.fromkeys(Claim._fields, "") | {"kind": "rate", "columns": "hit", "printed": "1.0"}
    claims = [Claim(**(plain | {"claim_id": path[12:15], "file": path})) for path in CONTENT]
    monkeypatch.setattr(verdicts, "claims", lambda: tuple(claims))


@pytest.fixture
def release(tmp_path, pinned):
    for path, text in CONTENT.items():
        file = tmp_path / "release/experiments" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "release"


@pytest.fixture
def origin(monkeypatch):
    """The origin by address; what it gives is checked as pooch does. `asked` tells what was asked of it."""
    asked = []

    def retrieve(url, known_hash, path):
        asked.append(url)
        text = CONTENT[url.removeprefix(fetch.ORIGIN)]
        if known_hash != f"sha256:{hashlib.sha256(text.encode()).hexdigest()}":
            raise ValueError("the hash does not match")
        file = Path(path) / hashlib.sha256(url.encode()).hexdigest()
        file.write_text(text, encoding="utf-8")
        return str(file)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    return asked


def test_audit_writes_the_verdicts_and_counts_them(release, tmp_path, capsys):
    out = tmp_path / "verdicts.csv"
    assert cli.main(["audit", "--artefacts", str(release), "--out", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert [(line["claim_id"], line["recomputed"], line["verdict"]) for line in lines] == [
        ("one", "1", "reproduced"),
        ("two", "1", "reproduced"),
    ]
    assert list(lines[0]) == list(verdicts.COLUMNS)
    assert "   2 reproduced" in capsys.readouterr().out


def test_audit_takes_the_folder_of_the_environment_and_writes_below_build(release, monkeypatch):
    monkeypatch.setenv("MEDAGENTS_ARTEFACTS", str(release))
    assert cli.main(["audit"]) == 0
    first = (paths.BUILD / "audit.csv").read_bytes()
    assert cli.main(["audit"]) == 0
    assert (paths.BUILD / "audit.csv").read_bytes() == first


def test_edited_rows_end_the_audit_in_one_line_unless_they_are_meant(release, tmp_path, capsys):
    file = release / "experiments/toy/results/two.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("1", "0"), encoding="utf-8")
    out = tmp_path / "verdicts.csv"
    assert cli.main(["audit", "--artefacts", str(release), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "claim two" in said and "edited" in said and not out.exists()
    assert cli.main(["audit", "--artefacts", str(release), "--out", str(out), "--unpinned"]) == 0
    assert "not reproduced" in out.read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize("other", [["--unpinned"], ["--out", "verdicts.csv"]])
def test_committed_tables_are_written_of_pinned_rows_and_nowhere_else(release, capsys, monkeypatch, other):
    monkeypatch.setattr(derived, "refresh", lambda *_: pytest.fail("a committed table was written"))
    assert cli.main(["audit", "--artefacts", str(release), "--refresh", *other]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "--refresh" in said and "leave out the rest" in said


def test_an_audit_into_a_folder_is_one_line(release, tmp_path, capsys):
    assert cli.main(["audit", "--artefacts", str(release), "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"medagents: {tmp_path}: Is a directory")


def test_fetch_brings_every_pinned_file_once(pinned, origin, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MEDAGENTS_ARTEFACTS", str(tmp_path / "rows"))
    assert cli.main(["fetch", "benchmaxxing"]) == 0
    for path, text in CONTENT.items():
        assert (tmp_path / "rows/experiments" / path).read_text(encoding="utf-8") == text
    assert len(origin) == 2 and all(rows.COMMIT in url for url in origin)
    assert cli.main(["fetch", "benchmaxxing"]) == 0
    assert len(origin) == 2, "sound files are kept"
    assert cli.main(["audit"]) == 0


def test_fetch_writes_nothing_where_one_file_is_not_the_pinned_one(pinned, origin, tmp_path, monkeypatch):
    monkeypatch.setitem(CONTENT, "toy/results/two.jsonl", "another\n")
    with pytest.raises(MedagentsError, match=r"two\.jsonl: the hash does not match; nothing was kept"):
        fetch.fetch(tmp_path)
    assert not (tmp_path / "experiments").exists()


def test_fetch_leaves_an_edited_file_alone(release, origin):
    file = release / "experiments/toy/results/two.jsonl"
    file.write_text("edited\n", encoding="utf-8")
    with pytest.raises(MedagentsError, match=r"two\.jsonl: SHA-256 .*move it away"):
        fetch.fetch(release)
    assert file.read_text(encoding="utf-8") == "edited\n"


def test_fetch_needs_a_folder(pinned, monkeypatch):
    monkeypatch.delenv("MEDAGENTS_ARTEFACTS", raising=False)
    with pytest.raises(MedagentsError, match="set MEDAGENTS_ARTEFACTS"):
        fetch.fetch()
