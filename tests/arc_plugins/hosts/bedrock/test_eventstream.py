"""Amazon's frames, cut and damaged anywhere."""

import json
from base64 import b64encode
from binascii import crc32
from itertools import pairwise
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import InvalidResponseError
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.hosts.bedrock.eventstream import EventstreamDecoder


def frame(payload: bytes, **headers: str) -> bytes:
    """A frame as Amazon sends it; underscores of names stand for hyphens."""
    head = b"".join(
        pack(">B", len(name) + 1)
        + b":"
        + name.replace("_", "-").encode()
        + pack(">BH", 7, len(value))
        + value.encode()
        for name, value in headers.items()
    )
    prelude = pack(">II", 16 + len(head) + len(payload), len(head))
    prelude += pack(">I", crc32(prelude))
    return prelude + head + payload + pack(">I", crc32(prelude + head + payload))


def chunk(data: bytes) -> bytes:
    """A piece of an answer."""
    payload = json.dumps({"bytes": b64encode(data).decode(), "p": "abc"}).encode()
    return frame(payload.replace(b": ", b":"), event_type="chunk", message_type="event")


DATA = [b'{"type":"a"}', b"", b'{"type":"' + b"x" * 300 + b'"}']
STREAM = b"".join(map(chunk, DATA))
EVENTS = [(b"", data) for data in DATA]


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_no_cut_changes_the_events(cuts: list[int]) -> None:
    """However the bytes come, each event comes once, whole, in its place."""
    decoder = EventstreamDecoder()
    edges = [0, *sorted(cuts), len(STREAM)]

    found = [event for start, end in pairwise(edges) for event in decoder.feed(STREAM[start:end])]
    assert found == EVENTS


def test_every_flipped_bit_is_refused() -> None:
    """None of the 8 bits of any byte changes what is given out."""
    for bit in range(8 * len(STREAM)):
        damaged = bytearray(STREAM)
        damaged[bit // 8] ^= 1 << bit % 8

        with pytest.raises(InvalidResponseError, match="damaged"):
            EventstreamDecoder().feed(bytes(damaged))


def test_an_exception_in_a_frame_is_an_error_of_its_type() -> None:
    """Its message is the vendor's."""
    failed = frame(
        b'{"message":"slow down"}', exception_type="throttlingException", message_type="exception"
    )

    with pytest.raises(PayloadError, match="slow down") as found:
        EventstreamDecoder().feed(chunk(b"{}") + failed)
    assert found.value.codes == ["throttlingException"]
