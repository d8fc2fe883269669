"""Runs of a served application."""

from arc_autoconfig import Application
from arc_autoconfig.server.served_application import ServedArc
from arc_core import AgentCommand, AgentResult, Approve, ToolCall, tool
from arc_core.interfaces.served_application import Caller
from arc_core.testing import ScriptedChatModel

CALLER = Caller(name="ann")


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


async def test_a_run_that_has_waited_does_not_end_with_its_reader() -> None:
    """A decision may come before the reader has left, and then the run goes on again."""
    model = ScriptedChatModel([[ToolCall("1", "pay", "{}")], "done"])
    command = AgentCommand(user_prompt="Pay.")

    async with Application(register=[model, pay], plugins=False) as app:
        runs = ServedArc(app, has_keys=False).runs
        async with runs.begin(command, caller=CALLER) as run:
            (request,) = (await run.result()).waiting
            await runs.decide(run.run_id, request.key, Approve(), caller=CALLER)
        async with runs.attach(run.run_id, caller=CALLER) as again:
            result: AgentResult = await again.result()

    assert result.content == "done"
