"""Output guards and journals: what left in one life leaves in the next, and nothing else does."""

from collections.abc import Callable
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    ApprovalPolicy,
    Approve,
    Ask,
    AssistantMessage,
    Deny,
    PolicyResult,
    Rejected,
    RejectionCategory,
    ToolCall,
    ToolCallContext,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.output_guarding import SECRET, Masking, Rejecting
from tests.arc_core.engine.run.test_run_steps import World, decide_and_take_up
from tests.arc_core.leaving_runs import leave_run_before

COMMAND = AgentCommand(user_prompt="Send it.")
CALL = AssistantMessage(f"I send {SECRET}.", (ToolCall("1", "send", f'{{"text": "{SECRET}"}}'),))


class Counting(Masking):
    """Counts the texts that it has looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0

    async def check(self, request: Any) -> Any:
        self.looks += 1
        return await super().check(request)


class Quoting(ApprovalPolicy):
    """Quotes what is to be sent in what it says."""

    def __init__(self, word: Callable[[str], PolicyResult]) -> None:
        self._word = word

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return self._word(f"It sends {call.arguments['text']}.")


def engine(
    journals: DictRunJournals, *turns: Any, guard: Any, **components: Any
) -> ReActAgentExecutor:
    """An engine that sends, in a process of its own as it were."""

    @tool(needs_approval=components.pop("needs_approval", False))
    async def send(text: str) -> str:
        """Send."""
        assert text == SECRET
        return "sent"

    model = ScriptedChatModel(turns)
    components |= {"run_journals": journals, "output_guards": [guard], "tools": [send]}
    return scripted_agent(model, **components)


async def leave_before(journals: DictRunJournals, key: str, *turns: Any, guard: Any) -> Any:
    """A run that leaves its process before a step, and its journal."""
    await engine(journals, *turns, guard=guard).start()
    return await leave_run_before(key, journals, COMMAND, run_id="r1")


@pytest.mark.parametrize("key", ["tool/0", "model/2", "finish"])
async def test_what_left_in_an_earlier_life_leaves_again(key: str) -> None:
    """Events, results and messages of both lives have no secret; the tool gets it."""
    journals, guard = DictRunJournals(), Counting()
    turns = (CALL, f"I have sent {SECRET}.")
    journal = await leave_before(journals, key, *turns, guard=guard)
    looks = guard.looks

    await engine(journals, *turns[len(turns) - (key != "finish") :], guard=guard).start()
    result = await journals.take_up("r1")

    assert result.content == "I have sent [key]."
    assert SECRET not in f"{result} {journal.published}"
    assert "I send [key]." in repr(result.messages)
    assert guard.looks == looks if key == "finish" else guard.looks > looks


async def test_a_rejection_of_an_earlier_life_stands() -> None:
    """The guard is not asked again, and nothing more leaves."""
    journals = DictRunJournals()
    journal = await leave_before(journals, "finish", f"It is {SECRET}.", guard=Rejecting())

    await engine(journals, guard=Masking()).start()
    result = await journals.take_up("r1")

    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert SECRET not in f"{result} {journal.published}"


async def test_a_person_sees_what_is_let_out_of_arguments() -> None:
    """The tool gets what the model has sent, once that is approved."""
    world = World()
    agent = engine(world.journals, CALL, "Done.", guard=Masking(), needs_approval=True)
    await agent.start()

    result = await agent.execute(COMMAND)
    ended = await decide_and_take_up(world, result, Approve())

    assert result.waiting[0].arguments == {"text": "[key]"}
    assert SECRET not in f"{result} {ended}"
    assert ended.content == "Done."


@pytest.mark.parametrize("word", [Ask, Deny])
async def test_words_of_a_policy_are_looked_at(word: Callable[[str], PolicyResult]) -> None:
    """It decides on the arguments as they are, and may quote them."""
    world, hook = World(), RecordingHook()
    parts = {"guard": Masking(), "approval_policy": Quoting(word), "hooks": [hook]}
    agent = engine(world.journals, CALL, "Done.", **parts)
    await agent.start()

    result = await agent.execute(COMMAND)

    assert SECRET not in f"{result} {hook.calls}"
    assert "It sends [key]." in repr(result)


async def test_rejected_words_of_a_policy_end_the_run() -> None:
    """With the code and the text of the guard, though calls are made as a group of tasks."""

    class RejectsWords(Masking):
        async def check(self, request: Any) -> Any:
            if "It sends" in request.text:
                return Rejected("A key would have left.", RejectionCategory.SENSITIVE_DATA)
            return await super().check(request)

    world = World()
    parts = {"guard": RejectsWords(), "approval_policy": Quoting(Ask)}
    agent = engine(world.journals, CALL, "Done.", **parts)
    await agent.start()

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
