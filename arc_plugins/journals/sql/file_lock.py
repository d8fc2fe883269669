"""Locks of processes that share a file of SQLite: the operating system frees those of the dead."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

__all__ = ["WORKER", "FileLock", "is_held"]

WORKER = "worker"
"""The lock of the process that works on the runs in a file: one at a time."""


class FileLock:
    """A lock beside the database; the operating system frees it when the process ends.

    Args:
        file: The database.
        name: Of the lock.
    """

    def __init__(self, file: Path, name: str = WORKER) -> None:
        self._file = file.with_name(f"{file.name}-{name}")
        self._held: int | None = None

    def take(self) -> bool:
        """Whether this process has the lock now."""
        if self._held is None:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if fcntl is not None:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._held = descriptor
        return True

    def free(self) -> None:
        """Let another process have it."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)

    def remove(self) -> None:
        """Free it, and remove its file: no other process takes a lock of this name."""
        if self._held is not None:
            self._file.unlink(missing_ok=True)
        self.free()


def is_held(file: Path, name: str) -> bool:
    """Return whether the process that a lock is named after lives; never so on Windows."""
    lock = FileLock(file, name)
    is_free = lock.take()
    lock.remove()
    return not is_free
