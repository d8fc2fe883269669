"""Sizes of images, from their first bytes."""

import struct

import pytest

from arc_core.engine.models.token_costs import size_of_image
from tests.attached_files import png

_WEBP = b"RIFF\x00\x00\x00\x00WEBP"
IMAGES = {
    "png": png(30, 20),
    "gif": b"GIF89a" + struct.pack("<HH", 30, 20),
    "webp, lossy": _WEBP + b"VP8 " + bytes(10) + struct.pack("<HH", 30, 20),
    "webp, lossless": _WEBP + b"VP8L" + bytes(5) + struct.pack("<I", 29 | 19 << 14),
    "webp, extended": _WEBP + b"VP8X" + bytes(8) + b"\x1d\x00\x00\x13\x00\x00",
    "jpeg": b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x11\x08" + struct.pack(">HH", 20, 30),
}


@pytest.mark.parametrize("data", IMAGES.values(), ids=IMAGES)
def test_the_header_tells_the_size(data: bytes) -> None:
    """Width first."""
    assert size_of_image(data) == (30, 20)


@pytest.mark.parametrize("data", IMAGES.values(), ids=IMAGES)
def test_a_header_that_is_cut_off_tells_no_other_size(data: bytes) -> None:
    """At any byte, and without an error."""
    assert {size_of_image(data[:end]) for end in range(len(data))} <= {None, (30, 20)}


@pytest.mark.parametrize(
    "data", [b"", b"BM", png(0, 5), b"\xff\xd8" + b"\xff\xe0\x00\x02" * 2000, _WEBP + b"what"]
)
def test_what_is_not_an_image_tells_nothing(data: bytes) -> None:
    """A JPEG is not searched for ever."""
    assert size_of_image(data) is None
