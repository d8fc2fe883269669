"""The files of a folder that hold settings, read once: what was trusted is what is used."""

import hashlib
import json
import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arc_autoconfig.errors import SettingsError

OWN_FILE = "arc.toml"
PROJECT_FILE = "pyproject.toml"
DOT_ENV = ".env"

_MAX_BYTES = 4 * 1024 * 1024
"""A settings file is smaller; a device that never ends is not a settings file."""


@dataclass(frozen=True, slots=True)
class SettingsFolder:
    """A folder and what its settings files held when it was read.

    Attributes:
        path: The folder, without symbolic links.
        contents: What each file that exists holds, by its name.
        config: The file that is named in the place of `arc.toml` and `pyproject.toml`, as it was
            named; None if none is.
        needed: The sections whose variables must be set, as the others are not used; None is all.
    """

    path: Path
    contents: Mapping[str, bytes] = field(repr=False)
    config: Path | None = None
    needed: frozenset[str] | None = None

    @classmethod
    def read(cls, path: Path, *, config: Path | None = None) -> "SettingsFolder":
        """Read the files; links are followed, so that a file counts as what it leads to."""
        folder = path.resolve()
        names = (OWN_FILE, PROJECT_FILE) if config is None else (str(config),)
        found = {name: _read(folder / name) for name in (*names, DOT_ENV)}
        if config is not None and found[str(config)] is None:
            raise SettingsError(
                f"the settings file {folder / config} does not exist",
                remedy="correct --config or the variable ARC_CONFIG, or leave it out",
            )
        held = {name: each for name, each in found.items() if each is not None}
        return cls(folder, held, config)

    @property
    def toml_files(self) -> tuple[str, ...]:
        """The names of the TOML files that are looked for."""
        return (OWN_FILE, PROJECT_FILE) if self.config is None else (str(self.config),)

    @property
    def is_config_trusted(self) -> bool:
        """True if the named file lies apart from the folder: neither below it nor above it.

        Naming a file that came with the folder is no more than working in the folder; one that
        lies elsewhere is the user's own choice.
        """
        if self.config is None:
            return False
        named = self.path / self.config
        plain = Path(os.path.normpath(named))  # without `..`, symbolic links as they are
        return not any(
            each.is_relative_to(self.path) or self.path.is_relative_to(each)
            for each in (plain.parent, named.resolve().parent)
        )

    @property
    def trusted_as(self) -> str:
        """The name that trust is kept for: the folder, or the folder with the named file."""
        return str(self.path) if self.config is None else f"{self.path} with {self.config}"

    @staticmethod
    def is_project_file(name: str) -> bool:
        """Say whether settings stand in the table `[tool.arc]` of a file, and not at its top."""
        return Path(name).name == PROJECT_FILE

    def text(self, name: str) -> str | None:
        """Return the text of a file, without a byte order mark; None if it does not exist."""
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
            part = _arcs_part(held) if self.is_project_file(name) else held
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
        raise _unreadable_error(file, str(error)) from None
    if len(held) > _MAX_BYTES:
        _refuse(file, f"it exceeds {_MAX_BYTES} bytes")
        return None
    return held


def _refuse(file: Path, reason: str) -> None:
    if file.name != DOT_ENV:  # a folder .env is a virtual environment
        raise _unreadable_error(file, reason)


def _unreadable_error(file: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"{file} cannot be read", evidence=[reason], remedy="correct the file, or remove it"
    )


def _arcs_part(held: bytes) -> bytes | None:
    try:
        table = tomllib.loads(held.decode("utf-8-sig")).get("tool", {}).get("arc")
    except (ValueError, AttributeError, RecursionError):
        return held  # cannot be read anyway
    return None if table is None else json.dumps(table, sort_keys=True, default=str).encode()
