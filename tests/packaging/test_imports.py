"""Importing Arc is cheap: heavy libraries are imported when they are needed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from arc_autoconfig.installed import get_required_package

HEAVY = ("openai", "anthropic", "click", "dependency_injector", "dotenv")
VENDORS = ("openai", "anthropic")


def imported_with(statement: str, names: tuple[str, ...]) -> set[str]:
    """Which of some libraries a statement imports in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*[n for n in {names!r} if n in sys.modules])"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(process.stdout.split())


def test_the_core_imports_no_vendor_and_no_wiring() -> None:
    """`import arc_core` brings neither an SDK nor the libraries of wiring and command line."""
    assert imported_with("import arc_core", HEAVY) == set()


@pytest.mark.parametrize("module", ["arc_core.testing", "arc_core.assembly", "arc_autoconfig"])
def test_no_package_imports_a_vendor(module: str) -> None:
    """An SDK is imported only when its chat model is wired."""
    assert imported_with(f"import {module}", VENDORS) == set()


_STARTING = """
from arc_autoconfig import Application, ArcSettings
settings = ArcSettings(_isolated=True, llm={"provider": "openai", "api_key": "x"})
Application(settings).container.agent_executor()
"""

NOT_OF_A_START = (
    "openai",
    "anthropic",
    "jsonschema",
    "arc_core.engine.answers.strict_yaml",
    "arc_plugins.guards.injection_detection.results",
)


@pytest.mark.slow
def test_a_start_imports_what_a_first_answer_needs() -> None:
    """An application that is ready to run has imported no SDK, and nothing for rarer answers."""
    assert imported_with(_STARTING, NOT_OF_A_START) == set()


def test_a_plain_requirement_is_read_without_packaging() -> None:
    """Conditions on packages are asked at every start."""
    reading = """
from arc_autoconfig.installed import fits_requirement, get_required_package
assert get_required_package("redis>=8.1") == "redis"
assert fits_requirement("redis>=8.1b2", "8.10.0")
"""

    assert imported_with(reading, ("packaging",)) == set()


_STARTING_NEARBY = """
import asyncio
from arc_autoconfig import Application, ArcSettings
llm = {"provider": "openai", "base_url": "http://127.0.0.1:1/v1"}

async def main():
    async with Application(ArcSettings(_isolated=True, llm=llm)): pass

asyncio.run(main())
"""


@pytest.mark.slow
def test_a_start_with_a_server_nearby_imports_no_second_transport() -> None:
    """Requests go through aiohttp; httpx has a transport of its own for certificates as well."""
    assert imported_with(_STARTING_NEARBY, ("httpcore2", "packaging")) == set()


def test_arc_installs_no_rich() -> None:
    """It takes long to import, and structlog imports it if it is there."""
    pyproject = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))

    required = {get_required_package(text) for text in pyproject["project"]["dependencies"]}

    assert "structlog" in required
    assert required.isdisjoint({"rich", "pygments"})


@pytest.mark.slow
def test_what_is_imported_is_seen() -> None:
    """The check of this file sees a library that is imported."""
    assert imported_with("import openai", VENDORS) == {"openai"}


_SERVING = """
import asyncio
from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server import running

async def main():
    ending = asyncio.Event()
    application = Application(ArcSettings(_isolated=True, server={"port": 0}))
    await running.serve(application, ending=ending, tell=lambda _: ending.set())

asyncio.run(main())
"""

PROTOCOLS = ("openai", "mcp", "a2a", "ag_ui", "google.protobuf", "sqlalchemy", "fastapi", "aiohttp")


@pytest.mark.slow
def test_a_server_imports_the_libraries_of_protocols_when_they_are_asked_for() -> None:
    """Listening takes none of them, and half of the modules that all of them have."""
    counted = f"{_SERVING}\nimport sys\nprint(len(sys.modules), file=sys.stderr)\n"
    code = f"{counted}print(*[n for n in {PROTOCOLS!r} if n in sys.modules])"

    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert process.stdout.split() == []
    assert int(process.stderr.split()[-1]) <= 1_200
