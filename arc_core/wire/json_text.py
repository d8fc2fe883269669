"""JSON as it travels."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

import jiter
from pydantic_core import PydanticSerializationError, to_json

from arc_core.components.identity_cache import IdentityCache
from arc_core.messages import Message
from arc_core.wire.call_ids import CallIds

__all__ = ["EncodedMessages", "EncodedParts", "json_bytes", "json_object", "json_value"]


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


class EncodedMessages(Generic[EncodedT]):
    """For messages, in which the ids of calls depend on the messages before them.

    Args:
        encode: What becomes of a message, given the ids of its calls or results by place.
    """

    def __init__(self, encode: Callable[[Message, tuple[str, ...]], EncodedT]) -> None:
        self._encode = encode
        self._kept: IdentityCache[Message, tuple[tuple[str, ...], EncodedT]] = IdentityCache()

    def encode(self, messages: Iterable[Message], ids: CallIds) -> list[EncodedT]:
        """Encode the messages of one conversation, in their order.

        Args:
            messages: From the first on.
            ids: New ones.
        """
        encoded = []
        for message in messages:
            kept = self._kept.get(message)
            if kept is None or kept[0]:
                call_ids = ids.of(message)
                if kept is None or kept[0] != call_ids:
                    kept = call_ids, self._encode(message, call_ids)
                    self._kept.put(message, kept)
            encoded.append(kept[1])
        return encoded


def json_object(fields: Mapping[str, bytes]) -> bytes:
    """The JSON object of fields whose values are JSON already."""
    pairs = [b'"%s":%s' % (name.encode(), value) for name, value in fields.items()]
    return b"{%s}" % b",".join(pairs)
