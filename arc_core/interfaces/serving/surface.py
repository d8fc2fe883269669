"""A protocol by which an application is reached over HTTP.

`arc serve` and `app.asgi()` ask every surface once for its routes, when they start; until then none
is imported. Two surfaces with the same path are told in the order of `order`, and the first has it.
"""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, Protocol, runtime_checkable

from arc_core.components.extension_points import contribution, on_demand
from arc_core.interfaces.serving.served_application import ServedApplication


@on_demand
@contribution("surfaces", group="arc.surfaces")
@runtime_checkable
class Surface(Protocol):
    """Routes over the runs of an application. Orders below 100 are Arc's own.

    Attributes:
        order: Lower ones are asked first.
        public_paths: The paths that are served without a key; one that ends with `/` stands for
            everything below it.
    """

    order: int = 100
    public_paths: Collection[str] = ()

    @abstractmethod
    def routes(self, application: ServedApplication) -> Sequence[Any]:
        """Return the routes: `Route`, `Mount` and `WebSocketRoute` of Starlette.

        `arc_core.serving` has what the endpoints of all surfaces share: who calls, bodies, streams
        of events, and what becomes of errors.
        """


@runtime_checkable
class ServesWorkers(Protocol):
    """A surface of the process, which `arc worker --port` serves as well; the attribute is True."""

    serves_workers: bool


@runtime_checkable
class ServesStdio(Protocol):
    """A surface that one program can also reach by starting this one and writing to it.

    `arc mcp` starts the application, asks the first surface that is one of these, and closes the
    application afterwards.
    """

    @abstractmethod
    async def serve_stdio(self, application: ServedApplication) -> None:
        """Serve until standard input ends; nothing but the protocol is written to the output."""
