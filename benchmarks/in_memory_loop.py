"""An event loop whose connections end in the fake vendor, in this process and without sockets.

Bytes arrive in pieces of one size and in an order that nothing but the program decides, so that the
calls of a run are the same each time. What the vendor does is not profiled.
"""

import asyncio
import socket
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.vendor_process import Connection

__all__ = ["InMemoryLoop"]

_READ_BYTES = 65_536


class _Transport(asyncio.Transport):
    """One end of a connection."""

    other_end: "_Transport"

    def __init__(self, protocol: asyncio.Protocol, *, is_profiled: bool) -> None:
        self._sockets = socket.socketpair()  # a pool looks if something can be read: nothing can
        super().__init__({"socket": self._sockets[0]})
        self._protocol, self._is_profiled = protocol, is_profiled
        self._loop = asyncio.get_running_loop()
        self._unread = bytearray()
        self._is_paused = self._is_waking = self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.other_end.receive(data)

    def receive(self, data: bytes | bytearray | memoryview) -> None:
        """Take in what the other end has written."""
        self._unread += data
        self._wake()

    def _wake(self) -> None:
        if self._unread and not (self._is_paused or self._is_waking or self._is_closing):
            self._is_waking = True
            self._loop.call_soon(self._deliver)

    def _deliver(self) -> None:
        self._is_waking = False
        if self._is_paused or self._is_closing:
            return
        data = bytes(self._unread[:_READ_BYTES])
        del self._unread[:_READ_BYTES]
        profiler = sys.getprofile()
        sys.setprofile(profiler if self._is_profiled else None)
        try:
            self._protocol.data_received(data)
        finally:
            sys.setprofile(profiler)
        self._wake()

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        self._is_paused = False
        self._wake()

    def is_reading(self) -> bool:
        return not self._is_paused

    def is_closing(self) -> bool:
        return self._is_closing

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Do nothing: what is written has arrived."""

    def get_write_buffer_size(self) -> int:
        return 0

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        assert isinstance(protocol, asyncio.Protocol)
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            for each in self._sockets:
                each.close()
            self._loop.call_soon(self._protocol.connection_lost, None)
            self.other_end.close()

    abort = close


class InMemoryLoop(asyncio.SelectorEventLoop):
    """Connects each client with a fake vendor of its own, whatever the address."""

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        """Leave the socket as it is: nothing is sent through it."""

    async def create_connection(  # type: ignore[override]  # the options of a socket say nothing here
        self,
        protocol_factory: Callable[[], asyncio.Protocol],
        *_: object,
        sock: socket.socket | None = None,
        **__: object,
    ) -> tuple[asyncio.Transport, asyncio.Protocol]:
        """Return the client's end."""
        if sock is not None:
            sock.close()
        protocol, vendor = protocol_factory(), Connection()
        here = _Transport(protocol, is_profiled=True)
        there = _Transport(vendor, is_profiled=False)
        here.other_end, there.other_end = there, here
        protocol.connection_made(here)
        vendor.connection_made(there)
        return here, protocol
