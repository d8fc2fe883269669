"""What is wired is seen as a drawing and in lists."""

from typing import Any

import pytest

from tests.browser.offers import application
from tests.serving import serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


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


async def test_a_phone_scrolls_the_drawing_both_ways(visiting: Any) -> None:
    """In its natural size, around what is chosen; what is told of that stands below it."""
    app, _ = application()
    look = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    async with serving_app(app.asgi()) as address, visiting(address, **look) as visit:
        await visit.page.goto(f"{address}/#/wiring")
        await visit.page.locator(".graph-details").wait_for()
        sizes = await visit.page.eval_on_selector(
            ".graph-scroll",
            "each => [each.scrollWidth / each.clientWidth, each.scrollHeight / each.clientHeight]",
        )
        scale = await visit.page.eval_on_selector(".graph", "each => each.getScreenCTM().a")
        await visit.page.get_by_role("button", name="conversation_store memory").tap()
        details = visit.page.locator(".graph-details")
        await details.get_by_text("memory", exact=True).wait_for()
        top = (await details.bounding_box())["y"]

        assert min(sizes) > 1.5
        assert scale == 1
        assert top < 740
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
