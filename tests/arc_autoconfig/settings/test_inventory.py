"""Every setting with its value and its origin."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inventory import MASK, UNREAD, Setting, list_settings
from arc_core.text.addresses import mask_addresses


@dataclass(frozen=True)
class PiiSettings:
    """A plugin's section."""

    max_hits: int = 3
    token: SecretStr = field(default_factory=lambda: SecretStr("hunter2"))


def _settings(sections: dict[str, object] | None = None, **values: Any) -> dict[str, Setting]:
    return {each.key: each for each in list_settings(ArcSettings(**values), sections or {})}


def test_every_setting_is_listed_with_its_default() -> None:
    """Nested ones by their dotted key, enums as they are written."""
    settings = _settings()

    assert settings["llm.max_output_tokens"] == Setting("llm.max_output_tokens", 4096, "default")
    assert settings["cache.backend"].value == "memory"
    assert settings["plugins.disabled"].value == []


def test_each_value_says_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """File and line, variable, and what was set in `.env`."""
    Path("arc.toml").write_text(
        '[llm]\nmodel = "small"\n[components]\nresponse-cache = "none"\n', "utf-8"
    )
    Path(".env").write_text("ARC_LLM__TEMPERATURE=0.5\n", "utf-8")
    monkeypatch.setenv("ARC_MAX_TOOL_CALLS", "3")

    settings = _settings(cache={"enabled": True})

    assert settings["llm.model"].origin == "arc.toml, line 2"
    assert settings["components.response_cache"].origin == "arc.toml, line 4"
    assert settings["llm.temperature"].origin == "ARC_LLM__TEMPERATURE in .env"
    assert settings["max_tool_calls"].origin == "environment variable ARC_MAX_TOOL_CALLS"
    assert settings["cache.enabled"].origin == "keyword argument cache.enabled"


def test_secrets_are_masked() -> None:
    """Also those inside an address, and those of plugins."""
    secret = "hunter2"
    url = f"https://ann:{secret}@localhost/v1"

    settings = _settings(
        {"pii": PiiSettings()},
        llm={"base_url": url},
        cache={"redis_url": f"redis://:{secret}@localhost"},
        plugins={"settings": {"pii": {}, "other": {"key": secret}}},
    )

    assert secret not in str(settings)
    assert settings["llm.base_url"].value == f"https://{MASK}@localhost/v1"
    assert settings["cache.redis_url"].value == MASK
    assert settings["plugins.settings.pii.token"].value == MASK
    assert settings["plugins.settings.other.key"].value == UNREAD


def test_a_plugins_section_is_listed_as_it_was_read() -> None:
    """With its defaults, and under the spelling of the user."""
    table = {"settings": {"pii": {"max-hits": "7"}}}

    settings = _settings({"pii": PiiSettings(max_hits=7)}, plugins=table)

    hits = settings["plugins.settings.pii.max-hits"]
    assert (hits.value, hits.origin) == (7, "keyword argument plugins.settings.pii.max-hits")
    assert settings["plugins.settings.pii.token"].origin == "default"


@pytest.mark.parametrize("password", ["a@hunter2", "a#hunter2", "a/hunter2", "a?hunter2", "@/#"])
def test_a_password_is_masked_to_its_end(password: str) -> None:
    """Also if it holds what should be written as %XX."""
    assert mask_addresses(f"https://ann:{password}@host/v1") == f"https://{MASK}@host/v1"


def test_the_query_of_an_address_is_masked() -> None:
    """It may hold a key."""
    assert (
        mask_addresses("see http://localhost/a?key=hunter2 there")
        == f"see http://localhost/a?{MASK} there"
    )


def test_arguments_of_a_command_are_masked() -> None:
    """They may hold a token."""
    servers = {"one": {"command": "npx", "args": ["--token=hunter2"]}}

    settings = _settings(mcp={"servers": servers})

    assert settings["mcp.servers.one.args"].value == MASK
    assert "hunter2" not in repr(ArcSettings(mcp={"servers": servers}))
