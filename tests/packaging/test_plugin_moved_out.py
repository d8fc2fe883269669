"""One of Arc's own plugins works as a package of its own: its folder and its lines are moved."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.arc_plugins.caches.redis_cache.servers import mortal_server
from tests.packaging.environment import Environment, copy_sources

pytestmark = [pytest.mark.pip, pytest.mark.slow, pytest.mark.timeout(600)]

pytest.importorskip("redis", reason="needs the extra redis")

FOLDER = "arc_plugins/caches/redis_cache"
OLD, NEW = "arc_plugins.caches.redis_cache", "arc_redis_cache"

PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "arc-redis-cache"
version = "4.2"

[tool.setuptools]
packages = ["arc_redis_cache"]
"""

PROGRAM = """
import asyncio, json
from arc_autoconfig import Application
from arc_core.testing import ScriptedChatModel

async def main():
    model = ScriptedChatModel(["Seoul"])
    async with Application(register=[model]) as app:
        cache = type(app.container.response_cache()).__module__
        for _ in range(2):
            result = await app.execute("Which city?")
        await app.container.response_cache().invalidate_all()
    print(json.dumps([cache, result.content, len(model.requests)]))

asyncio.run(main())
"""


def taken_lines(text: str) -> dict[str, list[str]]:
    """The entry points of the plugin, by the heading below which they stand."""
    heading, taken = "", dict[str, list[str]]()
    for line in text.splitlines():
        heading = line.partition("]")[0] + "]" if line.startswith("[") else heading
        if OLD in line and heading.startswith("[project.entry-points"):
            taken.setdefault(heading, []).append(line.replace(OLD, NEW))
    return taken


def move_out(arc: Path, package: Path) -> None:
    """Move the plugin's folder and its lines from a copy of the project to a package."""
    project = arc / "pyproject.toml"
    text = project.read_text("utf-8")
    shutil.move(arc / FOLDER, package / NEW)
    for file in (package / NEW).glob("*.py"):
        file.write_text(file.read_text("utf-8").replace(OLD, NEW), "utf-8")
    lines = [PROJECT]
    for heading, taken in taken_lines(text).items():
        lines += [heading, *taken]
    package.joinpath("pyproject.toml").write_text("\n".join(lines), "utf-8")
    kept = [line for line in text.splitlines() if OLD not in line]
    project.write_text("\n".join(kept), "utf-8")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with Arc without the plugin, and with the plugin's own package."""
    folder = tmp_path_factory.mktemp("moved")
    arc, package = copy_sources(folder / "arc"), folder / "arc-redis-cache"
    package.mkdir()
    move_out(arc, package)
    environment = Environment.create(folder / "venv")
    options = ("--no-deps", "--no-build-isolation", "--no-compile", "--ignore-installed")
    environment.pip("install", *options, str(arc), str(package), cwd=folder)
    return environment


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder whose settings choose the cache, as before."""
    tmp_path.joinpath("data").mkdir()
    with mortal_server(tmp_path / "data") as server:
        tmp_path.joinpath("arc.toml").write_text(
            f'[cache]\nenabled = true\nbackend = "redis"\nredis_url = "{server.url}"\n'
            '[llm]\nprovider = "offline"\ntemperature = 0.0\n'
        )
        yield tmp_path


def asked(environment: Environment, folder: Path, *arguments: str) -> Any:
    """What a command says to programs, in a trusted folder."""
    return json.loads(environment.arc(*arguments, "--json", cwd=folder, ARC_TRUST="1"))


def test_the_package_brings_what_arc_did(environment: Environment, folder: Path) -> None:
    """Arc's own package has neither the plugin nor its settings any more."""
    plugins = asked(environment, folder, "plugins")

    brought = [each for each in plugins if "response_cache: redis" in each["brought"]]
    assert [(each["name"], each["distribution"], each["version"]) for each in brought] == [
        ("redis_cache", "arc-redis-cache", "4.2")
    ]


def test_answers_are_kept_in_redis(environment: Environment, folder: Path) -> None:
    """The same settings choose it, and the second run asks no model."""
    module, content, requests = json.loads(environment.python("-c", PROGRAM, cwd=folder))

    assert module == "arc_redis_cache.cache"
    assert (content, requests) == ("Seoul", 1)


def test_its_settings_are_shown(environment: Environment, folder: Path) -> None:
    """With their value and origin, in the section in which they were."""
    shown = asked(environment, folder, "config")["settings"]

    settings = {each["key"]: each for each in shown}

    assert settings["cache.redis_url"]["value"] == "**********"  # it may hold a password
    assert "arc.toml" in settings["cache.redis_url"]["origin"]


def test_its_health_is_checked(environment: Environment, folder: Path) -> None:
    """By `arc doctor`, against the server."""
    checks = asked(environment, folder, "doctor")

    (cache,) = [each for each in checks if each["subject"] == "response_cache: redis"]
    assert cache["status"] == "ok"
