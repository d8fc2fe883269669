"""The steps of a run, as its stages take them; `RunSteps` does it."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.journal.metadata import RunMetadata
from arc_core.engine.journal.records import StopStep
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.runs.journal import Place, RunJournal

__all__ = ["Steps", "current_step", "doing_step"]

T = TypeVar("T")

_STEP: ContextVar[tuple[object, str] | None] = ContextVar("arc_step", default=None)


def current_step(run: object) -> str | None:
    """Return the step of a run that is being done here; None if it is another's, or none."""
    current = _STEP.get()
    return current[1] if current is not None and current[0] is run else None


@contextmanager
def doing_step(run: object, key: str) -> Iterator[None]:
    """Let what is called know which step of which run it is part of."""
    token = _STEP.set((run, key))
    try:
        yield
    finally:
        _STEP.reset(token)


class Steps(Protocol):
    """Does each step of a run once, over all its lives.

    Attributes:
        journal: Records them.
        prefix: Before the keys of a run that another one has started, as `tool/3/`; else empty.
        metadata: Of the run.
    """

    journal: RunJournal
    prefix: str
    metadata: RunMetadata

    @property
    def is_live(self) -> bool:
        """True if a step was done in this attempt."""
        ...

    async def find(self, key: str, form: RecordForm[T]) -> T | StopStep | None:
        """Return what a step gave in an earlier attempt, or None; nothing is restored."""
        ...

    async def restore(self, forms: Mapping[str, RecordForm[Any]]) -> Mapping[str, Any]:
        """Restore what steps that run at the same time have changed, before one of them begins.

        Args:
            forms: Of the steps, by their keys.

        Returns:
            What those gave that were done in an earlier life; nothing in the first one.
        """
        ...

    async def take(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: RecordForm[T],
        place: Place | None = None,
    ) -> tuple[T, bool]:
        """Take a step; return what it gives, and whether an earlier attempt has done it."""
        ...

    def ask_model(
        self, work: Callable[[], Awaitable[GuardedAnswer]], *, streams: bool
    ) -> Coroutine[Any, Any, GuardedAnswer]:
        """Return the answer of the model, asked in this attempt or in an earlier one."""
        ...

    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others."""
        ...

    async def has_begun_below(self, index: int) -> bool:
        """Return whether the run of a tool call goes on that an earlier life has begun."""
        ...

    def id_below(self, place: str) -> str:
        """The id of a run that is started in a place of this one, in every life."""
        ...
