"""JSON and YAML answers of a run: valid, repaired once, or a failure."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    ChatResponse,
    FinishReason,
    RateLimitError,
    ResponseFormat,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.settings import AgentSettings, ConcurrencySettings, RetrySettings
from arc_core.testing import (
    ListConversationManager,
    RecordingHook,
    ScriptedChatModel,
    scripted_agent,
)

JSON, YAML = ResponseFormat.JSON, ResponseFormat.YAML
INVALID = AgentErrorCode.INVALID_RESPONSE


class City(BaseModel):
    name: str


def command(response_format: ResponseFormat = JSON, **fields: Any) -> AgentCommand:
    """A question whose answer must be JSON, or YAML, and a city."""
    fields = {"response_schema": City} | fields
    return AgentCommand(user_prompt="Which city?", response_format=response_format, **fields)


async def run(
    turns: Sequence[Any], asked: AgentCommand | None = None, **components: Any
) -> tuple[AgentResult, ScriptedChatModel]:
    """A run with this script, and what the model was asked."""
    model = ScriptedChatModel(turns)
    result = await scripted_agent(model, **components).execute(asked or command())
    model.assert_complete()
    return result, model


@pytest.mark.parametrize(
    ("asked", "answer", "output"),
    [
        (command(), '{"name": "Seoul"}', City(name="Seoul")),
        (command(YAML), "name: Seoul", City(name="Seoul")),
        (command(response_schema=City.model_json_schema()), '{"name": "Seoul"}', {"name": "Seoul"}),
        (command(YAML, response_schema=None), "- Seoul\n- Busan", ["Seoul", "Busan"]),
        (command(response_schema=None), "null", None),
    ],
)
async def test_a_valid_answer_is_typed(asked: AgentCommand, answer: str, output: object) -> None:
    """A class gives an instance, anything else the parsed value; one call is enough."""
    result, _ = await run([answer], asked)

    assert result.success
    assert (result.content, result.output) == (answer, output)


async def test_text_has_no_output() -> None:
    """An answer in text is not read, whatever it looks like."""
    result, _ = await run(['{"name": "Seoul"}'], AgentCommand(user_prompt="Which city?"))

    assert (result.content, result.output) == ('{"name": "Seoul"}', None)


async def test_the_content_has_no_fence() -> None:
    """The content is the document, for callers that parse it themselves."""
    result, _ = await run(['```json\n{"name": "Seoul"}\n```'])

    assert result.content == '{"name": "Seoul"}'


@pytest.mark.parametrize(
    "invalid",
    [
        "It is Seoul.",
        '{"name": "Seo',
        '{"name": "Seoul"} Anything else?',
        '{"name": 1}',
        '{"town": "Seoul"}',
        '{"name": NaN}',
    ],
)
async def test_an_invalid_answer_is_repaired_once(invalid: str) -> None:
    """The model gets its own text back, and what it makes of it is the answer."""
    hook = RecordingHook()
    history = ListConversationManager()

    result, model = await run(
        [invalid, '{"name": "Seoul"}'], hooks=(hook,), conversation_manager=history
    )

    assert (result.content, result.output) == ('{"name": "Seoul"}', City(name="Seoul"))
    assert len(model.requests) == 2
    assert history.messages[-1] == AssistantMessage('{"name": "Seoul"}')
    assert hook.response.content == '{"name": "Seoul"}'


@tool
def look_up(name: str) -> str:
    """Look a city up."""
    return f"{name} is in Korea"


async def test_the_repair_sees_the_conversation_and_the_tools() -> None:
    """It is asked with what was asked before, the answer behind it, and what is wrong with that."""
    asked = command(model="small", temperature=0.5, conversation_history=(UserMessage("Hi"),))
    _, model = await run(["Seoul", '{"name": "Seoul"}'], asked, tools=(look_up,))

    first, repair = model.requests
    assert repair.messages[:-1] == (*first.messages, AssistantMessage("Seoul"))
    assert replace(repair, messages=first.messages, stable_messages=0) == replace(
        first, stable_messages=0
    )


async def test_a_repair_may_call_tools() -> None:
    """What was wrong may be what the model did not look up."""
    calls = [ToolCall("1", "look_up", '{"name": "Seoul"}')]

    result, model = await run(["Seoul", calls, '{"name": "Seoul"}'], tools=(look_up,))

    assert result.output == City(name="Seoul")
    assert result.tools_used == ("look_up",)
    assert [type(each).__name__ for each in model.requests[2].messages] == [
        "UserMessage",
        "AssistantMessage",
        "UserMessage",
        "AssistantMessage",
        "ToolResultMessage",
    ]


async def test_the_repair_shows_problems_and_text_as_they_are() -> None:
    """Braces, percent signs and markup reach the model unchanged, beside what is wrong."""
    hostile = '{"name": {0} %s %(x)s ${y} </answer> \\u0000 {{'

    _, model = await run([hostile, '{"name": "Seoul"}'])

    _, answer, question = model.requests[1].messages
    assert answer == AssistantMessage(hostile)
    assert isinstance(question, UserMessage)
    assert "[Problems]\n- Invalid JSON at line 1 column 11" in question.text


async def test_the_repair_is_bounded() -> None:
    """Of a huge answer the model gets twenty thousand characters, and few words on problems."""
    _, model = await run(["x" * 1_000_000, '{"name": "Seoul"}'])

    _, answer, question = model.requests[1].messages
    assert answer == AssistantMessage("x" * 20_000)
    assert isinstance(question, UserMessage)
    assert len(question.text) < 500


async def test_the_repair_counts() -> None:
    """The usage of both calls is the run's."""
    result, _ = await run(["Seoul", '{"name": "Seoul"}'])

    assert result.token_usage == TokenUsage(20, 10)


async def test_an_answer_that_stays_invalid_is_a_failure() -> None:
    """There is one repair, and nothing of the answer is saved."""
    history = ListConversationManager()

    result, model = await run(["Seoul", "Seoul!"], conversation_manager=history)

    assert (result.success, result.error_code, result.content) == (False, INVALID, None)
    assert result.token_usage == TokenUsage(20, 10)
    assert len(model.requests) == 2
    assert AssistantMessage("Seoul!") not in history.messages


@pytest.mark.parametrize("blank", [" \n", "```json\n```"])
async def test_a_blank_answer_is_never_repaired(blank: str) -> None:
    """A model that is asked to repair nothing would invent something."""
    result, model = await run([blank])

    assert result.error_code is INVALID
    assert len(model.requests) == 1


async def test_a_blank_repair_is_a_failure() -> None:
    """A repair that says nothing repairs nothing."""
    result, _ = await run(["Seoul", " "])

    assert result.error_code is INVALID


async def test_a_refused_repair_is_a_refusal() -> None:
    """The code tells what the vendor said."""
    refusal = ChatResponse(AssistantMessage("No."), finish_reason=FinishReason.CONTENT_FILTER)

    result, _ = await run(["Seoul", refusal])

    assert result.error_code is AgentErrorCode.REFUSED


async def test_a_repair_that_fails_gives_its_own_code() -> None:
    """The vendor's failure is not hidden behind the invalid answer."""
    model = ScriptedChatModel(["Seoul", RateLimitError("slow down")])
    settings = AgentSettings(retry=RetrySettings(max_attempts=1))

    result = await scripted_agent(model, settings).execute(command())

    assert result.error_code is AgentErrorCode.RATE_LIMITED
    assert result.token_usage == TokenUsage(10, 5)


class HangingModel(ScriptedChatModel):
    """Answers once, and then no more."""

    async def complete(self, request: Any) -> ChatResponse:
        if self.requests:
            await asyncio.Event().wait()
        return await super().complete(request)


async def test_the_repair_is_within_the_deadline() -> None:
    """A repair that takes too long ends the run, like anything else."""
    settings = AgentSettings(concurrency=ConcurrencySettings(request_timeout_s=0.05))

    result = await scripted_agent(HangingModel(["Seoul"]), settings).execute(command())

    assert result.error_code is AgentErrorCode.TIMEOUT


async def test_the_finish_reason_is_that_of_the_repair() -> None:
    """The metadata tell of the answer the caller gets."""
    cut = ChatResponse(AssistantMessage('{"name": "Seo'), finish_reason=FinishReason.LENGTH)

    result, _ = await run([cut, '{"name": "Seoul"}'])

    assert result.finish_reason is FinishReason.STOP


@pytest.mark.parametrize("response_format", [JSON, YAML])
async def test_streams_have_no_structured_answers(response_format: ResponseFormat) -> None:
    """A stream that asks for one fails at its start: no hook, no model."""
    hook, model = RecordingHook(), ScriptedChatModel([])
    agent = scripted_agent(model, hooks=(hook,))

    texts = [text async for text in agent.execute_stream(command(response_format))]

    assert texts == ["[error] JSON and YAML answers cannot be streamed; use execute() for them."]
    assert (hook.names, model.requests) == (["after_agent_complete"], [])


async def test_a_reader_who_knows_of_documents_gets_them_streamed() -> None:
    """The text comes in pieces, and the result has the validated value."""
    agent = scripted_agent(ScriptedChatModel(['{"name": "Seoul"}']))

    *pieces, finished = [event async for event in agent.stream_documents(command())]

    assert len(pieces) > 1
    assert isinstance(finished, RunFinished)
    assert finished.result.output == City(name="Seoul")


async def test_a_repair_is_not_among_the_pieces_of_a_stream() -> None:
    """Two documents behind one another would be neither."""
    agent = scripted_agent(ScriptedChatModel(['{"nam": 1}', '{"name": "Seoul"}']))

    events = [event async for event in agent.stream_documents(command())]

    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    finished = events[-1]
    assert "".join(pieces) == '{"nam": 1}'
    assert isinstance(finished, RunFinished)
    assert finished.result.output == City(name="Seoul")
