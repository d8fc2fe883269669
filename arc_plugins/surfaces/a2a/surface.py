"""Agents by the Agent2Agent protocol, by the official SDK: JSON-RPC at `/a2a`.

A message begins a run; the id of its task is that of the run, its context is the session. The agent
`default` answers, or the one that `arc/agent` in the metadata of a message names. A task that
waits for a person is `input-required`, and a message to it decides. The card is public; with keys
it names the agent `default` only, and the extended card all those that a key is for.
"""

import json
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, request_response

from arc_core import Caller, Logger, ServedApplication, Surface
from arc_core.serving import BoundedBodies, RunStreamResponse
from arc_plugins.surfaces.a2a.card import card_of
from arc_plugins.surfaces.a2a.handler import HELD, REQUEST, RunsHandler

__all__ = ["A2aSurface"]

_CARD_PATH = "/.well-known/agent-card.json"
_MAX_ITEMS = 5_000  # the SDK takes ten times as long as JSON to read a value
_ANYONE = Caller(name="anyone")


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
        handler = RunsHandler(application, logger=self._logger)
        dispatcher = _Dispatcher(request_handler=handler, context_builder=_Contexts())
        endpoint = request_response(dispatcher.handle_requests)
        bounded = BoundedBodies(endpoint, attached_in=("raw",), max_items=_MAX_ITEMS)

        async def show_card(request: Request) -> Response:
            agents = application.agents(_ANYONE)
            known = agents[:1] if application.has_keys else agents
            base_url = application.public_url or str(request.base_url)
            card = card_of(known, base_url=base_url, has_keys=application.has_keys)
            headers = {"cache-control": "no-store"}  # it has the address by which it was asked for
            return JSONResponse(agent_card_to_dict(card), headers=headers)

        return [
            Route("/a2a", bounded, methods=["POST"]),
            Route(_CARD_PATH, show_card, methods=["GET"]),
        ]


class _Contexts(ServerCallContextBuilder):
    """Gives the handler the request, which has the caller."""

    def build(self, request: Request) -> ServerCallContext:
        return ServerCallContext(state={REQUEST: request, "headers": dict(request.headers)})


class _Dispatcher(JsonRpcDispatcher):
    """Streams as all surfaces do: the SDK's way leaves a task behind that never ends."""

    def _create_response(
        self,
        context: ServerCallContext,
        handler_result: AsyncGenerator[dict[str, Any], None] | dict[str, Any],
    ) -> Response:
        if isinstance(handler_result, dict):
            return JSONResponse(handler_result)
        return RunStreamResponse(context.state[HELD], _frames(handler_result))


async def _frames(responses: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[bytes]:
    async with aclosing(responses):
        async for response in responses:
            yield f"data: {json.dumps(response, separators=(',', ':'))}\n\n".encode()
