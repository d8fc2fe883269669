"""A protocol that also goes over standard input and output."""

from abc import abstractmethod
from typing import Protocol, runtime_checkable

from arc_core.interfaces.served_application import ServedApplication

__all__ = ["ServesStdio"]


@runtime_checkable
class ServesStdio(Protocol):
    """A surface that one program can also reach by starting this one and writing to it.

    `arc mcp` starts the application, asks the first surface that is one of these, and closes the
    application afterwards.
    """

    @abstractmethod
    async def serve_stdio(self, application: ServedApplication) -> None:
        """Serve until standard input ends; nothing but the protocol is written to the output."""
        ...
