"""The command line remembers in a folder of the test's own which folders are trusted."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.hostile import environment_of
from tests.forks import ForkedArc


@pytest.fixture(scope="session")
def forked_arc() -> Iterator[ForkedArc]:
    """Runs `arc` in forks of one process."""
    variables = environment_of(Path(sys.executable).parent)
    with ForkedArc.start(sys.executable, variables) as arc:
        yield arc


@pytest.fixture(autouse=True)
def _empty_configuration(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
    monkeypatch.delenv("COLUMNS", raising=False)  # what runs tests at once sets it
