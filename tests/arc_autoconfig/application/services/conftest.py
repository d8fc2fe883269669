"""Tests of services note what they see."""

import pytest

from tests.arc_autoconfig.run_scopes import SEEN


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    SEEN.clear()
