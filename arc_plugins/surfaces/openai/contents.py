"""The content of messages: texts, images, files and sounds.

What is attached comes as base64, in a `data:` URL or by itself, or as an address, which is handed
to the vendor and never fetched here.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import unquote

from pydantic import BeforeValidator, Field

from arc_core import Attachment, AttachmentError, Content, Part, Text
from arc_core.serving import Problem, StrictFields, decode_base64

T = TypeVar("T")

ATTACHED_IN = ("data", "file_data", "file_url", "image_url", "url")
"""The fields that have what is attached."""

_SOUNDS = {"wav": "audio/wav", "mp3": "audio/mpeg"}
_IMAGE, _DOCUMENT = "image/jpeg", "application/pdf"
_NO_FILES = "Files are not kept here, so that a file has no id; send its bytes or its address."
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})


class _ImageAddress(StrictFields):
    url: str
    detail: Any = None


class _FileData(StrictFields):
    file_data: str | None = None
    file_id: str | None = None
    filename: str | None = None


class _Sound(StrictFields):
    data: str
    format: Literal["wav", "mp3"]


class ContentPart(StrictFields):
    """A piece of a message, in the form of either API."""

    type: Literal[
        "text",
        "refusal",
        "image_url",
        "file",
        "input_audio",
        "input_text",
        "output_text",
        "input_image",
        "input_file",
    ]
    text: str | None = None
    refusal: str | None = None
    image_url: Annotated[
        _ImageAddress | None,
        BeforeValidator(lambda said: {"url": said} if isinstance(said, str) else said),
    ] = None
    file: _FileData | None = None
    input_audio: _Sound | None = None
    file_data: str | None = None
    file_id: str | None = None
    file_url: str | None = None
    filename: str | None = None
    detail: Any = None
    annotations: Any = None
    logprobs: Any = None
    prompt_cache_breakpoint: Any = None


Parts = Annotated[
    tuple[ContentPart, ...],
    Field(fail_fast=True),
    BeforeValidator(
        lambda said: [{"type": "text", "text": said}] if isinstance(said, str) else said or []
    ),
]
"""The content of a message; a text is one part."""


def read_content(parts: Sequence[ContentPart], place: str) -> Content:
    """Return the content of a message; a plain text if nothing is attached."""
    found = [_read(part, f"{place}[{index}]") for index, part in enumerate(parts)]
    if all(isinstance(each, Text) for each in found):
        return "\n".join(each.text for each in found if isinstance(each, Text))
    return tuple(found)


def text_of_parts(parts: Sequence[ContentPart], place: str) -> str:
    """Return the text of a message that can have texts only."""
    content = read_content(parts, place)
    if not isinstance(content, str):
        raise Problem(422, "invalid_request", f"{place} may have texts only.", param=place)
    return content


def _read(part: ContentPart, place: str) -> Part:
    if part.type in _TEXTS:
        text = part.refusal if part.type == "refusal" else part.text
        return Text(_require(text, f"{place}.{'refusal' if part.type == 'refusal' else 'text'}"))
    try:
        return _attach(part, place)
    except AttachmentError as error:
        message = f"{place} cannot be attached: {error.problem}."
        raise Problem(422, "invalid_request", message, param=place) from None


def _attach(part: ContentPart, place: str) -> Attachment:
    if part.type == "input_audio":
        sound = _require(part.input_audio, f"{place}.input_audio")
        data = decode_base64(sound.data, param=f"{place}.input_audio.data")
        return Attachment.from_bytes(data, media_type=_SOUNDS[sound.format])
    if part.file_id is not None or (part.file is not None and part.file.file_id is not None):
        raise Problem(422, "unsupported_parameter", _NO_FILES, param=f"{place}.file_id")
    if part.type in {"image_url", "input_image"}:
        address = _require(part.image_url, f"{place}.image_url").url
        return _attach_address(address, f"{place}.image_url", fallback=_IMAGE)
    if part.type == "input_file" and part.file_url is not None:
        return _attach_address(part.file_url, f"{place}.file_url", fallback=_DOCUMENT)
    file: ContentPart | _FileData = part
    where = f"{place}.file_data"
    if part.type == "file":
        file, where = _require(part.file, f"{place}.file"), f"{place}.file.file_data"
    return _attach_data(_require(file.file_data, where), where, name=file.filename)


def _attach_address(url: str, place: str, *, fallback: str) -> Attachment:
    if url[:5].lower() == "data:":
        return _attach_data(url, place)
    try:
        return Attachment.from_url(url)
    except AttachmentError:  # the address need not tell: the vendor sees what it fetches
        return Attachment.from_url(url, media_type=fallback)


def _attach_data(encoded: str, place: str, *, name: str | None = None) -> Attachment:
    """Bytes in base64, by themselves or in a `data:` URL."""
    media_type = ""
    if encoded[:5].lower() == "data:":
        head, comma, encoded = encoded[5:].partition(",")
        media_type, *parameters = head.split(";")
        if not comma or "base64" not in (each.strip().lower() for each in parameters):
            message = f"{place} is not a data: URL with base64, as data:image/png;base64,iVBO…"
            raise Problem(422, "invalid_request", message, param=place)
        encoded = unquote(encoded)
    data = decode_base64(encoded, param=place)
    return Attachment.from_bytes(data, media_type=media_type.strip() or None, name=name)


def _require(value: T | None, place: str) -> T:
    if value is None:
        raise Problem(422, "invalid_request", f"{place} is missing.", param=place)
    return value
