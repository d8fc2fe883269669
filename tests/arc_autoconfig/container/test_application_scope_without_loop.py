"""No constructor of a built-in component needs an event loop."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings

MCP = {"servers": {"one": {"command": "none-such"}, "two": {"url": "http://127.0.0.1:9/mcp"}}}
EVERYTHING: dict[str, Any] = {
    "guard": {"rate_limit_per_minute": 1},
    "cache": {"enabled": True},
    "conversation": {"url": "sqlite:///conversations.db", "summarize": True},
    "tools": {"builtin": ["calculate", "current_time"], "selector": "lexical"},
    "rag": {"path": "documents.db"},
    "mcp": MCP,
    "audit": {"enabled": True},
    "telemetry": {"metrics": True, "traces": True},
    "webhook": {"url": "http://127.0.0.1:9/hook"},
    "response": {"max_length": 100},
}
OTHERS: dict[str, dict[str, Any]] = {
    "offline": {"llm": {"provider": "offline"}},
    "openai": {"llm": {"provider": "openai", "base_url": "http://127.0.0.1:9/v1"}},
    "anthropic": {"llm": {"provider": "anthropic", "base_url": "http://127.0.0.1:9"}},
    "redis": {
        "cache": {"enabled": True, "backend": "redis"},
        "guard": {"rate_limit_per_minute": 1, "rate_limit_redis_url": "redis://127.0.0.1:9/0"},
    },
    "postgres": {"conversation": {"url": "postgresql://127.0.0.1:9/arc"}},
    "keyword": {"tools": {"selector": "keyword"}},
    "semantic": {
        "tools": {"selector": "semantic", "embedding_base_url": "http://127.0.0.1:9/v1"}
    },
    "bpe": {"components": {"token_estimator": "bpe"}},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")  # bpe-openai's
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_everything_can_be_built_outside_of_a_loop(other: dict[str, Any]) -> None:
    """As `arc components` and `app.container.tools()` do."""
    app = Application(ArcSettings(**{**EVERYTHING, **other}))

    places = {each.place for each in app.build()}

    assert {"chat_model", "tools", "guards", "hooks", "response_cache"} <= places
    assert app.container.tools()
