"""The wiring with its reasons, as `arc components --json` and its siblings print it.

What is served: `GET /arc/components`, `/arc/conditions`, `/arc/plugins`, `/arc/config` (secrets
masked), `/arc/agents`, and `GET /api/agents`: the agents that this caller may ask, and if it may
see records.
"""

from collections.abc import Sequence
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import NotPermittedError, ServedApplication, Surface
from arc_core.serving import caller_of

_VIEWS = ("components", "conditions", "plugins", "config", "agents")


class ExplainSurface(Surface):
    """The wiring, for people who look after an application."""

    order = 20

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """A route for each view, and one for the agents of a caller."""
        served = _Endpoints(application)
        views = [Route(f"/arc/{view}", served.explain, name=view) for view in _VIEWS]
        return [*views, Route("/api/agents", served.agents)]


class _Endpoints:
    def __init__(self, application: ServedApplication) -> None:
        self._application = application

    async def explain(self, request: Request) -> Response:
        """The view that the path names; a key for some tenant, users or agents gets none.

        The settings and the instructions of agents are not for those who are only served.
        """
        caller = caller_of(request)
        if not caller.is_unbound:
            raise NotPermittedError("what is wired", key=caller.name)
        view = request.url.path.rpartition("/")[2]
        return JSONResponse(await self._application.explain(view))

    async def agents(self, request: Request) -> Response:
        caller = caller_of(request)
        found = [asdict(each) for each in self._application.agents(caller)]
        return JSONResponse({"agents": found, "may_see_records": caller.may_see_records})
