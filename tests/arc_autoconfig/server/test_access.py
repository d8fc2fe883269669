"""Who is let in."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket

from arc_autoconfig import Application, ArcSettings, provides
from arc_core import ApiKeys, Caller, ServedApplication, Surface
from arc_core.errors import ConfigurationError
from tests.serving import KEY, client_of, serving, serving_app

HELLO = {"message": "Hello"}


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "invalid_api_key"),
        ({"authorization": "Bearer wrong-wrong-wrong-wrong"}, 401, "invalid_api_key"),
        ({"authorization": f"Basic {KEY}"}, 401, "invalid_api_key"),
        ({"authorization": "Bearer"}, 401, "invalid_api_key"),
        ({"authorization": f"Bearer {KEY}", "host": "evil.example"}, 421, "wrong_host"),
        ({"authorization": f"Bearer {KEY}", "origin": "https://evil.example"}, 403, "wrong_origin"),
        ({"authorization": f"Bearer {KEY}", "origin": "null"}, 403, "wrong_origin"),
    ],
)
async def test_what_is_not_let_in(headers: dict[str, str], status: int, code: str) -> None:
    """A missing, wrong or malformed key, another host and another origin each have a status."""
    keys = [{"name": "app", "key": KEY}]

    async with serving(server={"api_keys": keys}) as address, client_of(address) as client:
        response = await client.post("/api/chat", json=HELLO, headers=headers)

    assert response.status_code == status
    assert response.json()["error"]["code"] == code


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_a_key_lets_in(scheme: str) -> None:
    """The scheme of a header has no case."""
    keys = [{"name": "other", "key": KEY * 2}, {"name": "app", "key": KEY}]

    async with serving("Hi.", server={"api_keys": keys}) as address, client_of(address) as client:
        headers = {"authorization": f"{scheme} {KEY}"}
        response = await client.post("/api/chat", json=HELLO, headers=headers)

    assert response.json()["content"] == "Hi."


async def test_an_allowed_origin_may_ask() -> None:
    """The answer to its preflight and to its request says so."""
    origin = {"origin": "https://intra.example"}

    async with (
        serving("Hi.", server={"allowed_origins": ["https://intra.example"]}) as address,
        client_of(address) as client,
    ):
        asked = {**origin, "access-control-request-method": "POST"}
        preflight = await client.options("/api/chat", headers=asked)
        response = await client.post("/api/chat", json=HELLO, headers=origin)

    exposed = {
        each.strip() for each in response.headers["access-control-expose-headers"].split(",")
    }
    assert {"mcp-session-id", "x-run-id", "retry-after"} <= exposed
    for each in (preflight, response):
        assert each.headers["access-control-allow-origin"] == "https://intra.example"


NAMED = {
    "api_keys": [{"name": "app", "key": KEY}],
    "allowed_hosts": ["Agents.example", "*.corp.example"],
    "public_url": "https://arc.example:8443/agents",
}
LET_IN = [
    ("127.0.0.1:8010", None),
    ("localhost", "http://localhost"),
    ("agents.example", "https://agents.example"),
    ("agents.example:443", "https://agents.example"),
    ("AGENTS.example.", None),
    ("eu.corp.example:9000", "https://eu.corp.example:9000"),
    ("arc.example", "https://arc.example:8443"),
    ("127.0.0.1:8010", "https://arc.example:8443"),
]
REFUSED = {
    ("evil.example", None): 421,
    ("corp.example", None): 421,
    ("evilcorp.example", None): 421,
    ("agents.example.evil.example", None): 421,
    ("192.0.2.1", None): 421,
    ("agents.example", "https://evil.example"): 403,
    ("agents.example", "https://agents.example:8443"): 403,
    ("agents.example", "http://agents.example:443x"): 403,
    ("127.0.0.1:8010", "https://arc.example"): 403,
    ("agents.example", "null"): 403,
}


async def test_names_of_the_server_and_its_pages_are_let_in() -> None:
    """Its own address, and what a proxy hands on: the public name, or the address behind it."""
    async with serving(server=NAMED) as address, client_of(address, KEY) as client:
        found = {
            (host, origin): (
                await client.get(
                    "/api/agents", headers={"host": host} | ({"origin": origin} if origin else {})
                )
            ).status_code
            for host, origin in (*LET_IN, *REFUSED)
        }

    assert found == dict.fromkeys(LET_IN, 200) | REFUSED


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("allowed_hosts", ["https://agents.example"], "without https:// and without a port"),
        ("allowed_hosts", ["agents.example:443"], "without https:// and without a port"),
        ("allowed_hosts", ["*"], "is not the name of a host"),
        ("allowed_hosts", [""], "is not the name of a host"),
        ("trusted_proxies", ["10.0.0.1/8"], "is not an address or a network"),
        ("trusted_proxies", ["proxy"], "is not an address or a network"),
        ("trusted_proxies", ["*"], "is not an address or a network"),
        ("public_url", "agents.example", "is not an address"),
        ("public_url", "https://ann:secret@agents.example", "has a user, a query or a fragment"),
        ("public_url", "https://agents.example/?key=1", "has a user, a query or a fragment"),
    ],
)
def test_a_name_that_cannot_be_one_is_told_of(name: str, value: object, told: str) -> None:
    """With what to write instead."""
    with pytest.raises(ConfigurationError, match=f"(?s)server.{name}.*{re.escape(told)}"):
        ArcSettings(_isolated=True, server={name: value})


async def test_a_program_brings_its_own_authentication() -> None:
    """It names the caller, and a caller that it does not know is refused."""
    app = Application(ArcSettings(_isolated=True), plugins=False)
    known = {"ann": Caller(name="ann", user_ids=frozenset({"ann"}))}
    asgi = app.asgi(authenticate=lambda request: known.get(request.headers.get("x-user", "")))

    async with serving_app(asgi) as address, client_of(address) as client:
        seen = await client.get("/api/approvals", headers={"x-user": "ann"})
        refused = await client.get("/api/approvals", headers={"x-user": "bob"})

    assert (seen.status_code, refused.status_code) == (200, 401)


async def test_without_keys_only_this_machine_may_ask() -> None:
    """A connection from another machine is refused, whatever its headers say."""
    app = Application(ArcSettings(_isolated=True), plugins=False)
    sent: list[dict[str, Any]] = []
    scope = _scope("/api/approvals", {"host": "127.0.0.1"})
    scope |= {"type": "http", "method": "GET", "client": ("192.0.2.7", 5000)}

    async with app:
        await app.asgi()(scope, _connect, _append_to(sent))

    assert sent[0]["status"] == 403


class Sockets(Surface):
    """A surface of others with a WebSocket; one of its paths is public."""

    order = 1
    public_paths = ("/open",)

    def routes(self, application: ServedApplication) -> list[BaseRoute]:
        return [WebSocketRoute(path, self._accept) for path in ("/socket", "/open")]

    async def _accept(self, socket: WebSocket) -> None:
        await socket.accept()
        await socket.close()


OWN = {"host": "127.0.0.1", "authorization": f"Bearer {KEY}"}


@pytest.mark.parametrize("can_respond", [True, False])
@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/socket", OWN, None),
        ("/open", {"host": "127.0.0.1"}, None),
        ("/socket", {"host": "127.0.0.1"}, 401),
        ("/socket", OWN | {"authorization": "Bearer wrong-wrong-wrong-wrong"}, 401),
        ("/socket", OWN | {"host": "evil.example"}, 421),
        ("/socket", OWN | {"origin": "https://evil.example"}, 403),
        ("/open", {"host": "127.0.0.1", "origin": "https://evil.example"}, 403),
    ],
)
async def test_a_websocket_is_let_in_as_a_request_is(
    path: str, headers: dict[str, str], status: int | None, *, can_respond: bool
) -> None:
    """Host, origin and key are checked before it is accepted."""
    settings = ArcSettings(_isolated=True, server={"api_keys": [{"name": "app", "key": KEY}]})
    app = Application(settings, register=[Sockets()], plugins=False)
    sent: list[dict[str, Any]] = []
    scope = _scope(path, headers) | {"type": "websocket", "subprotocols": []}
    scope["extensions"] = {"websocket.http.response": {}} if can_respond else {}

    async with app:
        await app.asgi()(scope, _connect, _append_to(sent))

    if status is None:
        assert [each["type"] for each in sent] == ["websocket.accept", "websocket.close"]
    elif can_respond:
        assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", status)
    else:
        assert sent == [{"type": "websocket.close", "code": 1008, "reason": ""}]


async def test_a_mounted_application_is_not_asked_by_options_without_a_key() -> None:
    """No method goes past the keys; a browser is answered before."""
    keys = [{"name": "app", "key": KEY}]
    async with serving(server={"api_keys": keys}) as address, client_of(address) as client:
        response = await client.options("/api/approvals")

    assert response.status_code == 401


def _scope(path: str, headers: dict[str, str]) -> dict[str, Any]:
    """A scope of ASGI, without what says its type."""
    return {
        "path": path, "root_path": "", "query_string": b"", "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 5000), "server": ("127.0.0.1", 80),
    }  # fmt: skip


async def _connect() -> dict[str, Any]:
    return {"type": "websocket.connect"}


def _append_to(sent: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Awaitable[None]]:
    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return send


class Vault(ApiKeys):
    """Knows one key, and is away when it is asked for others."""

    async def find(self, key: str) -> Caller | None:
        if key == "away-away-away-away":
            raise ConnectionError("redis://:hunter2@vault")
        return Caller(name="ann", user_ids=frozenset({"ann"})) if key == "s3cret" else None


async def test_keys_come_from_a_file_and_a_component(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is a key of its own, and no request is let in without one; an absent vault is a 503."""
    file = tmp_path / "keys.toml"
    file.write_text(f'[[api_keys]]\nname = "bob"\nkey = "{KEY}"\n')
    vault = provides(ApiKeys)(Vault)
    asked = {KEY: 200, "s3cret": 200, "wrong-wrong-wrong-wrong": 401, "away-away-away-away": 503}

    async with serving(register=[vault], server={"api_keys_file": file}) as address:
        for key, status in asked.items():
            async with client_of(address, key) as client:
                response = await client.get("/api/approvals")

            assert response.status_code == status, key
            assert "hunter2" not in response.text
        async with client_of(address) as client:
            assert (await client.get("/api/approvals")).status_code == 401
    assert "hunter2" not in caplog.text


async def test_a_component_that_knows_keys_is_enough() -> None:
    """The server is not open to this machine then."""
    async with serving(register=[provides(ApiKeys)(Vault)]) as address:
        for key, status in ((None, 401), ("s3cret", 200)):
            async with client_of(address, key) as client:
                assert (await client.get("/api/approvals")).status_code == status


async def test_a_program_may_wait_for_who_calls() -> None:
    """Its own authentication may be asynchronous."""

    async def authenticate(connection: Any) -> Caller | None:
        name = connection.headers.get("x-user")
        return None if name is None else Caller(name=name)

    app = Application(ArcSettings(_isolated=True), plugins=False)
    async with (
        serving_app(app.asgi(authenticate=authenticate)) as address,
        client_of(address) as client,
    ):
        refused = await client.get("/api/approvals")
        found = await client.get("/api/approvals", headers={"x-user": "ann"})

    assert (refused.status_code, found.status_code) == (401, 200)
