"""Payloads as they travel: JSON, ids and names of tool calls, and token counts."""

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, NamedTuple, Self, TypeVar

import jiter
from pydantic_core import PydanticSerializationError, to_json

from arc_core.components.prefix_cache import IdentityCache, PrefixCache
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.usage import TokenUsage

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME_CHARS = 64


class CallIds:
    """Gives every call of one conversation an id of its own, and its result the same.

    Calls keep their ids, except where one is missing, repeated or not acceptable: those get ids
    made from their place, so that the same conversation is always encoded the same way. Results
    belong to the calls before them by place.

    Args:
        pattern: What an acceptable id matches as a whole; None is anything but the empty text.
    """

    def __init__(self, pattern: re.Pattern[str] | None = None) -> None:
        self._pattern = pattern
        self._given: set[str] = set()
        self._last: tuple[str, ...] = ()
        self._next_place = 0

    def of(self, message: Message) -> tuple[str, ...]:
        """The ids of the calls that the next message makes or answers; empty without any."""
        if isinstance(message, ToolResultMessage):
            if len(message.results) == len(self._last):
                return self._last
            return tuple([result.call_id for result in message.results])
        if isinstance(message, AssistantMessage) and message.tool_calls:
            self._last = tuple([self._own(call.id) for call in message.tool_calls])
            return self._last
        return ()

    def copy(self) -> Self:
        """Return these ids, to which the messages of one branch of a conversation add."""
        branch = copy(self)
        branch._given = self._given.copy()  # noqa: SLF001 -- of the same class
        return branch

    def _own(self, call_id: str) -> str:
        given, pattern = self._given, self._pattern
        is_acceptable = pattern is None or pattern.fullmatch(call_id) is not None
        if not call_id or not is_acceptable or call_id in given:
            place = max(len(given), self._next_place)
            while (call_id := f"call_{place}") in given:
                place += 1
            self._next_place = place + 1
        given.add(call_id)
        return call_id


def sendable_name(name: str) -> str:
    """A tool name in the letters and length that vendors accept; models invent others."""
    return _NOT_IN_A_NAME.sub("_", name)[:_MAX_NAME_CHARS] or "unnamed"


json_value = jiter.from_json
"""The value of JSON bytes; raises `ValueError`. The parser that the vendors' SDKs bring along."""


def json_bytes(value: object) -> bytes:
    """Compact UTF-8 JSON of what JSON can carry.

    Half a surrogate pair, which Unicode text must not have and users send nevertheless, becomes
    U+FFFD.
    """
    try:
        return to_json(value)
    except PydanticSerializationError:
        return to_json(_repair(value))


def _repair(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_repair(key): _repair(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_repair(item) for item in value]
    return value


PartT = TypeVar("PartT")
EncodedT = TypeVar("EncodedT")
ValueT = TypeVar("ValueT")


class EncodedParts(Generic[PartT]):
    """For parts that are always encoded alike: tools, schemas.

    Args:
        encode: The JSON of a part.
    """

    def __init__(self, encode: Callable[[PartT], bytes]) -> None:
        self._encode = encode
        self._kept: IdentityCache[PartT, bytes] = IdentityCache()

    def encode(self, part: PartT) -> bytes:
        """The JSON of a part."""
        encoded = self._kept.get(part)
        if encoded is None:
            encoded = self._encode(part)
            self._kept.put(part, encoded)
        return encoded


def defer_loading(encoded: bytes, tool: Tool, *, choice: str) -> bytes:
    """The definition of a tool for a vendor that searches tools itself, by a field of its JSON.

    One that is always offered, or demanded by the choice of a tool, stays as it is.
    """
    if getattr(tool, "always_offered", False) is True or tool.name == choice:
        return encoded
    return encoded[:-1] + b',"defer_loading":true}'


class _Encoded(NamedTuple, Generic[EncodedT]):
    """The beginning of a conversation.

    Attributes:
        ids: As they stand behind its last message.
        messages: What has become of each.
    """

    ids: CallIds
    messages: list[EncodedT]


class SentMessages(Generic[ValueT]):
    """Values of the messages of requests, of which only what is new is looked at.

    A long run has a thousand messages, and asks for them at each turn. The question at the end
    comes back from a session as another object, so a beginning ends before it. A session goes on
    with what was there before the calls of a run, so that is kept beside what the run has made.
    """

    def __init__(self) -> None:
        self._begun: PrefixCache[Message, ValueT] = PrefixCache()

    def get(
        self,
        messages: tuple[Message, ...],
        extend: Callable[[ValueT | None, tuple[Message, ...], int], ValueT],
    ) -> tuple[ValueT, tuple[Message, ...]]:
        """Return the value of all messages but a question at the end, and that.

        Args:
            messages: Of a request.
            extend: See `PrefixCache.get`.
        """
        ends_with_question = bool(messages) and isinstance(messages[-1], UserMessage)
        settled = messages[:-1] if ends_with_question else messages
        is_branch = bool(settled) and isinstance(settled[-1], ToolResultMessage)
        value = self._begun.get(settled, extend, is_branch=is_branch)
        return value, messages[len(settled) :]


class EncodedMessages(Generic[EncodedT]):
    """For messages, in which the ids of calls depend on the messages before them.

    Args:
        encode: What becomes of a message, given the ids of its calls or results by place.
    """

    def __init__(self, encode: Callable[[Message, tuple[str, ...]], EncodedT]) -> None:
        self._encode = encode
        self._kept: IdentityCache[Message, tuple[tuple[str, ...], EncodedT]] = IdentityCache()
        self._sent: SentMessages[_Encoded[EncodedT]] = SentMessages()

    def encode(self, messages: Iterable[Message], ids: CallIds) -> list[EncodedT]:
        """Encode the messages of one conversation, in their order.

        Args:
            messages: From the first on.
            ids: New ones, of the same pattern for all conversations.
        """

        def extend(
            begun: _Encoded[EncodedT] | None, new: tuple[Message, ...], _: int
        ) -> _Encoded[EncodedT]:
            own = ids if begun is None else begun.ids.copy()
            encoded = self._encode_all(new, own)
            return _Encoded(own, encoded if begun is None else begun.messages + encoded)

        begun, question = self._sent.get(tuple(messages), extend)
        return begun.messages + self._encode_all(question, begun.ids)

    def _encode_all(self, messages: Iterable[Message], ids: CallIds) -> list[EncodedT]:
        encoded = []
        find, take_ids = self._kept.get, ids.of
        for message in messages:
            kept = find(message)
            if kept is None or kept[0]:
                call_ids = take_ids(message)
                if kept is None or kept[0] != call_ids:
                    kept = call_ids, self._encode(message, call_ids)
                    self._kept.put(message, kept)
            encoded.append(kept[1])
        return encoded


def json_object(fields: Mapping[str, bytes]) -> bytes:
    """The JSON object of fields that are JSON already; those that are empty are left out."""
    pairs = [b'"%s":%s' % (name.encode(), value) for name, value in fields.items() if value]
    return b"{%s}" % b",".join(pairs)


def json_array(items: Iterable[bytes]) -> bytes:
    """The JSON array of items that are JSON already; those that are empty are left out."""
    return b"[%s]" % b",".join([item for item in items if item])


def join_system(request: ChatRequest) -> str:
    """The system prompt and the system messages, for a vendor that has one place for them."""
    own = (each.content for each in request.messages if isinstance(each, SystemMessage))
    return "\n\n".join(part for part in (request.system_prompt, *own) if part and part.strip())


def read_arguments(arguments: str) -> dict[str, Any]:
    """The arguments of a call, for a vendor that takes objects only.

    The model is to see what it has written: anything else is the value of `INVALID_JSON`.
    """
    try:
        value = json_value(arguments.strip().encode() or b"{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"INVALID_JSON": arguments}


def join_turns(
    messages: Iterable[tuple[bytes, bytes]], form: bytes, *, opening: tuple[bytes, bytes]
) -> bytes:
    """The JSON array of turns, for a vendor whose roles alternate.

    Args:
        messages: The role and the parts of each, JSON joined by commas; empty ones are left out.
        form: Of a turn, with a place for its role, and one for its parts.
        opening: The turn before all others, if they begin with another role.
    """
    said = (each for each in messages if each[1])
    turns = [
        (role, b",".join([parts for _, parts in group]))
        for role, group in groupby(said, itemgetter(0))
    ]
    if turns and turns[0][0] != opening[0]:
        turns.insert(0, opening)
    return json_array(form % turn for turn in turns)


def token_usage(
    prompt_tokens: Iterable[object],
    completion_tokens: object,
    *,
    cached_tokens: object = None,
    cache_write_tokens: object = None,
    reasoning_tokens: object = None,
) -> TokenUsage | None:
    """The usage that counts make.

    None if one of the first two is not a count: the answer is good anyway. The others are parts of
    these, and 0 if they are not counts or there is less of the whole.

    Args:
        prompt_tokens: Added up; None is 0. Cached and written ones are among them.
        completion_tokens: None is 0. Those of reasoning are among them.
        cached_tokens: Read from the vendor's cache.
        cache_write_tokens: Written into the vendor's cache.
        reasoning_tokens: What the model thought with.
    """
    counts = [0 if count is None else count for count in (*prompt_tokens, completion_tokens)]
    numbers = [count for count in counts if type(count) is int and count >= 0]
    if len(numbers) < len(counts):
        return None
    *parts, completion = numbers
    prompt = sum(parts)
    cached = _part(cached_tokens, prompt)
    return TokenUsage(
        prompt,
        completion,
        cached,
        _part(cache_write_tokens, prompt - cached),
        _part(reasoning_tokens, completion),
    )


def _part(count: object, whole: int) -> int:
    return count if type(count) is int and 0 <= count <= whole else 0
