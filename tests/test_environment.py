"""environment.yml, pyproject.toml, requirements.lock, Makefile and README say the same."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from medagents import paths

PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (paths.ROOT / "requirements.lock").read_text(encoding="utf-8")
MAKEFILE = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
README = (paths.ROOT / "README.md").read_text(encoding="utf-8")
CONDA = yaml.safe_load((paths.ROOT / "environment.yml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
DIRECT = [
    Requirement(text) for text in [*PROJECT["project"]["dependencies"], *EXTRAS["dev"], *EXTRAS["live"]]
]
OUTSIDE = [Requirement(text) for text in [*EXTRAS["local"], *EXTRAS["lab"]]]
"""Extras that are no part of the lock: the engine, and a front end."""

PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", re.MULTILINE)
TARGET = re.compile(r"^([a-z-]+):.*?##\s*(.+)$", re.MULTILINE)


def pins():
    return {canonicalize_name(name): version for name, version in PIN.findall(LOCK)}


def named(requirements):
    return {canonicalize_name(requirement.name) for requirement in requirements}


def test_conda_supplies_the_interpreter_and_pip_alone():
    plain = [entry for entry in CONDA["dependencies"] if isinstance(entry, str)]
    assert plain == ["python=3.11.*", "pip"]
    assert CONDA["channels"] == ["conda-forge"]


def test_conda_takes_every_library_from_the_one_lock_by_hash():
    [pip] = [entry["pip"] for entry in CONDA["dependencies"] if isinstance(entry, dict)]
    assert pip == ["--require-hashes", "-r requirements.lock"]


def test_one_minor_version_of_python_is_named_everywhere():
    assert SpecifierSet(PROJECT["project"]["requires-python"]).contains("3.11.9")
    assert not SpecifierSet(PROJECT["project"]["requires-python"]).contains("3.12.0")
    assert re.search(r"^PYTHON \?= python3\.11$", MAKEFILE, re.MULTILINE)
    assert "--python-version 3.11 " in MAKEFILE
    assert PROJECT["tool"]["ruff"]["target-version"] == "py311"
    assert PROJECT["tool"]["mypy"]["python_version"] == "3.11"
    assert sys.version_info[:2] == (3, 11)


@pytest.mark.parametrize("requirement", DIRECT, ids=str)
def test_what_is_declared_is_locked_within_its_range(requirement):
    assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)])


def test_the_lock_is_of_the_dependencies_declared_now():
    blocks = re.split(r"\n(?=[A-Za-z0-9])", LOCK)
    asked = {block.split("==")[0] for block in blocks if re.search(r"# +(via )?medagents \(pyproject", block)}
    assert {canonicalize_name(name) for name in asked} == named(DIRECT), "stale lock; run: make lock"


def test_every_locked_package_has_an_exact_version_and_hashes():
    blocks = [block for block in re.split(r"\n(?=[A-Za-z0-9])", LOCK) if not block.startswith("#")]
    assert len(blocks) == len(pins()) > 50
    for block in blocks:
        assert PIN.match(block) and re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block.splitlines()[0]


def test_the_lock_names_no_server():
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK


def test_the_build_back_end_is_locked_for_a_build_without_isolation():
    assert "--no-build-isolation" in MAKEFILE
    for requirement in map(Requirement, PROJECT["build-system"]["requires"]):
        assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)])


def sources():
    """Name and code of every Python file and notebook cell."""
    for folder in ("medagents", "tests", "benchmarks"):
        for path in sorted((paths.ROOT / folder).rglob("*.py")):
            yield str(path.relative_to(paths.ROOT)), path.read_text(encoding="utf-8")
    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield path.name, "".join(cell["source"])


def imported(code):
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


@pytest.fixture(scope="module")
def owners():
    """Distributions that provide a top-level module."""
    return packages_distributions() | {requirement.name: [requirement.name] for requirement in OUTSIDE}


def modules_of_the_tests():
    """Names that a test imports from beside it: modules, and packages as their folder."""
    for path in paths.ROOT.glob("tests/**/*.py"):
        yield path.parent.name if (path.parent / "__init__.py").exists() else path.stem


def test_every_import_is_declared(owners):
    own = {"medagents", *sys.stdlib_module_names, *modules_of_the_tests()}
    declared = named([*DIRECT, *OUTSIDE])
    strange = {
        f"{name}: {top}"
        for name, code in sources()
        for top in imported(code)
        if top not in own and not {canonicalize_name(owner) for owner in owners.get(top, [])} & declared
    }
    assert not strange


def test_the_package_itself_needs_no_tool_of_development(owners):
    live = map(Requirement, EXTRAS["live"])
    run = named(map(Requirement, PROJECT["project"]["dependencies"])) | named(OUTSIDE) | named(live)
    tops = {
        top
        for name, code in sources()
        if name.startswith("medagents") or name.endswith(".ipynb")
        for top in imported(code)
    }
    for top in tops - {"medagents", *sys.stdlib_module_names}:
        assert {canonicalize_name(owner) for owner in owners[top]} & run, top


def test_the_two_commands_of_the_readme_are_targets():
    [block] = re.findall(r"```\n(make figures.*?)```", README, re.DOTALL)
    commands = re.findall(r"^make ([a-z-]+)", block, re.MULTILINE)
    assert commands == ["figures", "test"]
    for command in commands:
        assert re.search(rf"^{command}: \$\(READY\) ", MAKEFILE, re.MULTILINE), "it sets up what it needs"


def test_every_make_command_of_the_readme_and_the_check_is_a_target():
    check = (paths.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    said = set(re.findall(r"(?:^|`)make ([a-z][a-z-]*)", README + check, re.MULTILINE))
    assert {"figures", "test", "local", "record", "verify", "lint"} <= said
    assert said <= {name for name, _ in TARGET.findall(MAKEFILE)}


def test_make_help_lists_every_target_that_is_described():
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    command = ["make", "--no-print-directory", "help"]  # else a make within `make test` says where it is
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    listed = re.findall(r"^  make ([a-z-]+) +(.+)$", done.stdout, re.MULTILINE)
    assert listed == TARGET.findall(MAKEFILE)
    assert len(listed) == len(done.stdout.splitlines()) > 10


def test_every_target_is_described_and_phony():
    rules = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
    [phony] = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert rules == set(phony.split()) == {name for name, _ in TARGET.findall(MAKEFILE)}


def test_the_citation_names_every_author_of_the_papers():
    citation = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    counts = {entry["url"].rsplit("/", 1)[-1]: len(entry["authors"]) for entry in citation["references"]}
    assert counts == {"2608.03744": 16, "2508.05996": 8, "2505.21503": 8}
    for person in (person for entry in citation["references"] for person in entry["authors"]):
        assert set(person) == {"family-names", "given-names"}, "no name stands for others"


def test_the_readme_names_no_file_or_folder_that_is_not_there():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    missing = [link for link in links if not (paths.ROOT / link).exists()]
    assert not missing


@pytest.mark.parametrize(
    ("model", "engine"),
    [("smollm2-135m", True), ("gemini-3.5-flash", False), ("openai:Qwen/Qwen2.5-7B-Instruct", False)],
)
def test_make_record_installs_the_engine_only_for_a_model_that_needs_it(model, engine):
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    asked = ["EXPERIMENT=peer_cascade", "COHORT=vignettes", f"MODEL={model}", "OPTIONS=--dry-run"]
    command = ["make", "--no-print-directory", "--dry-run", "record", *asked]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    *_, last = done.stdout.splitlines()
    assert last.endswith(f"--experiment peer_cascade --cohort vignettes --model {model} --dry-run")
    assert ('["optional-dependencies"]["local"]' in done.stdout) is engine
