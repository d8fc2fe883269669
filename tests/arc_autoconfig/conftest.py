"""Every test of the wiring runs in an empty folder and without settings or keys of a user."""

import os
from pathlib import Path

import pytest

from arc_autoconfig import ArcSettings
from tests.arc_autoconfig.installed import PackageIndex


@pytest.fixture(autouse=True, scope="session")
def _sections_of_arc() -> None:
    """Which settings exist depends on what is imported: here on no test that ran before."""
    ArcSettings(_isolated=True)


@pytest.fixture(autouse=True)
def _empty_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("ARC_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture
def packages(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> PackageIndex:
    """Installs packages for the test alone."""
    return PackageIndex(tmp_path_factory.mktemp("site-packages"), monkeypatch)
