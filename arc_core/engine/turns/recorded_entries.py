"""Records of how a run begins, and goes over to another agent; a later life restores them."""

from dataclasses import replace

from arc_core.engine.journal.records import EntryStep, HandoverStep
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.turns.turn_loop import Prepared


def pack_entry(run: ActiveRun, prepared: Prepared) -> EntryStep:
    """Return the record of a run that was let in."""
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


def restore_entry(run: ActiveRun, entered: EntryStep) -> None:
    """Go on with what an earlier life has let in."""
    given = run.command.attachments
    run.go_on_with(entered.prompt, given if entered.attachments is None else entered.attachments)
    run.hook_context = replace(run.hook_context, started_at=entered.started_at)
    run.passed_hooks = True
    run.history_available = entered.history_available
    run.attachment_bytes = entered.attachment_bytes


def pack_handover(prepared: Prepared) -> HandoverStep:
    """Return the record of what another agent has taken over."""
    names = tuple(tool.name for tool in prepared.tools)
    return HandoverStep(system_prompt=prepared.system_prompt, tools=names)
