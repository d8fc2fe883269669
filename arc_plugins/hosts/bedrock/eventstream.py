"""The frames in which Amazon streams: lengths, headers, a payload, and two checksums.

See `application/vnd.amazon.eventstream` in Amazon's documentation of event stream encoding.
"""

import struct
from binascii import a2b_base64, crc32

from arc_core import InvalidResponseError
from arc_core.wire import ServerSentEvent, json_value
from arc_core.wire.http_chat_model import PayloadError

CONTENT_TYPE = "application/vnd.amazon.eventstream"
_MAX_FRAME_BYTES = 16 * 1024 * 1024 + 128 * 1024
_PRELUDE, _CHECKSUM = struct.Struct(">III"), struct.Struct(">I")
_PRELUDE_BYTES, _LEAST_BYTES = 12, 16
_STRING_TYPE = 7
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # of values, by type
_CHUNK = b'{"bytes":"'


class EventstreamDecoder:
    """Decodes one stream, in time linear in its bytes; nothing is given out unchecked."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._needed = _PRELUDE_BYTES
        self._headers_bytes, self._headers = b"", {"": ""}

    def feed(self, piece: bytes) -> list[ServerSentEvent]:
        """The events that a piece completes, in order."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size < self._needed:
            return []
        data = b"".join(self._pieces) if len(self._pieces) > 1 else piece
        place, size, events = 0, len(data), []
        self._needed = _PRELUDE_BYTES
        while size - place >= _PRELUDE_BYTES:
            total, headers, checksum = _PRELUDE.unpack_from(data, place)
            prelude_sum = crc32(data[place : place + 8])
            if prelude_sum != checksum or not _LEAST_BYTES + headers <= total <= _MAX_FRAME_BYTES:
                raise _broken_frame()
            if size - place < total:
                self._needed = total
                break
            end = place + total - 4
            frame = data[place:end]
            if crc32(frame) != _CHECKSUM.unpack_from(data, end)[0]:
                raise _broken_frame()
            event = self._read_event(frame, _PRELUDE_BYTES + headers)
            if event is not None:
                events.append(event)
            place += total
        rest = data[place:]
        self._pieces, self._size = [rest], len(rest)
        return events

    def close(self) -> list[ServerSentEvent]:
        """Nothing: a frame that is cut off says nothing."""
        return []

    def _read_event(self, frame: bytes, payload_at: int) -> ServerSentEvent | None:
        head, payload = frame[_PRELUDE_BYTES:payload_at], frame[payload_at:]
        if head != self._headers_bytes:  # those of most frames are the same
            self._headers_bytes, self._headers = head, _read_headers(head)
        headers = self._headers
        if headers.get(":message-type") != "event":
            raise _read_failure(headers, payload)
        if headers.get(":event-type") != "chunk":
            return None
        if payload.startswith(_CHUNK):
            encoded = payload[len(_CHUNK) : payload.index(b'"', len(_CHUNK))]
        else:
            encoded = json_value(payload)["bytes"]
        return b"", a2b_base64(encoded)


def _read_failure(headers: dict[str, str], payload: bytes) -> PayloadError:
    try:
        said = json_value(payload)
    except ValueError:
        said = None
    message = said.get("message") if isinstance(said, dict) else None
    return PayloadError(
        {
            "type": headers.get(":exception-type") or headers.get(":error-code") or "unknown",
            "message": message or headers.get(":error-message") or "",
        }
    )


def _read_headers(data: bytes) -> dict[str, str]:
    """The headers that are texts; the others are skipped."""
    headers, place = {}, 0
    try:
        while place < len(data):
            name_end = place + 1 + data[place]
            name, kind = data[place + 1 : name_end].decode(), data[name_end]
            place = name_end + 1
            if kind in _SIZES:
                place += _SIZES[kind]
                continue
            size = int.from_bytes(data[place : place + 2], "big")
            place += 2 + size
            if kind == _STRING_TYPE:
                headers[name] = data[place - size : place].decode()
    except (IndexError, UnicodeDecodeError):
        raise _broken_frame() from None
    return headers


def _broken_frame() -> InvalidResponseError:
    return InvalidResponseError(
        "a frame of the stream is damaged: its checksum or its lengths are wrong. To fix it: look "
        "for a proxy that changes bodies between here and the host"
    )
