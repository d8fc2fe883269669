"""Who may import what: the parts of it that import-linter cannot be told."""

import sys
import tomllib
from collections.abc import Iterable

import pytest

from tests.architecture.source import PACKAGES, ROOT, Source, import_graph, sources

PUBLIC_CORE = (
    "arc_core.requests",
    "arc_core.assembly",
    "arc_core.defaults",
    "arc_core.components.extension_points",
    "arc_core.conditions",
    "arc_core.errors",
    "arc_core.forms",
    "arc_core.health_checks",
    "arc_core.hookspecs",
    "arc_core.interfaces",
    "arc_core.memory_size",
    "arc_core.messages.attachments",
    "arc_core.messages.retrieved_context",
    "arc_core.messages.sessions",
    "arc_core.messages.sessions",
    "arc_core.retrieval",
    "arc_core.serving",
    "arc_core.settings",
    "arc_core.text",
    "arc_core.timing.backoff",
    "arc_core.timing.loop_timeout",
    "arc_core.tools.json_schema",
    "arc_core.runs",
    "arc_core.stores",
    "arc_core.wire",
)
"""What a plugin may import beside `arc_core` itself: these modules, and all below these rooms."""

SPOKEN_EVERYWHERE = {"pydantic", "pydantic_core", "typing_extensions"}

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]


def imported_by(files: Iterable[Source]) -> dict[str, str]:
    """Every imported name, with a place where it is imported."""
    return {name: source.at(line, name) for source in files for name, line in source.imports}


@pytest.mark.slow
def test_every_library_has_a_door() -> None:
    """A library is imported only once a contract names the modules that may."""
    with_door = {
        library
        for each in CONTRACTS
        if each["type"] == "protected"
        for library in each["protected_modules"]
    }
    own = {*PACKAGES, *SPOKEN_EVERYWHERE, *sys.stdlib_module_names}

    strangers = {
        place
        for name, place in imported_by(sources(*PACKAGES)).items()
        if name.partition(".")[0] not in own | with_door
    }
    assert strangers == set()


def test_plugins_import_only_the_public_core() -> None:
    """A built-in plugin gets nothing from the core that a stranger's package would not."""
    graph = import_graph()
    plugins = [module for module in graph.modules if module.startswith("arc_plugins.")]

    closed = {
        f"{plugin} imports {module}"
        for plugin in plugins
        for module in graph.find_modules_directly_imported_by(plugin)
        if module.startswith("arc_core.") and not is_public(module)
    }
    assert closed == set()


def is_public(module: str) -> bool:
    """Whether the table names a module, or a room in which it stands."""
    return f"{module}.".startswith(tuple(f"{each}." for each in PUBLIC_CORE))


def test_what_is_not_in_the_table_is_closed() -> None:
    """A new module of the core is closed to plugins until the table names it."""
    assert is_public("arc_core.wire.guarded_client")
    assert not is_public("arc_core.wireless")
    assert not is_public("arc_core.tools")


def test_the_table_names_what_is_there() -> None:
    """A module that moves takes its row with it."""
    assert set(PUBLIC_CORE) <= import_graph().modules


def test_no_plugin_asks_for_another_by_its_name() -> None:
    """Whether a slot has Arc's default is all that a plugin may ask of another one."""
    assert not {name for name in imported_by(sources("arc_plugins")) if "on_winner" in name.lower()}


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_typed(package: str) -> None:
    """Type checkers of users read the annotations of all three packages."""
    assert (ROOT / package / "py.typed").is_file()
