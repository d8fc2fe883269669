"""Blocks that are not programs: settings are settings, commands exist with their options."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import click
import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from arc_autoconfig.cli.main import arc
from arc_core import Case
from tests.architecture.source import ROOT
from tests.docs.pages import PAGES, Block, blocks

_OTHER_TABLES = {"project", "build-system", "api_keys", "tool"}
"""Of files that are not settings: packages, keys, other tools."""


def find_blocks(*languages: str) -> list[Any]:
    """The blocks of all pages in some languages, each named by its page and line."""
    return [
        pytest.param(block, id=f"{page.relative_to(ROOT)}:{block.line}")
        for page in PAGES
        if page.name != "CHANGELOG.md"
        for block in blocks(page.read_text("utf-8"))
        if block.language in languages
    ]


@cache
def settings_schema() -> Any:
    """The schema of all settings, also of those that packages bring."""
    printed = CliRunner().invoke(arc, ["config", "--schema"])
    return json.loads(printed.stdout)


@pytest.mark.parametrize("block", find_blocks("toml"))
def test_settings_are_known(block: Block) -> None:
    """Each key is a setting, and takes the value."""
    found = tomllib.loads(block.text)
    found = found.get("tool", {}).get("arc", found)
    if found.keys() & _OTHER_TABLES:
        return
    if "prompt" in found:
        assert Case.model_validate({"name": "case", **found}).name == "case"
        return
    profiles = found.pop("profiles", {})

    validator = jsonschema.Draft202012Validator(settings_schema())
    for settings in (found, *profiles.values()):
        assert [each.message for each in validator.iter_errors(settings)] == []


@pytest.mark.parametrize("block", find_blocks("json", "yaml"))
def test_data_can_be_read(block: Block) -> None:
    """By the parser of its language."""
    read: Any = json.loads if block.language == "json" else yaml.safe_load

    assert read(block.text)


@pytest.mark.parametrize("block", find_blocks("console"))
def test_commands_exist_with_their_options(block: Block) -> None:
    """Each `arc …` of a block is a command of today, and takes what it is given."""
    for words in _list_commands(block.text):
        command: click.Command = arc
        context = click.Context(command)
        while isinstance(command, click.Group) and words:
            word = words.pop(0)
            if word.startswith("-"):
                break
            found = command.get_command(context, word)
            assert found is not None, f"there is no command {word}"
            command = found
        known = {option for each in (command, arc) for p in each.params for option in p.opts}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used - known - {"--help"} == set()


def _list_commands(text: str) -> Iterator[list[str]]:
    """The words behind `arc` of each line that is typed."""
    for line in text.replace("\\\n", " ").splitlines():
        typed = line.strip().removeprefix("$ ")
        if line.strip() == typed:
            continue
        for part in re.split(r" (?:\||&&|>|2>|&)(?: |$)", typed):
            words = shlex.split(part, comments=True)
            while words and re.match(r"^[A-Z_]+=", words[0]):
                del words[0]
            if words[:1] == ["arc"]:
                yield words[1:]
