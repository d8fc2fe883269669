"""A request as surfaces read it: its caller, and its body, bounded, JSON, and of the right shape.

The server makes a `BodyIntake` for each request, which counts the body while it is received, for
every reader.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arc_core.interfaces.serving.served_application import ServedApplication
from arc_core.messages.content import Attachment
from arc_core.runs.callers import Caller
from arc_core.serving.problems import Problem
from arc_core.serving.responses import problem_response

M = TypeVar("M", bound=BaseModel)

CALLER = "arc.caller"
"""The key of the ASGI scope under which the server puts the caller."""
BODY = "arc.body"
"""The key of the ASGI scope under which the server puts the intake of the body."""

_MAX_TOLD = 20
_MAX_ID_CHARS = 200
_BASE64_OVERHEAD = 4 / 3
_MAX_DEPTH = 100
_PIECE_BYTES = 65_536
_NAME_BYTES = 64
_MAX_QUOTES_PER_ITEM = 4
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_TIMES_WITH_HISTORY = 4
"""The factor by which a body with a conversation may be larger; parsing stays quick."""


def caller_of(request: HTTPConnection) -> Caller:
    """The caller of a request, also of one below a mounted application."""
    caller: Caller = request.scope[CALLER]
    return caller


def has_caller(request: HTTPConnection) -> bool:
    """Return whether the caller is known; on a public path it may not be."""
    return CALLER in request.scope


class JsonShape:
    """The number and the nesting of the values in a JSON text, and the size of what it attaches.

    A text that is not JSON is counted as if it were: the parser stops where it is not.
    """

    def __init__(self, *, max_items: int) -> None:
        self.max_items, self._items, self._depth = max_items, 0, 0
        self.attached_in: Collection[bytes] = ()
        self.attached_bytes = self.escapes = self._quotes = 0
        self._is_in_text, self._escape = False, b""
        self._before, self._open = [b"", b""], b""

    def read(self, chunk: bytes) -> None:
        """Count what has come."""
        for start in range(0, len(chunk), _PIECE_BYTES):
            self._read_piece(chunk[start : start + _PIECE_BYTES])

    def _read_piece(self, piece: bytes) -> None:
        text, carried = self._escape + piece, len(self._escape)
        self._escape = b""
        if escapes := text.count(
            b"\\"
        ):  # escapes go, but not their length, so that each quote bounds a text
            self.escapes += escapes - carried
            text = text.replace(b"\\\\", b"__")
            if text.endswith(b"\\"):
                text, self._escape = text[:-1], b"\\"
            text = text.replace(b'\\"', b"__")
        parts = text.split(b'"')
        self._quotes += len(parts) - 1
        self._count(b"".join(parts[self._is_in_text :: 2]))
        if self.attached_in:
            self._count_attached(parts)
        self._is_in_text ^= len(parts) % 2 == 0

    def _count(self, outside: bytes) -> None:
        """Count the values of a piece whose texts were taken out."""
        begun = outside.count(b"{") + outside.count(b"[")
        if self._depth + begun > _MAX_DEPTH:  # it may be: they are counted one by one
            for bracket in outside.translate(None, _NO_BRACKETS):
                self._depth += 1 if bracket in b"[{" else -1
                if self._depth > _MAX_DEPTH:
                    message = f"The body is not JSON of {_MAX_DEPTH} levels at most."
                    raise Problem(400, "invalid_json", message)
        else:
            self._depth += begun - outside.count(b"}") - outside.count(b"]")
        self._items += begun + outside.count(b",")
        if max(self._items, self._quotes // _MAX_QUOTES_PER_ITEM - 1) > self.max_items:
            message = f"The body may have {self.max_items} values at most; send less."
            raise Problem(413, "too_large", message)

    def _count_attached(self, parts: Sequence[bytes]) -> None:
        """Count the texts of the fields that are attached; the first part goes on with an open one.

        Two parts before a text stands the name of its field. Short ones count as not attached.
        """
        seen = [*self._before, self._open + parts[0], *parts[1:]]
        for place, part in enumerate(seen):
            is_long_text = len(part) > _NAME_BYTES and (place % 2 == 0) is self._is_in_text
            if not is_long_text or place < len(self._before) or seen[place - 1].strip() != b":":
                continue
            if seen[place - 2] in self.attached_in:
                self.attached_bytes += len(part) - (len(self._open) if place == 2 else 0)
        self._before, self._open = seen[-3:-1], seen[-1][: _NAME_BYTES + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """The limits of a body: in bytes, without attachments and of them, and in values of JSON."""

    max_bytes: int
    max_attached_bytes: int
    max_items: int


class BodyIntake:
    """Counts a body while it is received."""

    def __init__(self, limits: BodyLimits, *, headers: Headers) -> None:
        self._limits, self.received = limits, 0
        self._max_bytes = self._max_unattached = limits.max_bytes
        is_counted = is_json(headers.get("content-type", ""))
        self._shape = JsonShape(max_items=limits.max_items) if is_counted else None
        size = headers.get("content-length", "")
        self._announced = int(size) if size.isdecimal() else 0

    def expect_attachments(self, fields: Collection[str], *, has_history: bool) -> None:
        """Let the body be as large as one with attachments; called before it is read."""
        self._max_unattached *= _TIMES_WITH_HISTORY if has_history else 1
        self._max_bytes = self._max_unattached + self._limits.max_attached_bytes
        if self._shape is not None:
            self._shape.attached_in = frozenset(each.encode() for each in fields)

    def allow_items(self, count: int) -> None:
        """Let the body have no more values than this, where they take long to read."""
        if self._shape is not None:
            self._shape.max_items = min(self._shape.max_items, count)

    def check_size(self) -> None:
        """Refuse a body of which more is announced, or has come, than it may have."""
        if max(self._announced, self.received) > self._max_bytes:
            refuse_size(self._max_bytes)

    def take(self, chunk: bytes) -> None:
        """Count what has come."""
        self.received += len(chunk)
        self.check_size()
        if self._shape is not None:
            self._shape.read(chunk)
            unattached = self.received - self._shape.attached_bytes
            if max(unattached, self._shape.escapes) > self._max_unattached:
                refuse_size(self._max_unattached)


def is_json(media_type: str) -> bool:
    """Return whether a header says that a body is JSON."""
    name = media_type.partition(";")[0].strip().lower()
    return name == "application/json" or name.endswith("+json")


def refuse_size(limit: int, *, what: str = "body") -> NoReturn:
    """Raise the `Problem` of what is too large (413)."""
    message = f"The {what} may have {limit} bytes at most; send less."
    raise Problem(413, "too_large", message)


def _get_intake(scope: Scope) -> BodyIntake:
    intake: BodyIntake = scope[BODY]
    return intake


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
        _get_intake(request.scope).expect_attachments(attached_in, has_history=has_history)
    return await request.body()


def check_body(
    body: JsonBody | Mapping[str, Any],
    attachments: Iterable[Attachment],
    application: ServedApplication,
) -> None:
    """Refuse a body, or what is read of one, that is too large, apart from what it attaches.

    Raises:
        Problem: It is (413).
    """
    attached = sum(len(each.data or b"") for each in attachments)
    if attached > application.max_attachment_bytes:
        refuse_size(application.max_attachment_bytes, what="attachments")
    if isinstance(body, JsonBody):
        size = body.size
    else:  # about as it was sent
        size = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size - attached * _BASE64_OVERHEAD > application.max_body_bytes:
        refuse_size(application.max_body_bytes)


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


def read_as(body: object, model: type[M], *, param: str = "") -> M:
    """The body, or a part of it, as a model.

    Args:
        body: A `JsonBody`, or the value of a part.
        model: Its form.
        param: Where the part stands in the body.

    Raises:
        Problem: It does not fit (422); names the field.
    """
    try:
        return model.model_validate(body.value if isinstance(body, JsonBody) else body)
    except ValidationError as error:
        raise problem_of_fields(error, param=param) from None


def problem_of_fields(error: ValidationError, *, param: str = "") -> Problem:
    """Return the problem of the fields of a body, or of its part at `param`; it says no values."""
    told: list[str] = []
    first = ""
    for each in error.errors(include_url=False)[:_MAX_TOLD]:
        place = param  # in JSON, as in `messages[0].role`
        for part in each["loc"]:
            place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
        place = place or "the body"
        first = first or place
        told.append(f"{place}: {each['msg']}")
    return Problem(422, "invalid_request", "; ".join(told), param=first)


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
            _get_intake(scope).allow_items(self._max_items)
        try:
            body = await receive_body(Request(scope, receive), attached_in=self._attached_in)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
        except ClientDisconnect:  # it has left, or was answered that the body is too large
            return
        else:
            whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
            del body  # it is let go of when it has been received

            async def replay() -> Message:  # then what else the client says: that it has left
                return whole.pop() if whole else await receive()

            await self._app(scope, replay, send)
