"""Tools that ask their user, called by MCP clients, in processes that end meanwhile."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.client.client import Client

from tests.arc_plugins.surfaces.mcp.test_run_calls_of_tools import FOR_ANN, PIXEL, Tailor
from tests.arc_plugins.surfaces.served_apps import make_app
from tests.serving import serving_app

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_plugins.journals.sql.databases import runs_at

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The address of an empty schema."""
    with runs_at(postgres) as url:
        yield url


async def test_a_call_goes_on_in_another_process(postgres_database: str) -> None:
    """With the answer of its user, and the image that the tool gives."""
    durable = {"enabled": True, "url": postgres_database, "work": True}
    responses: Any = {"ask/0/1": {"action": "accept", "content": {"size": 40}}}
    first, second = Tailor(), Tailor()
    async with (
        serving_app(make_app(None, first, durable=durable).asgi()) as base,
        Client(f"{base}/mcp") as client,
    ):
        waiting = await client.call_tool("draw", {}, meta=FOR_ANN)
        run_id = (waiting.meta or {})["arc/run_id"]
    async with (
        serving_app(make_app(None, second, durable=durable).asgi()) as base,
        Client(f"{base}/mcp") as client,
    ):
        result: Any = await client.call_tool(
            "draw", {}, meta=FOR_ANN, request_state=f"{run_id}#1", input_responses=responses
        )

    [block] = result.content
    assert (block.type, base64.b64decode(block.data)) == ("image", PIXEL)
    assert (first.times, second.times) == (1, 1)
