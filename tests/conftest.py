"""Fixtures of all tests. No test reaches the committed recordings and rows unless marked `committed`."""

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pandas as pd
import pytest

from medagents import paths, study
from medagents.models.scripted import ScriptedModel
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, Request

STATE = {name: getattr(paths, name) for name in ("RECORDINGS", "ROWS", "TURNS", "SUMS", "BUILD")}
NUMBER = itertools.count()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "committed: the test reads the committed recordings and rows")


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Functions and methods that a module names."""
    for value in list(vars(module).values()):
        held = list(vars(value).values()) if isinstance(value, type) else [value]
        yield from (found for found in held if isinstance(found, FunctionType))


@pytest.fixture(autouse=True)
def state(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Move the folders that runs write to, also where a function holds one as a default argument."""
    if "committed" in request.keywords:
        return
    root = tmp_path_factory.getbasetemp() / f"state-{next(NUMBER)}"
    moved = {real: root / name.lower() for name, real in STATE.items()}
    for name, real in STATE.items():
        monkeypatch.setattr(paths, name, moved[real])
    modules = [module for name, module in sys.modules.items() if name.startswith("medagents.")]
    for function in (found for module in modules for found in functions(module)):
        values = function.__defaults__ or ()
        if any(isinstance(value, Path) and value in moved for value in values):
            swapped = tuple(moved.get(value, value) if isinstance(value, Path) else value for value in values)
            monkeypatch.setattr(function, "__defaults__", swapped)


@pytest.fixture(scope="session")
def cases() -> tuple[Case, ...]:
    """Five easy cases, three of four options and two of five; the gold letters are B, D, A, C, E."""
    return (
        Case(
            "toy-1",
            "A sailor without fruit has bleeding gums. Which vitamin is missing?",
            ("Vitamin D", "Vitamin C", "Vitamin K", "Folate"),
            1,
        ),
        Case(
            "toy-2",
            "A diver surfaces quickly and has painful joints. Which gas forms bubbles?",
            ("Oxygen", "Helium", "Argon", "Nitrogen"),
            3,
        ),
        Case(
            "toy-3",
            "A baker wheezes on working days only. Which exposure explains this?",
            ("Flour dust", "Radon", "Asbestos", "Silica"),
            0,
        ),
        Case(
            "toy-4",
            "A gardener has nodules along one forearm after a thorn prick. Which fungus is it?",
            ("Candida", "Mucor", "Sporothrix", "Aspergillus", "Histoplasma"),
            2,
        ),
        Case(
            "toy-5",
            "A toddler who eats flakes of paint has a blue line on the gums. Which metal is it?",
            ("Iron", "Copper", "Zinc", "Mercury", "Lead"),
            4,
        ),
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "recordings")


@pytest.fixture
def scripted() -> ScriptedModel:
    """A model that answers B whatever it is shown."""
    return ScriptedModel(lambda request: "B")


Asked = tuple[pd.DataFrame, list[Request]]


@pytest.fixture
def ask(tmp_path: Path, cases: tuple[Case, ...]) -> Callable[..., Asked]:
    """Rows of one experiment with a scripted model, asked into a store of its own, and the requests."""

    def run(experiment: str, script: Callable, chosen: tuple[Case, ...] = cases, rule: str = "") -> Asked:
        model = ScriptedModel(script)
        recorder = Recorder(model, Store(tmp_path / f"store-{next(NUMBER)}"), Mode.RECORD)
        return study.run(experiment, chosen, recorder, "toy", rule), model.history

    return run
