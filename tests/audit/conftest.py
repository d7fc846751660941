"""The authors' rows, for tests that recompute from them; skipped where there is no copy of the release."""

import pytest

from medagents import paths
from medagents.audit.rows import Rows


@pytest.fixture(scope="session")
def authors() -> Rows:
    folder = paths.artefacts()
    if folder is None or not (folder / "experiments").is_dir():
        pytest.skip("MEDAGENTS_ARTEFACTS names no copy of the authors' rows")
    return Rows(folder)
