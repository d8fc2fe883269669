"""Results of an engine's runs, read from both databases."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

from arc_core import AgentCommand, RunFinished, ToolCall, tool
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.run_journal.rules import read
from arc_core.testing.scripted_agent import scripted_agent
from arc_plugins.journals.dbos.journals import DurableRunJournals
from tests.arc_plugins.journals.dbos.databases import journals_at

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
        kept = await again.result(result.run_id)
        last = (await read(again, result.run_id))[-1]
        (row,) = await again.runs()

    assert len(alone.messages) == 6
    assert result.messages == alone.messages
    assert kept == result
    assert last == RunFinished(result)
    assert (row.run_id, row.error_code) == (result.run_id, None)
