"""The requests of a tool call to its run: of the user, for whom it waits, and of its record.

The engine implements it, and `ToolContext` calls it: `ask` suspends the run until there is an
answer, `begin` says that the call is not to be repeated, and `remember` records a text for the
attempts at the call that come after this one.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from arc_core.interfaces.credentials import Credential


@runtime_checkable
class ToolRequests(Protocol):
    """The requests of one tool call to its run. The engine implements it."""

    @abstractmethod
    async def ask(
        self, text: str, schema: Mapping[str, Any], *, url: str | None, hold_s: float
    ) -> Mapping[str, Any]:
        """Return the answer to a question; see `ToolContext.ask`."""

    @abstractmethod
    async def credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential:
        """Return a credential of the user; see `ToolContext.credential`."""

    @abstractmethod
    async def begin(self) -> None:
        """Note that the effect of the call begins; see `ToolContext.begin`."""

    @abstractmethod
    async def recall(self) -> Sequence[str]:
        """Return the texts that the call has remembered; see `ToolContext.recall`."""

    @abstractmethod
    async def remember(self, text: str) -> None:
        """Record a text before the call has ended; see `ToolContext.remember`."""

    @property
    @abstractmethod
    def is_handed_over(self) -> bool:
        """True if another process goes on with the call; see `ToolContext.is_handed_over`."""
