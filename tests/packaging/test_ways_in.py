"""Every way in which an installed package can bring something."""

import json
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest

from arc_core.components.extension_points import Slot
from tests.arc_autoconfig.offers import PLACES
from tests.packaging.environment import Environment
from tests.packaging.plugin_packages import install, write_package

pytestmark = [pytest.mark.pip, pytest.mark.timeout(300)]

MODULE = """
from arc_core import Hook, hookimpl

class Audit(Hook): ...

@hookimpl
def arc_register(registry):
    registry.contribute(Hook, Audit, name="from-module")

class Plugin:
    @hookimpl
    def arc_register(self, registry):
        registry.contribute(Hook, Audit, name="from-class")

class Named:
    def __init__(self, name):
        self.name = name

    @hookimpl
    def arc_register(self, registry):
        registry.contribute(Hook, Audit, name=self.name)

plugin = Named("from-object")
"""

COMMAND = """
import click

@click.command()
def greet():
    click.echo("Good morning.")
"""

UNPACKAGED = """
from arc_autoconfig import provides
from arc_core import Hook

@provides(Hook, name="from-load")
class Audit(Hook): ...
"""


def methods_of(interface: type) -> str:
    """The methods that a class must have, so that it can be made; they do nothing."""
    asyncs = {name: iscoroutinefunction(getattr(interface, name)) for name in abstract(interface)}
    return "\n".join(
        f"    {'async ' if is_async else ''}def {name}(self, *args, **kwargs): ..."
        for name, is_async in asyncs.items()
    )


def abstract(interface: type) -> list[str]:
    """The names of an interface's abstract methods."""
    return sorted(getattr(interface, "__abstractmethods__", ()))


def _kinds() -> str:
    """A class for every interface, which fits by inheritance."""
    lines = [
        f"from {place.interface.__module__} import {place.interface.__name__}" for place in PLACES
    ]
    lines += [
        f"class My{place.interface.__name__}({place.interface.__name__}):\n"
        f"    name = description = 'own'; order = 100; parameters = dict(); timeout_s = None\n"
        f"    def __init__(self): ...\n{methods_of(place.interface)}"
        for place in PLACES
    ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with a package for every way in."""
    folder = tmp_path_factory.mktemp("environment")
    environment = Environment.create(folder / "venv")
    pluggy_plugins = {
        "in-module": "pluggy_arc",
        "in-class": "pluggy_arc:Plugin",
        "in-object": "pluggy_arc:plugin",
    }
    single = {
        str(place.group): {f"own-{place.name}": f"kinds_arc:My{place.interface.__name__}"}
        for place in PLACES
    }
    install(
        environment,
        write_package(folder, "pluggy-arc", source=MODULE, entry_points={"arc": pluggy_plugins}),
        write_package(folder, "kinds-arc", source=_kinds(), version="2.5", entry_points=single),
        write_package(
            folder,
            "command-arc",
            source=COMMAND,
            entry_points={"arc.commands": {"greet": "command_arc:greet"}},
        ),
    )
    return environment


@pytest.fixture(scope="module")
def decisions(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `arc conditions` says there."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "policies.py").write_text(UNPACKAGED, "utf-8")
    options = ("--json", "--set", "plugins.load=policies")
    found: dict[str, Any] = json.loads(
        environment.arc("conditions", *options, cwd=folder, ARC_TRUST="1")
    )
    return found


@pytest.mark.parametrize("name", ["from-module", "from-class", "from-object"])
def test_a_pluggy_plugin_may_be_module_class_or_object(
    decisions: dict[str, Any], name: str
) -> None:
    """Each registers its own hook, with the distribution that brought it."""
    (hook,) = [each for each in decisions["hooks"]["winners"] if each["name"] == name]

    assert (hook["distribution"], hook["version"]) == ("pluggy-arc", "1.0")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_single_component_needs_one_line(decisions: dict[str, Any], place: Any) -> None:
    """In a slot Arc's default steps back for it; in a contribution it joins the others."""
    decision = decisions[place.name]

    (own,) = [each for each in decision["winners"] if each["name"] == f"own-{place.name}"]
    assert (own["distribution"], own["version"]) == ("kinds-arc", "2.5")
    if isinstance(place, Slot):
        assert len(decision["winners"]) == 1
        assert decision["reason"] == "brought by a plugin"


def test_code_that_is_not_packaged_may_be_named(decisions: dict[str, Any]) -> None:
    """By `plugins.load`."""
    (hook,) = [each for each in decisions["hooks"]["winners"] if each["name"] == "from-load"]

    assert (hook["distribution"], hook["plugin"]) == (None, "policies")


@pytest.mark.slow
def test_a_package_may_bring_a_command(environment: Environment, tmp_path: Path) -> None:
    """It is listed with its package, and runs."""
    assert "Of command-arc 1.0." in environment.arc("--help", cwd=tmp_path)

    assert environment.arc("greet", cwd=tmp_path) == "Good morning.\n"
