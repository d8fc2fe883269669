"""Server-sent events, from bytes as they come off a socket.

Every vendor streams its answer in this form. The decoder is told the bytes in any pieces and gives
the events they complete, the same for every way of cutting.
"""

from arc_core.errors import InvalidResponseError

MAX_EVENT_BYTES = 8 * 1024 * 1024
"""Far above any event of an honest vendor, far below what hurts."""

ServerSentEvent = tuple[bytes, bytes]
"""An event's name, empty if it has none, and its data; lines of data are joined by LF."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventStreamDecoder:
    """Decodes one stream, incrementally and in time linear in its bytes.

    Lines end in LF, CRLF or CR. Comments and the fields `id` and `retry` are left out, as are
    events without data. JSON that tells of an error where an event should be is one, without a
    name: some servers write it into a stream that they have begun.
    """

    __slots__ = ("_after_cr", "_held", "_held_bytes", "_max_event_bytes", "_newline")

    def __init__(self, *, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._held: list[bytes] = []  # the unfinished event
        self._held_bytes = 0
        self._newline = b""  # an LF after it, which the next piece may make a blank line
        self._after_cr = False

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """The events that `piece` completes, in order.

        Raises:
            InvalidResponseError: An event, finished or not, exceeds the bound.
        """
        if self._after_cr or b"\r" in piece:
            piece = self._with_lf(piece)
        text = self._newline + piece
        end = text.rfind(b"\n\n")
        if end < 0:
            self._hold(text)
            return []
        blocks = self._release(text[:end])
        self._hold(text[end + 2 :])
        self._check_size(blocks)
        return _read_events(blocks)

    def close(self) -> list[ServerSentEvent]:
        """The events that the end completes: vendors leave out the last blank line."""
        return _read_events(self._release(b""))

    def _with_lf(self, piece: bytes) -> bytes:
        if not piece:
            return piece
        ends_crlf = self._after_cr and piece.startswith(b"\n")
        self._after_cr = piece.endswith(b"\r")
        lines = piece[1:] if ends_crlf else piece
        return lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _hold(self, rest: bytes) -> None:
        self._newline = b"\n" if rest.endswith(b"\n") else b""
        self._held.append(rest.removesuffix(b"\n"))
        self._held_bytes += len(rest)
        if self._held_bytes > self._max_event_bytes:
            raise _too_large_error(self._held_bytes, self._max_event_bytes)

    def _release(self, last: bytes) -> bytes:
        held = b"".join([*self._held, last])
        self._held.clear()
        self._held_bytes = 0
        return held

    def _check_size(self, blocks: bytes) -> None:
        if len(blocks) > self._max_event_bytes:
            largest = max(map(len, blocks.split(b"\n\n")))
            if largest > self._max_event_bytes:
                raise _too_large_error(largest, self._max_event_bytes)


def _too_large_error(size: int, limit: int) -> InvalidResponseError:
    return InvalidResponseError(
        f"the server sent an event of {size} bytes or more; {limit} are allowed"
    )


def _read_events(blocks: bytes) -> list[ServerSentEvent]:
    """The events of whole blocks; the two forms that vendors send are parted all at once."""
    if blocks.startswith(b"data: "):
        payloads = blocks[6:].split(b"\n\ndata: ")
        events = [(b"", data) for data in payloads if b"\n" not in data]
        if len(events) == len(payloads):
            return events
    elif blocks.startswith(b"event: "):
        parted = [block.partition(b"\ndata: ") for block in blocks[7:].split(b"\n\nevent: ")]
        events = [
            (name, data)
            for name, _, data in parted
            if data and b"\n" not in data and b"\n" not in name
        ]
        if len(events) == len(parted):
            return events
    parsed = map(_parse, blocks.split(b"\n\n"))
    return [event for event in parsed if event is not None]


def _parse(block: bytes) -> ServerSentEvent | None:
    name = b""
    lines: list[bytes] = []
    for line in block.removeprefix(_BYTE_ORDER_MARK).split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            lines.append(value)
        elif field == b"event":
            name = value
    if not lines and b'"error"' in block and block.lstrip().startswith((b"{", b"[")):
        return b"", block
    return (name, b"\n".join(lines)) if lines else None
