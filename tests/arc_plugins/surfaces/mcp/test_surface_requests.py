"""Requests to MCP that are refused."""

import httpx2
import pytest

from tests.serving import client_of, serving


async def test_no_stream_is_held_open_for_nothing() -> None:
    """Which a shutdown would wait for; clients take the status for a no."""
    accept = {"accept": "text/event-stream"}
    async with serving("Hi.") as address, client_of(address) as http:
        response = await http.get("/mcp", headers=accept)

    assert response.status_code == 405


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"x" * 4000, 413), (b"not json", 400), (b"[" * 900, 400), (b"\xff\xfe", 400)],
)
async def test_hostile_bodies_are_refused(body: bytes, status: int) -> None:
    """Too large, or not what the protocol says."""
    sizes = {"server": {"max_body_bytes": 1000}, "llm": {"max_attachment_bytes": 1000}}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    async with serving("Hi.", **sizes) as address, client_of(address) as http:
        response: httpx2.Response = await http.post("/mcp", content=body, headers=headers)

    assert response.status_code == status
    assert "Traceback" not in response.text
