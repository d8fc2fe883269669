"""Records how a run begins, and goes over to another agent; a later attempt restores it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from arc_core.engine.journal.records import EntryStep, HandoverStep
from arc_core.engine.journal.step_forms import ENTERED, HANDED_OVER
from arc_core.engine.journal.step_notes import StepNotes
from arc_core.engine.journal.steps import Steps
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.turns.turn_loop import Prepared
from arc_core.interfaces.hook import HookContext

__all__ = ["note_entry", "note_handover", "take_entry", "take_handover"]


async def take_entry(
    run: ActiveRun,
    steps: Steps,
    prepare: Callable[[ActiveRun], Awaitable[Prepared]],
    *,
    again: Callable[[ActiveRun, EntryStep], Prepared],
    resume: Callable[[HookContext], Awaitable[None]],
) -> Prepared:
    """Let a run in as a step, or restore what was prepared for it in an earlier life.

    Raises:
        RunStoppedError: A stage ends the run.
        RunSuspended: The run is not to go on here.
    """
    made: list[Prepared] = []

    async def enter() -> EntryStep:
        prepared = await prepare(run)
        made.append(prepared)
        return _entered_of(run, prepared)

    entered, was_done = await steps.take("enter", enter, form=ENTERED)
    if not was_done:
        return made[0]
    given = run.command.attachments
    run.go_on_with(entered.prompt, given if entered.attachments is None else entered.attachments)
    run.hook_context = replace(run.hook_context, started_at=entered.started_at)
    run.passed_hooks = True
    run.history_available = entered.history_available
    run.attachment_bytes = entered.attachment_bytes
    await resume(run.hook_context)
    return again(run, entered)


def note_entry(run: ActiveRun, notes: StepNotes, prepared: Prepared) -> None:
    """Note that a run without a journal was let in."""
    prompt, attachment_bytes = run.command.user_prompt, run.attachment_bytes
    notes.add(
        "enter",
        lambda: replace(
            _entered_of(run, prepared), prompt=prompt, attachment_bytes=attachment_bytes
        ),
        form=ENTERED,
    )


def _entered_of(run: ActiveRun, prepared: Prepared) -> EntryStep:
    return EntryStep(
        prompt=run.command.user_prompt,
        system_prompt=prepared.system_prompt,
        context=prepared.context,
        beside=prepared.beside,
        history=tuple(prepared.history),
        history_available=run.history_available,
        tools=tuple(tool.name for tool in prepared.tools),
        attachment_bytes=run.attachment_bytes,
        attachments=run.command.attachments if run.has_other_files else None,
        started_at=run.hook_context.started_at,
    )


async def take_handover(
    run: ActiveRun,
    steps: Steps,
    prepare: Callable[[], Awaitable[Prepared]],
    *,
    again: Callable[[HandoverStep], Prepared],
) -> Prepared:
    """Let another agent take over as a step, or restore what was prepared for it.

    Raises:
        RunSuspended: The run is not to go on here.
    """
    made: list[Prepared] = []

    async def hand_over() -> HandoverStep:
        prepared = await prepare()
        made.append(prepared)
        return _handed_over_of(prepared)

    told, was_done = await steps.take(_handover_key(run), hand_over, form=HANDED_OVER)
    return again(told) if was_done else made[0]


def note_handover(run: ActiveRun, notes: StepNotes, prepared: Prepared) -> None:
    """Note that another agent has taken over in a run without a journal."""
    notes.add(_handover_key(run), lambda: _handed_over_of(prepared), form=HANDED_OVER)


def _handed_over_of(prepared: Prepared) -> HandoverStep:
    names = tuple(tool.name for tool in prepared.tools)
    return HandoverStep(system_prompt=prepared.system_prompt, tools=names)


def _handover_key(run: ActiveRun) -> str:
    return f"hand_over/{len(run.handoffs)}"
