"""Settings of an application: each is read, and an address never shows its password."""

import asyncio
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import arc_autoconfig
import arc_core
import arc_plugins
from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core import (
    AgentCommand,
    ArcError,
    ChatRequest,
    ModelUnavailableError,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.interfaces.optional import EncodesRequests
from arc_core.settings import AgentSettings, ListSection, Section
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.handlers import without_handlers
from tests.arc_autoconfig.installed import PackageIndex

PACKAGES = tuple(str(Path(each.__file__ or "").parent) for each in (arc_core, arc_plugins))
WIRING = str(Path(arc_autoconfig.__file__ or "").parent)
NO_READERS = ("arc_core/settings.py", "arc_autoconfig/settings/", "plugin_sections.py")

APPLICATIONS: dict[str, dict[str, Any]] = {
    "default": {"rag": {"top_k": 1}},
    "openai": {"llm": {"provider": "openai"}},
    "anthropic": {"llm": {"provider": "anthropic"}},
    "cache": {"cache": {"enabled": True}},
    "redis": {
        "cache": {"enabled": True, "backend": "redis"},
        "guard": {"rate_limit_per_minute": 9, "rate_limit_redis_url": "redis://127.0.0.1:1/0"},
    },
    "database": {"conversation": {"url": "sqlite:///c.db", "summarize": True}},
    "keyword": {"tools": {"selector": "keyword"}},
    "lexical": {"tools": {"selector": "lexical"}},
    "search": {"tools": {"selector": "search"}},
    "semantic": {"tools": {"selector": "semantic"}},
    "audit": {"audit": {"enabled": True, "chain": True, "file": "audit.log"}},
    "hooks": {"audit": {"enabled": True}, "webhook": {"url": "http://127.0.0.1:1/"}},
    "retrieval": {"rag": {"path": "documents.db"}},
    "telemetry": {"telemetry": {"metrics": True, "traces": True}},
    "durable": {"durable": {"enabled": True, "url": "sqlite:///runs.db"}},
    "budgets": {"budget": {"user_tokens_per_day": 99_999}},
    "shared_budgets": {"budget": {"user_tokens_per_day": 99_999, "backend": "redis"}},
    "outputs": {"output": {"links": "mask"}},
    "credentials": {
        "credentials": {"backend": "sql", "url": "sqlite:///k.db", "key": "A" * 43 + "="},
        "services": {"github": {"mode": "application", "token": "t"}},
    },
    "bedrock": {"llm": {"provider": "anthropic", "host": "bedrock", "region": "eu-west-1"}},
    "vertex": {"llm": {"provider": "anthropic", "host": "vertex", "project": "p", "region": "eu"}},
    "azure": {"llm": {"provider": "openai", "host": "azure", "base_url": "https://a.example"}},
    "embedder": {"embedder": {"provider": "openai"}, "tools": {"selector": "semantic"}},
    "limits": {"guard": {"rate_limit_per_minute": 9}, "response": {"max_length": 99}},
}

READ_WITH_POSTGRES = {"durable.lease_s"}  # by workers there, as their own tests show
READ_WITH_PROCESSES = {
    "mcp.elicitation_hold_s",
    "mcp.idle_s",
    "mcp.lists",
    "mcp.max_connections",
}  # by servers, as their own tests show
READ_WITH_RERANKERS = {"rag.candidates"}  # of which Arc brings none
RUNNABLE = ("default", "cache", "keyword", "lexical", "limits", "durable", "budgets")
STARTABLE = ("openai", "anthropic", "azure", "bedrock", "vertex", "embedder")


def _keys() -> set[str]:
    """Every setting, by its dotted key."""
    keys = set()
    for name, field in ArcSettings.complete().model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, Section):
            keys |= {f"{name}.{each}" for each in section.model_fields}
        else:
            keys.add(name)
    return keys


@contextmanager
def _reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """What is read of the settings from Arc's code, but for their own."""
    fields = ArcSettings.complete().model_fields
    names = {field.annotation: name for name, field in fields.items()}
    found: set[str] = set()

    def recording(self: object, name: str) -> object:
        reader = sys._getframe(1).f_code.co_filename
        if reader.startswith((*PACKAGES, WIRING)) and not any(no in reader for no in NO_READERS):
            section = names.get(type(self))
            key = f"{section}.{name}" if section else name
            found.add(key.removesuffix(".root"))  # of a section that is a list
        return object.__getattribute__(self, name)

    with monkeypatch.context() as patched:
        for cls in (Section, ListSection, AgentSettings):
            patched.setattr(cls, "__getattribute__", recording, raising=False)
        yield found


class Failing(ScriptedChatModel):
    """Fails twice, and holds the only place until then."""

    def __init__(self) -> None:
        super().__init__([ModelUnavailableError("1"), ModelUnavailableError("2"), "one", "two"])


@pytest.mark.slow
async def test_every_setting_is_read(
    monkeypatch: pytest.MonkeyPatch, packages: PackageIndex
) -> None:
    """By an application that needs it: a setting that is never read would be a broken promise."""
    packages.install("broken-arc", arc__hooks={"broken": "nowhere_to_be_found:Hook"})
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_API_KEY", "x")

    with without_handlers(), _reads(monkeypatch) as read:
        for name, values in APPLICATIONS.items():
            provider = values.get("llm", {"provider": "offline"})
            app = Application(ArcSettings(**{**values, "llm": provider}))
            app.build()
            _write_request(app)
            if name in RUNNABLE:
                await _run(app)
            elif name in STARTABLE:
                async with app:
                    pass
        await _run_short_of_everything()
        await _run_with_a_long_result()
        await _serve_nothing()

    assert _keys() - read == READ_WITH_POSTGRES | READ_WITH_PROCESSES | READ_WITH_RERANKERS


def _write_request(app: Application) -> None:
    """Have a model say what it would send, if it can: then it makes what writes requests."""
    model = app.container.chat_model()
    if isinstance(model, EncodesRequests):
        model.encode_request(ChatRequest(messages=(UserMessage("Hi"),)))


async def _serve_nothing() -> None:
    ending = asyncio.Event()
    ending.set()
    app = Application(ArcSettings(server={"port": 0}, llm={"provider": "offline"}))
    await serve(app, ending=ending, tell=str)


async def _run(app: Application) -> None:
    command = AgentCommand(user_prompt="What is 2+2?", session_id="s", user_id="u", temperature=0)
    async with app:
        await app.execute(command)
        async for _ in app.execute_stream(command):
            pass


async def _run_with_a_long_result() -> None:
    """One that is put aside, and read again."""

    @tool
    async def report() -> str:
        return "word " * 10_000

    reading = ToolCall("2", "read_result", '{"key": "tool/0", "find": "word"}')
    model = ScriptedChatModel([[ToolCall("1", "report", "{}")], [reading], "Read."])
    async with Application(ArcSettings(), register=[report, model]) as app:
        await app.execute("Read the report.")


async def _run_short_of_everything() -> None:
    """One place for two runs, and a model that fails twice."""
    settings = ArcSettings(
        concurrency={"max_concurrent_requests": 1}, retry={"initial_delay_s": 0.001}
    )
    async with Application(settings, register=[Failing()]) as app, asyncio.TaskGroup() as group:
        for prompt in ("one", "two"):
            group.create_task(app.execute(prompt))


pytest.importorskip("redis", reason="needs the extra redis")
pytest.importorskip("sqlalchemy", reason="needs the extra sql")
pytest.importorskip("openai", reason="needs the extra openai")
pytest.importorskip("anthropic", reason="needs the extra anthropic")
pytest.importorskip("mcp", reason="needs the extra mcp")

_PASSWORD = "hunter2"
_PLACES = {
    "port": "://u:hunter2@127.0.0.1:port/0",
    "slash in the password": "://u:hunter2/x@127.0.0.1:1/0",
    "at and slash in the password": "://u:x@y/hunter2@127.0.0.1:1/0",
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
    "embedder.base_url": (
        "http",
        {"embedder": {"provider": "openai"}, "tools": {"selector": "semantic"}},
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
