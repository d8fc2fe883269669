"""An address that cannot be used never shows its password: not in an error, a log or a report."""

import logging
import traceback
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import ArcError

pytest.importorskip("redis", reason="needs the extra redis")
pytest.importorskip("sqlalchemy", reason="needs the extra sql")
pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("mcp", reason="needs the extra mcp")

_PASSWORD = "hunter2"
_PLACES = {
    "port": "://u:hunter2@127.0.0.1:port/0",
    "slash in the password": "://u:hunter2/x@127.0.0.1:1/0",
    "password as port": "://127.0.0.1:hunter2/0",
    "host": "://u:hunter2@ho\u2100st/0",
    "bracket": "://u:hunter2@[::1/0",
    "query": "://u:x@127.0.0.1:1/0?db=hunter2&ssl=hunter2&health_check_interval=hunter2",
    "blank": "://u:hunter2 @127.0.0.1:1/0",
    "slash missing": ":/u:hunter2@127.0.0.1:1/0",
    "nothing but a password": "hunter2",
}
_SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "guard.rate_limit_redis_url": ("redis", {"guard": {"rate_limit_per_minute": 1}}),
    "cache.redis_url": ("redis", {"cache": {"backend": "redis", "enabled": True}}),
    "budget.redis_url": ("redis", {"budget": {"backend": "redis", "user_tokens_per_day": 9}}),
    "conversation.url": ("postgresql", {}),
    "durable.url": ("postgresql+psycopg", {"durable": {"enabled": True}}),
    "webhook.url": ("https", {}),
    "mcp.servers.bank.url": ("http", {"mcp": {"servers": {"bank": {"connect_timeout_s": 1}}}}),
    "llm.base_url": ("http", {"llm": {"provider": "openai", "api_key": "sk-x"}}),
    "llm.models.other.base_url": (
        "http",
        {
            "llm": {
                "provider": "offline",
                "models": {"other": {"provider": "anthropic", "api_key": "sk-x"}},
            }
        },
    ),
    "tools.embedding_base_url": ("http", {"tools": {"selector": "semantic"}}),
}


def _settings_of(setting: str, place: str) -> dict[str, Any]:
    """Settings in which an address is the one thing that is wrong."""
    scheme, values = _SETTINGS[setting]
    address = place if place == _PASSWORD else f"{scheme}{place}"
    *sections, name = setting.split(".")
    offline = {} if sections[0] == "llm" else {"llm": {"provider": "offline"}}
    root: dict[str, Any] = {key: {**each} for key, each in (offline | values).items()}
    section = root
    for each in sections:
        section[each] = {**section.get(each, {})}
        section = section[each]
    section[name] = address
    return root


async def _start(values: dict[str, Any]) -> str:
    """All that is said while an application starts, is looked at and is asked."""
    said: list[str] = []
    try:
        settings = ArcSettings(**values, _isolated=True)
        said.append(repr(settings))
        app = Application(settings)
        said.append(str(app.report))
        async with app:
            said.append(repr(await app.execute("Hello")))
            said.append(repr(await app.health()))
    except (ArcError, ValueError, OSError) as error:
        said += [*traceback.format_exception(error), repr(error), str(error)]
    return "\n".join(said)


@pytest.mark.slow
@pytest.mark.parametrize("place", _PLACES.values(), ids=_PLACES)
@pytest.mark.parametrize("setting", _SETTINGS)
async def test_an_address_that_cannot_be_used_shows_no_password(
    setting: str, place: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is wrong, and wherever it is read: in the settings, a library, a component."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    caplog.set_level(logging.DEBUG)

    said = await _start(_settings_of(setting, place))

    assert said
    assert _PASSWORD not in said
    assert _PASSWORD not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("address", ["http://u:hunter2/x@127.0.0.1:1", "http://127.0.0.1:hunter2"])
@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "HTTPS_PROXY"])
async def test_a_variable_that_holds_no_address_shows_no_password(
    variable: str, address: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vendors' clients read some themselves."""
    monkeypatch.setenv(variable, address)
    vendor = "anthropic" if variable.startswith("ANTHROPIC") else "openai"

    said = await _start({"llm": {"provider": vendor, "api_key": "sk-test"}})

    assert "is not an address" in said
    assert _PASSWORD not in said
    assert _PASSWORD not in caplog.text
