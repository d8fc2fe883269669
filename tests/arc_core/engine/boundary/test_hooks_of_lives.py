"""Hooks of runs that leave their process and go on in another one."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    ToolCall,
    tool,
)
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.leaving_runs import leave_run_before

COMMAND = AgentCommand(user_prompt="Look it up.", metadata={"of": "the caller"})


@tool
async def look_up() -> str:
    """Look it up."""
    return "found"


class World:
    """A run with a tool call in two lives, each with a hook of its own."""

    def __init__(self) -> None:
        self.journals = DictRunJournals()
        self.model = ScriptedChatModel([[ToolCall("1", "look_up", "{}")], "Done."])

    async def live(self, *hooks: Hook, suspend_before: str | None = None, **parts: Any) -> Any:
        """What a life of the run comes to."""
        agent = scripted_agent(
            self.model, hooks=hooks, tools=(look_up,), run_journals=self.journals, **parts
        )
        await agent.start()
        if suspend_before is None:
            return await self.journals.take_up("r1")
        await leave_run_before(suspend_before, self.journals, COMMAND, run_id="r1")
        return None


def contexts(hook: RecordingHook) -> list[HookContext]:
    """What it was told of the run."""
    return [value for _, value in hook.calls if isinstance(value, HookContext)]


@pytest.mark.parametrize(
    ("key", "first", "later"),
    [
        ("enter", "suspend", "start before after complete"),
        ("model/1", "start suspend", "resume before after complete"),
        ("tool/0", "start suspend", "resume before after complete"),
        ("model/2", "start before after suspend", "resume complete"),
        ("finish", "start before after suspend", "resume complete"),
    ],
)
async def test_each_life_has_a_beginning_and_an_end(key: str, first: str, later: str) -> None:
    """Hooks hear of each once: of the start or the resumption, of the end or the suspension."""
    world, hooks = World(), (RecordingHook(), RecordingHook())

    await world.live(hooks[0], suspend_before=key)
    await world.live(hooks[1])

    told = [" ".join(short(name) for name in hook.names) for hook in hooks]
    assert told == [first, later]


def short(method: str) -> str:
    """The word that tells a method from the others."""
    return method.removesuffix("_tool_call").rpartition("_")[2]


async def test_a_run_that_has_ended_in_an_earlier_life_is_not_told_of_again() -> None:
    """A process that died after the end only takes the run up, and leaves it."""
    world, again = World(), RecordingHook()
    await world.live(suspend_before="finish")
    ended = await world.live()

    result = await world.live(again)

    assert again.names == ["before_agent_resume", "after_agent_suspend"]
    assert result == ended


async def test_a_hook_knows_whether_a_journal_keeps_the_run() -> None:
    """In every life; a run in place without approvals has none."""
    world, kept, in_place = World(), RecordingHook(), RecordingHook()

    await world.live(kept, suspend_before="model/2")
    await world.live(kept)
    await scripted_agent(ScriptedChatModel(["Hi."]), hooks=(in_place,)).execute(COMMAND)

    assert [each.is_recorded for each in contexts(kept)] == [True] * 3
    assert [each.is_recorded for each in contexts(in_place)] == [False]


class Shortening(Guard):
    """Normalises the prompt."""

    order = 1

    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed("Look.")


class Noting(RecordingHook):
    """Leaves a note."""

    async def before_agent_start(self, context: HookContext) -> None:
        await super().before_agent_start(context)
        context.metadata["note"] = "left"


async def test_a_later_life_has_the_context_of_the_first() -> None:
    """When it began, its prompt, and what hooks have put into the metadata."""
    world, noting, later = World(), Noting(), RecordingHook()

    await world.live(noting, suspend_before="model/2", guards=(Shortening(),))
    await world.live(later)

    first, resumed = contexts(noting)[0], contexts(later)[0]
    assert resumed.started_at == first.started_at
    assert resumed.user_prompt == first.user_prompt
    assert resumed.metadata == {"of": "the caller", "note": "left"}


class Cancelling(Hook):
    """Raises what must always leave."""

    async def after_agent_suspend(self, context: HookContext) -> None:
        raise asyncio.CancelledError


async def test_a_hook_cannot_keep_a_suspension_from_the_next() -> None:
    """All hear of it before the cancellation leaves."""
    world, behind = World(), RecordingHook()
    agent = scripted_agent(
        world.model, hooks=(Cancelling(), behind), tools=(look_up,), run_journals=world.journals
    )
    await agent.start()
    journal = world.journals.open(COMMAND, run_id="r1")
    journal.suspend_before = "model/2"

    assert world.journals.body is not None
    with pytest.raises(asyncio.CancelledError):
        await world.journals.body(COMMAND, journal)

    assert behind.names[-1] == "after_agent_suspend"


async def test_a_life_without_answers_of_hooks_is_a_success() -> None:
    """A hook that overrides nothing hears nothing."""
    world = World()

    await world.live(Hook(), suspend_before="model/2")
    result = await world.live(Hook())

    assert isinstance(result, AgentResult)
    assert result.success
