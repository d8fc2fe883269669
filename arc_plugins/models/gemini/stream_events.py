"""From the events of a streamed answer to deltas."""

from collections.abc import Mapping
from typing import Any

from arc_core import ChatDelta, ToolCallDelta
from arc_core.wire import ServerSentEvent, json_value
from arc_core.wire.http_chat_model import PayloadError, unwrap
from arc_core.wire.model_stream import unless_empty
from arc_plugins.models.gemini.decode import (
    AnswerParts,
    find_candidate,
    list_parts,
    read_finish_reason,
    read_usage,
)


class GenerateContentDecoder:
    """Decodes one stream.

    It has no terminator: its end is a finish reason, behind which more may come, an error too.
    """

    def __init__(self) -> None:
        self.is_complete = self.is_ended = False
        self._parts = AnswerParts()
        self._counts: dict[str, Any] = {}

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Return the delta that an event adds to the answer."""
        payload = json_value(event[1])
        if type(payload) is not dict:
            payload = unwrap(payload)
        counts = payload.get("usageMetadata")
        if counts:
            self._counts |= counts
        text = None if self.is_complete else _only_text(payload)
        if text:
            self._parts.add_text(text)
            return ChatDelta(text)
        return self._decode_all(payload)

    def _decode_all(self, payload: Mapping[str, Any]) -> ChatDelta | None:
        error = payload.get("error")
        if error:
            self.is_complete = False
            raise PayloadError(error)
        candidate, parts = find_candidate(payload), self._parts
        added = parts.add(list_parts(candidate))
        if candidate.get("finishReason") is not None:
            added.calls += parts.end()
        reason = read_finish_reason(payload, candidate, parts)
        self.is_complete = is_complete = self.is_complete or reason is not None
        content = parts.content if is_complete else ""
        delta = ChatDelta(
            added.text or None,
            tuple(
                ToolCallDelta(place, call.id or None, call.name, call.arguments)
                for place, call in added.calls
            ),
            read_usage(self._counts) if is_complete else None,
            reason,
            parts.vendor_content() if is_complete else None,
            added.thought or None,
            content=() if isinstance(content, str) else content,
        )
        return unless_empty(delta)


def _only_text(payload: Mapping[str, Any]) -> str | None:
    """The text of a chunk that has nothing else to say, as nearly all of them; else None."""
    candidates = payload.get("candidates")
    if not candidates or len(candidates) > 1:
        return None
    candidate = candidates[0]
    if "finishReason" in candidate or candidate.get("index"):
        return None
    content = candidate.get("content")
    parts = content.get("parts") if content else None
    if not parts or len(parts) > 1 or len(parts[0]) > 1:
        return None
    text = parts[0].get("text")
    return text if type(text) is str else None
