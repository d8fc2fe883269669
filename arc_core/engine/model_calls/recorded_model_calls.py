"""Records of model calls; a later life of their run restores them."""

from dataclasses import replace
from decimal import Decimal

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.journal.records import ModelStep
from arc_core.engine.run_state import ActiveRun


def pack_answer(run: ActiveRun, cost_before: Decimal | None, said: GuardedAnswer) -> ModelStep:
    """Return the record of the call that the run has just made."""
    shown = said.visible.message
    cost = run.cost if run.is_cost_known else None
    return ModelStep(
        response=replace(said.visible, message=said.message),
        shown=None if shown is said.message else shown,
        checked=said.checked,
        model=run.model_name,
        vendor_model=run.vendor_model,
        provider=run.provider,
        cost=cost if cost is None or cost_before is None else cost - cost_before,
        repeatable=run.repeatable,
    )


async def restore_answer(run: ActiveRun, streams: bool, asked: ModelStep) -> GuardedAnswer:  # noqa: FBT001 -- bound by `partial`
    """Return the answer of an earlier life, and count it."""
    shown = asked.shown or asked.response.message
    run.model_name, run.vendor_model = asked.model, asked.vendor_model
    run.provider, run.repeatable = asked.provider, run.repeatable and asked.repeatable
    run.add_cost(asked.cost)
    if streams and shown.content:
        await _hand_out_again(run, shown.content)
    return GuardedAnswer(
        message=asked.response.message,
        visible=replace(asked.response, message=shown),
        checked=asked.checked,
    )


async def _hand_out_again(run: ActiveRun, text: str) -> None:
    """Remember what readers got in an earlier life; one of a component is there for this one."""
    if run.caller is None or not run.has_own_reader:
        run.handed_out.append(text)
    elif (room := run.hand_out(text)) is not None:
        await room
