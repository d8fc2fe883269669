"""The page through TLS, by the name of a proxy."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.offers import ORDER, application
from tests.ports import free_port
from tests.proxies import make_certificate, proxy
from tests.serving import KEY, serving_app

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def test_the_page_chats_through_a_proxy(visiting: Any, tmp_path: Path) -> None:
    """It asks for a key, and its requests are of the origin that the server knows as its own."""
    certificate, port = make_certificate(tmp_path), free_port()
    url = f"https://agents.localhost:{port}"
    keys = [{"name": "ann", "key": KEY}]
    app, _ = application(ORDER, server={"public_url": url, "api_keys": keys})
    async with (
        serving_app(app.asgi()) as behind,
        proxy("nginx", to=behind, port=port, certificate=certificate) as address,
        visiting(address, ignore_https_errors=True) as visit,
    ):
        await visit.page.get_by_label("Key", exact=True).fill(KEY)
        await visit.page.get_by_role("button", name="Sign in").click()
        await visit.ask("Where is my order?")
        answer = await (await visit.answers()).inner_text()

    assert "is on its way" in answer
    assert [each for each in visit.complaints if "401" not in each] == []
