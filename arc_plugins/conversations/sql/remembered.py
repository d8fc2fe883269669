"""Messages that were read before, so that what says the same is the same object."""

from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache

from arc_core import Message
from arc_plugins.conversations.sql.bodies import Body, decode, hashes_in

__all__ = ["RememberedMessages"]

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
        self._with_data: OrderedDict[Body, tuple[Message, int]] = OrderedDict()
        self._max_bytes, self._bytes = max_bytes, 0

    def get(self, body: Body) -> Message | None:
        """The message of a row; None if the bytes of its attachments are needed for it.

        Raises:
            ValueError, FormError: The body is of a form that this version does not know.
        """
        if body.attachments is None:
            return self._plain(body)
        if body not in self._with_data:
            return None
        self._with_data.move_to_end(body)
        return self._with_data[body][0]

    def put(self, body: Body, data: Mapping[str, bytes]) -> Message:
        """Remember a message with attachments.

        Args:
            body: Its row.
            data: Has the bytes of its hashes.

        Raises:
            ValueError, FormError: The body is of a form that this version does not know.
        """
        message = decode(body, data)
        size = sum(len(data[each]) for each in hashes_in(body))
        self._bytes += size - self._with_data.pop(body, (None, 0))[1]
        self._with_data[body] = message, size
        while self._bytes > self._max_bytes:
            self._bytes -= self._with_data.popitem(last=False)[1][1]
        return message
