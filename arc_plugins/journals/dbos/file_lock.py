"""Says which process works on the runs in a file of SQLite: one at a time."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

__all__ = ["FileLock"]


class FileLock:
    """A lock beside the database; the operating system frees it when the process ends."""

    def __init__(self, file: Path) -> None:
        self._file = file.with_name(f"{file.name}-worker")
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
