"""A real Chromium, which tells what goes wrong in it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import pytest
import pytest_asyncio

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--no-first-run",
)


class Visit:
    """A page that was opened, and what it was heard to complain about."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        page.set_default_timeout(30_000)
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", self._note_request)

    def _note_message(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.complaints.append(f"foreign: {request.url}")

    async def ask(self, text: str) -> None:
        """Write a message, and send it."""
        box = self.page.get_by_label("Your message")
        await box.fill(text)
        await box.press("Enter")

    async def answers(self, count: int = 1) -> Any:
        """The last of so many answers, once it is complete."""
        answers = self.page.locator(".answer:has(.facts)")
        await answers.nth(count - 1).wait_for()
        return answers.nth(count - 1)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Any]:
    """A Chromium, which all tests of a process share, and so its loop: each file marks them so."""
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("there is no chromium on this machine: install it, as with apt-get")
    async with import_module("playwright.async_api").async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


@pytest.fixture
def visiting(browser: Any) -> Any:
    """Opens the page of a server, as an asynchronous context manager that gives a visit.

    Each visit has cookies, storage and permissions of its own.
    """

    @asynccontextmanager
    async def visiting(address: str, *, path: str = "/", **options: Any) -> AsyncIterator[Visit]:
        context = await browser.new_context(**options)
        try:
            visit = Visit(await context.new_page(), address)
            await visit.page.goto(address + path)
            yield visit
        finally:
            await context.close()

    return visiting
