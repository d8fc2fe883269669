"""Cases from recordings."""

from collections.abc import Callable
from typing import Any

from arc_autoconfig import Application
from arc_core import AgentCommand, AssistantMessage, ChatRequest, ToolCall, UserMessage, tool
from arc_core.evaluation.case_files import CaseSet, write_cases
from arc_core.recordings import read_recording
from arc_core.testing import ScriptedChatModel, evaluate


@tool
async def find(item: str) -> str:
    """Find an item."""
    return f"found {item}"


@tool
async def look(item: str) -> str:
    """Look at an item."""
    return f"{item} looks good"


CALLS = [ToolCall("1", "find", '{"item": "cup"}'), ToolCall("2", "look", '{"item": "cup"}')]


def shop(*turns: Any) -> Application:
    """An application that records its runs."""
    model = ScriptedChatModel([*turns])
    return Application(register=[model, find, look], plugins=False, record=True)


async def record(command: AgentCommand, *turns: Any) -> dict[str, Any]:
    """The case of a run."""
    async with shop(*turns) as app:
        result = await app.execute(command)
        lines = [line async for line in app.export([result.run_id])]
    [case] = write_cases(map(read_recording, lines))["cases"]
    assert case["name"] == result.run_id
    return dict(case)


async def test_a_case_expects_the_tools_of_the_run_in_their_order() -> None:
    """And an end as the run had it; an answer is for people to add."""
    case = await record(AgentCommand(user_prompt="A cup?"), CALLS, "Here it is.")

    assert case["prompt"] == "A cup?"
    assert case["expect"] == {"tools": {"in_order": ["find", "look"]}}


async def test_a_failure_is_expected_by_its_code() -> None:
    """With the conversation before it, whose last message is the question."""
    history = (UserMessage("Hello."), AssistantMessage("Hello!"))
    command = AgentCommand(user_prompt="A cup?", conversation_history=history)
    case = await record(command, ValueError("hunter2"))

    assert case["expect"] == {"result": "UNKNOWN"}
    assert [each["role"] for each in case["messages"]] == ["user", "assistant", "user"]


def answering(calls: list[ToolCall]) -> Callable[[ChatRequest], Any]:
    """A turn of a trial, whichever it is of those that go on side by side."""
    return lambda request: calls if len(request.messages) == 1 else "Here it is."


async def test_a_run_that_does_the_same_passes_its_own_case() -> None:
    """One that leaves a tool out fails."""
    case = await record(AgentCommand(user_prompt="A cup?"), CALLS, "Here it is.")
    cases = CaseSet.model_validate({"cases": [case]}).cases

    async with shop(*[answering(CALLS)] * 400) as app:
        same = await evaluate(app, cases)
    async with shop(*[answering(CALLS[:1])] * 400) as app:
        other = await evaluate(app, cases)

    assert (same.verdict, other.verdict) == ("passes", "fails")
