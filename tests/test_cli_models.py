"""The commands that ask models, against the loopback server: what is asked, paid, recorded and said."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Loopback, reset
from loopback import gemini as google
from loopback import openai as service

from medagents import cli, cohorts, paths, rows
from medagents.models.gemini import GeminiModel
from medagents.recordings import read_shard, shards

KEY = "sk-loopback-0123456789-neverShown"
MODEL = "openai:Qwen/Qwen2.5-7B-Instruct"
FOLDER = "openai--Qwen--Qwen2.5-7B-Instruct"
PRICES = "model,input,output,thoughts,batch,since,read,source\nQwen/*,100,1000,1000,1,,2026-11-30,my server\n"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "GEMINI_", "MEDAGENTS_BASE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as started:
        yield started


@pytest.fixture
def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.csv"
    path.write_text(PRICES, encoding="utf-8")
    return str(path)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


def asked(
    server: Loopback, mode: str = "record", *more: str, experiment: str = "cue_sensitivity", n: int = 3
):
    return [
        *(mode, "--experiment", experiment, "--cohort", "vignettes", "--model", MODEL, "--n", str(n)),
        *("--base-url", f"{server.url}/v1", *more),
    ]


def recorded() -> list:
    return [record for *_, path in shards(paths.RECORDINGS) for record in read_shard(path)[0]]


def test_a_run_is_recorded_and_replayed_with_the_server_down(capsys):
    with Loopback() as server:
        status, out, err = run(capsys, *asked(server, "record", "--concurrency", "4", "--timeout", "20"))
        made = sum(server.billed.values())
        assert status == 0, err
        first, spent = out.splitlines()
        assert spent == f"{made} calls made, at a price that is not known"
        assert server.peak <= 4 and max(server.billed.values()) == 1
        again = run(capsys, *asked(server))
        assert again[:2] == (0, f"{first}\n0 calls made for 0.0000 USD\n")
    replayed = [word for word in asked(server, "replay") if word not in ("--base-url", f"{server.url}/v1")]
    assert run(capsys, *replayed)[:2] == (0, f"{first}\n0 calls made\n")
    assert {path.parent.name for *_, path in shards(paths.RECORDINGS)} == {FOLDER}
    assert KEY not in out + err + "".join(map(repr, recorded()))


def test_rows_are_written_below_the_folder_of_the_model(capsys, server, monkeypatch):
    monkeypatch.setattr("medagents.study.recorded_cases", lambda *arguments: cohorts.load("vignettes", 2))
    words = asked(server)
    del words[words.index("--n") : words.index("--n") + 2]
    assert run(capsys, *words)[0] == 0
    frame = rows.read(rows.path_of("vignettes", FOLDER, "cue_sensitivity", paths.ROWS))
    assert set(frame["provenance"]) == {"live"} and frame["case"].nunique() == 2


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(capsys, server, prices):
    status, out, _ = run(capsys, *asked(server, "record", "--dry-run", "--prices", prices))
    assert status == 0
    assert server.requests == [] and recorded() == []
    [total] = [line.split() for line in out.splitlines() if line.split()[:1] == ["total"]]
    assert out.rstrip().endswith("USD a million tokens: 100 in, 1000 out (my server; read 2026-11-30).")
    run(capsys, *asked(server, "record", "--prices", prices))
    assert int(total[3]) == len(server.requests)
    status, out, _ = run(capsys, *asked(server, "record", "--dry-run"))
    assert out.rstrip().endswith("Nothing to ask: all is recorded.")


def test_a_dry_run_of_a_refresh_asks_everything_anew(capsys, server):
    run(capsys, *asked(server))
    made = len(server.requests)
    _, out, _ = run(capsys, *asked(server, "refresh", "--dry-run"))
    [total] = [line.split() for line in out.splitlines() if line.split()[:1] == ["total"]]
    assert (total[2], total[3]) == ("0", str(made)) and len(server.requests) == made


def test_a_dry_run_of_a_team_counts_the_calls_of_each_of_its_models_and_asks_none(capsys, server, prices):
    team = f"{MODEL}+openai:qwen/small"
    words = asked(server, "record", "--prices", prices, experiment="committee_cascade", n=1)
    words[words.index(MODEL)] = team
    status, out, err = run(capsys, *words, "--dry-run")
    assert (status, server.requests, recorded()) == (0, [], []), err
    [total] = [line.split() for line in out.splitlines() if line.split()[:1] == ["total"]]
    by_model = dict.fromkeys((FOLDER, "openai--qwen--small"), 0)
    for line in out.splitlines():
        if line.startswith("committee_cascade"):
            name, calls = line.split()[-7], line.split()[-4]
            by_model[name] += int(calls)
    assert sum(by_model.values()) == int(total[3]) and min(by_model.values()) > 0
    assert out.splitlines()[-2:] == [
        f"{FOLDER}: USD a million tokens: 100 in, 1000 out (my server; read 2026-11-30).",
        "openai--qwen--small: the price is not known: give it with --prices FILE.",
    ]
    assert run(capsys, *words)[0] == 0
    assert 0 < len(server.requests) <= int(total[3])


@pytest.mark.parametrize("concurrency", ["1", "8"])
def test_a_run_stops_before_a_call_could_pass_the_limit_and_goes_on_later(
    capsys, server, prices, caplog, concurrency
):
    limit = ("--prices", prices, "--concurrency", concurrency)
    status, out, err = run(capsys, *asked(server, "record", *limit, "--max-cost", "0.2"))
    assert (status, out) == (1, "")
    [line] = [line for line in err.splitlines() if line.startswith("medagents: ")]
    assert "pass --max-cost 0.2" in line and "the same command goes on" in line
    spent = float(line.split(" calls made for ")[1].split()[0])
    assert 0.1 < spent <= 0.2
    assert "call failed" not in caplog.text
    first = len(server.requests)
    assert len({record.key for record in recorded()}) == first > 3
    assert run(capsys, *asked(server, "record", *limit, "--max-cost", "100"))[0] == 0
    assert len(server.requests) > first and max(server.billed.values()) == 1


def test_a_limit_needs_a_price(capsys, server):
    status, out, err = run(capsys, *asked(server, "record", "--max-cost", "1"))
    assert (status, out, server.requests) == (1, "", [])
    assert "no price of Qwen/Qwen2.5-7B-Instruct in" in err and "prices.csv" in err


def test_a_quota_of_a_day_stops_the_run_and_says_what_was_spent(capsys, server, prices):
    server.behave([None, None, service.too_many(None, "Limit reached on requests per day (RPD)")])
    status, out, err = run(capsys, *asked(server, "record", "--prices", prices))
    assert (status, out) == (1, "")
    spent, told = [line for line in err.splitlines() if line.startswith("medagents: ")]
    assert spent.startswith("medagents: 2 calls made for 0.")
    assert "requests per day" in told and "the same command goes on" in told
    assert len({record.key for record in recorded()}) == 2
    assert run(capsys, *asked(server))[0] == 0
    assert max(server.billed.values()) == 1


def test_a_call_that_fails_for_good_is_named_and_not_recorded(capsys, server):
    server.behave([None, service.refused(400, "no such field")])
    status, _, err = run(capsys, *asked(server))
    assert status == 1
    told = err.splitlines()[-1]
    assert told.startswith("medagents: case ") and "HTTP 400: no such field; nothing stored" in told
    assert len({record.key for record in recorded()}) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--concurrency", "4"], "one call at a time and for nothing: leave out --concurrency"),
        (["--rpm", "9", "--max-cost", "1"], "leave out --rpm, --max-cost"),
        (["--base-url", "http://localhost:8000/v1"], "leave out --base-url"),
    ],
)
def test_a_model_on_this_machine_has_no_options_of_a_provider(capsys, options, message):
    words = ["record", "--experiment", "peer_cascade", "--cohort", "vignettes", "--model", "smollm2-135m"]
    status, out, err = run(capsys, *words, *options)
    assert (status, out) == (1, "") and message in err


@pytest.mark.parametrize(
    "options",
    [
        *(["--concurrency", "0"], ["--rpm", "-1"], ["--tpm", "many"], ["--timeout", "0"]),
        *(["--max-cost", "nan"], ["--max-cost", "free"], ["--max-cost", "-1"]),
    ],
)
def test_an_option_that_makes_no_sense_is_status_2(capsys, server, options):
    with pytest.raises(SystemExit) as stop:
        cli.main(asked(server, "record", *options))
    assert stop.value.code == 2 and server.requests == []


def test_an_address_that_is_none_is_said_at_once(capsys):
    words = ["record", "--experiment", "peer_cascade", "--cohort", "vignettes", "--model", MODEL]
    status, _, err = run(capsys, *words, "--base-url", "localhost:8000")
    assert status == 1 and "'localhost:8000' is no address" in err


GEMINI = "gemini-3.5-flash"


def batch(server: Loopback, action: str, file: Path, *more: str) -> list[str]:
    return ["batch", action, str(file), "--base-url", server.url, *more]


def study_of(experiment: str) -> list[str]:
    return ["--experiment", experiment, "--cohort", "vignettes", "--model", GEMINI, "--n", "3"]


@pytest.fixture
def batches() -> Iterator[Loopback]:
    """A server where a batch is done when it is looked at for the second time."""
    with Loopback(routes=google.Batches(states=("RUNNING", "SUCCEEDED")).routes) as started:
        yield started


def test_a_batch_is_written_submitted_polled_and_imported_and_a_live_run_has_nothing_left_to_ask(
    capsys, batches, tmp_path
):
    server, file = batches, tmp_path / "build" / "cues.jsonl"
    status, out, err = run(capsys, *batch(server, "write", file, *study_of("cue_sensitivity")))
    assert status == 0, err
    count = int(out.split(": ")[1].split()[0])
    assert out.rstrip().endswith(" USD") and server.requests == []
    status, out, err = run(capsys, *batch(server, "submit", file))
    assert status == 0 and out.startswith("batches/"), err
    assert run(capsys, *batch(server, "submit", file))[1] == out, "not paid for twice"
    states = []
    for _ in range(2):
        status, out, err = run(capsys, *batch(server, "poll", file))
        assert status == 0, err
        states.append(out.split()[1])
    assert states == ["JOB_STATE_RUNNING", "JOB_STATE_SUCCEEDED"]
    status, out, err = run(capsys, *batch(server, "import", file))
    assert status == 0, err
    assert out.endswith(" stored, 0 stored before, 0 failed, 0 missing\n")
    assert len({record.key for record in recorded()}) == count
    live = ["record", *study_of("cue_sensitivity"), "--base-url", server.url]
    sent = len(server.requests)
    status, out, err = run(capsys, *live)
    assert status == 0 and "0 calls made" in out, err
    assert len(server.requests) == sent
    status, out, _ = run(capsys, *batch(server, "recheck", file))
    assert (status, out) == (0, "1 of 1 asked anew say the same\n")


def test_a_batch_holds_only_what_no_reply_decides(capsys, server, tmp_path):
    """peer_cascade tells the holdout its own answer, which is not known yet."""
    file = tmp_path / "cascade.jsonl"
    run(capsys, *batch(server, "write", file, *study_of("peer_cascade")))
    held = file.with_suffix(".slots.jsonl").read_text(encoding="utf-8")
    assert '"condition":"isolated"' in held and '"condition":"own_prior"' not in held


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["write", "b.jsonl", "--cohort", "vignettes"], "needs --experiment, --cohort and --model"),
        (
            ["write", "b.jsonl", *study_of("peer_cascade")[:-4], "--model", "openai:x"],
            "no batches here; give a model of the Gemini API",
        ),
        (["submit", "absent.jsonl"], "absent.slots.jsonl: no such file; write the batch anew"),
        (["poll", "absent.jsonl"], "absent.slots.jsonl: no such file"),
        (["import", "absent.jsonl"], "absent.slots.jsonl: no such file"),
    ],
)
def test_a_batch_that_cannot_be_is_a_fault_of_one_line(capsys, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, "batch", *words)
    assert (status, out) == (1, "") and list(tmp_path.iterdir()) == []
    [line] = err.splitlines()
    assert line.startswith("medagents: ") and message in line


def readme_commands() -> list[str]:
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    blocks = [block.replace("\\\n", " ") for block in text.split("```")[1::2]]
    return [
        line.split("#")[0].strip().removeprefix("python -m medagents ")
        for block in blocks
        for line in block.splitlines()
        if line.startswith("python -m medagents ")
    ]


def test_every_command_of_the_readme_parses():
    commands = readme_commands()
    assert {"record", "batch", "fetch", "cohorts", "run"} <= {command.split()[0] for command in commands}
    for command in commands:
        assert callable(cli.parser().parse_args(shlex.split(command.partition(" <")[0])).run), command


def test_the_log_of_a_run_does_not_tell_of_every_call(capsys, server, caplog):
    server.behave([reset])
    run(capsys, *asked(server, n=1))
    assert not [record for record in caplog.records if record.name.startswith(("httpx", "httpcore"))]


def test_gemini_is_recorded_live_by_the_same_command(capsys, server):
    server.behave([google.too_many(google.retry_info("0s"))])
    words = ["record", *study_of("cue_sensitivity"), "--base-url", server.url, "--dry-run"]
    status, out, err = run(capsys, *words)
    assert status == 0 and "9 out" in out, err
    status, out, err = run(capsys, *words[:-1], "--max-cost", "10", "--concurrency", "2")
    assert status == 0, err
    assert f"{sum(server.billed.values())} calls made for 0." in out


def test_connections_are_closed_whether_a_run_ends_well_or_not(capsys, server, monkeypatch):
    closed = []
    monkeypatch.setattr(GeminiModel, "close", lambda model: closed.append(model.name))
    words = ["record", *study_of("cue_sensitivity"), "--base-url", server.url]
    assert run(capsys, *words)[0] == 0
    server.behave([google.too_many(google.retry_info("0s"))] * 50)
    assert run(capsys, *[word.replace("cue_sensitivity", "peer_cascade") for word in words])[0] == 1
    assert len(closed) == 2


def test_another_thinking_setting_is_recorded_beside_the_least(capsys, server):
    words = ["record", *study_of("cue_sensitivity"), "--base-url", server.url]
    name = words[words.index("--model") + 1]
    assert run(capsys, *words)[0] == 0
    made = len(server.requests)
    words[words.index("--model") + 1] = f"{name}@high"
    assert run(capsys, *words)[0] == 0
    assert len(server.requests) == 2 * made
    assert {path.parent.name for *_, path in shards(paths.RECORDINGS)} == {name, f"{name}@high"}
