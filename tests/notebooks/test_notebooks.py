"""Rules of the notebooks, and each notebook's cells run in-process on a tiny scripted study."""

import ast
import hashlib
import importlib
import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.text import Text

from medagents import cohorts, figures, paths, rows, sittings, study
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.models.catalog import title
from medagents.models.scripted import ScriptedModel
from medagents.models.teams import roster
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.study import OVERSIGHT
from medagents.sweep import job_of, run_notebook

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
MODEL = "qwen2.5-coder-1.5b"
"""The default of every notebook."""

LONGEST = 20
"""Lines of a cell."""


def text(cell) -> str:
    return "".join(cell["source"])


class Notebook:
    def __init__(self, path: Path) -> None:
        self.path, self.number = path, path.name[:2]
        self.whole = json.loads(path.read_text(encoding="utf-8"))
        self.cells = self.whole["cells"]
        self.code = [cell for cell in self.cells if cell["cell_type"] == "code"]
        self.prose = "\n".join(text(cell) for cell in self.cells if cell["cell_type"] == "markdown")

    def nodes(self):
        for cell in self.code:
            yield from ast.walk(ast.parse(text(cell)))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request) -> Notebook:
    return Notebook(request.param)


def test_every_notebook_has_a_number_of_its_own():
    numbers = [path.name[:2] for path in NOTEBOOKS]
    assert len(set(numbers)) == len(numbers) and numbers[0] == "00"
    assert len(NOTEBOOKS) == len(list(paths.NOTEBOOKS.glob("*.ipynb"))) >= 3


def test_the_first_code_cell_and_no_other_holds_the_parameters_as_plain_literals(notebook):
    tagged = [cell for cell in notebook.cells if "parameters" in cell["metadata"].get("tags", [])]
    assert tagged == notebook.code[:1]
    body = ast.parse(text(tagged[0])).body
    assert body
    for node in body:
        assert isinstance(node, ast.Assign) and len(node.targets) == 1
        assert node.targets[0].id.isupper() and isinstance(ast.literal_eval(node.value), str | int | float)


def test_every_code_cell_has_prose_shortly_before(notebook):
    for number, cell in enumerate(notebook.cells):
        if cell["cell_type"] == "code":
            before = [other["cell_type"] for other in notebook.cells[max(0, number - 3) : number]]
            assert "markdown" in before, cell["id"]


def test_no_cell_is_long(notebook):
    lines = {cell["id"]: len(text(cell).splitlines()) for cell in notebook.code}
    assert not {name: count for name, count in lines.items() if count > LONGEST}


def test_notebooks_define_and_catch_nothing(notebook):
    refused = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try, ast.TryStar)
    assert not [node for node in notebook.nodes() if isinstance(node, refused)]


def test_every_notebook_begins_with_its_number_and_says_what_would_change_my_mind(notebook):
    assert text(notebook.cells[0]).startswith(f"# {notebook.number} ")
    [section] = re.findall(r"^## What would change my mind\n((?:- .+\n?)+)", notebook.prose, re.MULTILINE)
    assert len(section.strip().splitlines()) >= 2


def test_the_kernel_is_any_python_3(notebook):
    assert notebook.whole["metadata"]["kernelspec"]["name"] == "python3"
    assert (notebook.whole["nbformat"], notebook.whole["nbformat_minor"]) == (4, 5)


def test_cells_have_ids_that_say_what_they_hold(notebook):
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in ids), "a drawn id changes at every save"


def saved_figures(notebook):
    """Name and further arguments of each figure that is saved."""
    for node in notebook.nodes():
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "figures.save":
            yield ast.literal_eval(ast.unparse(node.args[1]).removeprefix("f")), node.args[2:]


def names_of_figures(notebook):
    return [name for name, _ in saved_figures(notebook)]


def test_figures_are_named_by_notebook_cohort_and_model(notebook):
    names = names_of_figures(notebook)
    assert names and len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(
            rf"{notebook.number}_[a-z_]+__({{COHORT}}__{{MODEL}}|all_cohorts__all_models)", name
        )


def test_a_figure_of_one_study_is_saved_where_the_study_says(notebook):
    for name, (_, *folder) in saved_figures(notebook):
        wanted = ["found.figures"] if "{COHORT}" in name else []
        assert [ast.unparse(node) for node in folder] == wanted, f"a trial run would replace {name}"


def test_imports_resolve_and_are_used(notebook):
    used = {node.id for node in notebook.nodes() if isinstance(node, ast.Name)}
    for node in notebook.nodes():
        if isinstance(node, ast.Import):
            held = [(alias.name, None, alias) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            held = [(node.module, alias.name, alias) for alias in node.names]
        else:
            continue
        for module, name, alias in held:
            found = importlib.import_module(module)
            if name and not hasattr(found, name):
                importlib.import_module(f"{module}.{name}")
            assert (alias.asname or alias.name) in used, f"{alias.name} is imported for nothing"


def test_a_notebook_takes_only_the_public_interface(notebook):
    for node in notebook.nodes():
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_"), node.attr


def test_no_folder_of_a_machine_is_named(notebook):
    strings = [node.value for node in notebook.nodes() if isinstance(node, ast.Constant)]
    strings = [value for value in strings if isinstance(value, str)]
    assert not [value for value in strings if re.match(r"(/\w|~|[A-Z]:\\|\.\.)", value)]
    assert not re.search(r"(?<![\w.:/])/(home|Users|tmp|root|work|mnt|opt|var)\b", notebook.prose)


SCREENED = {
    "tables.adoption_by_arm": "tables.screen_cascade",
    "tables.contrast_tests": "tables.screen_cascade",
    "tables.cue_flips": "tables.screen_cues",
    "rubric.uptake": "rubric.screen",
    "rubric.contrasts": "rubric.screen",
    "rubric.corrected_naming": "rubric.screen",
    "rubric.naming_quality": "rubric.screen_quality",
    "detection.scores": "detection.screen_detection",
    "detection.by_plant_letter": "detection.screen_detection",
    "detection.requeries": "detection.screen_detection",
    "detection.judge_scores": "detection.screen_detection",
    "detection.deference": "detection.screen_detection",
    "detection.costs": "detection.screen_detection",
}
"""A table of rates -> what says which of its columns can tell nothing."""

NO_RATES = {
    *("tables.statuses", "tables.joined", "tables.asks", "tables.letter_counts", "tables.alone"),
    *("tables.susceptibility_points", "detection.verdicts"),
}
"""Rows, counts, words, and what a model knows alone."""


def test_every_table_of_rates_is_screened_in_its_notebook(notebook):
    calls = {ast.unparse(node.func) for node in notebook.nodes() if isinstance(node, ast.Call)}
    made = {name for name in calls if re.fullmatch(r"(tables|rubric|detection)\.[a-z_]+", name)}
    unknown = made - set(SCREENED) - set(SCREENED.values()) - NO_RATES
    assert not unknown, "name its screen in SCREENED, or say in NO_RATES that it holds no rate"
    assert not {name: SCREENED[name] for name in made & set(SCREENED) if SCREENED[name] not in made}


def test_commands_in_prose_are_commands(notebook):
    from medagents import cli

    for line in re.findall(r"`python -m medagents ([^`<]+)`", notebook.prose):
        assert callable(cli.parser().parse_args(line.split()).run), line


def test_the_experiment_of_a_notebook_exists(notebook):
    values = {}
    exec(text(notebook.code[0]), values)
    assert values.get("EXPERIMENT", "prompt_format") in {**EXPERIMENTS, **SITTINGS}
    assert values.get("COHORT", "vignettes") in cohorts.names()


# --- run on a tiny study


def likely(request):
    """Log-probabilities of the letters, drawn from the text that is asked."""
    digest = hashlib.sha256(request.messages[-1].text.encode()).digest()
    weights = [1 + byte for byte in digest[:4]]
    return {letter: math.log(weight / sum(weights)) for letter, weight in zip("ABCD", weights, strict=True)}


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """Rows of every experiment over twelve vignettes."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "ROWS", tmp_path_factory.mktemp("rows"))  # judges read the holdouts' rows there
        for experiment in ("cue_sensitivity", "peer_cascade", "prompt_format", "engine_check", *OVERSIGHT):
            store = Store(tmp_path_factory.mktemp(experiment))
            recorder = Recorder(ScriptedModel(likely, MODEL), store, Mode.RECORD)
            found[experiment] = study.run(experiment, cohorts.load("vignettes", 12), recorder, "vignettes")
            rows.write(found[experiment], rows.path_of("vignettes", MODEL, experiment, paths.ROWS))
    return found


def speaks(request):
    """An expert's letter, or a mediator's list."""
    asked = request.messages[-1].text
    if "Reply with JSON" in asked:
        return '[{"Decision": "Yes", "Expert 1": "Why?", "Expert 2": "Why not?"}]'
    return likely(request)


@pytest.fixture(scope="module")
def sat(tmp_path_factory):
    """Sessions of every committee experiment over twelve vignettes."""
    store, cases = Store(tmp_path_factory.mktemp("sat")), cohorts.load("vignettes", 12)
    seats = {
        name: Recorder(ScriptedModel(speaks, name), store, Mode.RECORD) for name in roster("trio").models
    }
    return {name: sittings.run(name, cases, "trio", seats, "vignettes") for name in SITTINGS}


def flat(data):
    """The intervals of a table that have no width."""
    names = [name.removesuffix("_low") for name in data if name.endswith("_low")]
    width = pd.DataFrame({name: data[f"{name}_high"] - data[f"{name}_low"] for name in names})
    return data[(width <= 0).any(axis=1)] if names else data.iloc[:0]


@pytest.mark.parametrize("file", sorted(paths.FIGURES.glob("*.csv")), ids=lambda file: file.stem)
def test_no_committed_figure_draws_an_interval_without_width(file):
    data = pd.read_csv(file)
    assert flat(data).empty
    for name in {"n", "all", "adopted", "flagged", "caught", "decoy", "can", "cases", "flips"} & set(data):
        assert (data[name].dropna() % 1 == 0).all(), name


def test_the_cells_run_and_save_their_figures(notebook, frames, sat, tmp_path, monkeypatch):
    names = {}
    exec(text(notebook.code[0]), names)
    for experiment, frame in frames.items():
        cohort = names.get("DEVELOPMENT", "vignettes") if experiment == "prompt_format" else "vignettes"
        rows.write(frame, rows.path_of(cohort, names["MODEL"], experiment, paths.ROWS))
    monkeypatch.setattr(rows.path_of, "__defaults__", (paths.ROWS,))
    replayed = {name: study.Study(frame, study.REPLAYED) for name, frame in frames.items()}
    monkeypatch.setattr(study, "replay", lambda experiment, *_, **__: replayed[experiment])
    monkeypatch.setattr(sittings, "replay", lambda experiment, *_: sat[experiment])
    drawn, save = {}, figures.save

    def kept(figure, name, data, folder=None):
        drawn[name] = [written.get_text() for written in figure.findobj(Text)], data
        return save(figure, name, data, tmp_path)

    monkeypatch.setattr(figures, "save", kept)
    for cell in notebook.code:
        exec(compile(text(cell), cell["id"], "exec"), names)
    for name, (texts, data) in drawn.items():
        said = " ".join(texts)
        if not name.endswith("__all_cohorts__all_models"):
            assert title(names["MODEL"]) in said and names["COHORT"] in said, f"{name} says whose it is"
        assert not re.search(r"\d\.\d*/\d|/\d+\.\d|<NA>|\bnan\b", said), f"{name}: counts are whole numbers"
        assert flat(data).empty, f"{name} draws an interval without width"
    wanted = {name.format(**names) for name in names_of_figures(notebook)}
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.{kind}" for name in wanted for kind in ("csv", "png", "svg")
    }


# --- run by the real runner


def contents(folder):
    return {path: path.read_bytes() for path in folder.iterdir()}


def test_a_trial_run_leaves_the_committed_figures_as_they_are(tmp_path):
    build = paths.ROOT / "build" / "figures"
    before = contents(paths.FIGURES)
    notebook = paths.NOTEBOOKS / "02_peer_cascade.ipynb"
    run_notebook(job_of(notebook, tmp_path / "trial.ipynb", N=2))
    assert contents(paths.FIGURES) == before
    arms = pd.read_csv(build / f"02_adoption__vignettes__{MODEL}.csv")
    assert set(arms["all"]) == {2}
