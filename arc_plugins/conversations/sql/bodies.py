"""Messages as they stand in the database: JSON forms, their attachments' bytes taken out.

Bytes are kept once a session, by their hash. Bodies that version 0.1 wrote are read as well.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    Message,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.forms import from_json, to_json
from arc_core.messages.attachments import attachments_in, replace_attachments


@dataclass(frozen=True, slots=True)
class MessageBody:
    """The row of a message.

    Attributes:
        text: The form of the message, its attachments without bytes.
        attachments: A JSON array with a hash for each of its attachments, null for one that is an
            address; None if there are no bytes.
    """

    text: str
    attachments: str | None = None


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as its row, and the bytes of its attachments by their hashes."""

    body: MessageBody
    data: Mapping[str, bytes]


def json_text(value: object) -> str:
    """Compact JSON that every database takes, whatever characters are in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return json.dumps(value, separators=(",", ":"))
    return text


def encode(message: Message) -> StoredMessage:
    """The pieces of a message; a FormError if something in it has no form."""
    attachments = attachments_in(message)
    data = {_hash(each.data): each.data for each in attachments if each.data is not None}
    if not data:
        return StoredMessage(MessageBody(to_json(message)), {})
    hashes = [None if each.data is None else _hash(each.data) for each in attachments]
    bare = replace_attachments(message, lambda each: replace(each, data=None))
    return StoredMessage(MessageBody(to_json(bare), json_text(hashes)), data)


def hashes_in(body: MessageBody) -> set[str]:
    """The hashes of the bytes that belong to a message."""
    return {each for each in json.loads(body.attachments or "[]") if each}


def decode(body: MessageBody, data: Mapping[str, bytes]) -> Message:
    """The message of a row, with the bytes of all `hashes_in` it.

    Raises:
        ValueError, FormError: The body is of a form that this version does not know.
    """
    if body.text.startswith('{"role":'):
        return _of_first_version(json.loads(body.text))
    message: Message = from_json(body.text, Message)
    if body.attachments is None:
        return message
    hashes = iter(json.loads(body.attachments))

    def with_data(attachment: Attachment) -> Attachment:
        name = next(hashes)
        return attachment if name is None else replace(attachment, data=data[name])

    return replace_attachments(message, with_data)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _of_first_version(fields: Any) -> Message:
    match fields:
        case {"role": "user", "content": str(content)}:
            return UserMessage(content)
        case {"role": "assistant", "content": str(content)}:
            calls = tuple(ToolCall(*call) for call in fields.get("tool_calls", ()))
            return AssistantMessage(content, calls, vendor_content=fields.get("vendor_content"))
        case {"role": "tool", "results": list(results)}:
            return ToolResultMessage(tuple(map(_result_of_first_version, results)))
        case {"role": "system", "content": str(content)}:
            return SystemMessage(content)
    raise ValueError("a stored message is of a form that this version of Arc does not know")


def _result_of_first_version(fields: Sequence[str]) -> ToolResult:
    call_id, name, content, outcome = fields
    return ToolResult(call_id, name, content, ToolOutcome(outcome))


_MAX_MESSAGES = 2_000
_MAX_BYTES = 32 * 1024 * 1024


class RememberedMessages:
    """Messages by what their rows hold, the least recently read out first.

    Those with attachments are bounded by the bytes of these. A hash stands for the same bytes in
    every session, so a message of one may be given to another that holds an equal one.

    Args:
        max_bytes: Of all attachments that are remembered.
    """

    def __init__(self, *, max_bytes: int = _MAX_BYTES) -> None:
        self._plain = lru_cache(_MAX_MESSAGES)(lambda body: decode(body, {}))
        self._with_data: OrderedDict[MessageBody, tuple[Message, int]] = OrderedDict()
        self._max_bytes, self._bytes = max_bytes, 0

    def get(self, body: MessageBody) -> Message | None:
        """The message of a row; None if the bytes of its attachments are needed for it."""
        if body.attachments is None:
            return self._plain(body)
        if body not in self._with_data:
            return None
        self._with_data.move_to_end(body)
        return self._with_data[body][0]

    def put(self, body: MessageBody, data: Mapping[str, bytes]) -> Message:
        """Remember a message with attachments, and return it."""
        message = decode(body, data)
        size = sum(len(data[each]) for each in hashes_in(body))
        self._bytes += size - self._with_data.pop(body, (None, 0))[1]
        self._with_data[body] = message, size
        while self._bytes > self._max_bytes:
            self._bytes -= self._with_data.popitem(last=False)[1][1]
        return message
