"""Which answers are kept, and which are not good enough for a second time."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from arc_core import (
    AgentCommand,
    AssistantMessage,
    ChatRequest,
    ChatResponse,
    FinishReason,
    FunctionTool,
    Hook,
    InvalidRequestError,
    Reject,
    ResponseFormat,
    ToolCall,
    ToolCallContext,
    ToolContext,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.testing import DictResponseCache
from tests.arc_core.engine.caching_agents import caching_agent, question

CALL = [ToolCall("1", "look_up", "{}")]


@tool
def look_up() -> str:
    """Look the city up."""
    return "Seoul"


@tool(name="look_up", cacheable=False)
def look_out() -> str:
    """Look at what is there now."""
    return "Seoul"


@tool(name="look_up")
def look_away() -> str:
    """Fail."""
    raise ConnectionError


@tool(name="look_up", timeout_s=0.01)
async def look_for_ever() -> str:
    """Take too long."""
    await asyncio.Event().wait()
    raise AssertionError


class ClosedShop(Hook):
    """Lets no tool be called."""

    async def before_tool_call(self, context: ToolCallContext) -> Reject:
        return Reject("closed")


class City(BaseModel):
    name: str


async def kept_of(turns: list[Any], asked: AgentCommand, **components: Any) -> list[str]:
    """The contents that are kept after a run."""
    cache = DictResponseCache()
    agent, _ = caching_agent(turns, response_cache=cache, **components)
    await agent.execute(asked)
    return [response.content for response in cache.responses.values()]


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        (FinishReason.STOP, ["Seoul"]),
        (FinishReason.LENGTH, []),
        (FinishReason.CONTENT_FILTER, []),
        (FinishReason.TOOL_CALLS, []),
        (None, []),
    ],
)
async def test_only_complete_answers_are_kept(reason: FinishReason | None, kept: list[str]) -> None:
    """The model must have said that it was finished."""
    turn = ChatResponse(AssistantMessage("Seoul"), finish_reason=reason)

    assert await kept_of([turn], question()) == kept


@pytest.mark.parametrize("turn", [" \n", InvalidRequestError()])
async def test_failures_are_not_kept(turn: object) -> None:
    """Neither a blank answer nor an error is anything to give again."""
    assert await kept_of([turn] * 3, question()) == []


async def test_answers_of_tools_that_may_be_kept_are_kept() -> None:
    """A tool that says nothing about it does not hinder."""
    assert await kept_of([CALL, "Seoul"], question(), tools=(look_up,)) == ["Seoul"]


@pytest.mark.parametrize("broken", [look_out, look_away, look_for_ever])
async def test_answers_of_other_tools_are_not_kept(broken: Any) -> None:
    """What a tool forbids, or could not do just now, is worth asking again."""
    assert await kept_of([CALL, "Seoul"], question(), tools=(broken,)) == []


async def test_a_tool_that_must_not_be_kept_hinders_only_if_it_is_called() -> None:
    """That a tool is on offer says nothing about the answer."""
    assert await kept_of(["Seoul"], question(), tools=(look_out,)) == ["Seoul"]


async def test_answers_of_rejected_tool_calls_are_not_kept() -> None:
    """A policy that said no may say yes next time."""
    kept = await kept_of([CALL, "Seoul"], question(), tools=(look_up,), hooks=(ClosedShop(),))

    assert kept == []


@pytest.mark.parametrize(
    "calls", [[ToolCall("1", "invented", "{}")], [ToolCall("1", "look_up", '{"city": 1}')]]
)
async def test_a_model_that_errs_does_not_hinder(calls: list[ToolCall]) -> None:
    """An invented tool, or wrong arguments, are the same the next time."""
    assert await kept_of([calls, "Seoul"], question(), tools=(look_up,)) == ["Seoul"]


STRUCTURED: dict[str, Any] = {"response_format": ResponseFormat.JSON, "response_schema": City}


async def test_documents_are_kept_once_they_are_valid() -> None:
    """What is kept is the repaired document, without its fence."""
    turns = ["Seoul", '```json\n{"name": "Seoul"}\n```']

    assert await kept_of(turns, question(**STRUCTURED)) == ['{"name": "Seoul"}']


async def test_documents_that_stay_invalid_are_not_kept() -> None:
    """An answer that failed its caller is not given to the next."""
    assert await kept_of(["Seoul", "Seoul!"], question(**STRUCTURED)) == []


def picky(wanted: str) -> type[BaseModel]:
    """A class whose schema says less than its validator; all of them have the same schema."""

    class City(BaseModel):
        name: str

        @field_validator("name")
        @classmethod
        def _is_wanted(cls, name: str) -> str:
            if name != wanted:
                raise ValueError(f"not {wanted}")
            return name

    return City


async def test_every_hit_has_an_output_of_its_own() -> None:
    """Runs do not share an object that one of them may change."""
    agent, model = caching_agent(['{"name": "Seoul"}'])
    asked = question(conversation_history=(UserMessage("Hi"),), **STRUCTURED)

    first, second = [await agent.execute(asked) for _ in range(2)]

    assert len(model.requests) == 1
    assert first.output == second.output == City(name="Seoul")
    assert first.output is not second.output


async def test_a_kept_document_that_does_not_fit_is_asked_for_again() -> None:
    """A class of the same schema and another mind gets an answer of its own."""
    agent, model = caching_agent(['{"name": "Seoul"}', '{"name": "Busan"}'])
    history = (UserMessage("Hi"),)

    outputs = [
        (
            await agent.execute(
                question(
                    conversation_history=history,
                    response_format=ResponseFormat.JSON,
                    response_schema=picky(name),
                )
            )
        ).content
        for name in ("Seoul", "Busan")
    ]

    assert outputs == ['{"name": "Seoul"}', '{"name": "Busan"}']
    assert len(model.requests) == 2


@tool(name="look_up")
def look_at_tenant(context: ToolContext) -> str:
    """Look into the files of a customer."""
    return f"a secret of {context.metadata['customer']}"


@tool(name="look_up", cacheable=True)
def look_at_caller(context: ToolContext) -> str:
    """Look up by the run, and answer the same for all."""
    return "Seoul"


class LookingTool:
    """A tool of a class of its own, which is given the context of every call."""

    name, description, timeout_s = "look_up", "Look.", None
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012 -- never changed

    async def call(self, arguments: object, context: ToolContext) -> str:
        return look_at_tenant(context)


class WordedTool(LookingTool):
    """Means no, and says it in a word."""

    cacheable = "no"


class SeoulTool(LookingTool):
    """Says the same to all."""

    cacheable = True

    async def call(self, arguments: object, context: ToolContext) -> str:
        return "Seoul"


class InheritingTool(SeoulTool):
    """Inherits what was said of another call."""

    async def call(self, arguments: object, context: ToolContext) -> str:
        return look_at_tenant(context)


def say_seoul() -> str:
    """Look it up."""
    return "Seoul"


class AddingTool(FunctionTool[..., Any]):
    """Adds something of the run to what its function says."""

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return look_at_tenant(context)


def of_customer(name: str) -> AgentCommand:
    """The same question with other metadata; a history of its own replaces what was said before."""
    history = (UserMessage("Hello"), AssistantMessage("Hello."))
    return question(metadata={"customer": name}, conversation_history=history)


def read_back(request: ChatRequest) -> str:
    """Say what the tool said."""
    message = request.messages[-1]
    assert isinstance(message, ToolResultMessage)
    return message.results[0].text


@pytest.mark.parametrize(
    "reading",
    [
        look_at_tenant,
        LookingTool(),
        WordedTool(),
        InheritingTool(),
        AddingTool(say_seoul, name="look_up"),
    ],
    ids=["function", "class", "word", "inherited", "subclass"],
)
async def test_other_metadata_get_no_answer_of_another_run(reading: Any) -> None:
    """A tool that reads the run keeps runs apart that differ in nothing of the key."""
    agent, model = caching_agent([CALL, read_back] * 2, tools=(reading,))

    first = await agent.execute(of_customer("acme"))
    second = await agent.execute(of_customer("umbrella"))

    assert first.content == "a secret of acme"
    assert second.content == "a secret of umbrella"
    model.assert_complete()


async def test_a_run_that_only_offers_a_tool_of_the_run_is_not_kept() -> None:
    """Whether the model calls it may depend on the run too."""
    agent, model = caching_agent(["One.", "Two."], tools=(look_at_tenant,))

    await agent.execute(of_customer("umbrella"))

    assert (await agent.execute(of_customer("umbrella"))).content == "Two."
    model.assert_complete()


async def test_a_tool_of_the_run_may_say_that_it_is_cacheable() -> None:
    """`@tool(cacheable=True)` promises the same answer for all runs that share a key."""
    agent, model = caching_agent([CALL, "Seoul."], tools=(look_at_caller,))

    await agent.execute(of_customer("umbrella"))

    assert (await agent.execute(of_customer("acme"))).content == "Seoul."
    model.assert_complete()
