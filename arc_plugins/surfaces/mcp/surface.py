"""The agents and tools of an application as an MCP server, by the official SDK.

Over HTTP (streamable) at `/mcp`, and over standard input and output by `arc mcp`. Each agent is a
tool `ask_<agent>` with one text, `task`; the tools of the application are tools, too, but for those
that need a person's approval. The text of an answer comes as progress, if a client asks for that.

Clients of protocol versions before 2026-07-28 have sessions, which live in one process: several
processes need a balancer that keeps a client with one of them.
"""

from collections.abc import Sequence
from importlib import import_module

from starlette.routing import BaseRoute, Route

from arc_core import Logger, ServedApplication, ServesStdio, Surface
from arc_core.serving import BoundedBodies, Deferred

_SESSION_IDLE_S = 900.0


class McpSurface(Surface, ServesStdio):
    """MCP, over HTTP and over standard input and output.

    Args:
        logger: Is told of failures.
        session_idle_s: After how long without a request a session ends.
    """

    order = 60

    def __init__(self, *, logger: Logger, session_idle_s: float = _SESSION_IDLE_S) -> None:
        self._logger, self._session_idle_s = logger, session_idle_s
        self._sessions: list[Deferred] = []

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """`/mcp`; who may ask, and from where, the server has checked before."""
        sessions = Deferred(
            "arc_plugins.surfaces.mcp.transports:Sessions",
            application,
            logger=self._logger,
            idle_s=self._session_idle_s,
        )
        self._sessions.append(sessions)
        # Without GET: nothing is sent but answers, and an idle stream would hold up a shutdown.
        endpoint = BoundedBodies(sessions)
        return [Route("/mcp", endpoint, methods=["POST", "DELETE"])]

    async def aclose(self) -> None:
        """Cancel the calls that go on."""
        while self._sessions:
            begun = self._sessions.pop().made
            if begun is not None:
                await begun.aclose()

    async def serve_stdio(self, application: ServedApplication) -> None:
        """Serve the program that has started this one."""
        transports = import_module("arc_plugins.surfaces.mcp.transports")
        await transports.serve_stdio(application, logger=self._logger)
