"""An application as an ASGI application: its surfaces behind its access rules."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, ExceptionHandler, Receive, Scope, Send

from arc_autoconfig.application import Application
from arc_autoconfig.errors import ComponentError
from arc_autoconfig.server.access import AccessMiddleware, Authenticate, KeyCheck, has_keys
from arc_autoconfig.server.middleware import LOGGED_PATH, BodyMiddleware, PublicPaths, RequestLog
from arc_autoconfig.server.served_application import ServedArc
from arc_core.errors import ArcError
from arc_core.interfaces.serving.surface import Surface
from arc_core.log import get_logger
from arc_core.runs.runs import Runs
from arc_core.serving.problems import Problem, get_problem
from arc_core.serving.requests import BodyLimits
from arc_core.serving.responses import ClientGoneError, problem_response

logger = get_logger("server")

_HEADERS = ("*",)  # clients of some protocols add headers of their own
_EXPOSED = ("x-run-id", "x-request-id", "retry-after", "mcp-session-id")
_CODES = {404: "not_found", 405: "method_not_allowed"}
_CLIENT_GONE = 499


class ArcServer:
    """The ASGI application that `Application.asgi()` gives.

    Served by itself, it starts and closes the application with its lifespan. Mounted in another
    one, whose lifespan is the program's, it serves what the program has started.

    Args:
        application: Has the surfaces.
        authenticate: Who calls, by a program's own authentication; None takes `server.api_keys`.
        kind: Of the surfaces that are served, such as `ServesWorkers`.
    """

    def __init__(
        self, application: Application, authenticate: Authenticate | None, *, kind: Any = Surface
    ) -> None:
        self._application, self._authenticate, self._kind = application, authenticate, kind
        self._lifespan = Router(lifespan=self._live)
        self._served: tuple[Sequence[Surface], ASGIApp] | None = None
        self._building = asyncio.Lock()
        self._runs: Runs | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, of ASGI."""
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        else:
            await (await self._app())(scope, receive, send)

    async def open(self) -> None:
        """Build the surfaces of the started application, so that what is wrong shows now."""
        await self._app()

    def cancel_runs(self) -> None:
        """Cancel the runs that end with their readers, who are told so."""
        if self._runs is not None:
            self._runs.cancel_held()

    @asynccontextmanager
    async def _live(self, _: Any) -> AsyncIterator[None]:
        async with self._application:
            await self.open()
            yield

    async def _app(self) -> ASGIApp:
        async with self._building:
            surfaces = await self._application.surfaces()
            if self._served is None or self._served[0] is not surfaces:
                served = [each for each in surfaces if isinstance(each, self._kind)]
                self._served = surfaces, self._assemble(served)
            return self._served[1]

    def _assemble(self, surfaces: Sequence[Surface]) -> ASGIApp:
        settings = self._application.settings.server
        authenticate = self._authenticate
        if authenticate is None and has_keys(self._application):
            authenticate = KeyCheck(self._application).find_caller
        served = ServedArc(self._application, has_keys=authenticate is not None)
        self._runs = served.runs
        public_paths = PublicPaths([path for each in surfaces for path in each.public_paths])
        limits = BodyLimits(
            max_bytes=served.max_body_bytes,
            max_attached_bytes=served.max_attachment_bytes * 4 // 3,
            max_items=settings.max_body_items,
        )
        middleware = [
            Middleware(
                AccessMiddleware,
                settings=settings,
                is_public=public_paths.have,
                authenticate=authenticate,
            ),
            Middleware(BodyMiddleware, limits=limits, timeout_s=settings.receive_timeout_s),
        ]
        if settings.allowed_origins:
            cors = Middleware(
                CORSMiddleware,
                allow_origins=settings.allowed_origins,
                allow_methods=("GET", "POST", "DELETE"),
                allow_headers=_HEADERS,
                expose_headers=_EXPOSED,
            )
            middleware.insert(0, cors)
        routes = [route for each in surfaces for route in _list_routes(each, served)]
        served_app = Starlette(routes=routes, middleware=middleware, exception_handlers=_HANDLERS)
        is_logged = settings.access_log
        return RequestLog(served_app, public_paths=public_paths, is_logged=is_logged)


def _list_routes(surface: Surface, served: ServedArc) -> Sequence[BaseRoute]:
    routes = surface.routes(served)
    misfit = next((each for each in routes if not isinstance(each, BaseRoute)), None)
    if misfit is not None:
        raise ComponentError(
            f"{type(surface).__qualname__} gives a route that is not one",
            evidence=[f"it is a {type(misfit).__qualname__}"],
            remedy="give routes of Starlette: Route, Mount or WebSocketRoute",
        )
    return routes


async def _tell(request: Request, error: Exception) -> Response:
    problem = get_problem(error)
    if problem.status >= 500:
        logger.error("a request failed", path=request.scope[LOGGED_PATH], exc_info=error)
    return problem_response(problem)


async def _tell_of_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "invalid_request")
    headers = dict(error.headers or {})
    return problem_response(Problem(error.status_code, code, f"{error.detail}.", headers=headers))


async def _say_nothing(_: Request, __: Exception) -> Response:
    return Response(status_code=_CLIENT_GONE)


_HANDLERS: dict[Any, ExceptionHandler] = {
    Problem: _tell,
    ArcError: _tell,
    OSError: _tell,
    Exception: _tell,
    HTTPException: _tell_of_http,
    ClientGoneError: _say_nothing,
    ClientDisconnect: _say_nothing,
}
