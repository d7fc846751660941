"""What tests of providers share."""

import pytest
from clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
