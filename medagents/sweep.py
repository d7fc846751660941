"""Run notebooks strictly: one process each, parameters checked first, output replaced only on success.

The parent stays light (no pandas, no papermill). It checks a job, starts `medagents.kernel` in a process of
its own and reads the draft which that leaves in a scratch folder. Success is the exit status of the process,
never the look of the draft: a notebook that timed out looks finished.
"""

import contextlib
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from medagents import paths
from medagents.kernel import kill_group, note
from medagents.notebook import Value, cells_of, clean, last_line, parameters_of
from medagents.types import MedagentsError

ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    **dict.fromkeys(("PYTHONSTARTUP", "PYTHONWARNINGS"), ""),
    **{"MPLBACKEND": "agg", "PYTHONHASHSEED": "0", "TZ": "UTC", "PYTHONPATH": str(paths.ROOT)},
}
"""What a kernel gets over the caller's environment: the same sums, order and clock on every machine."""

STUDIED = "EXPERIMENT"
"""Stands in the parameters cell for `figure_jobs` and for readers, and cannot be changed: a notebook shows
the arms of one experiment.
"""

PATH_LIMIT = 80
"""Longest scratch folder; a Unix socket's path ends near 100 characters, whatever the file system allows."""


@dataclass(frozen=True)
class Job:
    """One run. `parameters` names every parameter of the notebook, so that a job says all that it does."""

    notebook: Path
    parameters: Mapping[str, Value]
    output: Path


@dataclass(frozen=True)
class Limits:
    """Seconds for one cell, and for everything from the start of the process."""

    cell: int = 600
    total: float = 1800.0


@dataclass(frozen=True)
class Result:
    """What became of a job: `error` is one line, empty if the output was written."""

    job: Job
    error: str
    seconds: float


def job_of(notebook: Path, output: Path, **changes: Value) -> Job:
    """A job with the notebook's defaults but for `changes`."""
    return Job(notebook, parameters_of(notebook) | changes, output)


def _changes(job: Job) -> dict[str, Value]:
    """Parameters that differ from the defaults, after every check that needs no kernel."""
    name, defaults = job.notebook.name, parameters_of(job.notebook)
    for problem, keys in {
        "unknown": job.parameters.keys() - defaults.keys(),
        "missing": defaults.keys() - job.parameters.keys(),
    }.items():
        if keys:
            known = ", ".join(key for key in defaults if key != STUDIED)
            raise MedagentsError(f"{name}: {problem} parameter {', '.join(sorted(keys))}; it has: {known}")
    for key, value in job.parameters.items():
        wanted = type(defaults[key])
        if value is None or value == "None":
            raise MedagentsError(f"{name}: {key}: None is no {key}")
        if type(value) is not wanted or (isinstance(value, float) and not math.isfinite(value)):
            raise MedagentsError(f"{name}: {key}: {value!r} is no {wanted.__name__}")
    changed = {key: value for key, value in job.parameters.items() if value != defaults[key]}
    if STUDIED in changed:
        raise MedagentsError(f"{name}: {STUDIED} is what the notebook shows and no parameter; leave it out")
    _check_cases(job)
    if changed and job.output.resolve() == job.notebook.resolve():
        raise MedagentsError(f"{name}: only a run with its defaults may replace a notebook")
    return changed


def _check_cases(job: Job) -> None:
    """Refuse a number of cases that the study does not have; 0 stands for all of them."""
    n = job.parameters.get("N", 0)
    if not isinstance(n, int) or n == 0:
        return
    cohort = job.parameters.get("COHORT", "")
    held = [path for path in _tables(job) if path.exists()]
    if held and job.parameters.get("MODE", "replay") == "replay":
        with held[0].open(encoding="utf-8", newline="") as stream:
            most, kind = len({line["case"] for line in csv.DictReader(stream)}), "recorded"
    else:
        manifest = paths.MANIFESTS / f"{cohort}.json"
        most, kind = json.loads(manifest.read_text("utf-8"))["size"] if manifest.exists() else n, "eligible"
    if not 1 <= n <= most:
        raise MedagentsError(
            f"{job.notebook.name}: N = {n}: {cohort} has {most} {kind} cases; 0 stands for all of them"
        )


def _tables(job: Job) -> list[Path]:
    """Where the rows or turns of a job's study would be."""
    names = [str(job.parameters.get(name, "")) for name in ("COHORT", "MODEL", STUDIED)]
    return [root.joinpath(*names[:2], f"{names[2]}.csv") for root in (paths.ROWS, paths.TURNS)]


# --- one notebook, seen from the parent


def run_notebook(job: Job, limits: Limits | None = None, stop: threading.Event | None = None) -> None:
    """Execute a notebook in its own process, then replace `job.output` by the cleaned result.

    It runs in an empty folder, deleted afterwards: a notebook takes its paths from `medagents.paths`.
    With defaults, the output is the notebook itself with outputs. `stop`, once set, ends the run.

    Raises:
        MedagentsError: refused before anything started (a parameter unknown, missing or of another type),
            or failed: one line; the old output stays and the draft is kept in `build/failed`.
    """
    changes, limits = _changes(job), limits or Limits()
    with tempfile.TemporaryDirectory(prefix="ma-", ignore_cleanup_errors=True) as folder:
        if len(folder) > PATH_LIMIT:
            raise MedagentsError(f"{folder}: too long for a kernel's sockets; set TMPDIR to a shorter folder")
        scratch = Path(folder)
        shutil.copyfile(job.notebook, scratch / "source.ipynb")
        order = {"parameters": changes, "seconds": limits.cell}
        (scratch / "order.json").write_text(json.dumps(order), encoding="utf-8")
        try:
            _supervise(scratch, limits.total, stop or threading.Event())
            text = clean(cells_of(scratch / "source.ipynb"), json.loads(note(scratch, "draft.ipynb")))
        except MedagentsError as error:
            given = ", ".join(f"{key}={value!r}" for key, value in job.parameters.items())
            kept = _keep(scratch / "draft.ipynb", job.output.name)
            raise MedagentsError(f"{job.notebook.name} ({given}): {error}{kept}") from None
    job.output.parent.mkdir(parents=True, exist_ok=True)
    draft = job.output.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(job.output)


def _supervise(scratch: Path, seconds: float, stop: threading.Event) -> None:
    # IPYTHONDIR: no profile, start-up file or history of the user. JUPYTER_PATH: our kernel comes first.
    own = {"IPYTHONDIR": str(scratch / "ipython"), "JUPYTER_PATH": str(scratch)}
    with (scratch / "log").open("wb") as log:
        child = subprocess.Popen(
            [sys.executable, "-m", "medagents.kernel", str(scratch)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=scratch,
            env={**os.environ, **ENVIRONMENT, **own},
            start_new_session=True,
        )
    try:
        fault = _wait(child, seconds, stop)
    finally:
        _end(child, scratch)
    if fault or child.returncode:
        where = note(scratch, "cell") or "kernel start"
        fault = fault or note(scratch, "fault") or last_line(note(scratch, "log"))
        raise MedagentsError(f"{where}: {fault}")


def _wait(child: subprocess.Popen, seconds: float, stop: threading.Event) -> str:
    until = time.monotonic() + seconds
    while not stop.is_set():
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.1)
            return ""
        if time.monotonic() > until:
            return f"TotalTimeout: longer than {seconds} s in all"
    return "interrupted"


def _end(child: subprocess.Popen, scratch: Path) -> None:
    """Leave no process behind: the kernel leads a process group of its own, which survives the child's."""
    if child.poll() is None:
        kill_group(str(child.pid))
    if child.wait():
        kill_group(note(scratch, "kernel"))
    if child.stdin:
        child.stdin.close()


def _keep(draft: Path, name: str) -> str:
    if not draft.exists():
        return ""
    kept = paths.BUILD / "failed" / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(draft, kept)
    return f"; draft: {kept}"


# --- many notebooks


def sweep(
    jobs: Iterable[Job], workers: int = 2, progress: bool = True, limits: Limits | None = None
) -> list[Result]:
    """Run jobs side by side, started in order. A failure stops no other job; Ctrl-C ends them all.

    Raises:
        MedagentsError: two jobs would write the same output.
    """
    jobs, stop = list(jobs), threading.Event()
    outputs = [job.output.resolve() for job in jobs]
    if twice := {path.name for path in outputs if outputs.count(path) > 1}:
        raise MedagentsError(f"two jobs would write {', '.join(sorted(twice))}")

    def one(job: Job) -> Result:
        began, error = time.monotonic(), ""
        try:
            run_notebook(job, limits, stop)
        except MedagentsError as fault:
            error = str(fault)
        return Result(job, error, time.monotonic() - began)

    pool = ThreadPoolExecutor(workers)
    try:
        futures = [pool.submit(one, job) for job in jobs]
        for _ in tqdm(as_completed(futures), total=len(jobs), unit="notebook", disable=not progress):
            pass
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def report(results: Iterable[Result]) -> int:
    """Exit status, after one line to stderr for each failure."""
    errors = [result.error for result in results if result.error]
    print(*errors, sep="\n", end="\n" if errors else "", file=sys.stderr)
    return int(bool(errors))


def notebook_jobs() -> list[Job]:
    """Every notebook with its defaults, in place."""
    return [job_of(notebook, notebook) for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb"))]


def figure_jobs() -> list[Job]:
    """Every notebook on each cohort and model whose rows are committed, most rows first.

    A notebook without the parameters COHORT, MODEL and EXPERIMENT looks at all rows: it runs once, first.

    Raises:
        MedagentsError: an unfit notebook, or one whose EXPERIMENT has no rows, which would drop its figures.
    """
    found: list[tuple[int, Job]] = []
    folder = paths.BUILD / "notebooks"
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        defaults = parameters_of(notebook)
        if not {"COHORT", "MODEL", STUDIED} <= defaults.keys():
            found.append((sys.maxsize, job_of(notebook, folder / notebook.name)))
            continue
        experiment = defaults[STUDIED]
        held = [
            path for root in (paths.ROWS, paths.TURNS) for path in sorted(root.glob(f"*/*/{experiment}.csv"))
        ]
        if not held:
            raise MedagentsError(
                f"{notebook.name}: no cohort has rows of {experiment}; make them with: python -m medagents "
                f"record --experiment {experiment} --cohort {defaults['COHORT']} --model {defaults['MODEL']}"
            )
        for rows in held:
            cohort, model = rows.parts[-3:-1]
            output = folder / f"{notebook.stem}__{cohort}__{model}.ipynb"
            found.append((rows.stat().st_size, job_of(notebook, output, COHORT=cohort, MODEL=model)))
    # A long notebook that starts last leaves the other worker idle.
    return [job for _, job in sorted(found, key=lambda pair: -pair[0])]


def stale_outputs(workers: int = 2, progress: bool = True) -> list[str]:
    """Names of the notebooks whose bytes are not what a run with their defaults gives now.

    Raises:
        MedagentsError: a notebook does not run.
    """
    with tempfile.TemporaryDirectory(prefix="ma-") as folder:
        jobs = [job_of(job.notebook, Path(folder) / job.notebook.name) for job in notebook_jobs()]
        if errors := [result.error for result in sweep(jobs, workers, progress) if result.error]:
            raise MedagentsError("\n".join(errors))
        return [job.notebook.name for job in jobs if job.notebook.read_bytes() != job.output.read_bytes()]
