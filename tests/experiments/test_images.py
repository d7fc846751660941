"""A case with an image: every prompt about it carries the image, in every experiment."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from medagents import paths, sittings, study
from medagents.cohorts import MissingData
from medagents.cohorts.images import images_of
from medagents.experiments import EXPERIMENTS, SITTINGS
from medagents.models.scripted import ScriptedModel
from medagents.models.teams import roster
from medagents.recorder import Mode, Recorder
from medagents.recordings import Store
from medagents.types import Case, MedagentsError

WITHOUT = ("transcript_review",)
"""The judge reads a transcript and nothing else."""


@pytest.fixture
def film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A phantom of a chest film: a bright oval on a dark ground, and a question about it."""
    monkeypatch.setenv("MEDAGENTS_DATA", str(tmp_path))
    rows, columns = np.mgrid[:32, :32]
    oval = ((rows - 16) / 12) ** 2 + ((columns - 16) / 8) ** 2 < 1
    Pillow.fromarray((40 + 160 * oval).astype("uint8")).save(tmp_path / "film.png")
    return Case("film", "Is the heart large?", ("yes", "no", "unsure"), 0, meta={"image": "film.png"})


def test_bytes_go_as_they_lie_in_the_file(film: Case, tmp_path: Path) -> None:
    [image] = images_of(film)
    assert (image.data, image.mime) == ((tmp_path / "film.png").read_bytes(), "image/png")
    assert Pillow.open(io.BytesIO(image.data)).size == (32, 32)


def test_a_case_of_text_has_no_image() -> None:
    assert images_of(Case("x", "Gout?", ("yes", "no"), 0)) == ()


def test_a_missing_image_is_missing_data_and_another_kind_is_refused(film: Case, tmp_path: Path) -> None:
    (tmp_path / "film.png").unlink()
    with pytest.raises(MissingData, match=r"case film: .*film\.png is missing"):
        images_of(film)
    with pytest.raises(MedagentsError, match=r"film\.tif is none of \.jpg, \.jpeg, \.png"):
        images_of(Case("film", "Large?", ("yes", "no"), 0, meta={"image": "film.tif"}))


@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name not in WITHOUT])
def test_every_question_of_an_experiment_shows_the_image(film, experiment, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(paths, "ROWS", tmp_path / "rows")
    model = ScriptedModel(lambda _: "B")
    recorder = Recorder(model, Store(tmp_path / "store"), Mode.RECORD)
    study.run(experiment, [film], recorder, "films")
    about = [request for request in model.history if film.stem in request.messages[-1].text]
    assert about and all(len(request.images) == 1 for request in about)


@pytest.mark.parametrize("experiment", SITTINGS)
def test_every_turn_of_a_committee_sees_the_image(film, experiment, tmp_path) -> None:
    store = Store(tmp_path / "store")
    models = {name: ScriptedModel(lambda _: "B. So it looks.", name) for name in roster("trio").models}
    recorders = {name: Recorder(model, store, Mode.RECORD) for name, model in models.items()}
    sittings.run(experiment, [film], "trio", recorders, "films")
    asked = [request for model in models.values() for request in model.history]
    assert asked and all(len(request.images) == 1 for request in asked)
