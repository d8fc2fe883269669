"""The command line remembers in a folder of the test's own which folders are trusted."""

import pytest


@pytest.fixture(autouse=True)
def _configuration_of_nobody(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("configuration")))
