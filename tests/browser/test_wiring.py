"""What is wired is seen as a drawing and in lists."""

from typing import Any

import pytest

from tests.browser.offers import application
from tests.serving import serving_app

pytestmark = pytest.mark.slow


async def test_the_drawing_tells_who_won_and_why(visiting: Any) -> None:
    """By mouse and by keyboard: the place that is chosen is told of, with those that lost."""
    app, _ = application()
    async with serving_app(app.asgi()) as address, visiting(address, path="/#/wiring") as visit:
        details = visit.page.locator(".graph-details")
        await details.get_by_text("GatedModel", exact=True).wait_for()
        model = await details.inner_text()
        await visit.page.get_by_role("button", name="conversation_store memory").focus()
        await visit.page.keyboard.press("Enter")
        store = await details.inner_text()
        lit = await visit.page.eval_on_selector_all(
            ".edge.lit", "all => all.map(each => each.dataset.from).sort()"
        )

        assert "offline" in model
        assert "stepped back" in model
        assert "ANTHROPIC_API_KEY" in model
        assert "memory" in store
        assert "conversation.url" in store
        assert lit == ["conversation_manager", "surfaces"]
        assert visit.complaints == []


async def test_lists_have_plugins_settings_agents_and_health(visiting: Any) -> None:
    """The arrow keys go from tab to tab; settings can be filtered, and secrets are masked."""
    app, _ = application(llm={"api_key": "sk-secret-of-the-house"})
    async with serving_app(app.asgi()) as address, visiting(address, path="/#/wiring") as visit:
        found = {}
        await visit.page.get_by_role("tab", name="Graph").focus()
        for name in ("Places", "Plugins", "Settings", "Agents", "Health"):
            await visit.page.keyboard.press("ArrowRight")
            if name == "Settings":
                await visit.page.get_by_label("only what is set").check()
                await visit.page.get_by_role("tab", name=name).focus()
            found[name] = await visit.page.get_by_role("tabpanel", name=name).inner_text()

        assert "raw_length, unicode_normalization" in found["Places"]
        assert "arc-agents" in found["Plugins"]
        assert "loaded" in found["Plugins"]
        assert "llm.api_key" in found["Settings"]
        assert "secret" not in found["Settings"]
        assert "llm.temperature" not in found["Settings"]
        assert "Answers customers of the tea shop." in found["Agents"]
        assert "conversation_store: memory" in found["Health"]
        assert visit.complaints == []
