"""The child of a run: one notebook, executed in a process of its own, `python -m medagents.kernel SCRATCH`.

It and its parent, `medagents.sweep`, speak through files of the scratch folder. `source.ipynb` and
`order.json` go in; `kernel` (its process group), `cell` (the one that runs), `draft.ipynb` and, after a
failure, `fault` come out. The parent imports this module too, so papermill waits until a notebook is run.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from medagents.notebook import INJECTED, Cell, cells_of, last_line

# --- what parent and child share


def note(scratch: Path, name: str) -> str:
    """What was left in a file of the scratch folder; empty if nothing."""
    path = scratch / name
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""


def kill_group(group: str) -> None:
    """End the processes of a group, if it is known and still there."""
    if group:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(int(group), signal.SIGKILL)


# --- the child


def run_one(scratch: Path) -> int:
    """Execute `source.ipynb` of a scratch folder as `order.json` says; exit status."""
    threading.Thread(target=_end_with_parent, args=(scratch,), daemon=True).start()
    order = json.loads(note(scratch, "order.json"))
    for _ in ("first start of the kernel", "second"):
        try:
            _execute(scratch, order)
            return 0
        except Exception as error:
            (scratch / "fault").write_text(_fault(error, order["seconds"]), encoding="utf-8")
        if note(scratch, "cell"):
            break  # The kernel did start; what the cells did is not done twice.
    return 1


def _end_with_parent(scratch: Path) -> None:
    """The parent holds the other end of stdin: if it dies, even of SIGKILL, so does the kernel."""
    os.read(0, 1)
    kill_group(note(scratch, "kernel"))
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(1)


def _fault(error: Exception, seconds: int) -> str:
    """Exception name and last line, without the page of traceback papermill makes of it."""
    name, text = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    return f"{name}: " + (f"longer than {seconds} s" if name == "CellTimeoutError" else last_line(text))


def _execute(scratch: Path, order: Mapping[str, Any]) -> None:
    # Imported here: the parent has no use for either.
    import papermill
    from traitlets.config import Config

    numbers = {cell["id"]: number for number, cell in enumerate(cells_of(scratch / "source.ipynb"), 1)}

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
