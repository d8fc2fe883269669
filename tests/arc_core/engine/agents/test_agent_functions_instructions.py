"""Instructions that functions of agents write, in a run."""

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
    RunContext,
)
from arc_core.testing import ScriptedChatModel, scripted_agent

CALLS: list[str] = []


def greet(run: RunContext) -> str:
    """Writes instructions."""
    CALLS.append(run.user_id)
    return f"Greet {run.user_id}."


AGENT = Agent("greeter", instructions=greet)
COMMAND = AgentCommand(user_prompt="Hi", agent="greeter", user_id="ann")


class Watching(Guard):
    """Remembers what it was asked."""

    def __init__(self, result: GuardResult) -> None:
        self.result = result
        self.requests: list[GuardRequest] = []

    async def check(self, request: GuardRequest) -> GuardResult:
        self.requests.append(request)
        return self.result


async def test_the_model_gets_what_the_function_writes_for_the_run() -> None:
    """As the system prompt."""
    model = ScriptedChatModel(["Hello."])

    await scripted_agent(model, agents=(AGENT,)).execute(COMMAND)

    assert model.requests[0].system_prompt == "Greet ann."


async def test_a_command_with_a_system_prompt_needs_no_function() -> None:
    """It is not called."""
    CALLS.clear()
    model = ScriptedChatModel(["Hello."])
    command = COMMAND.model_copy(update={"system_prompt": "Be brief."})

    await scripted_agent(model, agents=(AGENT,)).execute(command)

    assert model.requests[0].system_prompt == "Be brief."
    assert CALLS == []


async def test_a_prompt_that_is_kept_out_calls_no_function() -> None:
    """Guards come before everything else, and are told that there is no text yet."""
    CALLS.clear()
    guard = Watching(Rejected("No.", RejectionCategory.OFF_TOPIC))

    result = await scripted_agent(ScriptedChatModel([]), agents=(AGENT,), guards=(guard,)).execute(
        COMMAND
    )

    assert result.error_code is AgentErrorCode.GUARD_REJECTED
    assert CALLS == []
    assert (guard.requests[0].agent, guard.requests[0].system_prompt) == ("greeter", None)


async def test_guards_see_instructions_that_are_a_text() -> None:
    """Of the agent that is asked."""
    guard = Watching(Allowed())
    agent = Agent("greeter", instructions="Greet.")

    await scripted_agent(ScriptedChatModel(["Hi."]), agents=(agent,), guards=(guard,)).execute(
        COMMAND
    )

    assert guard.requests[0].system_prompt == "Greet."


async def test_the_text_of_what_a_function_raises_is_not_shown() -> None:
    """The run ends with a general message, and no model is asked."""

    def write() -> str:
        raise ValueError("password=hunter2")

    agent = Agent("greeter", instructions=write)
    model = ScriptedChatModel([])

    result = await scripted_agent(model, agents=(agent,)).execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert "hunter2" not in f"{result}"
    assert model.requests == []
