"""Calls that are open when their server goes."""

import asyncio

import pytest

from arc_core.testing.conformance.components import running
from tests.arc_plugins.tools.mcp.hostile import call, hostile, mcp_tools


@pytest.mark.slow
async def test_a_call_that_is_cancelled_while_its_server_closes_ends() -> None:
    """Nothing waits for an answer that cannot come."""
    async with running(mcp_tools(shop=hostile())) as source:
        open_call = asyncio.ensure_future(call(source, "silence"))
        await call(source, "echo")  # the one before has reached the server
        closing = asyncio.ensure_future(source.aclose())
        await asyncio.sleep(0)
        open_call.cancel()
        ended, _ = await asyncio.wait([open_call, closing], timeout=30)

    assert ended == {open_call, closing}
