"""Processes of one user each."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arc_core.log import get_logger
from arc_core.testing.conformance.components import running
from arc_core.timing.backoff import Backoff
from arc_plugins.tools.mcp.owned_servers import TooManyConnectionsError
from arc_plugins.tools.mcp.settings import McpSettings
from arc_plugins.tools.mcp.source import McpTools
from tests.arc_plugins.tools.mcp.hostile import CONTEXT, logged
from tests.arc_plugins.tools.mcp.test_source import child, is_alive


def owned_tools(**settings: Any) -> McpTools:
    """The tools of a server that has a process for each user."""
    servers = {"files": child("files", per_user=True)}
    return McpTools(
        settings=McpSettings.model_validate({"servers": servers, **settings}),
        max_output_chars=1000,
        max_reply_bytes=1_000_000,
        logger=get_logger("mcp"),
        reconnects=Backoff(first_delay_s=0.01, max_delay_s=30.0),
    )


async def call(source: McpTools, user: str, tool: str = "pid") -> str:
    """What a tool answers to a user."""
    found = next(each for each in source.tools() if each.name == tool)
    return str(await found.call({}, replace(CONTEXT, user_id=user)))


@pytest.mark.slow
async def test_each_user_has_a_process_of_their_own() -> None:
    """The same for all calls, also those at once; all end with the source."""
    async with running(owned_tools()) as source:
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(call(source, "ann")) for _ in range(2)]
        ann, again = (each.result() for each in calls)
        bob = await call(source, "bob")

    assert ann == again
    assert ann != bob
    assert not is_alive(int(ann))
    assert not is_alive(int(bob))


@pytest.mark.slow
async def test_an_idle_process_ends() -> None:
    """The next call has a new one."""
    async with running(owned_tools(idle_s=0.01)) as source:
        with logged("mcp connection of a user is closed") as closed:
            first = await call(source, "ann")
            await closed.seen.wait()
        second = await call(source, "ann")

    assert first != second


@pytest.mark.slow
async def test_of_too_many_processes_one_that_is_idle_ends() -> None:
    """If each is in use, a call of one more user fails."""
    async with running(owned_tools(max_connections=1)) as source:
        ann = await call(source, "ann")
        assert await call(source, "bob") != ann
        busy = asyncio.create_task(call(source, "bob", "hang"))
        await asyncio.sleep(0)
        with pytest.raises(TooManyConnectionsError):
            await call(source, "ann")
        busy.cancel()
        await asyncio.wait([busy])

    assert busy.cancelled()
