"""Small files of the kinds that can be attached."""

import struct
import zlib

from arc_core import Attachment

__all__ = ["IMAGE", "PDF", "SOUND", "TEXT", "png"]


def png(width: int, height: int) -> bytes:
    """The beginning of a PNG: what tells its size."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" + header + struct.pack(">I", zlib.crc32(header))


IMAGE = Attachment("image/png", png(100, 50), name="cat.png")
PDF = Attachment("application/pdf", b"%PDF-1.4\n<< /Type /Pages >> << /Type /Page >>", name="a.pdf")
SOUND = Attachment("audio/wav", b"RIFF\x00\x00\x00\x00WAVE", name="a.wav")
TEXT = Attachment("text/plain", "안녕".encode(), name="a.txt")
