"""Questions and logins in the page, in a real browser: forms, addresses, and the way back."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import pytest

from arc_core import ToolContext, tool
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer
from tests.browser.offers import application, booked, list_issues, order_shirt, pay_there
from tests.serving import client_of, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def test_a_question_is_answered_by_a_form(visiting: Any) -> None:
    """Made from the schema; the tool gets the values, each of its type."""
    app, model = application(booked("order_shirt"), "It is ordered.", register=[order_shirt])
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("A shirt, please")
        card = visit.page.locator(".request")
        await card.get_by_label("Size").fill("40")
        await card.get_by_label("colour").select_option("blue")
        await card.get_by_label("tags").fill('["a"]')
        await card.get_by_role("button", name="Answer").click()
        await visit.answers()

        assert await visit.page.title() != "owned"
        assert visit.complaints == []
    values = '{"size": 40, "colour": "blue", "express": true, "tags": ["a"]}'
    assert f"ordered {values}" in str(model.requests[1].messages[-1])


async def test_each_field_says_what_is_wrong_with_it(visiting: Any) -> None:
    """By the keyboard alone; the first of them has the focus, and nothing is sent."""
    app, _ = application(booked("order_shirt"), register=[order_shirt])
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("A shirt, please")
        card = visit.page.locator(".request")
        size = card.get_by_label("Size")
        await size.fill("20")
        await card.get_by_label("mail").fill("no address")
        await card.get_by_label("tags").fill("red")
        await card.get_by_label("name").press("Enter")
        problems = await card.locator(".field-problem:visible").all_inner_texts()

        assert problems[:2] == ["Write 30 or more.", "Fill this in."]
        assert problems[2].startswith("Write JSON")
        assert len(problems) == 4
        assert await size.evaluate("each => each === document.activeElement")
        assert visit.complaints == []


@tool
async def hold_for_name(context: ToolContext) -> str:
    """Ask within an open call."""
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    answer = await context.ask("Your name?", schema, hold_s=120)
    return f"hello {answer}"


async def test_a_question_of_a_run_that_goes_on_is_shown_at_once(visiting: Any) -> None:
    """A call that is held for the answer gets it, and the run has not ended in between."""
    app, model = application(booked("hold_for_name"), "Hello.", register=[hold_for_name])
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Who am I?")
        card = visit.page.locator(".request")
        await card.get_by_label("name").fill("Ann")
        stopping = await visit.page.get_by_role("button", name="Stop").is_visible()
        await card.get_by_label("name").press("Enter")
        answer = await visit.answers()

        assert stopping
        assert "hold_for_name answered" in plain(await answer.inner_text())
        assert visit.complaints == []
    assert "hello {'name': 'Ann'}" in str(model.requests[1].messages[-1])


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://bank.example/pay?x=1", "https://bank.example/pay?x=1"),
        ("http://bank.example/", None),
        ("javascript:document.title='owned'", None),
        ("https://bank.example@evil.example/", None),
    ],
)
async def test_an_address_is_opened_only_if_it_is_safe(
    url: str, link: str | None, visiting: Any
) -> None:
    """Its origin is shown; when the user has done it, or declines, the run goes on."""
    turns = booked("pay_there", url=url), "Done."
    app, model = application(*turns, register=[pay_there])
    async with serving_app(app.asgi()) as address, visiting(address) as visit:
        await visit.ask("Pay")
        card = visit.page.locator(".request")
        done = card.get_by_role("button", name="I have done it")
        await done.wait_for()
        links = await card.get_by_role("link").all()
        found = [await each.get_attribute("href") for each in links]
        marks = [await each.get_attribute("rel") for each in links]
        text = await card.inner_text()
        await (done if link else card.get_by_role("button", name="Decline")).click()
        await visit.answers()

        assert found == ([link] if link else [])
        assert marks == (["noopener noreferrer"] if link else [])
        assert ("https://bank.example in a new tab" in plain(text)) == (link is not None)
        assert visit.complaints == []
    said = str(model.requests[1].messages[-1])
    assert ("paid {}" if link else "was denied") in said


def plain(text: str) -> str:
    """A text without marks of direction."""
    return text.replace("\u2068", "").replace("\u2069", "")


@asynccontextmanager
async def with_service() -> AsyncIterator[tuple[str, AuthorizationServer]]:
    """The address of an application whose tool needs a login, and the service, which agrees."""
    service = AuthorizationServer()

    def agree(received: ReceivedRequest) -> Reply:
        if "/authorize" not in received.path:
            return service.answer(received)
        answer = service.log_in(f"{vendor.url}{received.path}")
        back = f"{address}/oauth/callback?{urlencode(answer)}"
        return Reply(status=302, headers={"location": back})

    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    async with VendorServer(*[agree] * 5) as vendor:
        github = {
            "authorize_url": f"{vendor.url}/authorize",
            "token_url": f"{vendor.url}/token",
            "client_id": "arc",
            "scopes": ["read", "write"],
        }
        app, _ = application(
            booked("list_issues"),
            "There are **none**.",
            register=[list_issues],
            credentials={"backend": "memory"},
            services={"github": github},
            server={"public_url": address},
        )
        async with serving_app(app.asgi(), port=port) as served:
            yield served, service


async def test_a_login_is_made_in_a_new_tab_and_the_run_goes_on(visiting: Any) -> None:
    """From the card to the service and back; no one presses anything in the first tab."""
    async with with_service() as (address, service), visiting(address) as visit:
        async with client_of(address) as client:
            body = {"user_prompt": "My issues", "user_id": "ann", "run_id": "r1"}
            await client.post("/api/runs", json=body)
        await visit.page.evaluate("location.hash = '#/run/r1'")
        card = visit.page.locator(".request")
        link = card.get_by_role("link", name="Log in at github")
        await link.wait_for()
        shown = plain(await card.inner_text())
        async with visit.page.context.expect_page() as opened:
            await link.click()
        tab = await opened.value
        await tab.get_by_role("button", name="Go on to github").click()
        await tab.get_by_role("heading", name="Logged in at github").wait_for()
        answer = await visit.answers()

        assert "for the user ann" in shown
        assert "read, write" in shown
        assert await tab.evaluate("window.opener") is None
        assert await answer.locator("strong").last.inner_text() == "none"
        assert not service.errors
        assert visit.complaints == []
