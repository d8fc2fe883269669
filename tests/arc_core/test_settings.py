"""Settings of the engine: defaults as documented, bounds with errors that name both sides."""

from typing import Any

import pytest
from pydantic import Field, ValidationError

from arc_core.settings import AgentSettings, CacheScope, LlmSettings, OnFailure, Section

DEFAULTS: dict[str, object] = {
    "llm.provider": None,
    "llm.model": None,
    "llm.base_url": None,
    "llm.temperature": None,
    "llm.max_output_tokens": 4096,
    "llm.max_context_window_tokens": 128_000,
    "llm.timeout_s": 60,
    "llm.system_prompt": "You are a helpful assistant.",
    "max_tool_calls": 10,
    "max_tools_per_request": 30,
    "concurrency.max_concurrent_requests": 20,
    "concurrency.acquire_timeout_s": 30,
    "concurrency.request_timeout_s": 120,
    "concurrency.tool_call_timeout_s": 60,
    "concurrency.finalize_timeout_s": 5,
    "retry.max_attempts": 3,
    "retry.initial_delay_s": 1,
    "retry.multiplier": 2,
    "retry.max_delay_s": 10,
    "circuit.failure_threshold": 5,
    "circuit.window_s": 30,
    "circuit.open_s": 30,
    "guard.enabled": True,
    "guard.forward_normalized": True,
    "response.filters_enabled": True,
    "cache.enabled": False,
    "cache.scope": CacheScope.USER,
    "cache.ttl_minutes": 60,
    "cache.cacheable_temperature": 0.0,
    "cache.timeout_s": 0.5,
    "conversation.on_failure": OnFailure.NOTHING,
    "tools.builtin": None,
    "tools.max_output_chars": 50_000,
    "rag.top_k": 5,
    "rag.max_context_tokens": 4000,
    "rag.retrieval_timeout_s": 3,
}


def nested(path: str, value: object) -> dict[str, Any]:
    """The keyword arguments that set one dotted path."""
    head, _, rest = path.partition(".")
    return {head: nested(rest, value) if rest else value}


@pytest.mark.parametrize("path", DEFAULTS)
def test_defaults_are_those_of_the_documentation(path: str) -> None:
    """Without any configuration, every setting has its documented default."""
    value: object = AgentSettings()
    for name in path.split("."):
        value = getattr(value, name)

    assert value == DEFAULTS[path]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("llm.max_output_tokens", 0),
        ("llm.temperature", -1),
        ("llm.timeout_s", 0),
        ("max_tool_calls", -1),
        ("max_tools_per_request", 0),
        ("concurrency.max_concurrent_requests", 0),
        ("concurrency.acquire_timeout_s", 0),
        ("concurrency.request_timeout_s", -1),
        ("concurrency.tool_call_timeout_s", 0),
        ("concurrency.finalize_timeout_s", float("nan")),
        ("retry.max_attempts", -1),
        ("retry.initial_delay_s", -1),
        ("retry.multiplier", 0.5),
        ("retry.max_delay_s", -1),
        ("cache.scope", "everybody"),
        ("cache.ttl_minutes", 0),
        ("cache.ttl_minutes", float("inf")),
        ("cache.cacheable_temperature", -0.1),
        ("cache.timeout_s", 0),
        ("conversation.on_failure", "everything"),
        ("tools.max_output_chars", 0),
        ("rag.top_k", 0),
        ("rag.retrieval_timeout_s", 0),
    ],
)
def test_values_out_of_bounds_are_refused_by_name(path: str, value: object) -> None:
    """A value that cannot work is an error at the path of the setting."""
    with pytest.raises(ValidationError) as caught:
        AgentSettings(**nested(path, value))

    assert [".".join(map(str, error["loc"])) for error in caught.value.errors()] == [path]


@pytest.mark.parametrize("output", [4096, 5000])
def test_the_window_must_exceed_the_output(output: int) -> None:
    """A window that leaves no room for a prompt is refused with both numbers and the remedy."""
    with pytest.raises(ValidationError, match=rf"4096.*{output}.*raise the one or lower the other"):
        LlmSettings(max_context_window_tokens=4096, max_output_tokens=output)


@pytest.mark.parametrize("path", ["llm.modles", "unknown", "guard.rate.limit"])
def test_unknown_settings_are_refused(path: str) -> None:
    """A misspelt setting is an error, at every depth."""
    with pytest.raises(ValidationError, match="Extra inputs"):
        AgentSettings(**nested(path, 1))


def test_settings_do_not_change() -> None:
    """What was decided at start-up holds for the life of the application."""
    with pytest.raises(ValidationError, match="frozen"):
        AgentSettings().llm.model = "other"


class BoundSection(Section):
    """A section with a bound, which tests break."""

    workers: int = Field(default=1, ge=1)


def test_an_error_does_not_show_what_was_given() -> None:
    """It may be an address with a password; where and why is enough to mend it."""
    with pytest.raises(ValidationError) as caught:
        BoundSection.model_validate({"workers": "redis://user:hunter2secret@host"})

    assert "hunter2secret" not in str(caught.value)
    assert "workers" in str(caught.value)
