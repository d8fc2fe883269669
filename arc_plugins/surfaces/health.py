"""Liveness and readiness of the server.

What is served, without a key: `GET /health/live`, which says that the server answers, and
`GET /health/ready`, which says 503 if a component does not work. What each component says of itself
is for callers with a key, or for all if there are no keys. One check serves all who ask within five
seconds, since everyone may ask.
"""

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import ServedApplication, ServesWorkers, Surface
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.serving import has_caller

_FRESH_S = 5.0
_NOT_READY = 503


class HealthSurface(Surface, ServesWorkers):
    """For load balancers and people."""

    order, serves_workers = 30, True
    public_paths: Collection[str] = ("/health/live", "/health/ready")

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """Both."""
        served = _Endpoints(application)
        return [Route("/health/live", served.live), Route("/health/ready", served.ready)]


class _Endpoints:
    def __init__(self, application: ServedApplication) -> None:
        self._application = application
        self._checking = asyncio.Lock()
        self._found: tuple[float, Sequence[tuple[str, Health]]] | None = None

    async def live(self, _: Request) -> Response:
        return JSONResponse({"status": HealthStatus.OK})

    async def ready(self, request: Request) -> Response:
        async with self._checking:
            if self._found is None or time.monotonic() - self._found[0] > _FRESH_S:
                checked = await self._application.health()
                self._found = time.monotonic(), checked
            found = self._found[1]
        has_error = any(health.status is HealthStatus.ERROR for _, health in found)
        status = HealthStatus.ERROR if has_error else HealthStatus.OK
        told: dict[str, Any] = {"status": status}
        if has_caller(request):
            told["components"] = [
                {"subject": subject, **asdict(health)} for subject, health in found
            ]
        return JSONResponse(told, _NOT_READY if has_error else 200)
