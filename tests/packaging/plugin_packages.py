"""Writes the sources of plugin packages, which pip builds and installs."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from tests.packaging.environment import Environment

__all__ = ["install", "write_package"]


def write_package(
    folder: Path,
    name: str,
    *,
    source: str = "",
    version: str = "1.0",
    entry_points: Mapping[str, Mapping[str, str]],
) -> Path:
    """Write a package with one module, called as the package with underscores.

    Args:
        folder: Where its own folder is made.
        name: Of the distribution.
        source: Of the module.
        version: Of the distribution.
        entry_points: By group and name.
    """
    root, module = folder / name, name.replace("-", "_")
    root.mkdir()
    (root / f"{module}.py").write_text(dedent(source), "utf-8")
    lines = [
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"',
        f'[project]\nname = "{name}"\nversion = "{version}"',
        f'[tool.setuptools]\npy-modules = ["{module}"]',
    ]
    for group, named in entry_points.items():
        lines.append(f'[project.entry-points."{group}"]')
        lines += [f'"{each}" = "{place}"' for each, place in named.items()]
    (root / "pyproject.toml").write_text("\n".join(lines), "utf-8")
    return root


def install(environment: Environment, *packages: Path) -> None:
    """Build and install packages, all at once."""
    options = ("--no-deps", "--no-build-isolation", "--no-compile")
    environment.pip("install", *options, *map(str, packages), cwd=packages[0].parent)
