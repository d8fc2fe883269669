"""Frames that are ready at once, in one piece: sending costs by the piece, not by the event."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from arc_core.timing.cancellation import wait_despite_cancellation

__all__ = ["MAX_HELD_BYTES", "JoinedFrames"]

MAX_HELD_BYTES = 1_048_576
"""The bytes that are held at most for a slow reader."""

_MAX_PIECE_BYTES = 65_536
_PAUSE_S = 0.01
_QUIET_S = 15.0


class JoinedFrames:
    """The frames of a stream: the first at once, then what has come within a pause.

    A task reads ahead. When the reader is a mebibyte behind, with what is being sent, it reads no
    further, so that the run waits; and `is_full` tells.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes],
        *,
        alive: bytes,
        pause_s: float = _PAUSE_S,
        quiet_s: float = _QUIET_S,
        max_bytes: int = MAX_HELD_BYTES,
    ) -> None:
        self._frames, self._alive = frames, alive
        self._pause_s, self._quiet_s, self._max_bytes = pause_s, quiet_s, max_bytes
        self._held, self._sending = bytearray(), 0
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self.is_full = asyncio.Event()
        self.pieces = 0

    async def read(self) -> AsyncGenerator[bytes]:
        """The frames, some at once."""
        task = asyncio.create_task(self._fill(), name="arc-frames")
        try:
            while self._held or not task.done():
                yield await self._take()
                self._note_sent()
                if not self._held:
                    await asyncio.sleep(self._pause_s)
            task.result()
        finally:
            task.cancel()
            await wait_despite_cancellation(task)

    async def _take(self) -> bytes:
        try:
            async with asyncio.timeout(self._quiet_s):
                await self._news.wait()
        except TimeoutError:
            return self._alive
        piece = bytes(self._held[:_MAX_PIECE_BYTES])
        del self._held[:_MAX_PIECE_BYTES]
        self._sending = len(piece)
        if not self._held:
            self._news.clear()
        return piece

    def _note_sent(self) -> None:
        self.pieces += 1
        self._sending = 0
        self._room.set()

    async def _fill(self) -> None:
        try:
            async with aclosing(self._frames) as frames:
                async for frame in frames:
                    if not frame:
                        continue
                    self._held += frame
                    self._news.set()
                    while len(self._held) + self._sending >= self._max_bytes:
                        await self._wait_for_room()
        finally:
            self._news.set()

    async def _wait_for_room(self) -> None:
        self._room.clear()
        self.is_full.set()
        await self._room.wait()
        self.is_full.clear()
