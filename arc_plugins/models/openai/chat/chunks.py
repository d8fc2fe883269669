"""From the chunks of a streamed chat completion to deltas."""

from collections.abc import Mapping
from typing import Any

from arc_core import ChatDelta
from arc_core.wire import ServerSentEvent, json_value
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.chat.decode import (
    REASONING_FIELDS,
    finish_reason_of,
    first_choice,
    reasoning_of,
    text_of,
    usage_of,
    vendor_content_of,
)
from arc_plugins.models.openai.chat.returned_fields import (
    MESSAGE_FIELDS,
    StreamedFields,
    returned_fields,
)
from arc_plugins.models.openai.chat.tool_call_places import ToolCallPlaces
from arc_plugins.models.openai.google_errors import unwrap

__all__ = ["ChunkDecoder"]

_TERMINATOR = b"[DONE]"
_BESIDE_TEXT = ("tool_calls", *REASONING_FIELDS, *MESSAGE_FIELDS)


class ChunkDecoder:
    """Decodes one stream.

    Attributes:
        is_complete: A finish reason or the terminator was seen.
        is_ended: The terminator was seen.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self.is_ended = False
        self._places = ToolCallPlaces()
        self._reasoning_field: str | None = None
        self._returned = StreamedFields()
        self._refused = False

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """What a chunk adds to the answer.

        Raises:
            ModelError: The chunk is an error.
            Exception: It is not a chunk.
        """
        if self.is_ended:
            return None
        name, data = event
        try:
            chunk = json_value(data)
        except ValueError:
            if data.startswith(_TERMINATOR):
                return self._end()
            raise
        if type(chunk) is list:
            chunk = unwrap(chunk)
        text = _only_text(chunk)
        if text:
            return ChatDelta(text)
        if name == b"error":
            raise PayloadError(chunk.get("error") or chunk)
        return self._decode_all(chunk)

    def _decode_all(self, chunk: Mapping[str, Any]) -> ChatDelta | None:
        choice = first_choice(chunk)
        error = chunk.get("error") or choice.get("error")
        if error:
            raise PayloadError(error)
        message = choice.get("delta", choice.get("message")) or {}
        self._refused = self._refused or bool(message.get("refusal"))
        field, thought = reasoning_of(message)
        self._reasoning_field = self._reasoning_field or field
        self._returned.add(returned_fields(message, MESSAGE_FIELDS))
        delta = ChatDelta(
            text_of(message.get("content")) or None,
            self._places.place(message.get("tool_calls") or ()),
            usage_of(chunk),
            vendor_content=self._vendor_content() if message and self.is_complete else None,
            reasoning=thought or None,
        )
        reason = choice.get("finish_reason")
        return self._finish(delta, reason) if reason else _unless_empty(delta)

    def _finish(self, delta: ChatDelta, reason: str) -> ChatDelta:
        self.is_complete = True
        return ChatDelta(
            delta.text,
            delta.tool_calls,
            delta.usage,
            finish_reason_of(reason, refused=self._refused),
            self._vendor_content(),
            delta.reasoning,
        )

    def _end(self) -> ChatDelta | None:
        reported, self.is_complete, self.is_ended = self.is_complete, True, True
        if reported:
            return None
        reason = finish_reason_of(None, refused=self._refused)
        delta = ChatDelta(finish_reason=reason, vendor_content=self._vendor_content())
        return _unless_empty(delta)

    def _vendor_content(self) -> dict[str, Any] | None:
        message, calls = self._returned.build(), self._places.returned_fields()
        return vendor_content_of(self._reasoning_field, message=message, calls=calls)


def _only_text(chunk: Mapping[str, Any]) -> str | None:
    """The text of a chunk that has nothing else to say, as nearly all of them; else None."""
    choices = chunk.get("choices")
    if not choices or chunk.get("usage"):
        return None
    choice = choices[0]
    if choice.get("index") or choice.get("finish_reason") is not None:
        return None
    delta = choice.get("delta")
    if not delta or (len(delta) > 1 and any(map(delta.get, _BESIDE_TEXT))):
        return None
    text = delta.get("content")
    return text if isinstance(text, str) else None


def _unless_empty(delta: ChatDelta) -> ChatDelta | None:
    return None if delta == ChatDelta() else delta
