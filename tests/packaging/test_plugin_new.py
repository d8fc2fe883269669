"""The package that `arc plugin new` writes installs, and its tests pass."""

import json
from pathlib import Path

import pytest

from arc_autoconfig.cli.plugin_kinds import KINDS
from tests.packaging.environment import Environment

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment where a new plugin is installed for editing."""
    folder = tmp_path_factory.mktemp("environment")
    environment = Environment.create(folder / "venv")
    environment.arc("plugin", "new", "acme-pii", cwd=folder)
    environment.pip("install", "--no-build-isolation", "-e", "acme-pii", cwd=folder)
    return environment


@pytest.mark.slow
def test_its_tests_pass(environment: Environment) -> None:
    """Those of the guard, of its conformance, and of its wiring."""
    output = environment.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "acme-pii", cwd=environment.folder.parent
    )

    assert "passed" in output
    assert "failed" not in output


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "guard"])
def test_a_package_of_every_kind_installs_and_its_tests_pass(kind: str, tmp_path: Path) -> None:
    """By the commands that are shown, with the suite of its interface where there is one."""
    environment = Environment.create(tmp_path / "venv")
    environment.arc("plugin", "new", "acme-pii", "--kind", kind, cwd=tmp_path)
    environment.pip("install", "--no-build-isolation", "-e", "acme-pii[test]", cwd=tmp_path)

    output = environment.python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "acme-pii", cwd=tmp_path
    )

    assert "passed" in output
    assert "failed" not in output


@pytest.mark.slow
def test_its_guard_is_wired(environment: Environment, tmp_path: Path) -> None:
    """`arc conditions` shows it with distribution and version."""
    decisions = json.loads(environment.arc("conditions", "--json", cwd=tmp_path))

    guard = next(each for each in decisions["guards"]["winners"] if each["name"] == "acme-pii")
    assert (guard["distribution"], guard["version"]) == ("acme-pii", "0.1.0")


@pytest.mark.slow
def test_its_settings_take_effect(environment: Environment, tmp_path: Path) -> None:
    """The section of its name is the guard's own."""
    words = 'plugins.settings.acme-pii.words=["salary"]'

    settings = json.loads(environment.arc("config", "--json", "--set", words, cwd=tmp_path))

    row = next(each for each in settings if each["key"] == "plugins.settings.acme-pii.words")
    assert row["value"] == ["salary"]
    assert row["origin"].endswith("on the command line")
