"""`arc serve` behind Caddy and nginx, as the documentation sets them up."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_text_part
from a2a.types import Message, Role, SendMessageRequest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from tests.arc_plugins.surfaces.node_client import NodeClient
from tests.arc_plugins.surfaces.served_apps import make_app, make_gated_app
from tests.ports import free_port
from tests.proxies import PROXIES, Certificate, make_certificate, proxy, resolve_name
from tests.serving import KEY, client_of

pytestmark = pytest.mark.slow  # starts nginx, Caddy and node

BARE = """\
server {
    listen 443 ssl;
    ssl_certificate /etc/ssl/agents.example.pem;
    ssl_certificate_key /etc/ssl/agents.example.key;
    location / { proxy_pass http://127.0.0.1:8010; }
}
"""
"""What many write first: nginx puts its own name for the server into `Host`."""

BEARER = {"authorization": f"Bearer {KEY}"}
ASKED = {
    "headers": BEARER,
    "steps": [{"do": "send", "content": "weather Seoul", "text": "weather Seoul", "runId": "r1"}],
}
ANSWER = 'Then: {"city":"Seoul","degrees":21}'
WAYS = [*((each, None) for each in PROXIES), ("nginx", BARE)]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("proxies"))


@asynccontextmanager
async def arc_serve(app: Application) -> AsyncIterator[str]:
    """The address of an application that is served as by the command."""
    ending, begun = asyncio.Event(), asyncio.get_running_loop().create_future()
    options: Any = {"ending": ending, "tell": begun.set_result, "address": ("127.0.0.1", 0)}
    task = asyncio.create_task(serve(app, **options))
    await asyncio.wait((task, begun), return_when=asyncio.FIRST_COMPLETED)
    try:
        yield begun.result()
    finally:
        ending.set()
        await task


def settings_for(port: int) -> dict[str, Any]:
    keys = [{"name": "app", "key": KEY}]
    return {"public_url": f"https://agents.localhost:{port}", "api_keys": keys}


def client_through(address: str, certificate: Certificate) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=address, headers=BEARER, verify=certificate.context)


async def ask_a2a(address: str, certificate: Certificate) -> tuple[str, str]:
    """Ask by the official client; the address in the card, and the text that came."""
    async with httpx.AsyncClient(headers=BEARER, verify=certificate.context, timeout=30) as http:
        card = (await http.get(f"{address}/.well-known/agent-card.json")).json()
        config = ClientConfig(httpx_client=http, streaming=True)
        parts = [new_text_part("weather Seoul")]
        message = Message(message_id="m1", role=Role.ROLE_USER, parts=parts)
        async with await create_client(address, client_config=config) as client:
            request = SendMessageRequest(message=message)
            events = [each async for each in client.send_message(request)]
    pieces = [part.text for each in events for part in each.artifact_update.artifact.parts]
    return card["supportedInterfaces"][0]["url"], "".join(pieces)


@pytest.mark.parametrize(("kind", "block"), WAYS, ids=["nginx", "caddy", "nginx_bare"])
async def test_all_is_served_through_tls(
    kind: str, block: str | None, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page, AG-UI, the AI SDK and A2A; its own pages may ask, and those of others may not."""
    port, node = free_port(), NodeClient.install()
    resolve_name(monkeypatch, certificate)
    async with (
        arc_serve(make_app(server=settings_for(port))) as behind,
        proxy(kind, to=behind, port=port, certificate=certificate, block=block) as address,
        client_through(address, certificate) as client,
    ):
        page = await client.get("/")
        own = await client.get("/api/agents", headers={"origin": address})
        other = await client.get("/api/agents", headers={"origin": "https://evil.example"})
        agent = await node.run("agent.mjs", url=f"{address}/ag-ui", threadId="t", **ASKED)
        chat = await node.run("chat.mjs", api=f"{address}/ai-sdk", id="s", **ASKED)
        card, events = await ask_a2a(address, certificate)

    assert (page.status_code, "<title>Arc</title>" in page.text) == (200, True)
    assert (own.status_code, other.json()["error"]["code"]) == (200, "wrong_origin")
    assert [each["error"] for each in agent["runs"]] == [None]
    assert agent["messages"][-1]["content"] == ANSWER
    assert chat["messages"][-1]["parts"][-1]["text"] == ANSWER
    assert (card, ANSWER in events) == (f"{address}/a2a", True)


@pytest.mark.parametrize("kind", PROXIES)
async def test_streams_are_not_held_back(
    kind: str, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first words are there while the model is still silent about the last ones."""
    port = free_port()
    resolve_name(monkeypatch, certificate)
    app, model = make_gated_app(server=settings_for(port))
    async with (
        arc_serve(app) as behind,
        proxy(kind, to=behind, port=port, certificate=certificate) as address,
        client_through(address, certificate) as client,
        client.stream("POST", "/api/chat/stream", json={"message": "go"}) as response,
    ):
        text = ""
        async for each in response.aiter_text():
            text += each
            if "piece3" in text:
                model.gate.set()

    assert text.rstrip().splitlines()[-2] == "event: done"


@pytest.mark.parametrize(
    ("trusted", "forwarded", "status"),
    [
        (["127.0.0.1"], {"x-forwarded-for": "203.0.113.7"}, 403),
        (["127.0.0.1"], {"x-forwarded-for": "127.0.0.1, 203.0.113.7"}, 403),
        (["127.0.0.1"], {"x-forwarded-for": "127.0.0.1"}, 200),
        (["127.0.0.0/8", "203.0.113.0/24"], {"x-forwarded-for": "198.51.100.1, 203.0.113.7"}, 403),
        (["192.0.2.1"], {"x-forwarded-for": "203.0.113.7"}, 200),
        (["127.0.0.1"], {}, 200),
    ],
)
async def test_a_server_without_keys_is_not_for_clients_of_a_proxy(
    trusted: list[str], forwarded: dict[str, str], status: int
) -> None:
    """What a trusted proxy says counts, and what others say does not."""
    settings = ArcSettings(_isolated=True, server={"trusted_proxies": trusted})
    app = Application(settings, plugins=False)
    async with arc_serve(app) as address, client_of(address) as client:
        response = await client.get("/api/agents", headers=forwarded)

    assert response.status_code == status
