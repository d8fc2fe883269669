"""How many pixels an image has, by its first bytes."""

import struct

__all__ = ["size_of_image"]

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
_MAX_SEGMENTS = 1000
_VP8X_BYTES = 30


def size_of_image(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WebP or JPEG; None if the bytes do not tell them."""
    try:
        size = _size_in_header(data)
    except (IndexError, struct.error):  # cut off
        return None
    return size if size is not None and min(size) > 0 else None


def _size_in_header(data: bytes) -> tuple[int, int] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _numbers(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _numbers("<HH", data, 6)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _size_of_webp(data)
    return _size_of_jpeg(data) if data.startswith(b"\xff\xd8") else None


def _size_of_webp(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8 ":
            width, height = _numbers("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack_from("<I", data, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X" if len(data) >= _VP8X_BYTES:
            sides = int.from_bytes(data[24:27], "little"), int.from_bytes(data[27:30], "little")
            return sides[0] + 1, sides[1] + 1
    return None


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """From segment to segment, up to the one that begins a frame."""
    place = 2
    for _ in range(_MAX_SEGMENTS):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker in _JPEG_SIZES:
            height, width = _numbers(">HH", data, place + 5)
            return width, height
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _JPEG_ALONE:
            place += 2
        else:
            place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    return None


def _numbers(form: str, data: bytes, place: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, place)
    return first, second
