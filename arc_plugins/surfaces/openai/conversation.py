"""The messages of a request, as a command has them: a prompt, and what was said before.

What is attached comes as base64, in a `data:` URL or by itself, or as an address, which is handed
to the vendor and never fetched here.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import unquote

from pydantic import BeforeValidator, Field

from arc_core import (
    AssistantMessage,
    Attachment,
    AttachmentError,
    Content,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
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


class Conversation:
    """Collects messages in their order; the last one, of the user, is the prompt."""

    def __init__(self) -> None:
        self._instructions: list[str] = []
        self._messages: list[Message] = []
        self._unanswered: dict[str, str] = {}

    def add(self, role: str, content: Parts, place: str, *, calls: Sequence[ToolCall] = ()) -> None:
        """Add a message of a client."""
        where = f"{place}.content"
        match role:
            case "user":
                self.ask(read_content(content, where), place)
            case "assistant":
                self.answer(text_of_parts(content, where), calls, place)
            case _:
                self.instruct(text_of_parts(content, where))

    def instruct(self, text: str) -> None:
        """Add to the system prompt."""
        if text:
            self._instructions.append(text)

    def ask(self, content: Content, place: str) -> None:
        """Add what the user said."""
        self._check_answered(place)
        self._messages.append(UserMessage(content))

    def answer(self, text: str, calls: Sequence[ToolCall], place: str) -> None:
        """Add what the model said, and the calls that it asked for."""
        last = self._messages[-1] if self._messages else None
        if not text and isinstance(last, AssistantMessage):  # Responses has an item for each call
            self._messages[-1] = AssistantMessage(last.content, (*last.tool_calls, *calls))
        else:
            self._check_answered(place)
            self._messages.append(AssistantMessage(text, tuple(calls)))
        self._unanswered |= {call.id: call.name for call in calls}

    def report(self, call_id: str, content: Content, place: str) -> None:
        """Add what a call gave."""
        name = self._unanswered.pop(call_id, None)
        if name is None:
            message = f"{place} is the result of a call that does not stand before it."
            raise Problem(422, "invalid_request", message, param=place)
        result, last = ToolResult(call_id, name, content), self._messages[-1]
        if isinstance(last, ToolResultMessage):
            self._messages[-1] = ToolResultMessage((*last.results, result))
        else:
            self._messages.append(ToolResultMessage((result,)))

    @property
    def has_history(self) -> bool:
        """Return whether there are messages before the prompt."""
        return len(self._messages) > 1

    def as_fields(self, place: str) -> dict[str, Any]:
        """The fields of a command."""
        last = self._messages[-1] if self._messages else None
        if not isinstance(last, UserMessage):
            message = f"The last of {place} is not a message of the user; send what is asked."
            raise Problem(422, "invalid_request", message, param=place)
        parts = (Text(last.content),) if isinstance(last.content, str) else last.content
        attachments = tuple(part for part in parts if isinstance(part, Attachment))
        prompt = "\n".join(part.text for part in parts if isinstance(part, Text))
        if not prompt.strip() and not attachments:
            message = f"The last of {place} is empty; send what is asked."
            raise Problem(422, "invalid_request", message, param=place)
        return {
            "user_prompt": prompt,
            "attachments": attachments,
            "system_prompt": "\n\n".join(self._instructions) or None,
            "conversation_history": tuple(self._messages[:-1]),
        }

    def _check_answered(self, place: str) -> None:
        if self._unanswered:
            name = next(iter(self._unanswered.values()))
            message = f"A call of {name!r} before {place} has no result; send it, too."
            raise Problem(422, "invalid_request", message, param=place)
