"""Packages with entry points, written to a folder on the path as an installer would."""

import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from arc_autoconfig.declare.candidates import Source
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.plugins import Discovery, Plugin
from arc_autoconfig.settings import PluginsSettings


class PackageIndex:
    """Installs packages into one folder, and forgets their modules at the end of the test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        monkeypatch.syspath_prepend(str(folder))

    def install(
        self,
        distribution: str,
        *,
        version: str = "1.0",
        modules: dict[str, str] | None = None,
        **groups: dict[str, str],
    ) -> None:
        """Write a distribution with its modules.

        Args:
            distribution: Its name.
            version: Its version.
            modules: Source by module name, without packages.
            groups: Entry points by group, with `__` for the dot: `arc__guards={"pii": "m:C"}`.
        """
        for name, source in (modules or {}).items():
            (self._folder / f"{name}.py").write_text(dedent(source), "utf-8")
            self._monkeypatch.delitem(sys.modules, name, raising=False)
        info = self._folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        (info / "entry_points.txt").write_text(_sections(groups), "utf-8")


def _sections(groups: dict[str, dict[str, str]]) -> str:
    lines: list[str] = []
    for group, entry_points in groups.items():
        lines.append(f"[{group.replace('__', '.')}]")
        lines += [f"{name} = {value}" for name, value in entry_points.items()]
    return "\n".join(lines)


def discovered(*, third_party: bool = True, **settings: Any) -> Discovery:
    """What is installed, read with these settings of plugins."""
    return discover(PluginsSettings.model_validate(settings), third_party=third_party)


def plugin_in(discovery: Discovery, name: str) -> Plugin:
    """The plugin of a name."""
    (found,) = (each for each in discovery.plugins if each.name == name)
    return found


def names_in(discovery: Discovery) -> list[str]:
    """The names of what plugins offer."""
    return [each.name for each in discovery.candidates if each.origin.source is Source.PLUGIN]
