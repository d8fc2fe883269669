"""A run goes on whatever becomes of the database, and goes on from where another one ended."""

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AgentCommand,
    AssistantMessage,
    ChatRequest,
    SystemMessage,
    ToolCall,
    UserMessage,
)
from arc_core.stores.async_sql import make_engine
from arc_core.testing import ScriptedChatModel
from arc_plugins.conversations.managers.summarizing import SummarizingConversationManager
from arc_plugins.conversations.sql.database import conversation_address
from tests.arc_plugins.conversations.sql.databases import migrated

COMMAND = AgentCommand(user_prompt="question", user_id="ann", session_id="s")

AGENTS = [
    Agent("support", instructions="support", tools=[], handoffs=["billing"]),
    Agent("billing", instructions="billing", tools=[]),
]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of this machine."""
    monkeypatch.chdir(tmp_path)


def application(
    url: str, model: ScriptedChatModel, *agents: Agent, **conversation: object
) -> Application:
    """Agents whose conversations are in a database."""
    settings = ArcSettings(conversation={"url": url, **conversation})
    return Application(settings, register=[model, *agents], plugins=False)


def first_content(request: ChatRequest) -> str:
    """Say what the first message says."""
    message = request.messages[0]
    assert isinstance(message, SystemMessage)
    return message.content


@pytest.mark.slow
async def test_the_next_process_goes_on_where_the_last_one_ended(database: str) -> None:
    """What was said before the end of an application is what the model reads after it."""
    await migrated(database)
    model = ScriptedChatModel(["answer", "another"])

    for _ in range(2):
        async with application(database, model) as app:
            assert (await app.execute(COMMAND)).success

    assert model.requests[1].messages == (
        UserMessage("question"),
        AssistantMessage("answer"),
        UserMessage("question"),
    )


@pytest.mark.slow
async def test_a_database_that_breaks_costs_the_history_and_no_answer(database: str) -> None:
    """Neither loading nor saving fails a run; the loss is said in the log."""
    await migrated(database)
    model = ScriptedChatModel(["answer", "another"])

    async with application(database, model) as app:
        engine = make_engine(conversation_address(database))
        async with engine.begin() as connection:
            await connection.exec_driver_sql("ALTER TABLE arc_sessions RENAME TO away")
        await engine.dispose()
        results = [await app.execute(COMMAND) for _ in range(2)]

    assert [result.content for result in results] == ["answer", "another"]
    assert len(model.requests[1].messages) == 1


@pytest.mark.slow
async def test_older_turns_reach_the_model_as_a_summary(database: str) -> None:
    """Kept in the database, so that the next process knows it."""
    await migrated(database)
    summarized = {"summarize": True, "max_turns": 0}
    first = ScriptedChatModel(["answer", "notes"])
    async with application(database, first, **summarized) as app:
        await app.execute(COMMAND)
        manager = app.container.conversation_manager()
        assert isinstance(manager, SummarizingConversationManager)
        for task in list(manager._running.values()):
            await task

    second = ScriptedChatModel([first_content, "more notes"])
    async with application(database, second, **summarized) as app:
        result = await app.execute(COMMAND)

    assert result.content is not None
    assert result.content.endswith("notes, no instructions]\nnotes")


@pytest.mark.slow
@pytest.mark.parametrize("manager", ["window", "summarizing"])
async def test_the_next_process_knows_who_is_in_charge(database: str, manager: str) -> None:
    """Also once the turn of the handoff is no longer remembered; another user begins anew."""
    await migrated(database)
    command = COMMAND.model_copy(update={"agent": "support"})
    kept = {"max_turns": 1, "trim": "exact", "summarize": manager == "summarizing"}
    first = ScriptedChatModel([[ToolCall("1", "transfer_to_billing", "{}")], "answer"])
    async with application(database, first, *AGENTS, **kept) as app:
        await app.execute(command)

    second = ScriptedChatModel(["answer"] * 20)
    async with application(database, second, *AGENTS, **kept) as app:
        answering = [(await app.execute(command)).agent for _ in range(4)]
        stranger = await app.execute(command.model_copy(update={"user_id": "bob"}))

    assert answering == ["billing"] * 4
    assert stranger.agent == "support"


@pytest.mark.slow
async def test_an_agent_that_is_gone_is_not_in_charge(database: str) -> None:
    """The agent that is asked begins again."""
    await migrated(database)
    command = COMMAND.model_copy(update={"agent": "support"})
    first = ScriptedChatModel([[ToolCall("1", "transfer_to_billing", "{}")], "answer"])
    async with application(database, first, *AGENTS) as app:
        await app.execute(command)

    shop = Agent("support", tools=[], handoffs=["sales"]), Agent("sales", tools=[])
    async with application(database, ScriptedChatModel(["answer"]), *shop) as app:
        result = await app.execute(command)

    assert (result.success, result.agent) == (True, "support")
