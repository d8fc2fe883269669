"""Records of runs that go on in another process."""

from typing import Any

import pytest
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import AgentCommand, HookContext, ToolCall, tool
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from arc_plugins.hooks.audit_log import AuditSettings
from arc_plugins.hooks.audit_log.hook import AuditLogHook
from tests.arc_core.leaving_runs import leave_run_before

COMMAND = AgentCommand(user_prompt="Look it up.")


@tool
async def look_up() -> str:
    """Look it up."""
    return "found"


class World:
    """A run in two lives, and what is recorded of it."""

    def __init__(self) -> None:
        self.log, self.journals, self.told = CapturingLogger(), DictRunJournals(), RecordingHook()
        self._model = ScriptedChatModel([[ToolCall("1", "look_up", "{}")], "Done."])

    async def process(self) -> None:
        """A process of its own as it were."""
        logger = BoundLogger(self.log, [], {})
        hook = AuditLogHook(settings=AuditSettings(enabled=True), logger=logger)
        parts: dict[str, Any] = {"hooks": (self.told, hook), "run_journals": self.journals}
        await scripted_agent(self._model, tools=(look_up,), **parts).start()

    @property
    def first_context(self) -> HookContext:
        """What hooks were told first."""
        context = self.told.calls[0][1]
        assert isinstance(context, HookContext)
        return context


@pytest.mark.parametrize("key", ["tool/0", "model/2", "finish"])
async def test_a_run_in_two_lives_has_the_records_of_one(key: str) -> None:
    """One of its tool call and one of itself, which began with its first life."""
    world = World()
    await world.process()
    await leave_run_before(key, world.journals, COMMAND, run_id="r1")
    await world.process()
    result = await world.journals.take_up("r1")

    tool_call, run = [call.kwargs for call in world.log.calls]
    assert (tool_call["event"], run["event"]) == ("audit: tool call", "audit: run")
    assert run["started_at"] == world.first_context.started_at.isoformat()
    assert run["duration_ms"] == round(result.duration_ms, 3)
