"""Several models whose vendors are asked how they are."""

from collections.abc import Mapping
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.wire.models import model_type_of
from tests.wire.scripts import text_reply

OPENAI = model_type_of(is_chat=True)
REFUSES = Reply.json({"error": {"message": "sk-secret is wrong"}}, status=401)
BROKEN = Reply.json({"error": {"message": "broken"}}, status=500)


async def health_of(
    default: Reply, quick: Reply, monkeypatch: pytest.MonkeyPatch, **llm: Any
) -> Mapping[str, Health]:
    """What the models of an application say, by their names."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    async with VendorServer(default) as server, VendorServer(quick) as other:
        models = {"quick": {"base_url": f"{other.url}/v1", "api_key": "k", "model": "mini-4"}}
        address = f"{server.url}/v1"
        settings = ArcSettings(
            llm={"provider": "openai", "base_url": address, "model": "large-4", "models": models}
            | llm
        )
        async with Application(settings, plugins=False) as app:
            findings = {each.subject: each.health for each in await app.health()}
    return {name: findings[f"chat_model: {name}"] for name in ("openai", "quick")}


@pytest.mark.parametrize("failing", [REFUSES, BROKEN], ids=["401", "500"])
async def test_a_fallback_that_fails_is_a_warning(
    failing: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, with the place of its settings; no run has to ask it."""
    health = await health_of(text_reply(OPENAI, "OK"), failing, monkeypatch, fallbacks=["quick"])

    assert health["openai"].status is HealthStatus.OK
    quick = health["quick"]
    assert quick.status is HealthStatus.WARNING
    assert quick.summary.startswith("openai does not answer: ")
    assert "others do without it" in quick.summary
    assert (quick.remedy or "").startswith("in llm.models.quick: ")
    assert "sk-secret" not in str(quick)


@pytest.mark.parametrize("failing", [REFUSES, BROKEN], ids=["401", "500"])
async def test_the_default_model_that_fails_is_an_error(
    failing: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if another one answers in its place."""
    health = await health_of(failing, text_reply(OPENAI, "OK"), monkeypatch, fallbacks=["quick"])

    assert health["quick"].status is HealthStatus.OK
    assert health["openai"].status is HealthStatus.ERROR
    assert health["openai"].summary.startswith("openai does not answer: ")


async def test_an_entry_that_no_other_falls_back_on_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who asks for it gets no answer."""
    quick = (await health_of(text_reply(OPENAI, "OK"), REFUSES, monkeypatch))["quick"]

    assert quick.status is HealthStatus.ERROR
    assert (quick.remedy or "").startswith("in llm.models.quick: ")


async def test_a_fallback_without_its_key_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the start, and of the doctor; it says which key is missing."""
    models = {"quick": {"provider": "anthropic"}}
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    answer, unused = text_reply(OPENAI, "OK"), text_reply(OPENAI, "OK")

    health = await health_of(answer, unused, monkeypatch, fallbacks=["quick"], models=models)

    assert health["quick"].status is HealthStatus.WARNING
    assert "ANTHROPIC_API_KEY" in health["quick"].summary
