"""The runs: a list that can be filtered, and each as a timeline, also while it goes on."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from arc_core import AssistantMessage, ToolCall, tool
from tests.browser.offers import HOSTILE, application, booked
from tests.serving import KEY, client_of, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

RUNS = "/#/runs"


@tool
async def dump(chars: int) -> str:
    """Give much."""
    return HOSTILE + "x" * chars


class Meeting:
    """Two calls that end only once both have begun, and are let go."""

    def __init__(self) -> None:
        self.begun, self.may_end = asyncio.Barrier(3), asyncio.Event()

    @tool
    async def meet(self, who: str) -> str:
        """Meet another call."""
        await self.begun.wait()
        await self.may_end.wait()
        return f"{who} was there"


def called(*calls: tuple[str, dict[str, object]]) -> AssistantMessage:
    """A turn that calls tools."""
    made = (ToolCall(str(at), name, json.dumps(given)) for at, (name, given) in enumerate(calls))
    return AssistantMessage("", tuple(made))


async def ask(client: httpx2.AsyncClient, run_id: str, **fields: Any) -> None:
    """Have a run made."""
    await client.post("/api/runs", json={"user_prompt": "Where is it?", "run_id": run_id, **fields})


async def test_a_run_is_opened_from_the_list_by_keyboard(visiting: Any) -> None:
    """What it was asked and what its tool gave is folded, and is shown as text whatever it is."""
    app, _ = application(booked("find_order", number="4711"), "Done.", record=True)
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "r1", user_id="ann", user_prompt=HOSTILE)
        async with visiting(address, path=RUNS) as visit:
            row = visit.page.locator(".run-list tbody tr")
            await row.get_by_text("answered").wait_for()
            seen = await row.inner_text()
            await row.get_by_role("link", name="r1").press("Enter")
            call = visit.page.locator(".call", has_text="find_order")
            await call.locator("summary").press("Enter")
            await call.get_by_text("gnp.exe", exact=False).first.wait_for()

            assert "ann" in seen
            assert "<img src=x" in await call.inner_text()
            assert "U+202E" in await call.inner_text()
            assert await visit.page.title() == "Runs – Arc"
            assert visit.complaints == []


async def test_the_list_is_filtered_by_keyboard(visiting: Any) -> None:
    """A screen reader is told how many runs are left."""
    app, _ = application("Hello.", RuntimeError("broken"), record=True, retry={"max_attempts": 1})
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "good", user_id="ann")
        await ask(client, "bad", user_id="bob")
        async with visiting(address, path=RUNS) as visit:
            links = visit.page.locator(".run-link")
            await links.nth(1).wait_for()
            await visit.page.get_by_label("State").focus()
            await visit.page.keyboard.type("Failed")
            await visit.page.get_by_role("status").get_by_text("1 run").wait_for(state="attached")
            failed = await links.all_inner_texts()
            await visit.page.get_by_label("State").select_option("Any state")
            await visit.page.get_by_role("searchbox", name="User").press_sequentially("ann")
            await visit.page.locator(".run-list:not(:has-text('bad'))").wait_for()

            assert failed == ["bad"]
            assert await links.all_inner_texts() == ["good"]
            assert visit.complaints == []


async def test_calls_stand_beside_each_other_as_they_run(visiting: Any) -> None:
    """A run that goes on is seen to; what was opened stays open, and the list follows, too."""
    meeting = Meeting()
    turn = called(("meet", {"who": "ann"}), ("meet", {"who": "bob"}))
    app, _ = application(turn, "They met.", record=True, register=[meeting.meet])
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "r1", respond="submit")
        await meeting.begun.wait()
        async with visiting(address, path=f"{RUNS}/r1") as visit:
            await visit.page.locator(".call[data-state=running]").nth(1).wait_for()
            await visit.page.locator(".step[data-kind=enter] summary").click()
            meeting.may_end.set()
            await visit.page.get_by_text("answered").first.wait_for()
            bars = visit.page.locator(".bar-run")
            first, second = [await each.bounding_box() for each in await bars.all()]

            assert abs(first["x"] - second["x"]) < first["width"] / 2
            assert await visit.page.locator(".step[data-kind=enter] details[open]").count() == 1
            assert visit.complaints == []


async def test_the_list_follows_what_happens(visiting: Any) -> None:
    """A run that begins comes in at the top, and one that waits goes on, without a reload."""
    app, _ = application(booked("refund", number="1", amount=1), "Paid.", "Hello.", record=True)
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "first")
        async with visiting(address, path=RUNS) as visit:
            await visit.page.locator("tr:has-text('first'):has-text('waiting')").wait_for()
            waiting = (await client.get("/api/approvals")).json()["requests"][0]
            decision = {"key": waiting["key"], "approve": True}
            await client.post("/api/runs/first/decisions", json=decision)
            await visit.page.locator("tr:has-text('first'):has-text('answered')").wait_for()
            await ask(client, "second")
            await visit.page.locator("tr:has-text('second')").wait_for()

            links = await visit.page.locator(".run-link").all_inner_texts()
            assert links == ["second", "first"]
            assert visit.complaints == []


async def test_runs_below_and_waits_are_seen_in_their_turn(visiting: Any) -> None:
    """Folded into the call that has started it; tokens and cost are summed."""
    pay = booked("refund", number="1", amount=1)
    turns = booked("ask_support", task="find it"), "It is here.", pay
    app, _ = application(*turns, record=True, llm={"price": {"input": "1", "output": "2"}})
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "r1", agent="desk")
        async with visiting(address, path=f"{RUNS}/r1") as visit:
            below = visit.page.locator(".turns .turns")
            await visit.page.locator(".call", has_text="ask_support").locator("summary").click()
            await below.wait_for()
            facts = await visit.page.locator(".record-facts").inner_text()
            waits = await visit.page.locator(".call", has_text="refund").inner_text()

            assert "Turn 1" in await below.inner_text()
            assert "for a person" in waits
            assert "tokens" in facts.lower()
            assert "cost" in facts.lower()
            assert visit.complaints == []


async def test_a_large_result_is_shown_in_parts(visiting: Any) -> None:
    """Of a mebibyte the beginning, and more of it in the step as a whole; nothing of it runs."""
    app, _ = application(booked("dump", chars=1_048_576), "Done.", record=True, register=[dump])
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await ask(client, "r1")
        async with visiting(address, path=f"{RUNS}/r1") as visit:
            call = visit.page.locator(".call", has_text="dump")
            await call.locator("summary").click()
            await call.get_by_role("button", name="Show the whole step").click()
            await call.get_by_text("more characters are not shown").wait_for()

            assert len(await call.inner_text()) < 200_000
            assert "<script>" in await call.inner_text()
            assert await visit.page.title() == "Runs – Arc"
            assert visit.complaints == []


async def test_who_may_not_see_records_has_no_such_tab(visiting: Any) -> None:
    """As with a key that is bound to a user."""
    keys = [{"name": "ann", "key": KEY, "users": ["ann"]}]
    app, _ = application("Hello.", record=True, server={"api_keys": keys})
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.page.get_by_label("Key", exact=True).fill(KEY)
        await visit.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
        await visit.page.get_by_label("Your message").wait_for()

        assert await visit.page.locator("nav a:visible").all_inner_texts() == [
            *("Chat", "Waiting", "Wiring")
        ]
