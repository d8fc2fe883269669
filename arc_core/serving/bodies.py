"""The bodies of requests: bounded, JSON, and of the shape that a surface says."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from arc_core.content import Attachment
from arc_core.interfaces.served_application import ServedApplication
from arc_core.serving.problems import Problem

__all__ = [
    "Body",
    "check_body",
    "check_id",
    "max_size_of",
    "problem_of_fields",
    "read_as",
    "read_body",
    "refuse_size",
    "size_of",
]

M = TypeVar("M", bound=BaseModel)

_MAX_TOLD = 20
_MAX_ID_CHARS = 200
_BASE64_OVERHEAD = 4 / 3


@dataclass(frozen=True, slots=True)
class Body:
    """The body of a request.

    Attributes:
        value: What the JSON says; an object.
        size: In bytes.
    """

    value: dict[str, Any]
    size: int


async def read_body(request: Request, application: ServedApplication) -> Body:
    """The JSON object that a request carries.

    Raises:
        Problem: It is too large (413), not JSON (400, 415) or not an object (422).
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise Problem(
            415,
            "unsupported_media_type",
            "Send JSON, with the header Content-Type: application/json.",
        )
    limit = max_size_of(application)
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            refuse_size(limit)
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise Problem(400, "invalid_json", "The body is not JSON.") from None
    if not isinstance(value, dict):
        raise Problem(422, "invalid_request", "The body is not a JSON object.")
    return Body(value, len(raw))


def check_body(
    body: Body, attachments: Iterable[Attachment], application: ServedApplication
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


def size_of(value: object) -> int:
    """How many bytes a part of a body has, about as it was sent."""
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


def read_as(body: Body, model: type[M]) -> M:
    """The body as a model.

    Raises:
        Problem: It does not fit (422); names the field.
    """
    try:
        return model.model_validate(body.value)
    except ValidationError as error:
        raise problem_of_fields(error) from None


def problem_of_fields(error: ValidationError) -> Problem:
    """What is wrong with the fields of a body; says no values."""
    found = [(_place_of(each["loc"]), each["msg"]) for each in error.errors(include_url=False)]
    place, _ = found[0]
    told = "; ".join(f"{where}: {message}" for where, message in found[:_MAX_TOLD])
    return Problem(422, "invalid_request", told, param=place)


def _place_of(parts: Iterable[int | str]) -> str:
    """A place in JSON, as in `messages[0].role`."""
    place = ""
    for part in parts:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else part
    return place or "the body"


def max_size_of(application: ServedApplication) -> int:
    """How large a body with attachments in base 64 may be, in bytes."""
    return application.max_body_bytes + int(application.max_attachment_bytes * _BASE64_OVERHEAD)


def refuse_size(limit: int, *, what: str = "body") -> NoReturn:
    """Say that something is too large.

    Raises:
        Problem: Always (413).
    """
    message = f"The {what} may have {limit} bytes at most; send less."
    raise Problem(413, "too_large", message)
