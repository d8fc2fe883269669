"""The files of a folder that hold settings, read once: what was trusted is what is used."""

import hashlib
import json
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arc_autoconfig.errors import SettingsError

__all__ = ["DOT_ENV", "OWN_FILE", "PROJECT_FILE", "SettingsFolder"]

OWN_FILE = "arc.toml"
PROJECT_FILE = "pyproject.toml"
DOT_ENV = ".env"

_MAX_BYTES = 4 * 1024 * 1024
"""A settings file is smaller; a device that never ends is no settings file."""


@dataclass(frozen=True, slots=True)
class SettingsFolder:
    """A folder and what its settings files held when it was read.

    Attributes:
        path: The folder, without symbolic links.
        contents: What each file that exists holds, by its name.
    """

    path: Path
    contents: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> "SettingsFolder":
        """Read the files; links are followed, so that a file counts as what it leads to.

        Raises:
            SettingsError: A file cannot be read.
        """
        folder = path.resolve()
        found = {name: _read(folder / name) for name in (OWN_FILE, PROJECT_FILE, DOT_ENV)}
        return cls(folder, {name: held for name, held in found.items() if held is not None})

    def text(self, name: str) -> str | None:
        """What a file holds, without a byte order mark; None if the file does not exist.

        Raises:
            SettingsError: It is not UTF-8.
        """
        if name not in self.contents:
            return None
        try:
            return self.contents[name].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SettingsError(
                f"{self.path / name} cannot be read",
                evidence=[str(error)],
                remedy="save the file as UTF-8",
            ) from None

    @property
    def digest(self) -> str:
        """Of everything that Arc reads from these files; of a project's file that is `tool.arc`."""
        whole = hashlib.sha256()
        for name, held in sorted(self.contents.items()):
            part = _arcs_part(held) if name == PROJECT_FILE else held
            if part is not None:
                whole.update(f"{name}:{hashlib.sha256(part).hexdigest()};".encode())
        return whole.hexdigest()


def _read(file: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # to open a named pipe would wait for ever
            _refuse(file, "it is not a regular file")
            return None
        with file.open("rb") as opened:
            held = opened.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(file, str(error)) from None
    if len(held) > _MAX_BYTES:
        _refuse(file, f"it exceeds {_MAX_BYTES} bytes")
        return None
    return held


def _refuse(file: Path, reason: str) -> None:
    if file.name != DOT_ENV:  # a folder .env is a virtual environment
        raise _unreadable(file, reason)


def _unreadable(file: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"{file} cannot be read", evidence=[reason], remedy="correct the file, or remove it"
    )


def _arcs_part(held: bytes) -> bytes | None:
    try:
        table = tomllib.loads(held.decode("utf-8-sig")).get("tool", {}).get("arc")
    except (ValueError, AttributeError):
        return held  # cannot be read anyway
    return None if table is None else json.dumps(table, sort_keys=True, default=str).encode()
