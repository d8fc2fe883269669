"""The bodies of requests: bounded, JSON, and of the shape that a surface says."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arc_core.interfaces.serving.served_application import ServedApplication
from arc_core.messages.content import Attachment
from arc_core.serving.body_intake import get_intake, is_json, refuse_size
from arc_core.serving.problems import Problem
from arc_core.serving.responses import problem_response

__all__ = [
    "BoundedBodies",
    "JsonBody",
    "StrictFields",
    "check_body",
    "check_id",
    "measure_size",
    "problem_of_fields",
    "read_as",
    "read_body",
    "receive_body",
]

M = TypeVar("M", bound=BaseModel)

_MAX_TOLD = 20
_MAX_ID_CHARS = 200
_BASE64_OVERHEAD = 4 / 3


@dataclass(frozen=True, slots=True)
class JsonBody:
    """The body of a request.

    Attributes:
        value: What the JSON says; an object.
        size: In bytes.
    """

    value: dict[str, Any]
    size: int


class StrictFields(BaseModel):
    """A part of a body that has no other fields than these; validation costs no more for many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _has_few_fields(cls, value: object) -> object:
        most = len(cls.model_fields) + _MAX_TOLD
        if isinstance(value, Mapping) and len(value) > most:  # an error for each takes a while
            fields = cls.model_fields
            unknown = next(name for name in value if name not in fields)
            raise PydanticCustomError(
                "too_many_fields",
                "There are fields that are not known, such as {name}.",
                {"name": repr(unknown)[:_MAX_ID_CHARS]},
            )
        return value


async def read_body(
    request: Request, *, attached_in: Collection[str] = (), has_history: bool = False
) -> JsonBody:
    """The JSON object that a request carries.

    Args:
        request: Its body was not read before.
        attached_in: The names of the fields that have what is attached, by which alone a body may
            be larger than `server.max_body_bytes`.
        has_history: Whether the protocol sends what was said before, too: then it may have four
            times as much.

    Raises:
        Problem: It is not JSON (400, 415) or not an object (422). One that is too large was
            answered before (413), and its client counts as gone.
    """
    raw = await receive_body(request, attached_in=attached_in, has_history=has_history)
    try:
        value = json.loads(raw.decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError):
        raise Problem(400, "invalid_json", "The body is not JSON.") from None
    if not isinstance(value, dict):
        raise Problem(422, "invalid_request", "The body is not a JSON object.")
    return JsonBody(value, len(raw))


async def receive_body(
    request: Request, *, attached_in: Collection[str] = (), has_history: bool = False
) -> bytes:
    """The bytes of a JSON body, within the bounds that `read_body` describes.

    Raises:
        Problem: It is not JSON, as its header says (415).
    """
    if not is_json(request.headers.get("content-type", "")):
        raise Problem(
            415,
            "unsupported_media_type",
            "Send JSON, with the header Content-Type: application/json.",
        )
    if attached_in:
        get_intake(request.scope).expect_attachments(attached_in, has_history=has_history)
    return await request.body()


def check_body(
    body: JsonBody, attachments: Iterable[Attachment], application: ServedApplication
) -> None:
    """Refuse a body that is too large, apart from what it attaches.

    Raises:
        Problem: It is (413).
    """
    attached = sum(len(each.data or b"") for each in attachments)
    if attached > application.max_attachment_bytes:
        refuse_size(application.max_attachment_bytes, what="attachments")
    if body.size - attached * _BASE64_OVERHEAD > application.max_body_bytes:
        refuse_size(application.max_body_bytes)


def measure_size(value: object) -> int:
    """Return the size of a part of a body in bytes, about as it was sent."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def check_id(text: str, *, param: str) -> str:
    """An id that the client has made.

    Args:
        text: The id.
        param: Where it stands in the request.

    Raises:
        Problem: It is empty, longer than 200 characters, or has control characters (422).
    """
    if not 0 < len(text) <= _MAX_ID_CHARS or not text.isprintable():
        message = f"{param} has 1 to {_MAX_ID_CHARS} characters, none of which controls a terminal."
        raise Problem(422, "invalid_request", message, param=param)
    return text


def read_as(body: JsonBody, model: type[M]) -> M:
    """The body as a model.

    Raises:
        Problem: It does not fit (422); names the field.
    """
    try:
        return model.model_validate(body.value)
    except ValidationError as error:
        raise problem_of_fields(error) from None


def problem_of_fields(error: ValidationError) -> Problem:
    """Return the problem of the fields of a body; it says no values."""
    found = [(_join_place(each["loc"]), each["msg"]) for each in error.errors(include_url=False)]
    place, _ = found[0]
    told = "; ".join(f"{where}: {message}" for where, message in found[:_MAX_TOLD])
    return Problem(422, "invalid_request", told, param=place)


def _join_place(parts: Iterable[int | str]) -> str:
    """A place in JSON, as in `messages[0].role`."""
    place = ""
    for part in parts:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place or "the body"


class BoundedBodies:
    """Receives a body of JSON, and hands it on whole, so that one that is refused begins nothing.

    Args:
        app: What a library gives to be mounted.
        attached_in: The names of the fields that have what is attached.
        max_items: How many values a body may have, if fewer than `server.max_body_items`.
    """

    def __init__(
        self, app: ASGIApp, *, attached_in: Collection[str] = (), max_items: int | None = None
    ) -> None:
        self._app, self._attached_in, self._max_items = app, attached_in, max_items

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, of ASGI."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if self._max_items is not None:
            get_intake(scope).allow_items(self._max_items)
        try:
            body = await receive_body(Request(scope, receive), attached_in=self._attached_in)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
        except ClientDisconnect:  # it has left, or was answered that the body is too large
            return
        else:
            await self._app(scope, _Replay(body, receive), send)


class _Replay:
    """The body once, then what else the client says: that it has left."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
