"""What a run asks of its steps; `RunSteps` does it."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeVar

from arc_core.engine.answer import Said
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.interfaces.run_journal import Place, RunJournal

__all__ = ["Steps"]

T = TypeVar("T")


class Steps(Protocol):
    """Does each step of a run once, over all its lives.

    Attributes:
        journal: Records them.
        prefix: Before the keys of a run that another one has started, as `tool/3/`; else empty.
    """

    journal: RunJournal
    prefix: str

    async def take(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: RecordForm[T],
        place: Place | None = None,
    ) -> tuple[T, bool]:
        """What a step gives, and whether it was done in an earlier life."""
        ...

    def ask_model(
        self, work: Callable[[], Awaitable[Said]], *, streams: bool
    ) -> Coroutine[Any, Any, Said]:
        """What the model says, asked in this life or in an earlier one."""
        ...

    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others."""
        ...

    def id_below(self, index: int) -> str:
        """The id of a run that is started in the place of a tool call, in every life."""
        ...
