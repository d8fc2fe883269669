"""`arc config`."""

import json

import pytest

from arc_autoconfig.settings.inventory import MASK
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex

_PLUGIN = """
    from dataclasses import dataclass
    from pydantic import SecretStr
    from arc_core import Hook

    @dataclass
    class Settings:
        size: int = 1
        key: SecretStr = SecretStr("")

    class Audit(Hook):
        def __init__(self, settings: Settings) -> None: ...
"""


def test_people_read_a_table() -> None:
    """Key, value and origin in a line; brackets of a value are not markup."""
    result = invoke("config", "--set", "llm.model=[bold]m")

    (line,) = [each.strip() for each in result.stdout.splitlines() if "llm.model " in each]
    assert line.split(maxsplit=2) == ["llm.model", "[bold]m", "llm.model on the command line"]


def test_programs_read_json(packages: PackageIndex) -> None:
    """The sections of plugins are there, without their secrets."""
    packages.install("acme-arc", modules={"acme": _PLUGIN}, arc__hooks={"audit": "acme:Audit"})
    values = ("size=7", "key=hunter2")
    options = [part for each in values for part in ("--set", f"plugins.settings.audit.{each}")]

    result = invoke("config", "--json", *options)

    settings = {each["key"]: each for each in json.loads(result.stdout)["settings"]}
    assert settings["plugins.settings.audit.size"]["value"] == 7
    assert settings["plugins.settings.audit.key"] == {
        "key": "plugins.settings.audit.key",
        "value": MASK,
        "origin": "plugins.settings.audit.key on the command line",
    }
    assert "hunter2" not in result.output


def test_settings_are_shown_although_nothing_could_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong follows on standard error."""
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2")

    result = invoke("config")

    assert result.exit_code == 2
    assert "llm.provider" in result.stdout
    assert "set llm.provider to" in result.stderr
    assert "hunter2" not in result.output
