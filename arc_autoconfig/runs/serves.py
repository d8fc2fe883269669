"""The part of an application that is served; the server itself needs libraries of its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from arc_autoconfig.errors import ComponentError
from arc_core.components.extension_points import Contribution, place_of
from arc_core.interfaces.serving.surface import Surface

__all__ = ["Serves", "import_server"]

_LIBRARIES = frozenset({"starlette", "uvicorn"})
_SURFACES = cast("Contribution", place_of(Surface))


class Serves(ABC):
    """Reached over HTTP, by every protocol that is installed."""

    @abstractmethod
    async def _supply(self, place: Contribution) -> tuple[Any, ...]:
        """The components of a contribution that are there on demand."""

    async def surfaces(self) -> tuple[Surface, ...]:
        """The protocols by which it can be served; they are built when first asked for.

        Raises:
            ApplicationStateError: It is not started.
            ConfigurationError: One of them cannot be imported, built or started.
        """
        return await self._supply(_SURFACES)

    def asgi(self, *, authenticate: Callable[[Any], Any] | None = None) -> Any:
        """The same as an ASGI application, to serve, or to mount in one of Starlette or FastAPI.

        Served by itself it starts and closes this application; mounted, it serves what the program
        has started.

        Args:
            authenticate: Who calls, from the `HTTPConnection` of Starlette: a program's own
                authentication in the place of `server.api_keys`, which gives a `Caller` or an
                awaitable of one. None for a caller is refused.

        Raises:
            ComponentError: The extra `server` is not installed.
        """
        return import_server("asgi").ArcServer(self, authenticate)


def import_server(module: str) -> Any:
    """A module of `arc_autoconfig.server`.

    Raises:
        ComponentError: The extra `server` is not installed.
    """
    try:
        return import_module(f"arc_autoconfig.server.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        raise ComponentError(
            "an application cannot be served yet",
            evidence=[f"the package {error.name} is not installed"],
            remedy="pip install 'arc-agents[server]'",
        ) from None
