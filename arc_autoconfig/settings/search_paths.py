"""The files in which settings were looked for, and their states."""

from dataclasses import dataclass
from enum import StrEnum

from arc_autoconfig.settings.inputs.folder import DOT_ENV
from arc_autoconfig.settings.inputs.toml_text import toml_text
from arc_autoconfig.settings.sources import Sources

__all__ = ["FileState", "SettingsFile", "list_files"]


class FileState(StrEnum):
    """The state of a file."""

    READ = "read"
    NO_SETTINGS = "holds no settings of Arc's"
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that was looked for."""

    path: str
    state: FileState


def list_files(sources: Sources) -> tuple[SettingsFile, ...]:
    """The files in the order in which later ones win; none if no files were read."""
    folder = sources.folder
    if folder is None:
        return ()
    holding = toml_text(folder)
    files: list[SettingsFile] = []
    for name in (*folder.toml_files, DOT_ENV):
        state = FileState.READ
        if name not in folder.contents:
            state = FileState.NOT_FOUND
        elif name != DOT_ENV and (holding is None or holding.name != name):
            state = FileState.NO_SETTINGS
        files.append(SettingsFile(str(folder.path / name), state))
    return tuple(files)
