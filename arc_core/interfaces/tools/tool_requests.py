"""The requests of a tool call to the user of its run, for which the run waits.

The engine implements it, and `ToolContext` calls it: `ask` suspends the run until there is an
answer, and `begin` says that the call is not to be repeated.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from arc_core.interfaces.credentials import Credential


@runtime_checkable
class ToolRequests(Protocol):
    """The requests of one tool call to the user of its run. The engine implements it."""

    @abstractmethod
    async def ask(self, text: str, schema: Mapping[str, Any], url: str | None) -> Mapping[str, Any]:
        """Return the answer to a question; see `ToolContext.ask`."""
        ...

    @abstractmethod
    async def credential(
        self, service: str, rejected: Credential | None, scopes: Sequence[str]
    ) -> Credential:
        """Return a credential of the user; see `ToolContext.credential`."""
        ...

    @abstractmethod
    async def begin(self) -> None:
        """Note that the effect of the call begins; see `ToolContext.begin`."""
        ...
