"""The steps of one run: each is done once, and read from the journal in every later life."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, TypeVar
from uuid import NAMESPACE_OID, uuid5

from arc_core.engine.answer import Said
from arc_core.engine.journal.journal_channel import JournalChannel
from arc_core.engine.journal.records import Asked, Record, Stopped
from arc_core.engine.journal.step_forms import ASKED, RecordForm
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.events import TurnRestarted
from arc_core.interfaces.run_journal import Place, RunJournal, RunSuspended
from arc_core.log import get_logger

__all__ = ["FINISH", "RunSteps"]

FINISH = "finish"
"""The key of the last step of a run."""

logger = get_logger("runs")

T = TypeVar("T")


class RunSteps:
    """The steps of a run, or of one that it has started, in one life.

    Args:
        run: Whose steps they are.
        journal: Records them.
        prefix: Before the keys of a run that another one has started, as `tool/3/`.
    """

    def __init__(self, run: Run, journal: RunJournal, *, prefix: str = "") -> None:
        self.journal, self.prefix = journal, prefix
        self._run = run
        self._model_calls = 0
        self._is_live = False
        self._is_cut = False
        self._goes_on = False

    def id_below(self, index: int) -> str:
        """The id of a run that is started in the place of a tool call, in every life."""
        return str(uuid5(NAMESPACE_OID, f"{self._run.run_id}/{index}"))

    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others."""
        return self.journal.reserve(self.prefix + key)

    async def take(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: RecordForm[T],
        place: Place | None = None,
    ) -> tuple[T, bool]:
        """What a step gives, and whether it was done in an earlier life.

        Args:
            key: Names the step.
            work: Does it.
            form: Of what it gives.
            place: If it runs at the same time as others.

        Raises:
            RunStoppedError: The step ends the run, in this life or in an earlier one.
            RunSuspended: The run is not to go on here.
            Exception: What the work raises.
        """
        run, done = self._run, list[Record[T]]()

        async def record() -> Record[T]:
            await self._go_live(key)
            before = _texts_of(run.metadata)
            try:
                value: T | Stopped = await work()
            except RunStoppedError as stop:
                value = Stopped(code=stop.code, message=stop.message)
            if isinstance(run.channel, JournalChannel):
                await run.channel.flush()
            changed, removed = _changes(before, run.metadata)
            done.append(
                Record(
                    value=value,
                    active_s=run.active_s,
                    told=run.events_told,
                    changed=changed,
                    removed=removed,
                )
            )
            return done[0]

        recorded = await self.journal.step(self.prefix + key, record, form=form, place=place)
        if not done:
            self._restore(recorded)
        if isinstance(recorded.value, Stopped):
            raise RunStoppedError(recorded.value.code, recorded.value.message)
        return recorded.value, not done

    async def ask_model(self, work: Callable[[], Awaitable[Said]], *, streams: bool) -> Said:
        """What the model says, asked in this life or in an earlier one.

        Args:
            work: Asks it, and notes in the run who was asked and what it cost.
            streams: Whether the text is handed out.
        """
        run = self._run
        self._model_calls += 1
        turn = self._model_calls

        async def ask() -> Asked:
            await self._restart_turn(turn)
            before = run.cost if run.is_cost_known else None
            said = await work()
            shown = said.shown.message
            return Asked(
                response=replace(said.shown, message=said.message),
                shown=None if shown is said.message else shown,
                checked=said.checked,
                model=run.model_name,
                vendor_model=run.vendor_model,
                provider=run.provider,
                cost=_difference(run.cost if run.is_cost_known else None, before),
                repeatable=run.repeatable,
            )

        asked, was_done = await self.take(f"model/{turn}", ask, form=ASKED)
        shown = asked.shown or asked.response.message
        if was_done:
            run.model_name, run.vendor_model = asked.model, asked.vendor_model
            run.provider, run.repeatable = asked.provider, run.repeatable and asked.repeatable
            run.add_cost(asked.cost)
            if streams and shown.content:
                run.handed_out.append(shown.content)
        return Said(
            message=asked.response.message,
            shown=replace(asked.response, message=shown),
            checked=asked.checked,
        )

    async def _go_live(self, key: str) -> None:
        """Begin a step that is not recorded: the first of this life may have been begun before.

        Raises:
            RunSuspended: The run was cancelled, and only its end is still to be done.
        """
        run, journal = self._run, self.journal
        if journal.is_cancelled and key != FINISH:
            raise RunSuspended
        if self._is_live:
            self._is_cut = False
            return
        told = await journal.told_by(run.run_id) if self.prefix else journal.told
        self._is_live, self._is_cut = True, told > run.events_told
        run.events_told = max(run.events_told, told)

    async def _restart_turn(self, turn: int) -> None:
        """Tell readers that a turn begins again of which an earlier life may have told them."""
        if self._is_cut:
            await self._run.emit(TurnRestarted(turn))

    def _restore(self, recorded: Record[Any]) -> None:
        run = self._run
        if not self._goes_on and not self.prefix:
            logger.info("run goes on", life=self.journal.life)
        self._goes_on = True
        run.metadata.update(recorded.changed)
        for name in recorded.removed:
            run.metadata.pop(name, None)
        run.events_told = max(run.events_told, recorded.told)
        run.go_on_after(recorded.active_s)


def _texts_of(metadata: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text_of(value) for name, value in metadata.items()}


def _text_of(value: object) -> str:
    """What tells a value from the one that it was before, also if it was changed in place."""
    try:
        return json.dumps(value, default=id)
    except (ValueError, RecursionError, TypeError):
        return str(id(value))


def _changes(
    before: Mapping[str, str], metadata: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    changed = {
        name: value for name, value in metadata.items() if before.get(name) != _text_of(value)
    }
    return changed, tuple(name for name in before if name not in metadata)


def _difference(now: Decimal | None, before: Decimal | None) -> Decimal | None:
    return now if now is None or before is None else now - before
