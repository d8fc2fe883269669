"""The beginning of a run: what it may be refused for, and the record of what was let in."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain

from arc_core.engine.journal.records import EntryStep, HandoverStep
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.turns.turn_loop import Prepared
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import ToolCall


def check_tools(run: ActiveRun, tools: Sequence[Tool], *, found_later: Iterable[str] = ()) -> None:
    """Refuse a run that cannot do what it is asked to.

    Args:
        run: That is asked.
        tools: That it offers.
        found_later: The names of others that it may call.

    Raises:
        RunStoppedError: INVALID_INPUT; a tool needs deps that the run was not given, or the command
            demands a tool call that cannot be.
    """
    choice = run.command.tool_choice
    if choice is not None and choice != "auto":
        _check_choice(choice, [tool.name for tool in tools])
    missing = run.scope.find_missing(chain((tool.name for tool in tools), found_later))
    if missing is not None:
        raise RunStoppedError(AgentErrorCode.INVALID_INPUT, missing.message)


def _check_choice(choice: str, names: Sequence[str]) -> None:
    if not names:
        problem = f"tool_choice is '{choice}', and the run offers no tools"
        remedy = "leave it out, or check the mode, max_tool_calls and which tools there are"
    elif choice == "none":
        problem = "tool_choice cannot be 'none'"
        remedy = "use AgentMode.STANDARD for a run without tools"
    elif choice != "required" and choice not in names:
        problem = f"tool_choice is '{choice}', and no tool of this name is on offer"
        close = get_close_matches(choice, names, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "write auto, required, or its name"
    else:
        return
    raise RunStoppedError(AgentErrorCode.INVALID_INPUT, f"{problem}: {remedy}")


def pack_entry(run: ActiveRun, prepared: Prepared) -> EntryStep:
    """Return the record of a run that was let in."""
    return EntryStep(
        prompt=run.command.user_prompt,
        system_prompt=prepared.system_prompt,
        context=prepared.context,
        beside=prepared.beside,
        history=tuple(prepared.history),
        history_available=run.history_available,
        tools=tuple([tool.name for tool in prepared.tools]),
        attachment_bytes=run.attachment_bytes,
        attachments=run.command.attachments if run.has_other_files else None,
        started_at=run.hook_context.started_at,
        wiring=run.recorder.name_wiring(),
    )


def pack_admission(run: ActiveRun, _: None) -> EntryStep:
    """Return the record of a run that was let in, and is not prepared yet."""
    return EntryStep(
        prompt=run.command.user_prompt,
        system_prompt="",
        attachment_bytes=run.attachment_bytes,
        attachments=run.command.attachments if run.has_other_files else None,
        started_at=run.hook_context.started_at,
    )


def restore_entry(run: ActiveRun, entered: EntryStep) -> None:
    """Go on with what an earlier life has let in."""
    given = run.command.attachments
    run.go_on_with(entered.prompt, given if entered.attachments is None else entered.attachments)
    restore_start(run, entered)
    run.passed_hooks = True
    run.history_available = entered.history_available
    run.attachment_bytes = entered.attachment_bytes


def pack_handover(prepared: Prepared) -> HandoverStep:
    """Return the record of what another agent has taken over."""
    names = tuple(tool.name for tool in prepared.tools)
    return HandoverStep(system_prompt=prepared.system_prompt, tools=names)


def restore_start(run: ActiveRun, entered: EntryStep) -> None:
    """Let a run have begun when its first life did."""
    run.hook_context = replace(run.hook_context, started_at=entered.started_at)
    run.scope.now = entered.started_at


def pack_call_entry(run: ActiveRun, call: ToolCall, _: None) -> EntryStep:
    """Return the record of a run that was let in, and is one call of a tool."""
    return EntryStep(
        prompt="",
        system_prompt="",
        tools=(call.name,),
        started_at=run.hook_context.started_at,
        wiring=run.recorder.name_wiring(),
    )
