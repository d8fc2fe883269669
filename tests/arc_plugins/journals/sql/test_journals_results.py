"""Results of an engine's runs, read from both databases."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import Agent, AgentCommand, RunFinished, ToolCall, Waiting, tool
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.run_journal.rules import read
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.journals.sql.databases import journals_at

pytestmark = pytest.mark.slow

_COMMAND = AgentCommand(user_prompt="Who owes what?")
_SAID = "Ann owes 5, and Bob owes 7. " * 20


@tool
def find(name: str) -> str:
    """Find what is owed."""
    return f"{name}: {_SAID}"


def _turns() -> list[Any]:
    calls = [ToolCall(name, "find", f'{{"name": "{name}"}}') for name in ("ann", "bob")]
    return [calls, calls[:1], "Ann owes 5."]


@asynccontextmanager
async def _engine(journals: DurableRunJournals) -> AsyncIterator[ReActAgentExecutor]:
    engine = scripted_agent(ScriptedChatModel(_turns()), tools=[find], run_journals=journals)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.aclose()


async def test_kept_results_have_the_messages_of_others(database: str) -> None:
    """From `execute`, later, in another process, and as the last event."""
    alone = await scripted_agent(ScriptedChatModel(_turns()), tools=[find]).execute(_COMMAND)

    async with _engine(journals_at(database)) as engine:
        result = await engine.execute(_COMMAND)
    again = journals_at(database)
    async with _engine(again):
        kept = (await again.find(result.run_id)).outcome
        last = (await read(again, result.run_id))[-1]
        (row,) = await again.list()

    assert len(alone.messages) == 6
    assert result.messages == alone.messages
    assert kept == result
    assert last == RunFinished(result)
    assert (row.run_id, row.error_code) == (result.run_id, None)


@tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def _paying() -> ScriptedChatModel:
    calls = [ToolCall("1", "find", '{"name": "ann"}')]
    return ScriptedChatModel([calls, [ToolCall("2", "pay", '{"amount": 5}')], "Paid."])


async def test_a_waiting_result_has_what_the_run_has_so_far(database: str) -> None:
    """From `execute`, and later in another process: as without a database, but for the time."""
    tools: list[Any] = [find, pay]
    agents = [Agent("clerk", tools=tools)]
    command = _COMMAND.model_copy(update={"agent": "clerk"})
    in_memory = scripted_agent(_paying(), agents=agents, run_journals=DictRunJournals())
    alone = await in_memory.execute(command)

    journals = journals_at(database)
    engine = scripted_agent(_paying(), agents=agents, run_journals=journals)
    await engine.start()
    result = await engine.execute(command)
    await engine.aclose()
    again = journals_at(database)
    async with _engine(again):
        found = (await again.find(result.run_id)).outcome

    assert isinstance(found, Waiting)
    for each in (result, found.so_far):
        assert (each.agent, each.token_usage, each.duration_ms > 0) == (
            "clerk", alone.token_usage, True,
        )  # fmt: skip
        assert each.messages == alone.messages
        assert [request.tool for request in each.waiting] == ["pay"]


@tool
def report() -> str:
    """A long report, with a fact in its middle."""
    return "lorem " * 9_000 + "The badge is QX-771. " + "ipsum " * 9_000


async def test_a_result_that_is_put_aside_is_read_from_its_record(database: str) -> None:
    """The database has it, and the model reads it there."""
    script: list[Any] = [
        [ToolCall("1", "report", "{}")],
        [ToolCall("2", "read_result", '{"key": "tool/0", "find": "badge"}')],
        "QX-771.",
    ]
    model, journals = ScriptedChatModel(script), journals_at(database)
    engine = scripted_agent(model, tools=[report], run_journals=journals)
    await engine.start()
    try:
        result = await engine.execute(AgentCommand(user_prompt="Which badge?"))
    finally:
        await engine.aclose()

    first, second = (each.results[0].text for each in result.messages if hasattr(each, "results"))
    assert "[tool/0: 108 021 characters" in first
    assert "The badge is QX-771." in second
