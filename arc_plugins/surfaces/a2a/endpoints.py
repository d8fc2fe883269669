"""The endpoints of Agent2Agent, by the official SDK."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arc_core import Caller, Logger, ServedApplication
from arc_core.serving import RunStreamResponse
from arc_plugins.surfaces.a2a.card import make_card
from arc_plugins.surfaces.a2a.handler import HELD, REQUEST, RunsHandler

_ANYONE = Caller(name="anyone")


class Endpoints:
    """Answers calls, and shows the card."""

    def __init__(self, application: ServedApplication, *, logger: Logger) -> None:
        self._application = application
        handler = RunsHandler(application, logger=logger)
        self._dispatcher = _Dispatcher(request_handler=handler, context_builder=_Contexts())

    async def call(self, request: Request) -> Response:
        """Answer a call by JSON-RPC."""
        response: Response = await self._dispatcher.handle_requests(request)
        return response

    async def show_card(self, request: Request) -> Response:
        """Show the agents that anyone may know of."""
        agents = self._application.agents(_ANYONE)
        has_keys = self._application.has_keys
        known = agents[:1] if has_keys else agents
        base_url = self._application.public_url or str(request.base_url)
        card = make_card(known, base_url=base_url, has_keys=has_keys)
        headers = {"cache-control": "no-store"}  # it has the address by which it was asked for
        return JSONResponse(agent_card_to_dict(card), headers=headers)


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

        async def write(responses: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[bytes]:
            async with aclosing(responses):
                async for response in responses:
                    yield f"data: {json.dumps(response, separators=(',', ':'))}\n\n".encode()

        return RunStreamResponse(context.state[HELD], write(handler_result))
