"""The package that `arc plugin new` writes installs, and its tests pass."""

import json
import re
from pathlib import Path

import pytest

from arc_autoconfig.cli.commands.plugin import KINDS
from tests.packaging.environment import Environment

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]


COMMAND = "command"
TESTED_TOGETHER = [kind for kind in KINDS if kind != COMMAND]
"""All but the one whose test asks a model, which is to be Arc's own."""

WRITE = """
import sys
from arc_autoconfig.cli.main import arc

for kind in sys.argv[1:]:
    arc(["plugin", "new", f"acme-{kind}", "--kind", kind], standalone_mode=False)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment where a new plugin of every kind is installed for editing."""
    folder = tmp_path_factory.mktemp("environment")
    environment = Environment.create(folder / "venv")
    environment.python("-c", WRITE, *KINDS, cwd=folder)
    packages = [word for kind in KINDS for word in ("-e", f"acme-{kind}[test]")]
    environment.pip("install", "--no-build-isolation", *packages, cwd=folder)
    return environment


@pytest.fixture(scope="module")
def outcomes(environment: Environment) -> dict[str, set[str]]:
    """What became of the tests, by kind, with the configuration that they share."""
    command = ["-m", "pytest", "-v", "-p", "no:cacheprovider", "-c", "acme-guard/pyproject.toml"]
    packages = [f"acme-{kind}" for kind in TESTED_TOGETHER]
    process = environment.attempt(*command, *packages, cwd=environment.folder.parent)
    tests = re.findall(r"/test_(\w+)\.py::\S+ ([A-Z]+)", process.stdout)
    assert tests, process.stdout + process.stderr
    return {
        kind: {outcome for name, outcome in tests if name == KINDS[kind].module}
        for kind in TESTED_TOGETHER
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", TESTED_TOGETHER)
def test_a_package_of_every_kind_installs_and_its_tests_pass(
    kind: str, outcomes: dict[str, set[str]]
) -> None:
    """With the suite of its interface where there is one, and beside plugins of other kinds."""
    assert "PASSED" in outcomes[kind]
    assert outcomes[kind] <= {"PASSED", "SKIPPED"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "disabled"), [("guard", []), (COMMAND, ["acme-model"])])
def test_its_tests_pass(kind: str, disabled: list[str], environment: Environment) -> None:
    """By the command that is shown, with a configuration of its own."""
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"acme-{kind}"]

    output = environment.python(
        *command, cwd=environment.folder.parent, ARC_PLUGINS__DISABLED=json.dumps(disabled)
    )

    assert "passed" in output
    assert "failed" not in output


@pytest.mark.slow
def test_its_guard_is_wired(environment: Environment, tmp_path: Path) -> None:
    """`arc conditions` shows it with distribution and version."""
    decisions = json.loads(environment.arc("conditions", "--json", cwd=tmp_path))

    guard = next(each for each in decisions["guards"]["winners"] if each["name"] == "acme-guard")
    assert (guard["distribution"], guard["version"]) == ("acme-guard", "0.1.0")


@pytest.mark.slow
def test_its_settings_take_effect(environment: Environment, tmp_path: Path) -> None:
    """The section of its name is the guard's own."""
    words = 'plugins.settings.acme-guard.words=["salary"]'

    printed = environment.arc("config", "--json", "--set", words, cwd=tmp_path)
    settings = json.loads(printed)["settings"]

    row = next(each for each in settings if each["key"] == "plugins.settings.acme-guard.words")
    assert row["value"] == ["salary"]
    assert row["origin"].endswith("on the command line")
