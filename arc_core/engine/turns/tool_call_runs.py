"""Runs that are one call of a tool, which a program makes in the place of a model."""

from dataclasses import replace
from functools import partial

from arc_core.engine.answer import FinalAnswer
from arc_core.engine.journal.records import EntryStep
from arc_core.engine.journal.step_forms import ENTERED, PackedForm
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.turns.collaborators import Collaborators
from arc_core.errors import AgentErrorCode
from arc_core.messages import AssistantMessage, ToolCall, ToolOutcome, ToolResultMessage


class ToolCallRuns:
    """Such runs have no prompt to guard, no conversation, and no model to pay.

    Args:
        parts: The collaborators of the engine.
    """

    def __init__(self, parts: Collaborators) -> None:
        self._tools, self._runner, self._hooks = parts.callable_tools, parts.tool_calls, parts.hooks

    async def answer(self, run: ActiveRun, call: ToolCall) -> FinalAnswer:
        """Return the text of the result.

        Raises:
            RunStoppedError: A hook rejects the run, or the call has failed.
            RunSuspended: The call waits for a person, or the run is not to go on here.
        """
        await run.recorder.step(
            "enter",
            partial(self._enter, run),
            PackedForm(ENTERED, partial(_pack_entry, run, call), partial(self._enter_again, run)),
        )
        run.keeps_results = False  # there is no model that could ask for the rest
        offered = {tool.name: tool for tool in self._tools.list()}
        (result,) = await self._runner.run(run, [call], offered=offered, limit=1)
        run.messages += (AssistantMessage("", (call,)), ToolResultMessage((result,)))
        if result.outcome is not ToolOutcome.SUCCESS:
            raise RunStoppedError(AgentErrorCode.TOOL_ERROR, result.text)
        return FinalAnswer(content=result.text)

    async def _enter(self, run: ActiveRun) -> None:
        await self._hooks.before_agent_start(run.hook_context)

    async def _enter_again(self, run: ActiveRun, entered: EntryStep) -> None:
        run.hook_context = replace(run.hook_context, started_at=entered.started_at)
        run.scope.now = entered.started_at
        await self._hooks.before_agent_resume(run.hook_context)


def _pack_entry(run: ActiveRun, call: ToolCall, _: None) -> EntryStep:
    """Return the record of a run that was let in."""
    return EntryStep(
        prompt="",
        system_prompt="",
        tools=(call.name,),
        started_at=run.hook_context.started_at,
        wiring=run.recorder.name_wiring(),
    )
