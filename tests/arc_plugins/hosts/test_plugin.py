"""Hosts, wired by the settings."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import ConfigurationError


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "k")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "t")


AZURE = {"provider": "openai", "host": "azure", "base_url": "http://127.0.0.1:9", "model": "d"}
BEDROCK = {"provider": "anthropic", "host": "bedrock", "region": "us-east-1", "model": "m"}


async def test_each_model_has_its_own_host() -> None:
    """The application starts without asking any of them, and without the host that none has."""
    llm: dict[str, Any] = {**AZURE, "models": {"there": BEDROCK}, "fallbacks": ["there"]}

    async with Application(ArcSettings(llm=llm)) as application:
        assert [host.name for host in application.container.hosts()] == ["azure", "bedrock"]


async def test_a_host_without_a_vendor_is_refused() -> None:
    """No answer comes from the offline model in its place."""
    application = Application(ArcSettings(llm={"host": "azure"}))

    with pytest.raises(ConfigurationError, match="no vendor is chosen"):
        await application.start()
