"""What `arc_autoconfig` exports, and what using it imports."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import arc_autoconfig

STUB = Path(arc_autoconfig.__file__).with_suffix(".pyi")


def _imported_by(program: str) -> set[str]:
    """The modules that a fresh process has after running a program."""
    source = f"{program}\nimport sys\nprint(*sys.modules)"
    arguments = [sys.executable, "-c", source]
    finished = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return set(finished.stdout.split())


def test_every_public_name_is_there() -> None:
    """Names are imported when they are used, and all of them can be."""
    for name in arc_autoconfig.__all__:
        assert getattr(arc_autoconfig, name) is not None
    assert set(dir(arc_autoconfig)) == set(arc_autoconfig.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As from any module."""
    with pytest.raises(AttributeError, match="Apps"):
        _ = arc_autoconfig.Apps  # type: ignore[attr-defined]


def test_type_checkers_are_told_the_same() -> None:
    """The stub and the module name the same things, from the same places."""
    tree = ast.parse(STUB.read_text("utf-8"))
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    homes = {alias.name: node.module for node in imports for alias in node.names}

    assert homes == vars(arc_autoconfig)["_HOMES"]


def test_importing_the_package_imports_next_to_nothing() -> None:
    """A command that needs little starts quickly."""
    imported = _imported_by("import arc_autoconfig")

    assert not imported & {"pydantic", "dependency_injector", "pluggy", "arc_core"}


@pytest.mark.slow
def test_a_default_that_stepped_back_is_not_imported() -> None:
    """Neither the vendors' models and their SDKs, nor the default of an overridden slot."""
    imported = _imported_by(
        "from arc_autoconfig import Application\n"
        "from arc_core.testing import DictResponseCache, ScriptedChatModel\n"
        "app = Application(register=[ScriptedChatModel([])])\n"
        "app.container.response_cache.override(DictResponseCache())\n"
        "app.container.agent_executor()\n"
    )

    assert "arc_plugins.conversations.managers.window" in imported
    assert not imported & {"openai", "anthropic", "arc_plugins.caches.no_response_cache"}
    assert not any(name.startswith("arc_plugins.models.offline.m") for name in imported)


STARTED = """
import asyncio
from arc_autoconfig import Application, ArcSettings

async def main():
    async with Application(ArcSettings(_isolated=True)) as app:
        await app.execute("Hello")

asyncio.run(main())
"""


@pytest.mark.slow
def test_what_only_a_server_needs_is_not_imported_by_a_run() -> None:
    """The protocols, with their libraries, cost the start of no other program anything."""
    loaded = _imported_by(STARTED)

    assert not {"a2a", "ag_ui", "mcp", "starlette", "uvicorn"} & loaded
    assert "arc_plugins.surfaces.runs" not in loaded
