"""Embedders, wired by the settings."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import ConfigurationError, Embedder
from tests.arc_plugins.wired import wired


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_the_provider_names_the_embedder(provider: str) -> None:
    """And the report says so."""
    decision = Application(
        ArcSettings(embedder={"provider": provider}, llm={"provider": "offline"})
    ).report.decision(Embedder)

    assert decision.winner is not None
    assert (decision.winner.name, decision.reason) == (provider, "named by embedder.provider")


def test_a_key_alone_sends_no_text_to_a_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are not embedded unless a setting names a provider."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    assert wired(Embedder).winners == []


def test_the_semantic_selector_has_the_one_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI's, if there is a key for it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    assert wired(Embedder, tools={"selector": "semantic"}).winners == ["openai"]


async def test_the_semantic_selector_needs_an_embedder() -> None:
    """The error at the start says what to set."""
    settings: dict[str, Any] = {"tools": {"selector": "semantic"}, "llm": {"provider": "offline"}}

    with pytest.raises(ConfigurationError, match=r"set embedder\.provider"):
        await Application(ArcSettings(**settings)).start()
