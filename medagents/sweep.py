"""Run notebooks strictly: one process each, parameters checked first, output replaced only on success.

The parent stays light (no pandas, no papermill). It checks a job, starts `run_one` in a process of its own
and reads the draft which that leaves in a scratch folder. Success is the exit status of the process, never
the look of the draft: a notebook that timed out looks finished.

Text on stderr fails a run: it is a warning that nobody should meet in a committed notebook, and it holds
paths and line numbers of one machine. In a cell tagged `allow-stderr` it is dropped instead.
"""

import ast
import contextlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from medagents import paths
from medagents.types import MedagentsError

PARAMETERS, INJECTED, ALLOW_STDERR = "parameters", "injected-parameters", "allow-stderr"
"""Tags: the cell of defaults; the cell of changes, and its id; a cell that may write to stderr."""

ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    **dict.fromkeys(("PYTHONSTARTUP", "PYTHONWARNINGS"), ""),
    **{"MPLBACKEND": "agg", "PYTHONHASHSEED": "0", "TZ": "UTC", "PYTHONPATH": str(paths.ROOT)},
}
"""What a kernel gets over the caller's environment: the same sums, order and clock on every machine."""

PATH_LIMIT = 80
"""Longest scratch folder; a Unix socket's path ends near 100 characters, whatever the file system allows."""

ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
"""An object shown by its memory address, another one at each run."""

Value = str | int | float | bool | list
Cell = dict[str, Any]


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


# --- parameters


def parameters_of(notebook: Path) -> dict[str, Value]:
    """Defaults of a notebook, read without running it.

    Raises:
        MedagentsError: unreadable notebook, or the cell tagged `parameters` is missing, repeated, not the
            first code, or holds anything but `NAME = literal  # help` lines.
    """
    cells = _cells(notebook)
    tagged = [number for number, cell in enumerate(cells, 1) if PARAMETERS in _tags(cell)]
    code = [number for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
    if len(tagged) != 1 or tagged != code[:1]:
        raise MedagentsError(
            f"{notebook.name}: the first code cell, and no other, needs the tag {PARAMETERS!r}; found on "
            f"{', '.join(f'cell {number}' for number in tagged) or 'no cell'}"
        )
    found: dict[str, Value] = {}
    where = f"{notebook.name}, cell {tagged[0]}"
    try:
        body = ast.parse("".join(cells[tagged[0] - 1]["source"])).body
    except SyntaxError as error:
        raise MedagentsError(f"{where}: line {error.lineno}: {error.msg}") from None
    for node in body:
        name, value = _assignment(node)
        if not name or name in found:
            raise MedagentsError(f"{where}: line {node.lineno} is no new `NAME = literal  # help`")
        found[name] = value
    return found


def job_of(notebook: Path, output: Path, **changes: Value) -> Job:
    """A job with the notebook's defaults but for `changes`."""
    return Job(notebook, parameters_of(notebook) | changes, output)


def from_text(notebook: Path, texts: Mapping[str, str]) -> dict[str, Value]:
    """All parameters, some given as text. Each is read as the type of its default: `007` may stay text."""
    values = parameters_of(notebook)
    for name, text in texts.items():
        default = values.get(name, "")
        try:
            value = text if isinstance(default, str) else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise MedagentsError(
                f"{notebook.name}: {name}: {text!r} is no {type(default).__name__}"
            ) from None
        values[name] = float(value) if (type(default), type(value)) == (float, int) else value
    return values


def _cells(notebook: Path) -> list[Cell]:
    try:
        cells: list[Cell] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError) as error:
        raise MedagentsError(f"{notebook}: no readable notebook ({type(error).__name__})") from None
    ids = [cell.get("id") for cell in cells]
    if len({*ids, None, INJECTED}) < len(ids) + 2:
        raise MedagentsError(f"{notebook.name}: every cell needs an id of its own, not {INJECTED!r}")
    return cells


def _tags(cell: Cell) -> list[str]:
    return list(cell["metadata"].get("tags", []))


def _assignment(node: ast.stmt) -> tuple[str, Value]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=literal) if node.lineno == node.end_lineno:
            with contextlib.suppress(ValueError):
                value = ast.literal_eval(literal)
                return (name, value) if isinstance(value, Value) else ("", "")
    return "", ""


def _changes(job: Job) -> dict[str, Value]:
    """Parameters that differ from the defaults, after every check that needs no kernel."""
    name, defaults = job.notebook.name, parameters_of(job.notebook)
    for problem, keys in {
        "unknown": job.parameters.keys() - defaults.keys(),
        "missing": defaults.keys() - job.parameters.keys(),
    }.items():
        if keys:
            known = ", ".join(defaults)
            raise MedagentsError(f"{name}: {problem} parameter {', '.join(sorted(keys))}; it has: {known}")
    for key, value in job.parameters.items():
        wanted = type(defaults[key])
        if value is None or value == "None":
            raise MedagentsError(f"{name}: {key}: None is no {key}")
        if type(value) is not wanted or (isinstance(value, float) and not math.isfinite(value)):
            raise MedagentsError(f"{name}: {key}: {value!r} is no {wanted.__name__}")
    changed = {key: value for key, value in job.parameters.items() if value != defaults[key]}
    if changed and job.output.resolve() == job.notebook.resolve():
        raise MedagentsError(f"{name}: only a run with its defaults may replace a notebook")
    return changed


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
            text = clean(_cells(scratch / "source.ipynb"), json.loads(_note(scratch, "draft.ipynb")))
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
            [sys.executable, "-m", "medagents.sweep", str(scratch)],
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
        where = _note(scratch, "cell") or "kernel start"
        fault = fault or _note(scratch, "fault") or _last_line(_note(scratch, "log"))
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
        _kill_group(str(child.pid))
    if child.wait():
        _kill_group(_note(scratch, "kernel"))
    if child.stdin:
        child.stdin.close()


def _kill_group(group: str) -> None:
    if group:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(int(group), signal.SIGKILL)


def _note(scratch: Path, name: str) -> str:
    """What the child left in a file of the scratch folder; empty if nothing."""
    path = scratch / name
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1].strip()


def _keep(draft: Path, name: str) -> str:
    if not draft.exists():
        return ""
    kept = paths.BUILD / "failed" / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(draft, kept)
    return f"; draft: {kept}"


# --- what may stand in an executed notebook


def clean(source: Sequence[Cell], draft: Mapping[str, Any]) -> str:
    """Text of an executed notebook without what changes from run to run or from machine to machine.

    Raises:
        MedagentsError: a cell did not run, wrote to stderr, or shows a folder of this machine or an address.
    """
    numbers = {cell["id"]: f"cell {number}" for number, cell in enumerate(source, 1)}
    cells, count = [], 0
    for cell in draft["cells"]:
        where, tags = numbers.get(cell["id"], INJECTED), _tags(cell)
        kept = {key: cell[key] for key in ("cell_type", "source", "attachments") if key in cell}
        kept |= {"id": cell["id"] if cell["id"] in numbers else INJECTED, "metadata": {}}
        if tags:
            kept["metadata"] = {"tags": tags}
        if cell["cell_type"] == "code":
            written = bool("".join(cell["source"]).strip())
            count += written
            if cell["execution_count"] != (count if written else None):
                raise MedagentsError(f"{where}: not executed in its turn; did a cell before it exit?")
            kept |= {"execution_count": cell["execution_count"], "outputs": _outputs(cell, where)}
        cells.append(kept)
    metadata = {"kernelspec": {"display_name": "python3", "name": "python3"}}
    metadata["language_info"] = {"name": "python"}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    # The layout of nbformat, so that saving the notebook by hand does not touch every line.
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _outputs(cell: Cell, where: str) -> list[Cell]:
    kept: list[Cell] = []
    for output in cell["outputs"]:
        stream = output.get("name")
        if output["output_type"] == "error":
            raise MedagentsError(f"{where}: {output['ename']}: {_last_line(output['evalue'])}")
        if stream == "stderr" and ALLOW_STDERR not in _tags(cell):
            raise MedagentsError(f"{where}: on stderr: {_last_line(''.join(output['text']))}")
        if stream == "stdout" and kept and kept[-1].get("name") == stream:
            # Where the kernel cuts a stream depends on the clock.
            whole = "".join([*kept[-1]["text"], *output["text"]])
            kept[-1] = {**output, "text": whole.splitlines(keepends=True)}
        elif stream != "stderr":
            kept.append(output)
    for output in kept:
        _refuse_private(output, where)
    return kept


def _refuse_private(output: Cell, where: str) -> None:
    data = {mime: value for mime, value in output.get("data", {}).items() if mime != "image/png"}
    shown = json.dumps({**output, "data": data}, ensure_ascii=False)
    for folder in {str(paths.ROOT), str(Path.home()), sys.prefix, tempfile.gettempdir()} - {"/"}:
        if re.search(rf"(?<![\w.]){re.escape(folder)}(?![\w-])", shown):
            raise MedagentsError(f"{where}: its output shows {folder}, a folder of this machine")
    if found := ADDRESS.search(shown):
        raise MedagentsError(f"{where}: its output shows an object {found.group()}")


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

    A notebook without the parameters COHORT, MODEL and EXPERIMENT runs once.
    """
    found: list[tuple[int, Job]] = []
    folder = paths.BUILD / "notebooks"
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        defaults = parameters_of(notebook)
        if not {"COHORT", "MODEL", "EXPERIMENT"} <= defaults.keys():
            found.append((0, job_of(notebook, folder / notebook.name)))
            continue
        for rows in sorted(paths.ROWS.glob(f"*/*/{defaults['EXPERIMENT']}.csv")):
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


# --- one notebook, in its own process


def run_one(scratch: Path) -> int:
    """Execute `source.ipynb` of a scratch folder as `order.json` says; exit status."""
    threading.Thread(target=_end_with_parent, args=(scratch,), daemon=True).start()
    order = json.loads(_note(scratch, "order.json"))
    for _ in ("first start of the kernel", "second"):
        try:
            _execute(scratch, order)
            return 0
        except Exception as error:
            (scratch / "fault").write_text(_fault(error, order["seconds"]), encoding="utf-8")
        if _note(scratch, "cell"):
            break  # The kernel did start; what the cells did is not done twice.
    return 1


def _end_with_parent(scratch: Path) -> None:
    """The parent holds the other end of stdin: if it dies, even of SIGKILL, so does the kernel."""
    os.read(0, 1)
    _kill_group(_note(scratch, "kernel"))
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(1)


def _fault(error: Exception, seconds: int) -> str:
    """Exception name and last line, without the page of traceback papermill makes of it."""
    name, text = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    return f"{name}: " + (f"longer than {seconds} s" if name == "CellTimeoutError" else _last_line(text))


def _execute(scratch: Path, order: Mapping[str, Any]) -> None:
    # Imported here: the parent has no use for either.
    import papermill
    from traitlets.config import Config

    numbers = {cell["id"]: number for number, cell in enumerate(_cells(scratch / "source.ipynb"), 1)}

    def note_cell(cell: Cell, **_: Any) -> None:
        where = f"cell {numbers[cell['id']]}" if cell["id"] in numbers else INJECTED
        (scratch / "cell").write_text(where, encoding="utf-8")

    # TCP ports are first drawn and later bound, so that parallel kernels collide; sockets in a folder do not.
    manager = {"transport": "ipc", "connection_file": str(scratch / "k.json")}
    waits = {"start_timeout": 120, "execution_timeout": order["seconds"], "iopub_timeout": 60}
    papermill.execute_notebook(
        str(scratch / "source.ipynb"),
        str(scratch / "draft.ipynb"),
        parameters=order["parameters"],
        kernel_name=_kernel(scratch),
        language="python",
        progress_bar=False,
        config=Config({"KernelManager": manager}),
        on_cell_start=note_cell,
        shutdown_kernel="immediate",
        **waits,
    )


def _kernel(scratch: Path) -> str:
    """Name of a kernelspec for this very interpreter, which first notes its process group."""
    argv = ["sh", "-c", 'echo $$ > "$0"; exec "$@"', str(scratch / "kernel"), sys.executable]
    argv += ["-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.enabled=False"]
    spec = {"argv": argv, "display_name": "python3", "language": "python"}
    folder = scratch / "kernels" / "python3"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return folder.name


if __name__ == "__main__":
    sys.exit(run_one(Path(sys.argv[1])))
