import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from medagents import cli, kernel, paths, sweep
from medagents.sweep import Job, Limits, figure_jobs, job_of, run_notebook
from medagents.types import MedagentsError

DEFAULTS = 'COHORT = "c0"  # which cases\nN_CASES = 5  # how many'
PLAIN = """\
import hashlib, os, sys
import medagents
print(repr(COHORT), N_CASES, hashlib.sha256(sys.executable.encode()).hexdigest())
print({name: os.environ[name] for name in NAMES}, os.listdir(), "started" in globals())
{"a", "b", "c", "d"}""".replace("NAMES", repr([name for name in sweep.ENVIRONMENT if name != "PYTHONPATH"]))
WAIT = 240
"""Seconds until a test gives up on another process; a kernel starts in one where the machine is idle."""


def write(path, *sources, defaults=DEFAULTS, tags=(), kernel="somebody-elses-env"):
    """A notebook of a heading, the parameters cell and `sources`, whose cells carry `tags`."""
    cells = [
        new_markdown_cell("# Question", id="heading"),
        new_code_cell(defaults, id="defaults", metadata={"tags": ["parameters"], "collapsed": True}),
        *(
            new_code_cell(source, id=f"code-{k}", metadata={"tags": [*tags]})
            for k, source in enumerate(sources)
        ),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    spec = {"name": kernel, "display_name": "Somebody's"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": spec, "custom": 1}), path)
    return path


@contextlib.contextmanager
def moved(folder):
    """The project's folders and the user's Jupyter, in `folder`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "BUILD", folder / "build")
        patch.setattr(paths, "NOTEBOOKS", folder / "notebooks")
        patch.setattr(paths, "ROWS", folder / "rows")
        decoy = folder / "jupyter" / "kernels" / "python3" / "kernel.json"
        decoy.parent.mkdir(parents=True)
        decoy.write_text(json.dumps({"argv": ["false"], "display_name": "decoy", "language": "python"}))
        patch.setenv("JUPYTER_DATA_DIR", str(folder / "jupyter"))
        (folder / "startup.py").write_text("started = True")
        patch.setenv("PYTHONSTARTUP", str(folder / "startup.py"))
        yield folder


@pytest.fixture
def project(tmp_path):
    with moved(tmp_path) as folder:
        yield folder


def ready(notebook, output, **changes):
    """A job whose output exists already."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("old")
    return job_of(notebook, output, **changes)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Results by output name of one sweep over notebooks that do well and badly."""
    with moved(tmp_path_factory.mktemp("ran")) as folder:
        plain, out = write(folder / "plain.ipynb", PLAIN), folder / "out"
        boom = write(
            folder / "boom.ipynb", "print(COHORT)", "raise ValueError('first\\nlast')", "print('never')"
        )
        dead = write(folder / "dead.ipynb", "import os\nos._exit(3)")
        quits = write(folder / "quits.ipynb", "import sys\nsys.exit(0)", "print('never')")
        loud = write(
            folder / "loud.ipynb",
            "import sys\nprint('!', file=sys.stderr)\nprint('ok')",
            tags=["allow-stderr"],
        )
        jobs = [
            *(ready(plain, out / f"{name}.ipynb") for name in ("plain_1", "plain_2")),
            *(ready(plain, out / f"plain__{name}.ipynb", COHORT=name) for name in ("007", "nan")),
            *(ready(book, out / book.name, N_CASES=2) for book in (boom, dead, quits, loud)),
        ]
        before = Path.cwd()
        results = sweep.sweep(jobs, workers=2, progress=False)
        assert Path.cwd() == before
        yield {result.job.output.stem: result for result in results}


def text(result):
    return result.job.output.read_text(encoding="utf-8")


def shown(result):
    """All that an executed notebook shows, joined."""
    cells = nbformat.reads(text(result), as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "".join(output.get("text") or output["data"]["text/plain"] for output in outputs)


# --- what a run leaves


def test_default_run_gives_the_same_bytes_twice_and_no_injected_cell(ran):
    first, second = text(ran["plain_1"]), text(ran["plain_2"])
    assert first == second
    assert [cell["id"] for cell in json.loads(first)["cells"]] == ["heading", "defaults", "code-0"]


def test_changed_parameters_are_injected_under_a_fixed_id(ran):
    cells = json.loads(text(ran["plain__007"]))["cells"]
    assert [cell["id"] for cell in cells] == ["heading", "defaults", "injected-parameters", "code-0"]
    assert "".join(cells[2]["source"]) == '# Parameters\nCOHORT = "007"\n'


def test_only_listed_metadata_and_consecutive_counts_remain(ran):
    book = json.loads(text(ran["plain_1"]))
    nbformat.validate(nbformat.from_dict(book))
    assert book["metadata"] == {
        "kernelspec": {"display_name": "python3", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert [cell["metadata"] for cell in book["cells"]] == [{}, {"tags": ["parameters"]}, {}]
    assert [cell["execution_count"] for cell in book["cells"][1:]] == [1, 2]


def test_layout_is_that_of_nbformat(ran):
    book = nbformat.reads(text(ran["plain_1"]), as_version=4)
    assert nbformat.writes(book) + "\n" == text(ran["plain_1"])


def test_text_parameters_stay_text(ran):
    assert shown(ran["plain__007"]).startswith("'007' 5 ")
    assert shown(ran["plain__nan"]).startswith("'nan' 5 ")


def test_parallel_jobs_keep_separate_outputs(ran):
    assert "'nan'" not in text(ran["plain__007"])
    assert "'007'" not in text(ran["plain__nan"])


def test_kernel_is_this_interpreter_whatever_is_installed(ran):
    assert hashlib.sha256(sys.executable.encode()).hexdigest() in shown(ran["plain_1"])


def test_kernel_gets_the_fixed_environment_an_empty_folder_and_no_start_up_file(ran):
    fixed = {name: value for name, value in sweep.ENVIRONMENT.items() if name != "PYTHONPATH"}
    assert f"{fixed} " in shown(ran["plain_1"])
    assert shown(ran["plain_1"]).splitlines()[1].endswith(" False")
    assert fixed["MPLBACKEND"] == "agg"
    assert (fixed["PYTHONHASHSEED"], fixed["TZ"], fixed["OMP_NUM_THREADS"]) == ("0", "UTC", "1")


def test_allowed_stderr_is_dropped(ran):
    assert (ran["loud"].error, shown(ran["loud"])) == ("", "ok\n")


def test_no_draft_stays_beside_the_outputs(ran):
    assert not [path for path in ran["boom"].job.output.parent.iterdir() if path.suffix != ".ipynb"]


# --- failures


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("boom", "cell 4: ValueError: last"),
        ("dead", "cell 3: DeadKernelError: Kernel died"),
        ("quits", "cell 3: SystemExit: 0"),
    ],
)
def test_failure_leaves_the_old_output_and_says_where_in_one_line(ran, name, fault):
    assert ran[name].error.startswith(f"{name}.ipynb (COHORT='c0', N_CASES=2): {fault}; draft: ")
    assert "\n" not in ran[name].error
    assert text(ran[name]) == "old"


def test_failure_keeps_the_draft_for_inspection(ran):
    draft = json.loads(Path(ran["boom"].error.rpartition("draft: ")[2]).read_text())
    assert any(
        "c0\n" in output.get("text", ()) for cell in draft["cells"] for output in cell.get("outputs", ())
    )


def test_failures_stop_no_other_job_and_give_a_bad_status(ran, capsys):
    assert [name for name, result in ran.items() if result.error] == ["boom", "dead", "quits"]
    assert sweep.report(ran.values()) == 1
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert sweep.report([ran["plain_1"]]) == 0
    assert capsys.readouterr().err == ""


def test_timed_out_cell_is_no_success_though_its_draft_looks_finished(project):
    slow = write(project / "slow.ipynb", "import time\ntime.sleep(600)", "print('never')")
    job = ready(slow, project / "out.ipynb")
    with pytest.raises(MedagentsError, match=r"cell 3: CellTimeoutError: longer than 2 s; draft"):
        run_notebook(job, Limits(cell=2, total=WAIT))
    assert job.output.read_text() == "old"


def test_total_limit_counts_from_the_start_of_the_process(project):
    job = ready(write(project / "any.ipynb", "print(1)"), project / "out.ipynb")
    with pytest.raises(MedagentsError, match=r"kernel start: TotalTimeout: longer than 0.01 s in all$"):
        run_notebook(job, Limits(total=0.01))
    assert job.output.read_text() == "old"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_runner(project, number):
    """Ctrl-C, and the death that cannot be caught, end the kernel and what the kernel started."""
    pids = project / "pids"
    cell = "import os, subprocess, time\nchild = subprocess.Popen(['sleep', '600'])\n"
    cell += f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}\\n')\ntime.sleep(600)"
    notebook = write(project / "waits.ipynb", cell)
    code = f"from pathlib import Path\nfrom medagents import paths, sweep\nbook = Path({str(notebook)!r})\n"
    code += "paths.BUILD = book.parent\n"
    code += "sweep.sweep([sweep.job_of(book, book.with_name(f'{k}.ipynb')) for k in range(3)], workers=1)"
    runner = subprocess.Popen([sys.executable, "-c", code], cwd=paths.ROOT, stderr=subprocess.DEVNULL)
    until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    runner.send_signal(number)
    assert runner.wait(WAIT) != 0
    until(lambda: not any(alive(pid) for pid in pids.read_text().split()))


def until(condition):
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def alive(pid):
    """Whether a process runs; one that is dead but not yet reaped does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout
    return state.strip() and not state.startswith("Z")


@pytest.mark.parametrize(("started", "status", "starts"), [(False, 0, 2), (True, 1, 1)])
def test_kernel_start_is_tried_twice_but_cells_are_not(tmp_path, monkeypatch, started, status, starts):
    calls = []

    def execute(scratch, order):
        calls.append(order)
        if started:
            (scratch / "cell").write_text("cell 3")
        if len(calls) == 1:
            raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(kernel, "_execute", execute)
    monkeypatch.setattr(kernel, "_end_with_parent", lambda scratch: None)
    (tmp_path / "order.json").write_text('{"parameters": {}, "seconds": 1}')
    assert (kernel.run_one(tmp_path), len(calls)) == (status, starts)
    assert (tmp_path / "fault").read_text() == "RuntimeError: Kernel died before replying to kernel_info"


def test_folder_too_long_for_sockets_is_refused(project, monkeypatch):
    long = project / ("x" * sweep.PATH_LIMIT)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with pytest.raises(MedagentsError, match="set TMPDIR"):
        run_notebook(job_of(write(project / "any.ipynb"), project / "out.ipynb"))


def test_runner_does_without_heavy_imports():
    heavy = {"pandas", "numpy", "matplotlib", "scipy", "papermill", "nbformat", "zmq"}
    code = f"import sys, medagents.sweep; print(sorted({heavy!r} & set(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=paths.ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"


# --- parameters, refused before anything starts


@pytest.fixture
def nothing_starts(project, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    return project


GOOD = {"cohort_id": "c0", "N_CASES": 5, "share": 0.5, "live": False, "arms": ["a"]}
TYPED = "\n".join(f"{name} = {value!r}  # help" for name, value in GOOD.items())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"N_CASE": 2}, "unknown parameter N_CASE"),
        ({"cohort_id": 7}, "cohort_id: 7 is no str"),
        ({"cohort_id": None}, "cohort_id: None is no cohort_id"),
        ({"cohort_id": "None"}, "cohort_id: None is no cohort_id"),
        ({"N_CASES": "2"}, "N_CASES: '2' is no int"),
        ({"N_CASES": True}, "N_CASES: True is no int"),
        ({"N_CASES": 2.0}, "N_CASES: 2.0 is no int"),
        ({"share": 1}, "share: 1 is no float"),
        ({"share": float("nan")}, "share: nan is no float"),
        ({"live": 0}, "live: 0 is no bool"),
        ({"arms": "a"}, "arms: 'a' is no list"),
    ],
)
def test_unknown_and_mistyped_parameters_are_refused(nothing_starts, change, said):
    notebook = write(nothing_starts / "typed.ipynb", defaults=TYPED)
    with pytest.raises(MedagentsError, match=rf"^typed\.ipynb: {said}"):
        run_notebook(Job(notebook, GOOD | change, nothing_starts / "out.ipynb"))


def test_missing_parameter_is_refused(nothing_starts):
    notebook = write(nothing_starts / "typed.ipynb", defaults=TYPED)
    given = {name: value for name, value in GOOD.items() if name != "share"}
    with pytest.raises(MedagentsError, match="missing parameter share"):
        run_notebook(Job(notebook, given, nothing_starts / "out.ipynb"))


def test_untagged_first_cell_is_refused_by_the_tags_name(nothing_starts):
    notebook = nothing_starts / "untagged.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("N_CASES = 5", id="a")]), notebook)
    with pytest.raises(MedagentsError, match=r"untagged\.ipynb.*tag 'parameters'; found on no cell"):
        run_notebook(Job(notebook, {"N_CASES": 2}, nothing_starts / "out.ipynb"))


def test_changed_parameters_never_replace_the_notebook_itself(nothing_starts):
    notebook = write(nothing_starts / "plain.ipynb")
    with pytest.raises(MedagentsError, match="only a run with its defaults"):
        run_notebook(job_of(notebook, notebook, N_CASES=2))


STUDY = 'COHORT = "v"\nMODEL = "m"\nEXPERIMENT = "peer_cascade"\nN = 0'


@pytest.fixture
def studied(nothing_starts, monkeypatch):
    """A notebook of a study with rows of three cases out of five eligible ones."""
    monkeypatch.setattr(paths, "MANIFESTS", nothing_starts / "manifests")
    table = nothing_starts / "rows" / "v" / "m" / "peer_cascade.csv"
    table.parent.mkdir(parents=True)
    table.write_text("case,condition\n" + "".join(f"c{k // 2},arm{k % 2}\n" for k in range(6)))
    paths.MANIFESTS.mkdir()
    (paths.MANIFESTS / "v.json").write_text('{"size": 5}')
    return nothing_starts


def test_what_a_notebook_is_about_cannot_be_changed_and_is_not_offered(studied):
    notebook = write(studied / "02_peers.ipynb", defaults=STUDY)
    with pytest.raises(MedagentsError, match=r"^02_peers\.ipynb: EXPERIMENT is what the notebook shows"):
        run_notebook(job_of(notebook, studied / "out.ipynb", EXPERIMENT="break_it"))
    with pytest.raises(MedagentsError, match=r"unknown parameter M; it has: COHORT, MODEL, N$"):
        run_notebook(job_of(notebook, studied / "out.ipynb", M=1))


@pytest.mark.parametrize(
    ("mode", "changes", "said"),
    [
        ("", {"N": 4}, "N = 4: v has 3 recorded cases"),
        ("", {"N": -1}, "N = -1: v has 3 recorded cases"),
        ("replay", {"N": 4}, "N = 4: v has 3 recorded cases"),
        ("record", {"N": 6}, "N = 6: v has 5 eligible cases"),
        ("", {"N": 6, "MODEL": "other"}, "N = 6: v has 5 eligible cases"),
        ("", {"N": -1, "COHORT": "nowhere"}, "N = -1: nowhere has"),
    ],
)
def test_more_cases_than_there_are_are_refused(studied, mode, changes, said):
    notebook = write(studied / "02_peers.ipynb", defaults=STUDY + f"\nMODE = {mode!r}" * bool(mode))
    with pytest.raises(MedagentsError, match=rf"^02_peers\.ipynb: {said}.*0 stands for all of them"):
        run_notebook(job_of(notebook, studied / "out.ipynb", **changes))


@pytest.mark.parametrize(("mode", "n"), [("", 3), ("", 0), ("record", 5)])
def test_as_many_cases_as_there_are_are_run(studied, mode, n, monkeypatch):
    def starts(*_, **__):
        raise MedagentsError("it starts")

    monkeypatch.setattr(sweep, "_supervise", starts)
    notebook = write(studied / "02_peers.ipynb", defaults=STUDY + f"\nMODE = {mode!r}" * bool(mode))
    with pytest.raises(MedagentsError, match="it starts"):
        run_notebook(job_of(notebook, studied / "out.ipynb", N=n))


# --- which jobs


def test_figure_jobs_follow_the_committed_rows_largest_first(project):
    write(project / "notebooks" / "00_about.ipynb")
    three = 'COHORT = "v"\nMODEL = "m"\nEXPERIMENT = "peer_cascade"'
    write(project / "notebooks" / "02_peers.ipynb", defaults=three)
    for name, size in {"v/m/peer_cascade": 1, "w/m/peer_cascade": 9, "w/n/other": 5}.items():
        path = project / "rows" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * size)
    jobs = figure_jobs()
    names = ["00_about.ipynb", "02_peers__w__m.ipynb", "02_peers__v__m.ipynb"]
    assert [job.output for job in jobs] == [project / "build" / "notebooks" / name for name in names]
    assert jobs[1].parameters == {"COHORT": "w", "MODEL": "m", "EXPERIMENT": "peer_cascade"}


def test_notebook_without_any_rows_is_named_with_the_command_that_makes_them(project):
    three = 'COHORT = "v"\nMODEL = "m"\nEXPERIMENT = "cue_sensitivity"'
    write(project / "notebooks" / "01_cues.ipynb", defaults=three)
    other = project / "rows" / "v" / "m" / "peer_cascade.csv"
    other.parent.mkdir(parents=True)
    other.write_text("x")
    with pytest.raises(MedagentsError, match=r"^01_cues\.ipynb: no cohort has rows of cue_sens") as caught:
        figure_jobs()
    command = str(caught.value).partition("python -m medagents ")[2]
    options = vars(cli.parser().parse_args(command.split()))
    wanted = {"mode": "record", "experiment": ["cue_sensitivity"], "cohort": "v", "model": "m"}
    assert {name: options[name] for name in wanted} == wanted


def test_notebook_jobs_replace_every_notebook_with_its_defaults(project):
    books = [write(project / "notebooks" / f"{name}.ipynb") for name in ("b", "a")]
    jobs = sweep.notebook_jobs()
    assert jobs == [Job(book, {"COHORT": "c0", "N_CASES": 5}, book) for book in reversed(books)]


def test_two_jobs_with_one_output_are_refused(nothing_starts):
    job = job_of(write(nothing_starts / "plain.ipynb"), nothing_starts / "out.ipynb")
    with pytest.raises(MedagentsError, match=r"two jobs would write out\.ipynb"):
        sweep.sweep([job, job])


def test_stale_notebooks_are_named_and_left_alone(project, ran):
    fresh, stale = project / "notebooks" / "fresh.ipynb", project / "notebooks" / "stale.ipynb"
    fresh.parent.mkdir()
    fresh.write_text(text(ran["plain_1"]))
    stale.write_text(text(ran["plain_1"]).replace("'c0' 5", "'c0' 6"))
    before = stale.read_text()
    assert sweep.stale_outputs(progress=False) == ["stale.ipynb"]
    assert stale.read_text() == before


def test_stale_check_fails_on_a_notebook_that_does_not_run(project, monkeypatch):
    write(project / "notebooks" / "bad.ipynb")
    monkeypatch.setattr(sweep, "_supervise", failing)
    with pytest.raises(MedagentsError, match=r"^bad\.ipynb .*: cell 2: NameError: x$"):
        sweep.stale_outputs(progress=False)


def failing(*_):
    raise MedagentsError("cell 2: NameError: x")
