"""The steps of a run that has no journal yet, since nothing of it has to be kept so far."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arc_core.engine.journal.step_forms import RecordForm
from arc_core.engine.journal.steps import Steps

__all__ = ["StepNote", "StepNotes"]

T = TypeVar("T")


@dataclass(slots=True)
class StepNote(Generic[T]):
    """One step that was taken.

    Attributes:
        key: Names it.
        make: Makes what it gave, as it is recorded.
        form: Of what it gave.
    """

    key: str
    make: Callable[[], T]
    form: RecordForm[T]


class StepNotes:
    """The steps of a run that its caller waits for, until a call of it may have to wait.

    Most runs ask no person, and to record their steps would cost them more than a third of their
    time. So steps are noted, which costs next to nothing, and the run gets a journal, with all of
    them, before the first turn that calls a tool about which a person may be asked.

    Args:
        begin: Opens the journal.
    """

    def __init__(self, begin: Callable[[Sequence[StepNote[Any]]], Awaitable[Steps]]) -> None:
        self._begin = begin
        self._notes: list[StepNote[Any]] = []
        self._model_calls = 0

    def add(self, key: str, make: Callable[[], T], *, form: RecordForm[T]) -> None:
        """Note a step that has ended."""
        self._notes.append(StepNote(key, make, form))

    def add_model_call(self, make: Callable[[], T], *, form: RecordForm[T]) -> None:
        """Note a model call; they are numbered from 1."""
        self._model_calls += 1
        self.add(f"model/{self._model_calls}", make, form=form)

    async def record(self) -> Steps:
        """Give the run a journal in which all its steps are."""
        return await self._begin(self._notes)
