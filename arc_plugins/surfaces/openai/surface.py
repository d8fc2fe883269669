"""OpenAI's API, in which agents are the models.

`POST /v1/chat/completions`, `POST /v1/responses`, `GET` and `DELETE /v1/responses/{id}`,
`GET /v1/responses/{id}/input_items`, `POST /v1/responses/{id}/cancel`, `GET /v1/models`,
`GET /v1/models/{id}`. Pick it for clients that know OpenAI's SDKs: they need this server's address
and key, and an agent's name as the model.
"""

import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import ConversationStore, ServedApplication, Surface, UnknownAgentError
from arc_core.serving import Deferred, caller_of

_OWNER = "arc"


class OpenAISurface(Surface):
    """The protocol of OpenAI's SDKs, and of what is built on them.

    Args:
        store: Has the conversations that responses begin and go on with.
    """

    order = 20

    def __init__(self, *, store: ConversationStore) -> None:
        self._store = store

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The routes below `/v1`."""
        models = _Models(application)
        chat = Deferred("arc_plugins.surfaces.openai.chat.endpoint:ChatCompletions", application)
        responses = Deferred(
            "arc_plugins.surfaces.openai.responses.endpoint:Responses",
            application,
            store=self._store,
        )
        answer, one = responses.endpoint, "/v1/responses/{response_id}"
        return [
            Route("/v1/chat/completions", chat.endpoint("create"), methods=["POST"]),
            Route("/v1/responses", answer("create"), methods=["POST"]),
            Route(one, answer("retrieve"), methods=["GET"]),
            Route(one, answer("delete"), methods=["DELETE"]),
            Route(f"{one}/cancel", answer("cancel_response"), methods=["POST"]),
            Route(f"{one}/input_items", answer("list_input"), methods=["GET"]),
            Route("/v1/models", models.list, methods=["GET"]),
            Route("/v1/models/{name:path}", models.retrieve, methods=["GET"]),
        ]


class _Models:
    """The agents that a caller may ask."""

    def __init__(self, application: ServedApplication) -> None:
        self._application, self._since = application, int(time.time())

    async def list(self, request: Request) -> Response:
        models = [self._model(name) for name in self._names(request)]
        return JSONResponse({"object": "list", "data": models})

    async def retrieve(self, request: Request) -> Response:
        name, known = request.path_params["name"], self._names(request)
        if name not in known:
            raise UnknownAgentError(name, known=known)
        return JSONResponse(self._model(name))

    def _names(self, request: Request) -> Sequence[str]:
        return [each.name for each in self._application.agents(caller_of(request))]

    def _model(self, name: str) -> dict[str, object]:
        return {"id": name, "created": self._since, "object": "model", "owned_by": _OWNER}
