"""The record of a model call, for a run that has a journal or may get one."""

from dataclasses import replace
from decimal import Decimal

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.journal.records import ModelStep
from arc_core.engine.journal.step_forms import ASKED
from arc_core.engine.run_state import ActiveRun

__all__ = ["asked_of", "note_model_call"]


def asked_of(run: ActiveRun, said: GuardedAnswer, *, cost: Decimal | None) -> ModelStep:
    """The record of the call that the run has just made.

    Args:
        run: Knows who was asked.
        said: What the model said.
        cost: Of the call; None if it is not known.
    """
    shown = said.visible.message
    return ModelStep(
        response=replace(said.visible, message=said.message),
        shown=None if shown is said.message else shown,
        checked=said.checked,
        model=run.model_name,
        vendor_model=run.vendor_model,
        provider=run.provider,
        cost=cost,
        repeatable=run.repeatable,
    )


def note_model_call(run: ActiveRun, said: GuardedAnswer) -> None:
    """Note the call that a run has just made, and which does not end it, if it has notes."""
    if run.notes is None:
        return
    asked = asked_of(run, said, cost=run.cost_of_last_call if run.is_cost_known else None)
    run.notes.add_model_call(lambda: asked, form=ASKED)
