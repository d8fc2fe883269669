"""Sections of Arc's own plugins: defaults as documented, bounds with errors that name them."""

from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig import ArcSettings
from arc_autoconfig.errors import SettingsError
from arc_plugins.guards.injection_detection.settings import InjectionMode
from arc_plugins.messages import Language
from arc_plugins.selectors.settings import ToolSelection

DEFAULTS: dict[str, object] = {
    "guard.rate_limit_per_minute": 0,
    "guard.rate_limit_per_hour": 0,
    "guard.rate_limit_redis_url": None,
    "guard.min_input_chars": 1,
    "guard.max_input_chars": 10_000,
    "guard.max_zero_width_ratio": 0.1,
    "guard.injection_mode": InjectionMode.ENFORCE,
    "guard.injection_threshold": 0.5,
    "response.max_length": 0,
    "cache.backend": "memory",
    "cache.max_size": 1000,
    "cache.redis_url": SecretStr("redis://127.0.0.1:6379/0"),
    "conversation.url": None,
    "conversation.summarize": False,
    "conversation.max_turns": 10,
    "tools.selector": ToolSelection.ALL,
    "tools.max_selected": 10,
    "tools.keywords": {},
    "tools.embedding_model": None,
    "tools.embedding_base_url": None,
    "rag.path": None,
    "audit.enabled": False,
    "audit.include_text": False,
    "telemetry.metrics": False,
    "telemetry.traces": False,
    "telemetry.include_text": False,
    "webhook.url": None,
    "webhook.secret": None,
    "webhook.timeout_s": 5,
    "messages.language": Language.ENGLISH,
}


def nested(path: str, value: object) -> dict[str, Any]:
    """The keyword arguments that set one dotted path."""
    head, _, rest = path.partition(".")
    return {head: nested(rest, value) if rest else value}


@pytest.mark.parametrize("path", DEFAULTS)
def test_defaults_are_those_of_the_documentation(path: str) -> None:
    """Without any configuration, every setting has its documented default."""
    value: object = ArcSettings(_isolated=True)
    for name in path.split("."):
        value = getattr(value, name)

    assert value == DEFAULTS[path]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("guard.rate_limit_per_minute", -1),
        ("guard.rate_limit_per_hour", -1),
        ("guard.min_input_chars", -1),
        ("guard.max_input_chars", 0),
        ("guard.max_zero_width_ratio", 1.1),
        ("guard.injection_mode", "sometimes"),
        ("guard.injection_threshold", 0),
        ("response.max_length", -1),
        ("cache.max_size", 0),
        ("conversation.max_turns", -1),
        ("tools.selector", "best"),
        ("tools.max_selected", 0),
        ("webhook.url", "hooks.example/arc"),
        ("webhook.url", "ftp://hooks.example/arc"),
        ("webhook.timeout_s", 0),
        ("messages.language", "klingon"),
    ],
)
def test_values_out_of_bounds_are_refused_by_name(path: str, value: object) -> None:
    """A value that cannot work is an error at the path of the setting."""
    with pytest.raises(SettingsError) as caught:
        ArcSettings(_isolated=True, **nested(path, value))

    assert caught.value.evidence[0].startswith(f"{path} (keyword argument {path})")


def test_input_bounds_must_not_cross() -> None:
    """A range of prompt lengths that admits nothing is refused."""
    guard = {"min_input_chars": 20, "max_input_chars": 10}

    with pytest.raises(SettingsError, match=r"min_input_chars \(20\).*max_input_chars \(10\)"):
        ArcSettings(_isolated=True, guard=guard)


def test_the_language_is_read_in_any_case() -> None:
    """A language is found as `KO`, too."""
    settings = ArcSettings(_isolated=True, messages={"language": "KO"})

    assert settings.messages.language is Language.KOREAN
