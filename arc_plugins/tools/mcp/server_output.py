"""What a server writes to its standard error: line by line into the log, harmless and bounded."""

import asyncio
import time
from collections.abc import Callable

from arc_core import Logger

__all__ = ["ServerOutput", "make_harmless"]

_CHUNK_BYTES = 64 * 1024
_MAX_LINE_BYTES = 2_000
_WINDOW_S = 10.0
_LINES_PER_WINDOW = 100


class ServerOutput:
    """Logs lines; of a flood it logs the first hundred in ten seconds.

    Args:
        server: Its name in the settings.
        logger: Told at INFO.
        now: Seconds, for the rate.
    """

    def __init__(
        self, server: str, *, logger: Logger, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._server, self._logger, self._now = server, logger, now
        self._window_start, self._in_window = now(), 0

    async def read_from(self, stream: asyncio.StreamReader) -> None:
        """Log what comes until it ends; a line is cut after 2000 bytes."""
        line, is_cut = bytearray(), False
        while chunk := await stream.read(_CHUNK_BYTES):
            pieces = chunk.split(b"\n")
            for number, piece in enumerate(pieces):
                if number:
                    self._log(line, is_cut=is_cut)
                    line, is_cut = bytearray(), False
                room = _MAX_LINE_BYTES - len(line)
                line += piece[:room]
                is_cut = is_cut or len(piece) > room
        self._log(line, is_cut=is_cut)

    def _log(self, line: bytearray, *, is_cut: bool) -> None:
        if not line.strip():
            return
        now = self._now()
        if now - self._window_start >= _WINDOW_S:
            self._window_start, self._in_window = now, 0
        self._in_window += 1
        if self._in_window <= _LINES_PER_WINDOW:
            text = make_harmless(bytes(line)) + "…" * is_cut
            self._logger.info("mcp server writes", server=self._server, line=text)
        elif self._in_window == _LINES_PER_WINDOW + 1:
            self._logger.warning(
                "mcp server writes too much to its standard error; the rest is left out for now",
                server=self._server,
            )


def make_harmless(line: bytes) -> str:
    """Text without characters that a terminal would obey, or that hide others."""
    text = line.rstrip(b"\r").decode(errors="backslashreplace")
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
