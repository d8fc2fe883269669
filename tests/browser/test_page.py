"""People ask, watch, decide and look around, in a real browser."""

import json
import re
from typing import Any

import httpx2
import pytest

from arc_core import AssistantMessage, Text
from tests.attached_files import IMAGE
from tests.browser.offers import HOSTILE, ORDER, application, booked
from tests.serving import KEY, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

_PICTURE = {
    "name": "invoice.png",
    "mimeType": "image/png",
    "buffer": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06",
}
_NOTE = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"Order 4711"}


async def test_it_answers_with_attachment_reasoning_and_tool(visiting: Any) -> None:
    """What was attached arrives; reasoning is folded; a card has arguments and result."""
    app, model = application(booked("find_order", number="4711"), ORDER)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.page.set_input_files("input[type=file]", _NOTE)
        await visit.ask("Where is it?")
        answer = await visit.answers()
        card, thought = answer.locator(".tool-card"), answer.locator(".reasoning-text")
        was_folded = not await thought.is_visible()
        await answer.locator(".reasoning summary").click()
        await card.locator("summary").click()
        shown = await card.inner_text()
        cells = await answer.locator("td").all_inner_texts()
        facts = await answer.locator(".facts").inner_text()

        assert was_folded
        assert await thought.inner_text() == "The customer asks for an order."
        assert '"number": "4711"' in shown
        assert '"state": "shipped"' in shown
        assert "done" in shown
        assert cells[:3] == ["Mug, blue", "2", "18.00"]
        assert "20 tokens in, 10 out" in facts
        assert "ms" in facts
        assert visit.complaints == []
    assert "Order 4711" in str(model.requests[0].messages) or "note.txt" in str(model.requests[0])


async def test_pictures_that_a_model_has_made_are_shown(visiting: Any) -> None:
    """As they come, and when the conversation is read again."""
    made = AssistantMessage((Text("A cat."), IMAGE))
    app, _ = application(made)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Draw a cat")
        await visit.answers()
        live = await visit.page.locator(".answer img").get_attribute("src")
        await visit.page.reload()
        again = await visit.page.locator(".answer img").get_attribute("src")

        assert live is not None
        assert live.startswith("data:image/png;base64,iVBOR")
        assert again == live
        assert visit.complaints == []


async def test_text_grows_and_a_run_can_be_stopped(visiting: Any) -> None:
    """The first words are there before the rest; Stop ends the run, and says so."""
    app, model = application("Once upon ⏸ a time", "There was ⏸ a king")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Tell me a story")
        text = visit.page.locator(".answer .markdown", has_text="Once upon")
        await text.wait_for()
        before = await text.inner_text()
        model.gate.set()
        await visit.answers()
        after = await text.inner_text()
        model.gate.clear()
        await visit.ask("Another one")
        await visit.page.get_by_role("button", name="Stop").click()
        told = await (await visit.answers(2)).locator(".failure").inner_text()

        assert (before.strip(), after.strip()) == ("Once upon", "Once upon a time")
        assert "stopped" in told or "cancelled" in told
        assert visit.complaints == []


async def test_a_person_approves_with_another_argument(visiting: Any) -> None:
    """The run goes on with what the person has written, and the answer follows."""
    app, model = application(booked("refund", number="4711", amount=25.5), "It is **done**.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Pay it back")
        card = visit.page.locator(".request")
        await card.get_by_label("amount").fill("twelve")
        await card.get_by_role("button", name="Approve").click()
        refusal = await card.locator(".failure").inner_text()
        await card.get_by_label("amount").fill("12.5")
        await card.get_by_role("button", name="Approve").click()
        answer = await visit.answers()

        assert "amount is not valid" in refusal
        assert await answer.locator("strong").inner_text() == "done"
        assert visit.complaints == []
    assert "12.50 EUR are paid back" in str(model.requests[1].messages[-1])


async def test_a_person_denies_in_the_list_of_approvals(visiting: Any) -> None:
    """The run that waits is counted and listed; what was decided there is seen in the chat."""
    app, model = application(booked("refund", number="1", amount=1), "Then not.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Pay it back")
        await visit.page.locator("#waiting-count:has-text('1')").wait_for()
        await visit.page.get_by_role("link", name="Waiting").click()
        card = visit.page.locator(".request-list .request")
        await card.get_by_label("Reason, if you deny").fill("too much")
        await card.get_by_role("button", name="Deny").click()
        await visit.page.get_by_text("Nothing waits for a person.").wait_for()
        await visit.page.go_back()
        answer = await visit.answers()

        assert "Then not." in await answer.inner_text()
        assert await visit.page.locator("#waiting-count").is_hidden()
        assert visit.complaints == []
    assert "too much" in str(model.requests[1].messages[-1])


async def test_nothing_that_a_model_says_takes_effect(visiting: Any) -> None:
    """Markup, scripts, addresses and hidden characters are shown; nothing runs or is loaded."""
    app, _ = application(booked("find_order", number=HOSTILE), HOSTILE)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask(HOSTILE)
        answer = await visit.answers()
        await answer.locator(".tool-card summary").click()
        text = await answer.locator(".markdown").inner_text()
        links = await visit.page.eval_on_selector_all(
            "main a", "all => all.map(a => [a.href, a.rel, a.textContent])"
        )
        loaded = await visit.page.locator("main script, main img, main iframe").count()

        assert "<script>document.title" in text
        assert "press (javascript:" in text
        assert "U+202E" in text
        assert "U+001B" in text
        assert "U+200B" in text
        assert {link[0] for link in links} == {link[2] for link in links}, "an address is hidden"
        assert all(link[0].startswith("https://") for link in links)
        assert {link[1] for link in links} == {"noopener noreferrer"}
        assert (loaded, await visit.page.title()) == (0, "Chat – Arc")
        assert visit.complaints == []


async def test_earlier_conversations_are_listed_opened_and_deleted(visiting: Any) -> None:
    """After a reload they are there, and what was deleted is not."""
    app, _ = application("Sunny.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("How is the weather?")
        await visit.answers()
        await visit.page.goto(address)
        entry = visit.page.get_by_role("link", name="How is the weather?")
        await entry.click()
        await visit.page.get_by_text("Sunny.").wait_for()
        visit.page.on("dialog", lambda dialog: dialog.accept())
        await visit.page.get_by_role("button", name="Delete How is the weather?").click()
        await visit.page.get_by_text("What you ask is listed here.").wait_for()

        assert await visit.page.locator(".message").count() == 0
        assert visit.complaints == []


async def test_a_lost_connection_leads_to_a_reconnect(visiting: Any) -> None:
    """The page reads on after the last event that came: no piece is missing or there twice."""
    app, model = application("One ⏸ two three")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:

        async def cut(route: Any) -> None:
            body = json.loads(route.request.post_data) | {"respond": "submit"}
            async with httpx2.AsyncClient(base_url=address, timeout=20) as client:
                (await client.post("/api/runs", json=body)).raise_for_status()
            event = {"type": "text_delta", "text": "One ", "run_id": body["run_id"], "seq": 1}
            frame = f"id: 1\nevent: message\ndata: {json.dumps(event)}\n\n: and then no more"
            await route.fulfill(content_type="text/event-stream", body=frame)

        await visit.page.route("**/api/runs", cut)
        await visit.ask("Count")
        await visit.page.locator(".answer .markdown", has_text="One").wait_for()
        model.gate.set()
        answer = await visit.answers()

        assert (await answer.locator(".markdown").inner_text()).split() == ["One", "two", "three"]
        assert visit.complaints == []


async def test_a_server_with_keys_asks_for_one(visiting: Any) -> None:
    """A wrong key is told; the right one stays in this tab, and leaves no trace in the address."""
    keys = [{"name": "ann", "key": KEY, "users": ["ann"]}]
    app, _ = application("Hello, Ann.", server={"api_keys": keys})
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        for key in ("wrong-key-of-16-characters", KEY):
            await visit.page.get_by_label("Key", exact=True).fill(key)
            await visit.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
            if key != KEY:
                await visit.page.get_by_text("The key is missing or wrong").wait_for()
        await visit.ask("Hello")
        answer = await visit.answers()
        stored = await visit.page.evaluate(
            "[JSON.stringify(localStorage), sessionStorage['arc.key']]"
        )

        assert "Hello, Ann." in await answer.inner_text()
        assert KEY not in stored[0]
        assert stored[1] == KEY
        assert KEY not in visit.page.url
        assert all("401" in each for each in visit.complaints)


async def test_failures_are_told_in_peoples_words(visiting: Any) -> None:
    """A run that fails, and a server that has gone."""
    app, _ = application(RuntimeError("secret of the inside"), "Fine.")
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Hello")
        told = await (await visit.answers()).locator(".failure").inner_text()
        await visit.page.route("**/api/runs", lambda route: route.fulfill(status=429, json={
            "error": {"message": "Too many requests.", "code": "RATE_LIMITED"}}))  # fmt: skip
        await visit.ask("Again")
        await visit.page.get_by_text("Too many requests.").wait_for()

        assert told
        assert "secret" not in told
        assert "Error" not in told
        assert all("429" in each for each in visit.complaints)


async def test_runs_of_other_agents_stand_folded_inside(visiting: Any) -> None:
    """What they say is not mixed with the answer."""
    turns = booked("ask_support", task="find it"), "It is **here**.", "All done."
    app, _ = application(*turns)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.page.get_by_label("Agent", exact=True).select_option("desk")
        await visit.ask("Where is it?")
        await visit.page.get_by_text("All done.", exact=True).wait_for()
        below = visit.page.locator(".run-below")
        inner = below.get_by_text("It is here.")
        was_folded = not await inner.is_visible()
        await below.locator("summary").first.click()
        await inner.wait_for()

        assert was_folded
        assert "Agent support" in await below.inner_text()
        assert "All done." not in await below.inner_text()
        assert visit.complaints == []


async def test_room_that_was_made_in_the_window_is_a_line_between_the_calls(visiting: Any) -> None:
    """With the tokens before and after; the answer stands below it."""
    llm = {"max_context_window_tokens": 1600, "max_output_tokens": 100}
    app, _ = application(*[booked("find_order", number="4711" * 150)] * 4, ORDER, llm=llm)
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Where is it?")
        answer = await visit.answers()
        note = answer.locator(".note", has_text="Room was made in the window").first
        shown = await note.inner_text()

        assert re.search(r"window, 1,\d{3} to [\d,]+ tokens: \d results? cleared", shown)
        assert await answer.locator(".tool-card").count() == 4
        assert visit.complaints == []
