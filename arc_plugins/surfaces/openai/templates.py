"""JSON that is written once, and filled with what changes: cheaper than a model per piece."""

import json

__all__ = ["Template"]


class Template:
    """Bytes with gaps.

    Args:
        written: The JSON, in which each gap holds its mark once.
        *marks: What stands in the gaps, in their order: texts as JSON strings, numbers as they are.
    """

    def __init__(self, written: bytes, *marks: str | int) -> None:
        rest, self._pieces = written, list[bytes]()
        for mark in marks:
            piece, found, rest = rest.partition(json.dumps(mark).encode())
            assert found, "every mark stands in what was written"
            self._pieces.append(piece)
        self._pieces.append(rest)

    def fill(self, *values: str | int) -> bytes:
        """The JSON with these values in its gaps, in their order."""
        filled = [self._pieces[0]]
        for value, piece in zip(values, self._pieces[1:], strict=True):
            filled += (json.dumps(value).encode(), piece)
        return b"".join(filled)
