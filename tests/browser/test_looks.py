"""The page fits small screens, and serves people who do not see it or use no mouse."""

import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from arc_core.testing.fakes import DictCredentials
from tests.browser.offers import ORDER, application, booked, list_issues, order_shirt, pay_there
from tests.serving import client_of, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

_LOOKS: list[dict[str, Any]] = [
    {"color_scheme": "light", "viewport": {"width": 1280, "height": 860}},
    {"color_scheme": "dark", "viewport": {"width": 1280, "height": 860}},
    {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
]
_WIDER = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
_SERIOUS = """
async () => (await axe.run()).violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(" ")}`)
"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe, which is fetched for the test and not kept."""
    folder = tmp_path_factory.mktemp("axe")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed, so axe cannot be fetched: install node")
    command = [npm, "pack", "axe-core@4", "--silent"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
    packed = next(iter(Path(folder).glob("*.tgz")), None)
    if done.returncode or packed is None:
        pytest.skip("axe-core cannot be fetched: npm does not reach its registry")
    with tarfile.open(packed) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize("look", _LOOKS, ids=["light", "dark", "phone"])
async def test_axe_finds_nothing_serious(look: dict[str, Any], axe: str, visiting: Any) -> None:
    """In a conversation with a card that waits, among all kinds of requests, and in the wiring."""
    page = booked("pay_there", url="https://bank.example/")
    asks = booked("order_shirt"), page, booked("list_issues")
    pay = booked("refund", number="4711", amount=1)
    parts = [order_shirt, pay_there, list_issues, DictCredentials()]
    app, _ = application(*asks, booked("find_order", number="4711"), ORDER, pay, register=parts)
    async with (
        serving_app(app.asgi()) as address,
        client_of(address) as client,
        visiting(address, bypass_csp=True, **look) as visit,
    ):
        for _ in asks:
            await client.post("/api/runs", json={"user_prompt": "Ask me", "user_id": "ann"})
        await visit.ask("Where is it?")
        await (await visit.answers()).locator(".tool-card summary").click()
        await visit.ask("Pay it back")
        await visit.page.locator("#waiting-count:has-text('4')").wait_for()
        await visit.page.evaluate(axe)
        for view in ("chat", "waiting", "wiring"):
            await open_view(visit.page, view)

            assert await visit.page.evaluate(_SERIOUS) == [], view
            assert await visit.page.evaluate(_WIDER) <= 0, f"{view} is wider than the screen"
        assert visit.complaints == []


async def open_view(page: Any, view: str) -> None:
    """Show a view, and what its forms say when nothing was filled in."""
    await page.locator(f"nav [data-view={view}]").click()
    await page.locator({"wiring": ".graph"}.get(view, ".request")).first.wait_for()
    for each in await page.get_by_role("button", name="Answer", exact=True).all():
        await each.click()


@pytest.mark.parametrize("look", _LOOKS, ids=["light", "dark", "phone"])
async def test_axe_finds_nothing_serious_in_runs(
    look: dict[str, Any], axe: str, visiting: Any
) -> None:
    """In the list, and in a run with a call that was made, a run below and a call that waits."""
    pay = booked("refund", number="1", amount=1)
    turns = booked("ask_support", task="find it"), "It is here.", pay
    app, _ = application(*turns, record=True)
    async with (
        serving_app(app.asgi()) as address,
        visiting(address, bypass_csp=True, **look) as visit,
        client_of(address) as client,
    ):
        body = {"user_prompt": "Where is it?", "agent": "desk", "run_id": "r1"}
        await client.post("/api/runs", json=body)
        await visit.page.evaluate(axe)
        for path, shown in (("runs", ".run-link"), ("runs/r1", ".call[data-state=waiting]")):
            await visit.page.evaluate(f"location.hash = '#/{path}'")
            await visit.page.locator(shown).first.wait_for()
            for call in await visit.page.locator(".call summary").all():
                await call.click()

            assert await visit.page.evaluate(_SERIOUS) == [], path
            assert await visit.page.evaluate(_WIDER) <= 0, f"{path} is wider than the screen"
        assert visit.complaints == []


async def test_a_phone_has_the_conversations_behind_a_button(visiting: Any) -> None:
    """By keyboard: the button opens the list, and Escape closes it."""
    app, _ = application()
    look = {"viewport": {"width": 360, "height": 740}}
    async with serving_app(app.asgi()) as address, visiting(address, **look) as visit:
        button = visit.page.get_by_role("button", name="Conversations")
        link = visit.page.get_by_role("link", name="New conversation")
        before = await link.is_visible()
        await button.focus()
        await visit.page.keyboard.press("Enter")
        await link.wait_for()
        await visit.page.keyboard.press("Escape")
        await link.wait_for(state="hidden")

        assert not before
        assert visit.complaints == []


async def test_a_screen_reader_is_told_what_happens(visiting: Any) -> None:
    """What runs and what was answered, once, not each piece of it."""
    app, model = application(booked("find_order", number="1"), "All ⏸ is well.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        status = visit.page.get_by_role("status")
        await visit.ask("Where is it?")
        await status.get_by_text("Tool find_order is running").wait_for(state="attached")
        model.gate.set()
        await visit.answers()

        assert await status.inner_text() == "Answer: All is well."
        assert await visit.page.get_by_role("log").get_attribute("aria-live") == "off"
        assert visit.complaints == []
