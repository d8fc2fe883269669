"""The three ways into a run, by name, for tests that hold for all of them."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from arc_core import AgentCommand, AgentEvent, AgentExecutor, AgentResult

__all__ = ["EVERY_ENTRY_POINT", "EntryPoint", "events_of", "executed", "list_texts", "streamed"]

EntryPoint = Callable[[AgentExecutor, AgentCommand], Coroutine[Any, Any, object]]


async def executed(agent: AgentExecutor, command: AgentCommand) -> AgentResult:
    """Through `execute`, to the result."""
    return await agent.execute(command)


async def list_texts(agent: AgentExecutor, command: AgentCommand) -> list[str]:
    """Through `execute_stream`, to the pieces of text."""
    return [text async for text in agent.execute_stream(command)]


async def events_of(agent: AgentExecutor, command: AgentCommand) -> list[AgentEvent]:
    """Through `stream_events`, to the events."""
    return [event async for event in agent.stream_events(command)]


async def streamed(agent: AgentExecutor, command: AgentCommand) -> AgentResult:
    """Through `stream_events`, to the result in the last event."""
    events = await events_of(agent, command)
    result = getattr(events[-1], "result", None)
    assert isinstance(result, AgentResult)
    return result


EVERY_ENTRY_POINT = pytest.mark.parametrize("entry_point", [executed, list_texts, events_of])
