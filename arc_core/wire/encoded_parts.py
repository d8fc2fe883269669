"""Keeps what messages, tools and schemas were encoded to, as long as they live.

So the cost of a turn grows with what is new, not with the conversation.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

from arc_core.components.identity_cache import IdentityCache
from arc_core.messages import Message
from arc_core.wire.call_ids import CallIds

__all__ = ["EncodedMessages", "EncodedParts", "json_object"]

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
        """What becomes of the messages of one conversation, in their order.

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
