"""The conversations of a user: list them, read one, forget one.

What is served: `GET /api/conversations` (with `search`, those whose title has all of its words),
`GET` and `DELETE /api/conversations/{id}`, and `POST /api/conversations/{id}/branches`, of the user
and the tenant that the key allows, and the query names (`user_id`, `tenant_id`). Messages are Arc's
own forms. A branch is a conversation that begins with the first `turns` that are shown of another.
Of others, a conversation is as unknown as one that does not exist. Listing needs a store that is a
`ListsSessions`, as Arc's own are.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import (
    ConversationOwner,
    ConversationStore,
    ListsSessions,
    Message,
    ServedApplication,
    SessionOwnershipError,
    Surface,
)
from arc_core.components.extension_points import takes_parameter
from arc_core.forms import to_json
from arc_core.messages.sessions import split_turns
from arc_core.serving import Problem, caller_of, check_id, read_as, read_body

_MOST_LISTED = 100
_MOST_SEARCHED = 1_000
_MOST_TURNS = 200
_CREATED, _NO_CONTENT = 201, 204


_TAKEN = Problem(409, "conflict", "There is a conversation of this id; choose another id.")


class _BranchBody(BaseModel):
    """A new conversation, which begins with the first `turns` that are shown of another."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    session_id: str
    turns: int = Field(ge=1, le=_MOST_TURNS)


class ConversationsSurface(Surface):
    """Earlier conversations, for front ends.

    Args:
        store: Has them.
    """

    order = 40

    def __init__(self, *, store: ConversationStore) -> None:
        self._store = store

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The routes below `/api/conversations`."""
        served = _Endpoints(application, self._store)
        one = "/api/conversations/{session_id:path}"
        return [
            Route("/api/conversations", served.list),
            Route(one, served.show, methods=["GET"]),
            Route(one, served.delete, methods=["DELETE"]),
            Route(f"{one}/branches", served.branch, methods=["POST"]),
        ]


class _Endpoints:
    def __init__(self, application: ServedApplication, store: ConversationStore) -> None:
        self._application, self._store = application, store

    async def list(self, request: Request) -> Response:
        """The conversations of a user, the newest first."""
        owner = self._owner(request)
        if not isinstance(self._store, ListsSessions):
            message = "The conversation store cannot list the conversations of a user."
            raise Problem(501, "not_supported", message)
        limit, words = _limit_in(request), request.query_params.get("search", "").casefold().split()
        found = await self._store.sessions_of(owner, limit=_MOST_SEARCHED if words else limit)
        fitting = (each for each in found if all(word in each.title.casefold() for word in words))
        entries = [
            {**asdict(each), "updated_at": each.updated_at.isoformat()}
            for each in islice(fitting, limit)
        ]
        return JSONResponse({"conversations": entries})

    async def show(self, request: Request) -> Response:
        """The last turns of a conversation, and the run that goes on in it."""
        session_id: str = request.path_params["session_id"]
        found = await self._load(session_id, self._owner(request), max_turns=_MOST_TURNS)
        messages = [json.loads(to_json(each)) for each in found]
        query = request.query_params
        runs = self._application.runs.for_caller(caller_of(request))
        running = await runs.running_in(
            session_id, user_id=query.get("user_id"), tenant_id=query.get("tenant_id")
        )
        if not messages and running is None:
            raise _unknown(session_id)
        return JSONResponse({"session_id": session_id, "messages": messages, "running": running})

    async def branch(self, request: Request) -> Response:
        """Begin another conversation as this one began."""
        session_id: str = request.path_params["session_id"]
        owner = self._owner(request)
        asked = read_as(await read_body(request), _BranchBody)
        branch_id = check_id(asked.session_id, param="session_id")
        turns = split_turns(await self._load(session_id, owner, max_turns=_MOST_TURNS))
        if not turns:
            raise _unknown(session_id)
        if len(turns) < asked.turns:
            said = f"The conversation has {len(turns)} turns."
            raise Problem(422, "invalid_request", said, param="turns")
        kept = [message for turn in turns[: asked.turns] for message in turn]
        try:
            if await self._store.load(branch_id, owner=owner, max_turns=1):
                raise _TAKEN
            await self._store.append(branch_id, kept, owner=owner)
        except SessionOwnershipError:
            raise _TAKEN from None
        return JSONResponse({"session_id": branch_id}, status_code=_CREATED)

    async def delete(self, request: Request) -> Response:
        session_id: str = request.path_params["session_id"]
        owner = self._owner(request)
        if not await self._load(session_id, owner, max_turns=1):
            raise _unknown(session_id)
        # A store that was written before tenants had ids of their own takes no owner.
        owned = {"owner": owner} if takes_parameter(self._store.delete, "owner") else {}
        try:
            await self._store.delete(session_id, **owned)
        except SessionOwnershipError:
            raise _unknown(session_id) from None
        return Response(status_code=_NO_CONTENT)

    def _owner(self, request: Request) -> ConversationOwner:
        query = request.query_params
        return self._application.owner(
            caller_of(request), user_id=query.get("user_id"), tenant_id=query.get("tenant_id")
        )

    async def _load(
        self, session_id: str, owner: ConversationOwner, *, max_turns: int
    ) -> Sequence[Message]:
        try:
            return await self._store.load(session_id, owner=owner, max_turns=max_turns)
        except SessionOwnershipError:
            raise _unknown(session_id) from None


def _limit_in(request: Request) -> int:
    text = request.query_params.get("limit", str(_MOST_LISTED))
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= _MOST_LISTED):
        message = f"limit is a number from 1 to {_MOST_LISTED}."
        raise Problem(422, "invalid_request", message, param="limit")
    return int(text)


def _unknown(session_id: str) -> Problem:
    return Problem(404, "not_found", f"There is no conversation {session_id!r}.")
