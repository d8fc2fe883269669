"""The endpoints of Agent2Agent, by the official SDK."""

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.jsonrpc_models import InternalError, JSONParseError
from a2a.server.request_handlers.response_helpers import agent_card_to_dict, build_error_response
from a2a.server.routes import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arc_core import Caller, Logger, ServedApplication
from arc_core.serving import RunStreamResponse
from arc_plugins.surfaces.a2a.handler import HELD, REQUEST, RunsHandler, make_card

_ANYONE = Caller(name="anyone")


class Endpoints:
    """Answers calls, and shows the card."""

    def __init__(self, application: ServedApplication, *, logger: Logger) -> None:
        logging.getLogger(JsonRpcDispatcher.__module__).addFilter(_is_of_server)
        self._application = application
        handler = RunsHandler(application, logger=logger)
        self._dispatcher = _Dispatcher(request_handler=handler, context_builder=_Contexts())

    async def call(self, request: Request) -> Response:
        """Answer a call by JSON-RPC."""
        try:
            await request.json()  # which the SDK reads again
        except (ValueError, RecursionError):
            return _AsciiResponse(build_error_response(None, JSONParseError()))
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
    """Streams as all surfaces do: the SDK's way leaves a task behind that never ends.

    Errors do without the texts of exceptions, which the SDK shows to clients.
    """

    def _generate_error_response(self, request_id: str | int | None, error: Any) -> JSONResponse:
        has_text = isinstance(error, InternalError) or "parseError" in (error.data or ())
        return _AsciiResponse(
            build_error_response(request_id, type(error)() if has_text else error)
        )

    def _create_response(
        self,
        context: ServerCallContext,
        handler_result: AsyncGenerator[dict[str, Any], None] | dict[str, Any],
    ) -> Response:
        if isinstance(handler_result, dict):
            return _AsciiResponse(handler_result)

        async def write(responses: AsyncGenerator[dict[str, Any], None]) -> AsyncGenerator[bytes]:
            async with aclosing(responses):
                async for response in responses:
                    yield f"data: {json.dumps(response, separators=(',', ':'))}\n\n".encode()

        return RunStreamResponse(context.state[HELD], write(handler_result))


class _AsciiResponse(JSONResponse):
    """JSON in ASCII: ids of clients may be halves of surrogate pairs."""

    def render(self, content: object) -> bytes:
        return json.dumps(content).encode()


def _is_of_server(record: logging.LogRecord) -> bool:
    """Leave out what is wrong with the request of a client, which the SDK logs with its content."""
    return not str(record.msg).startswith("Failed to ")
