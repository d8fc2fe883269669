"""Attachments of requests: bytes in base64, data: URLs, and addresses."""

import base64
import binascii
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote_to_bytes

from arc_core.messages.content import Attachment, AttachmentError
from arc_core.serving.problems import Problem

_DATA = "data:"
_BASE64 = ";base64"


def attached_base64(
    text: str, *, media_type: str | None, name: str | None = None, param: str
) -> Attachment:
    """Attach bytes in base64.

    Args:
        text: The base64.
        media_type: None takes what the bytes tell.
        name: Of the file.
        param: Where it stands in the request.

    Raises:
        Problem: It is not base64, or cannot be attached (422).
    """
    data = decode_base64(text, param=param)
    with _refusing(param):
        return Attachment.from_bytes(data, media_type=media_type, name=name)


def attached_address(
    url: str, *, media_type: str | None, name: str | None = None, param: str
) -> Attachment:
    """Attach a URL: of data its bytes, else the address, which Arc never fetches.

    Args:
        url: Of data, http or https.
        media_type: None takes what the URL tells.
        name: Of the file.
        param: Where it stands in the request.

    Raises:
        Problem: It is another kind of URL, or cannot be attached (422).
    """
    if url[: len(_DATA)].lower() != _DATA:
        with _refusing(param):
            return Attachment.from_url(url, media_type=media_type, name=name)
    head, _, payload = url[len(_DATA) :].partition(",")
    kind = media_type or head.partition(";")[0] or None
    if head.lower().endswith(_BASE64):
        return attached_base64(payload, media_type=kind, name=name, param=param)
    with _refusing(param):
        return Attachment.from_bytes(unquote_to_bytes(payload), media_type=kind, name=name)


def decode_base64(text: str, *, param: str) -> bytes:
    """The bytes of base64, or a `Problem` that names where it stands in the request (422)."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Problem(422, "invalid_request", f"{param} is not base64.", param=param) from None


@contextmanager
def _refusing(param: str) -> Iterator[None]:
    try:
        yield
    except AttachmentError as error:
        raise Problem(422, "invalid_request", f"{param}: {error}.", param=param) from None
