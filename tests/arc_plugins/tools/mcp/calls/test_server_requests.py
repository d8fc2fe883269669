"""What servers of both eras ask during a call: the user, and a model."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    AgentResult,
    Answer,
    AssistantMessage,
    ChatResponse,
    Decision,
    Deny,
    QuestionRequest,
    TokenUsage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_plugins.tools.mcp.hostile import hostile, mcp_tools
from tests.arc_plugins.tools.mcp.test_source import child

COMMAND = AgentCommand(user_prompt="Pay.", user_id="ann")


async def use(
    tool: str, server: dict[str, Any], answer: Answer | Deny | None = None
) -> tuple[AgentResult, AgentResult]:
    """A run that calls the tool, as it waits, and as it ends once there is the answer."""
    model = ScriptedChatModel([[ToolCall("c-1", tool, "{}")], "Done.", "Done."])
    journals = DictRunJournals()
    async with running(mcp_tools(shop=server)) as source:
        agent = scripted_agent(model, tools=(source,), run_journals=journals)
        async with running(agent):
            first = last = await agent.execute(COMMAND)
            if answer is not None:
                decision = Decision(answer=answer, by="ann", at=datetime.now(UTC))
                await journals.decide(first.run_id, first.waiting[0].key, decision)
                last = await journals.take_up(first.run_id)
    return first, last


def text_of(result: AgentResult) -> str:
    """What the model read of the call."""
    [message] = [each for each in result.messages if isinstance(each, ToolResultMessage)]
    return message.results[0].text


SERVERS = {"until 2025": hostile("asks"), "of 2026": child("shop", "asks")}


@pytest.mark.slow
@pytest.mark.parametrize("era", SERVERS)
async def test_a_question_of_a_server_waits_for_the_user(era: str) -> None:
    """The call is made again with the answer, in both eras of the protocol."""
    first, last = await use("ask", SERVERS[era], Answer({"account": "savings"}))

    [asked] = first.waiting
    assert isinstance(asked, QuestionRequest)
    assert asked.text == "The server shop asks: Which account?"
    assert asked.schema is not None
    assert asked.schema["properties"] == {"account": {"type": "string"}}
    assert "savings" in text_of(last)
    assert "accept" in text_of(last)


async def test_a_question_that_is_denied_is_declined() -> None:
    """The server is told, and decides how the call ends."""
    _, last = await use("ask", hostile("asks"), Deny("No."))

    assert text_of(last) == '{"action": "decline"}'


async def test_an_address_is_a_question_with_an_address() -> None:
    """The answer says no more than that the user has opened it."""
    first, last = await use("open", hostile("asks"), Answer({}))

    [asked] = first.waiting
    assert isinstance(asked, QuestionRequest)
    assert asked.url == "https://a.example"
    assert text_of(last) == '{"action": "accept"}'


@pytest.mark.parametrize("tool", ["spy", "riddle"])
async def test_a_form_for_a_password_or_without_an_answer_is_refused(tool: str) -> None:
    """The user is not asked at all."""
    first, _ = await use(tool, hostile("asks"))

    assert not first.waiting
    assert text_of(first) == '{"action": "decline"}'


async def test_a_server_that_asks_in_a_loop_is_stopped() -> None:
    """After ten times in one call."""
    first, _ = await use("spy", hostile("asks", "loops"))

    assert text_of(first) == "Error: This tool asks the user too often."


async def test_a_model_answers_a_server_if_it_may() -> None:
    """As a run below that of the call: asked as the server says, and counted with it."""
    model = ScriptedChatModel([[ToolCall("c-1", "sample", "{}")], "Bob.", "Done."])
    settings = ArcSettings(mcp={"servers": {"shop": hostile("asks", sampling=True)}})
    async with Application(settings, register=[model]) as app:
        result = await app.execute("Pay.", user_id="ann")

    assert '"text": "Bob."' in text_of(result)
    asked = model.requests[1]
    assert (asked.messages[-1], asked.max_output_tokens, asked.tools) == (
        UserMessage("A name?"),
        9,
        (),
    )


async def test_what_a_server_asks_of_a_model_counts_for_the_run() -> None:
    """So a server spends no more than the run may."""
    usage = TokenUsage(10, 1)
    calls = (ToolCall("c-1", "sample", "{}"),)
    answers = [AssistantMessage("", tool_calls=calls), AssistantMessage("Bob.")]
    model = ScriptedChatModel(
        [ChatResponse(each, usage=usage) for each in (*answers, AssistantMessage("Done."))]
    )
    settings = ArcSettings(mcp={"servers": {"shop": hostile("asks", sampling=True)}})
    async with Application(settings, register=[model]) as app:
        result = await app.execute("Pay.", user_id="ann")

    assert result.token_usage == TokenUsage(30, 3)


async def test_a_model_answers_no_server_unasked() -> None:
    """Without the setting the request is refused."""
    first, _ = await use("sample", hostile("asks"))

    assert "not supported" in text_of(first)
