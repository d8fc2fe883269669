"""Who is let in."""

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Caller
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

    async with (
        serving("Hi.", server={"api_keys": keys}) as address,
        client_of(address) as client,
    ):
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

    for each in (preflight, response):
        assert each.headers["access-control-allow-origin"] == "https://intra.example"


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
    asgi, sent = app.asgi(), []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": "/api/approvals", "root_path": "",
        "query_string": b"", "headers": [(b"host", b"127.0.0.1")],
        "client": ("192.0.2.7", 5000), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    async with app:
        await asgi(scope, None, send)

    assert sent[0]["status"] == 403
