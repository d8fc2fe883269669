"""Which people decide in the page, and what the others see of it, in a real browser."""

from typing import Any

import httpx2
import pytest

from tests.browser.offers import application, booked
from tests.serving import KEY, client_of, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

KEYS = [
    {"name": "ann", "key": f"{KEY}-ann", "tenant": "acme", "users": ["ann"]},
    {"name": "carol", "key": f"{KEY}-carol", "tenant": "acme"},
    {"name": "dave", "key": f"{KEY}-dave", "tenant": "acme"},
]
ASKED = booked("refund", number="4711", amount=25.5), "It is **done**."


async def sign_in(visit: Any, name: str) -> None:
    """Show a key."""
    await visit.page.get_by_label("Key", exact=True).fill(f"{KEY}-{name}")
    await visit.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()


async def approve(address: str, name: str, amount: float) -> httpx2.Response:
    """Approve what waits, beside the page."""
    async with client_of(address, f"{KEY}-{name}") as client:
        (request,) = (await client.get("/api/approvals")).json()["requests"]
        said = {
            "key": request["key"],
            "approve": True,
            "arguments": {"number": "1", "amount": amount},
        }
        return await client.post(f"/api/runs/{request['run_id']}/decisions", json=said)


async def test_a_customer_sees_what_waits_and_cannot_decide(visiting: Any) -> None:
    """No field, no button, and for which people it waits; the answer comes once one has decided."""
    app, _ = application(*ASKED, server={"api_keys": KEYS})
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await sign_in(visit, "ann")
        await visit.ask("Pay it back")
        card = visit.page.locator(".request")
        await card.get_by_text("a person with the right to decide").wait_for()
        text = await card.inner_text()
        controls = await card.locator("input, textarea, button").count()
        decided = await approve(address, "carol", 3)
        await visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        answer = await visit.answers()

        assert (controls, decided.status_code) == (0, 200)
        assert "25.5" in text
        assert await answer.locator("strong").inner_text() == "done"
        assert "decided elsewhere" in await answer.inner_text()


async def test_two_people_approve_in_the_page(visiting: Any) -> None:
    """The second sees who has approved and which arguments, and the first cannot do it twice."""
    rules = [{"tools": ["refund"], "people": 2}]
    app, model = application(*ASKED, server={"api_keys": KEYS}, approvals={"by": rules})
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await sign_in(visit, "carol")
        await visit.ask("Pay it back")
        card = visit.page.locator(".request")
        await card.get_by_label("amount").fill("12.5")
        await card.get_by_role("button", name="Approve").click()
        await card.get_by_text("It waits for another person").wait_for()
        shown = await card.inner_text()
        controls = await card.locator("button").count()
        refused = await approve(address, "dave", 25.5)
        async with client_of(address, f"{KEY}-dave") as client:
            (request,) = (await client.get("/api/approvals")).json()["requests"]
            same = {"number": "4711", "amount": 12.5}
            said = {"key": request["key"], "approve": True, "arguments": same}
            await client.post(f"/api/runs/{request['run_id']}/decisions", json=said)
        await visit.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await visit.answers()

        assert "Approved by carol (1 of 2)" in shown.replace("\u2068", "").replace("\u2069", "")
        assert (controls, refused.status_code) == (0, 409)
    assert "12.50 EUR are paid back" in str(model.requests[1].messages[-1])


async def test_an_approval_below_a_delegate_leaves_nothing_unfinished(visiting: Any) -> None:
    """The call of the other agent is one card, and the word is that of one's own decision."""
    turns = booked("ask_support", task="pay"), *ASKED, "All is paid."
    app, _ = application(*turns)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.page.get_by_label("Agent", exact=True).select_option("desk")
        await visit.ask("Pay it back")
        await visit.page.locator(".request").get_by_role("button", name="Approve").wait_for()
        await visit.page.get_by_role("link", name="Waiting").click()
        await visit.page.locator(".request-list").get_by_role("button", name="Approve").click()
        await visit.page.get_by_text("Nothing waits for a person.").wait_for()
        await visit.page.go_back()
        answer = await visit.answers()
        text = await answer.inner_text()
        calls = await answer.locator(".tool-card .tool-name").all_inner_texts()

        assert "All is paid." in text
        assert "not finished" not in text
        assert "refund approved" in text.replace("\u2068", "").replace("\u2069", "")
        assert len(calls) == 2, f"a call is shown twice: {calls}"
        assert visit.complaints == []
