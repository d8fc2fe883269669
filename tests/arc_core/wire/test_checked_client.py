"""A client that asks the address that was checked, and follows nothing elsewhere."""

import asyncio
from typing import Any

import pytest

from arc_core import AddressRules, ModelError
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_core.text.address_rules import AddressRefusedError
from arc_core.wire.checked_client import CheckedClient


async def test_a_name_that_leads_into_the_own_network_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name is resolved once, and what was checked is what is connected to."""
    asked: list[str] = []

    async def resolve(_: Any, host: str, port: int, **__: Any) -> list[Any]:
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    async with VendorServer(Reply.json({})) as server:
        port = server.url.rpartition(":")[2]
        client = CheckedClient(AddressRules(), max_reply_bytes=100, setting="here")
        async with client:
            with pytest.raises(AddressRefusedError):
                await client.get(f"https://login.example:{port}/token")

    assert asked == ["login.example"]
    assert server.requests == []


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One would resolve the name again."""
    async with VendorServer(Reply.json({"is": "server"})) as server, VendorServer() as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        rules = AddressRules(allows_loopback=True)
        async with CheckedClient(rules, max_reply_bytes=100, setting="here") as client:
            response = await client.get(server.url)

    assert response.json() == {"is": "server"}
    assert proxy.requests == []


async def test_a_redirect_is_not_followed() -> None:
    """Not to an address that is allowed, either."""
    async with VendorServer() as server:
        moved = Reply.json({}, status=302, headers={"location": f"{server.url}/other"})
        server.add(moved)
        rules = AddressRules(allows_loopback=True)
        async with CheckedClient(rules, max_reply_bytes=100, setting="here") as client:
            with pytest.raises(ModelError):
                await client.get(server.url)

    assert len(server.requests) == 1
