"""JSON that is written once, and filled with what changes: cheaper than a model per piece."""

import json

_encode = json.JSONEncoder().encode


class Template:
    """JSON with gaps, in the order of marks that stand in it once: texts and numbers."""

    def __init__(self, written: bytes, *marks: str | int) -> None:
        form = written.decode().replace("%", "%%")
        for mark in marks:
            before, found, after = form.partition(_encode(mark))
            assert found, "every mark stands in what was written"
            form = f"{before}{'%s' if isinstance(mark, str) else '%d'}{after}"
        self._form = form

    def fill(self, *values: str | int) -> bytes:
        """The text with these values in its gaps, in their order."""
        told = tuple([_encode(each) if isinstance(each, str) else each for each in values])
        return (self._form % told).encode()
