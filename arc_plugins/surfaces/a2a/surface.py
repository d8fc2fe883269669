"""Agents by the Agent2Agent protocol, by the official SDK: JSON-RPC at `/a2a`.

A message begins a run; the id of its task is that of the run, its context is the session. The agent
`default` answers, or the one that `arc/agent` in the metadata of a message names. A task that
waits for a person is `input-required`, and a message to it decides. The card is public; with keys
it names the agent `default` only, and the extended card all those that a key is for.
"""

from collections.abc import Collection, Sequence

from starlette.routing import BaseRoute, Route, request_response

from arc_core import Logger, ServedApplication, Surface
from arc_core.serving import BoundedBodies, Deferred

_CARD_PATH = "/.well-known/agent-card.json"
_MAX_ITEMS = 5_000  # the SDK takes ten times as long as JSON to read a value


class A2aSurface(Surface):
    """Agent2Agent.

    Args:
        logger: Is told of failures.
    """

    order = 70
    public_paths: Collection[str] = (_CARD_PATH,)

    def __init__(self, *, logger: Logger) -> None:
        self._logger = logger

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """`/a2a`, and the card."""
        served = Deferred(
            "arc_plugins.surfaces.a2a.endpoints:Endpoints", application, logger=self._logger
        )
        call = request_response(served.endpoint("call"))
        bounded = BoundedBodies(call, attached_in=("raw",), max_items=_MAX_ITEMS)
        return [
            Route("/a2a", bounded, methods=["POST"]),
            Route(_CARD_PATH, served.endpoint("show_card"), methods=["GET"]),
        ]
