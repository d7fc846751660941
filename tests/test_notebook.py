import json
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from medagents import paths
from medagents.notebook import clean, from_text, parameters_of
from medagents.types import MedagentsError

GOOD = {"cohort_id": "c0", "N_CASES": 5, "share": 0.5, "live": False, "arms": ["a"]}
TYPED = "\n".join(f"{name} = {value!r}  # help" for name, value in GOOD.items())


def write(path, defaults):
    """A notebook of a heading and the parameters cell."""
    tagged = new_code_cell(defaults, id="defaults", metadata={"tags": ["parameters"]})
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Question", id="heading"), tagged]), path)
    return path


# --- parameters


def test_parameters_are_read_from_the_tagged_cell(tmp_path):
    assert parameters_of(
        write(tmp_path / "typed.ipynb", defaults=f"# Change me.\n\n{TYPED}\nx = -1")
    ) == GOOD | {"x": -1}


@pytest.mark.parametrize("tagged", [("b",), ("a", "b"), ("m",)])
def test_tag_belongs_on_the_first_code_cell_alone(tmp_path, tagged):
    cells = [
        new_markdown_cell("text", id="m"),
        new_code_cell("A = 1", id="a"),
        new_code_cell("B = 1", id="b"),
    ]
    for cell in cells:
        cell.metadata["tags"] = ["parameters"] if cell.id in tagged else []
    nbformat.write(new_notebook(cells=cells), tmp_path / "odd.ipynb")
    with pytest.raises(MedagentsError, match="the first code cell, and no other"):
        parameters_of(tmp_path / "odd.ipynb")


@pytest.mark.parametrize(
    "line",
    [
        "N: int | None = None",
        "N = None",
        "N = A",
        "N = f()",
        "N = (1, 2)",
        "N = [\n1]",
        "M = N = 1",
        "A = 2",
        "1",
        "N =",
    ],
)
def test_parameters_cell_holds_plain_lines_only(tmp_path, line):
    notebook = write(tmp_path / "odd.ipynb", defaults=f"A = 1  # help\n{line}")
    with pytest.raises(MedagentsError, match=r"^odd\.ipynb, cell 2: line 2"):
        parameters_of(notebook)


def test_text_is_read_as_the_type_of_the_default(tmp_path):
    notebook = write(tmp_path / "typed.ipynb", defaults=TYPED)
    given = {"cohort_id": "007", "N_CASES": "3", "share": "1", "live": "True", "arms": "['b', 'c']"}
    expected = {"cohort_id": "007", "N_CASES": 3, "share": 1.0, "live": True, "arms": ["b", "c"]}
    assert from_text(notebook, given) == expected
    assert from_text(notebook, {"cohort_id": "nan"}) == GOOD | {"cohort_id": "nan"}
    with pytest.raises(MedagentsError, match="N_CASES: '007' is no int"):
        from_text(notebook, {"N_CASES": "007"})


@pytest.mark.parametrize("ids", [("a", "a"), ("a", "injected-parameters")])
def test_cells_need_ids_of_their_own(tmp_path, ids):
    cells = [{"id": key, "cell_type": "markdown", "metadata": {}, "source": []} for key in ids]
    (tmp_path / "odd.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(MedagentsError, match="every cell needs an id of its own"):
        parameters_of(tmp_path / "odd.ipynb")


def test_unreadable_notebook_is_named(tmp_path):
    (tmp_path / "torn.ipynb").write_text("{")
    with pytest.raises(MedagentsError, match=r"torn\.ipynb: no readable notebook"):
        parameters_of(tmp_path / "torn.ipynb")


# --- what may stand in an output


def draft(*outputs, source="x", count=1, tags=()):
    cell = {"id": "a", "cell_type": "code", "metadata": {"tags": [*tags]}, "source": [source]}
    cell |= {"execution_count": count, "outputs": [*outputs]}
    return [cell], {"cells": [cell]}


def stream(*lines, name="stdout"):
    return {"output_type": "stream", "name": name, "text": [*lines]}


def test_stream_cut_by_the_clock_is_joined():
    drawn = {"output_type": "display_data", "data": {"image/png": "x"}, "metadata": {}}
    whole = clean(*draft(stream("a\n", "b"), stream("c\n"), drawn, stream("d\n")))
    assert json.loads(whole)["cells"][0]["outputs"] == [stream("a\n", "bc\n"), drawn, stream("d\n")]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (stream("A Warning: w\n", "  x = 1\n", name="stderr"), "on stderr: x = 1"),
        (stream(f"{paths.ROOT}/cache\n"), "a folder of this machine"),
        (stream(f"'{Path.home()}'\n"), "a folder of this machine"),
        (stream(f"{sys.prefix}/lib\n"), "a folder of this machine"),
        (stream(f"{tempfile.gettempdir()}/x\n"), "a folder of this machine"),
        (stream("<object object at 0x7f0a1b2c3d4e>\n"), "an object at 0x7f0a1b2c3d4e"),
        ({"output_type": "execute_result", "data": {"text/html": [f"<a href='{paths.ROOT}'>"]}}, "a folder"),
        ({"output_type": "error", "ename": "SystemExit", "evalue": "0"}, "SystemExit: 0"),
    ],
)
def test_output_tied_to_one_run_or_machine_is_refused(output, said):
    with pytest.raises(MedagentsError, match=f"^cell 1: .*{said}"):
        clean(*draft(output))


def test_words_that_only_resemble_a_folder_pass(monkeypatch):
    # Folders that do not contain one another, as a clone below the home folder and its home do.
    monkeypatch.setattr(paths, "ROOT", Path("/srv/clone"))
    monkeypatch.setattr(Path, "home", lambda: Path("/nowhere/home"))
    assert clean(*draft(stream(f"w{paths.ROOT}\n", f"{paths.ROOT}-like\n", "at 0x1f\n")))


@pytest.mark.parametrize("count", [None, 2])
def test_cell_that_did_not_run_in_its_turn_is_refused(count):
    with pytest.raises(MedagentsError, match="cell 1: not executed in its turn"):
        clean(*draft(count=count))


def test_empty_cell_has_no_count():
    assert '"execution_count": null' in clean(*draft(source="\n", count=None))
