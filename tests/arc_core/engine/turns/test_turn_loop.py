"""The turns of a run: when tools are on offer, when the model has had its say, what is sent."""

import logging
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMode,
    ChatRequest,
    ChatResponse,
    Document,
    FinishReason,
    ReasoningEffort,
    RefusedError,
    TokenUsage,
    tool,
)
from arc_core.messages import (
    AssistantMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.settings import AgentSettings
from arc_core.testing import (
    FixedRetriever,
    ListConversationManager,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint, executed, streamed

COMMAND = AgentCommand(user_prompt="Hello", system_prompt="Be brief.")
EITHER = pytest.mark.parametrize("run", [executed, streamed])


@tool
async def look(where: str = "here") -> str:
    """Looks."""
    return f"seen {where}"


def calls(number: int) -> list[ToolCall]:
    """So many calls of one turn."""
    return [ToolCall(f"call-{n}", "look", f'{{"where": "{n}"}}') for n in range(number)]


def choices(model: ScriptedChatModel) -> list[tuple[str, bool]]:
    """Of each request: the tool choice, and whether it has tools."""
    return [(request.tool_choice, bool(request.tools)) for request in model.requests]


def command(**fields: Any) -> AgentCommand:
    """The command with other fields."""
    return AgentCommand.model_validate({**COMMAND.model_dump(), **fields})


@EVERY_ENTRY_POINT
async def test_at_the_limit_tools_are_no_longer_on_offer(entry_point: EntryPoint) -> None:
    """A model that would go on calling tools is asked to answer without."""

    def calls_while_it_may(request: ChatRequest) -> Any:
        return "Enough." if request.tool_choice == "none" else calls(1)

    model = ScriptedChatModel([calls_while_it_may] * 4)

    await entry_point(scripted_agent(model, tools=(look,)), command(max_tool_calls=3))

    assert choices(model) == [("auto", True)] * 3 + [("none", True)]
    model.assert_complete()


@EVERY_ENTRY_POINT
async def test_what_a_model_calls_past_the_limit_is_not_run(entry_point: EntryPoint) -> None:
    """Calls beside the text of the last turn are dropped, and the text is the answer."""
    metrics = RecordingMetrics()
    model = ScriptedChatModel([calls(1), AssistantMessage("Well then.", tuple(calls(2)))])
    agent = scripted_agent(model, tools=(look,), agent_metrics=metrics)

    await entry_point(agent, command(max_tool_calls=1))

    assert metrics.tool_calls == [("look", ToolOutcome.SUCCESS)]
    assert [run.error_code for run in metrics.runs] == [None]


@EVERY_ENTRY_POINT
@pytest.mark.parametrize("limit", [0, -1])
async def test_a_limit_of_zero_offers_no_tools(entry_point: EntryPoint, limit: int) -> None:
    """0 is a limit and not "unset"; less than 0 is 0."""
    model = ScriptedChatModel(["Hi."])

    await entry_point(scripted_agent(model, tools=(look,)), command(max_tool_calls=limit))

    assert choices(model) == [("none", False)]


@pytest.mark.parametrize(
    ("wanted", "allowed", "limit"), [(None, 2, 2), (1, 2, 1), (5, 2, 2), (None, 0, 0), (3, 0, 0)]
)
async def test_the_smaller_limit_holds(wanted: int | None, allowed: int, limit: int) -> None:
    """The command may lower the limit of the settings, and not raise it."""
    model = ScriptedChatModel([calls(9) if limit else "Hi.", *["Hi."] * bool(limit)])
    metrics = RecordingMetrics()
    settings = AgentSettings(max_tool_calls=allowed)
    agent = scripted_agent(model, settings, tools=(look,), agent_metrics=metrics)

    await agent.execute(command(max_tool_calls=wanted))

    run = [outcome for _, outcome in metrics.tool_calls if outcome is ToolOutcome.SUCCESS]
    assert len(run) == limit
    model.assert_complete()


async def test_the_limit_is_ten_by_default() -> None:
    """Of eleven calls ten are run."""
    model, metrics = ScriptedChatModel([calls(11), "Hi."]), RecordingMetrics()

    await scripted_agent(model, tools=(look,), agent_metrics=metrics).execute(COMMAND)

    outcomes = [outcome for _, outcome in metrics.tool_calls]
    assert outcomes == [ToolOutcome.SUCCESS] * 10 + [ToolOutcome.LIMIT_REACHED]


@EVERY_ENTRY_POINT
async def test_standard_mode_is_one_call_without_tools(entry_point: EntryPoint) -> None:
    """Calls that the model makes nevertheless are not run."""
    model = ScriptedChatModel([AssistantMessage("Hi.", tuple(calls(1)))])

    await entry_point(scripted_agent(model, tools=(look,)), command(mode=AgentMode.STANDARD))

    assert choices(model) == [("none", False)]
    model.assert_complete()


async def test_without_any_tools_calls_are_not_run() -> None:
    """If nothing was on offer, a call does not make the loop ask again."""
    model = ScriptedChatModel([AssistantMessage("Hi.", tuple(calls(1)))])

    result = await scripted_agent(model).execute(COMMAND)

    assert (result.content, result.tools_used) == ("Hi.", ())


@EITHER
async def test_calls_and_results_are_sent_together(run: Any) -> None:
    """The second request ends in the assistant's message and the results of its calls."""
    asked = AssistantMessage("Let me look.", tuple(calls(2)), vendor_content={"thinking": "…"})
    model = ScriptedChatModel([asked, "Seen."])

    await run(scripted_agent(model, tools=(look,)), COMMAND)

    assert model.requests[1].messages == (
        UserMessage("Hello"),
        asked,
        ToolResultMessage(
            (ToolResult("call-0", "look", "seen 0"), ToolResult("call-1", "look", "seen 1"))
        ),
    )


@EITHER
async def test_all_calls_of_the_model_count(run: Any) -> None:
    """The usage of a run is the sum over its turns; a turn without usage adds nothing."""
    turns = [
        ChatResponse(AssistantMessage("", tuple(calls(1))), TokenUsage(100, 20)),
        ChatResponse(AssistantMessage("", tuple(calls(1)))),
        ChatResponse(AssistantMessage("Hi."), TokenUsage(30, 4)),
    ]

    result = await run(scripted_agent(ScriptedChatModel(turns), tools=(look,)), COMMAND)

    assert result.token_usage == TokenUsage(130, 24)
    assert result.token_usage.total_tokens == 154


@EITHER
async def test_usage_that_no_vendor_reports_is_none(run: Any) -> None:
    """Unknown is not zero."""
    result = await run(scripted_agent(ScriptedChatModel(["Hi."], usage=None)), COMMAND)

    assert result.token_usage is None


@EITHER
async def test_an_answer_cut_by_length_is_a_success(run: Any) -> None:
    """The metadata say how it ended."""
    turn = ChatResponse(AssistantMessage("It was a dark and"), None, FinishReason.LENGTH)

    result = await run(scripted_agent(ScriptedChatModel([turn])), COMMAND)

    assert (result.success, result.content) == (True, "It was a dark and")
    assert result.finish_reason is FinishReason.LENGTH


@EITHER
@pytest.mark.parametrize(
    "turn",
    [
        ChatResponse(AssistantMessage("I must not."), None, FinishReason.CONTENT_FILTER),
        ChatResponse(AssistantMessage("", tuple(calls(1))), None, FinishReason.CONTENT_FILTER),
        RefusedError("no"),
    ],
    ids=["text", "calls", "error"],
)
async def test_a_refusal_is_a_failure(run: Any, turn: Any) -> None:
    """A content filter or a refusal ends the run with REFUSED; nothing of it is an answer."""
    metrics = RecordingMetrics()
    agent = scripted_agent(ScriptedChatModel([turn]), tools=(look,), agent_metrics=metrics)

    result = await run(agent, COMMAND)

    assert (result.error_code, result.content) == (AgentErrorCode.REFUSED, None)
    assert metrics.tool_calls == []


@EITHER
@pytest.mark.parametrize("text", ["", " ", "\n\t "])
async def test_a_blank_answer_is_a_failure(run: Any, text: str) -> None:
    """An empty success helps no caller."""
    result = await run(scripted_agent(ScriptedChatModel([text])), COMMAND)

    assert (result.error_code, result.content) == (AgentErrorCode.INVALID_RESPONSE, None)


async def test_the_commands_options_win() -> None:
    """Model and temperature of the command, else of the settings; the output limit of these."""
    settings = AgentSettings.model_validate(
        {"llm": {"model": "small", "temperature": 0.9, "max_output_tokens": 77, "reasoning": "low"}}
    )
    model = ScriptedChatModel(["Hi.", "Hi."])
    agent = scripted_agent(model, settings)

    await agent.execute(command(model="large", temperature=0))
    await agent.execute(COMMAND)

    assert {r.reasoning for r in model.requests} == {ReasoningEffort.LOW}
    options = [(r.model, r.temperature, r.max_output_tokens) for r in model.requests]
    assert options == [("large", 0, 77), ("small", 0.9, 77)]


async def test_no_temperature_is_sent_unless_it_is_set() -> None:
    """Current models refuse the parameter more often than not."""
    model = ScriptedChatModel(["Hi."])

    await scripted_agent(model).execute(COMMAND)

    assert model.requests[0].temperature is None


EARLIER = (UserMessage("x" * 100), AssistantMessage("y" * 100))


@pytest.mark.parametrize(("window", "sent"), [(1000, 3), (205 + 14 + 10, 3), (204 + 14 + 10, 1)])
async def test_the_budget_is_the_window_without_prompt_and_output(window: int, sent: int) -> None:
    """One token too few, and the history is not sent; what was dropped is in the metadata."""
    llm = {"max_context_window_tokens": window, "max_output_tokens": 10}
    settings, model = AgentSettings.model_validate({"llm": llm}), ScriptedChatModel(["Hi."])
    told = command(
        conversation_history=EARLIER, user_prompt="12345", system_prompt="system prompt!"
    )

    result = await scripted_agent(model, settings).execute(told)

    assert len(model.requests[0].messages) == sent
    assert result.dropped_messages == (0 if sent == 3 else 2)


async def test_tool_definitions_count_into_the_budget() -> None:
    """A tool with a long description leaves less room for history."""

    @tool(description="z" * 500)
    async def wordy() -> str:
        return ""

    llm = {"max_context_window_tokens": 600, "max_output_tokens": 10}
    settings, model = AgentSettings.model_validate({"llm": llm}), ScriptedChatModel(["Hi."] * 2)

    for tools in ((), (wordy,)):
        agent = scripted_agent(model, settings, tools=tools)
        await agent.execute(command(conversation_history=EARLIER))

    assert [len(request.messages) for request in model.requests] == [3, 1]


async def test_what_is_dropped_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """As a debug record, with the number of messages."""
    caplog.set_level(logging.DEBUG, "arc")
    llm = {"max_context_window_tokens": 100, "max_output_tokens": 10}
    agent = scripted_agent(ScriptedChatModel(["Hi."]), AgentSettings.model_validate({"llm": llm}))

    await agent.execute(command(conversation_history=EARLIER))

    assert [getattr(record, "dropped", None) for record in caplog.records] == [2]


async def stable(turns: list[Any], *, documents: bool = False, **fields: Any) -> list[int]:
    """The stable messages of each request, after a history of two messages."""
    model = ScriptedChatModel(turns)
    agent = scripted_agent(
        model,
        tools=(look,),
        retriever=FixedRetriever([Document("Facts.")] if documents else ()),
        conversation_manager=ListConversationManager(EARLIER),
    )
    await agent.execute(command(**({"session_id": "s"} | fields)))
    return [request.stable_messages for request in model.requests]


async def test_the_history_comes_again_and_a_question_that_is_stored() -> None:
    """A question with documents in front is stored without, and a run without a session is not."""
    assert await stable(["Hi."]) == [3]
    assert await stable(["Hi."], documents=True) == [2]
    assert await stable(["Hi."], session_id=None) == [2]


async def test_in_later_turns_everything_comes_again() -> None:
    """Documents and tool exchanges included, for as long as tools may be called."""
    turns = [calls(1), calls(1), "Hi."]

    assert await stable(turns, documents=True) == [2, 5, 7]
    assert await stable(turns, documents=True, max_tool_calls=2) == [2, 5, 2]


async def test_requests_of_a_session_have_its_key() -> None:
    """The same in all turns and runs; none without a session."""
    model = ScriptedChatModel([calls(1), "Hi.", "Hi.", "Hi.", "Hi."])
    agent = scripted_agent(model, tools=(look,))

    for session in ("s", "s", "t", None):
        await agent.execute(command(session_id=session))

    first, *keys = [request.cache_key for request in model.requests]
    assert keys[:2] == [first, first]
    assert keys[2] not in {first, None}
    assert keys[3] is None
