"""The wheel holds all that an installation needs."""

import tomllib
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGES, ROOT
from tests.packaging.environment import Environment, copy_sources

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment to build and install in."""
    return Environment.create(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture(scope="module")
def wheel(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Arc's wheel, built by pip from a copy of the sources."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = copy_sources(folder / "sources")
    environment.pip("wheel", "--no-deps", "--no-build-isolation", str(copy), cwd=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The files of the wheel."""
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_every_module(names: set[str]) -> None:
    """No package and no module of the repository is left behind."""
    modules = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py*")
        if path.suffix != ".pyc"
    }

    assert modules - names == set()


def test_the_wheel_is_typed(names: set[str]) -> None:
    """Type checkers of users find the marker in all three packages."""
    assert {f"{package}/py.typed" for package in PACKAGES} <= names


def test_the_wheel_holds_nothing_else(names: set[str]) -> None:
    """Tests, benchmarks and examples stay out of users' environments."""
    top = {name.partition("/")[0] for name in names if ".dist-info/" not in name}

    assert top == set(PACKAGES)


def test_the_wheel_carries_its_licence(names: set[str]) -> None:
    """The licence's text goes wherever the code goes."""
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_wheel_declares_its_plugins(wheel: Path) -> None:
    """Arc's own plugins and its command are found as everyone else's are: by entry points."""
    archive = zipfile.ZipFile(wheel)
    name = next(each for each in archive.namelist() if each.endswith("entry_points.txt"))
    parser = ConfigParser(delimiters=["="])
    parser.read_string(archive.read(name).decode())

    declared = {group: dict(parser[group]) for group in parser.sections()}

    assert declared == {**PROJECT["entry-points"], "console_scripts": PROJECT["scripts"]}


@pytest.mark.slow
def test_an_agent_runs_from_the_wheel(
    wheel: Path, environment: Environment, tmp_path: Path
) -> None:
    """Installed from the wheel, and not from this repository, the command answers."""
    environment.pip("install", "--no-deps", str(wheel), cwd=tmp_path)
    try:
        place = environment.python("-c", "import arc_core; print(arc_core.__file__)", cwd=tmp_path)
        answer = environment.arc("run", "What is 12.5% of 2480?", cwd=tmp_path)
    finally:
        environment.pip("uninstall", "--yes", "arc-agents", cwd=tmp_path)

    assert place.startswith(str(environment.folder))
    assert "310" in answer
