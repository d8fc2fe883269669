"""The file of an audit log, to which several processes append chained lines.

Each process has a chain in each file, whose first line names the last line that it found. A line
is written under a lock of the file, so that no two processes follow the same line. When the file
is full or its day is over, it is renamed (`audit.log.000001`) and a new one is begun, whose first
line follows the last one of the old file. What a crash has left of a line stays where it is, and
the line after it names its digest.
"""

import os
import re
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from arc_plugins.hooks.audit_log.chain.lines import (
    MAX_LINE_BYTES,
    Seal,
    digest_torn,
    get_mac,
    is_torn,
)

_fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None  # none on Windows

HAS_LOCKS = _fcntl is not None
"""True if this system has locks of files."""

_TAIL_BYTES = 4096
_NUMBER_DIGITS = 6


@dataclass(slots=True)
class _Tail:
    """The end of the open file, as the next line follows it."""

    inode: int
    size: int
    prev: str = ""
    torn: bytes = b""
    has_line_end: bool = True
    number: int = 1
    begun: date = date.min


class ChainedFile:
    """Appends lines to an audit log, and begins a new file when the old one is full.

    It is full from so many bytes on, and if files rotate daily, on a new day in UTC.
    """

    def __init__(
        self,
        path: Path,
        *,
        seal: Seal,
        max_bytes: int,
        rotates_daily: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._path, self._seal, self._now = path, seal, now
        self._max_bytes, self._rotates_daily = max_bytes, rotates_daily
        self._lock = Lock()
        self._tail = _Tail(inode=-1, size=-1)
        self._owner = (0, 0, 0)
        self._chain, self._n = "", 0

    def append(self, fields: Mapping[str, Any]) -> None:
        """Write a line; raises OSError, and then nothing of it stays in the file."""
        with self._lock, self._lock_file() as descriptor:
            tail = self._tail
            owner = (os.getpid(), tail.inode, tail.number)
            if self._owner != owner:
                self._owner, self._chain, self._n = owner, _make_chain_name(tail.number), 0
                first = {} if tail.size else {"file_number": tail.number}
                key = self._seal.fingerprint
                self._write(descriptor, {"event": "chain", **first, "key": key})
            self._write(descriptor, fields)

    def _write(self, descriptor: int, fields: Mapping[str, Any]) -> None:
        tail, at = self._tail, self._now().isoformat(timespec="milliseconds")
        head: dict[str, Any] = {"v": 1, "chain": self._chain, "n": self._n, "prev": tail.prev}
        if tail.torn:
            head["torn"] = digest_torn(tail.torn)
        line = self._seal.write({**head, "at": at, **fields})
        if len(line) > MAX_LINE_BYTES:
            raise OSError(f"a line of {len(line)} bytes is too long for an audit log")
        _write_whole(descriptor, line if tail.has_line_end else b"\n" + line, tail.size)
        self._n += 1
        mac = get_mac(line[:-1])
        assert mac is not None
        tail.prev, tail.torn, tail.has_line_end = mac, b"", True
        tail.size = os.fstat(descriptor).st_size

    @contextmanager
    def _lock_file(self) -> Iterator[int]:
        """Open the file that has the path now, lock it, and begin another one if it is full."""
        while True:
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                _fcntl.flock(descriptor, _fcntl.LOCK_EX)
                if _has_path(descriptor, self._path):
                    self._read_tail(descriptor)
                    if not self._is_over():
                        yield descriptor
                        return
                    number = max(self._tail.number, _find_last_number(self._path) + 1)
                    self._path.rename(_get_rotated_path(self._path, number))
            finally:
                os.close(descriptor)  # which ends the lock

    def _is_over(self) -> bool:
        if not self._tail.size:
            return False
        is_old = self._rotates_daily and self._tail.begun < self._now().date()
        return is_old or self._tail.size >= self._max_bytes

    def _read_tail(self, descriptor: int) -> None:
        """Learn what the next line follows, unless this process has written last."""
        found = os.fstat(descriptor)
        if (found.st_ino, found.st_size) == (self._tail.inode, self._tail.size) and found.st_size:
            return
        tail = _Tail(inode=found.st_ino, size=found.st_size)
        if not found.st_size:
            self._follow_last_file(tail)
        else:
            tail.prev, tail.torn, tail.has_line_end = _read_end(descriptor, found.st_size)
            tail.begun, number = _read_beginning(descriptor)
            tail.number = number or _find_last_number(self._path) + 1
        self._tail = tail

    def _follow_last_file(self, tail: _Tail) -> None:
        """A new file follows the one that was renamed last, if there is any."""
        tail.begun, last = self._now().date(), _find_last_number(self._path)
        tail.number = last + 1
        if not last:
            return
        descriptor = os.open(_get_rotated_path(self._path, last), os.O_RDONLY)
        try:
            tail.prev, tail.torn, _ = _read_end(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)


def _read_end(descriptor: int, size: int) -> tuple[str, bytes, bool]:
    """Return the last `mac`, what a crash has left behind its line, and if the last line ends."""
    length = _TAIL_BYTES
    while True:
        end = os.pread(descriptor, length, max(0, size - length))
        lines = end.split(b"\n")
        macs = [(number, mac) for number, line in enumerate(lines) if (mac := get_mac(line))]
        if macs or length >= size or length > 2 * MAX_LINE_BYTES:
            number, prev = macs[-1] if macs else (-1, "")
            rest = b"\n".join(lines[number + 1 :]).removesuffix(b"\n")
            return prev, rest if is_torn(rest) else b"", end.endswith(b"\n")
        length *= 2


def _read_beginning(descriptor: int) -> tuple[date, int | None]:
    """Return the day on which a file was begun and its number, as its first line has them."""
    first = os.pread(descriptor, _TAIL_BYTES, 0).partition(b"\n")[0]
    day = re.search(rb'"at":"(\d{4}-\d\d-\d\d)T', first)
    number = re.search(rb'"file_number":(\d{1,9}),', first)
    try:
        begun = date.min if day is None else date.fromisoformat(day[1].decode("ascii"))
    except ValueError:
        begun = date.min
    return begun, None if number is None else int(number[1])


def _write_whole(descriptor: int, data: bytes, size: int) -> None:
    """Write all of it, or nothing."""
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _has_path(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _get_rotated_path(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number:0{_NUMBER_DIGITS}}")


def _find_last_number(path: Path) -> int:
    """Return the number of the file that was renamed last; 0 if there is none."""
    beginning = f"{path.name}."
    names = (each.name for each in path.parent.iterdir() if each.name.startswith(beginning))
    ends = (name.removeprefix(beginning) for name in names)
    return max((int(end) for end in ends if end.isascii() and end.isdigit()), default=0)


def _make_chain_name(number: int) -> str:
    host = re.sub(r"[^A-Za-z0-9_.-]", "-", socket.gethostname())[:60] or "host"
    return f"{host}-{os.getpid()}-{secrets.token_hex(4)}.{number}"
