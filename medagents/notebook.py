"""A notebook as a file: its parameters, read without running it, and its text, cleaned after a run.

Text on stderr fails a run: it is a warning that nobody should meet in a committed notebook, and it holds
paths and line numbers of one machine. In a cell tagged `allow-stderr` it is dropped instead.
"""

import ast
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medagents import paths
from medagents.types import MedagentsError

PARAMETERS, INJECTED, ALLOW_STDERR = "parameters", "injected-parameters", "allow-stderr"
"""Tags: the cell of defaults; the cell of changes, and its id; a cell that may write to stderr."""

ADDRESS = re.compile(r"\bat 0x[0-9a-f]{6,}")
"""An object shown by its memory address, another one at each run."""

Value = str | int | float | bool | list
Cell = dict[str, Any]


# --- parameters


def parameters_of(notebook: Path) -> dict[str, Value]:
    """Defaults of a notebook, read without running it.

    Raises:
        MedagentsError: unreadable notebook, or the cell tagged `parameters` is missing, repeated, not the
            first code, or holds anything but `NAME = literal  # help` lines.
    """
    cells = cells_of(notebook)
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


def cells_of(notebook: Path) -> list[Cell]:
    """Cells of a notebook, each with an id of its own.

    Raises:
        MedagentsError: unreadable notebook, or an id is missing, repeated or `INJECTED`.
    """
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
            raise MedagentsError(f"{where}: {output['ename']}: {last_line(output['evalue'])}")
        if stream == "stderr" and ALLOW_STDERR not in _tags(cell):
            raise MedagentsError(f"{where}: on stderr: {last_line(''.join(output['text']))}")
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


def last_line(text: str) -> str:
    """The last line that says anything: of a traceback, the exception."""
    return (text.strip().splitlines() or [""])[-1].strip()
