"""Asks if a folder is trusted before anything counts that its files could do harm with."""

import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import click
from platformdirs import user_config_path

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.folder import SettingsFolder
from arc_autoconfig.settings.inputs.variables import TRUST_VARIABLE
from arc_autoconfig.settings.trust_needs import TrustNeed, trust_needs
from arc_autoconfig.visible_text import visible

_FILE = "trusted-folders.json"
_YES = frozenset({"1", "true", "yes", "on"})


def trusted_settings(
    chosen: Mapping[str, object], config: Path | None, *, needed: frozenset[str] | None = None
) -> ArcSettings:
    """The settings of the working directory, if nothing in them needs trust that is missing."""
    folder = replace(SettingsFolder.read(Path.cwd(), config=config), needed=needed)
    settings_class = ArcSettings.complete(_command_line=chosen, _folder=folder)
    is_trusted = _is_trusted(folder)
    if not is_trusted and (needs := trust_needs(settings_class, folder)):
        _ask(folder, needs)
        is_trusted = True
    settings = settings_class(_command_line=chosen, _folder=folder)
    if not is_trusted and (needs := _code_beside(settings, folder)):
        _ask(folder, needs)
        is_trusted = True
    if is_trusted and str(folder.path) not in sys.path:
        sys.path.append(str(folder.path))
    return settings


def needs_in_words(needs: Sequence[TrustNeed]) -> list[str]:
    """A line for each; nothing in them can take over a terminal or pass for another line."""
    return [f"  - {visible(str(need), one_line=True)}" for need in needs]


def _is_trusted(folder: SettingsFolder) -> bool:
    said = os.environ.get(TRUST_VARIABLE, "").strip().lower() in _YES
    return said or TrustedFolders().trusts(folder)


def _code_beside(settings: ArcSettings, folder: SettingsFolder) -> tuple[TrustNeed, ...]:
    """The modules in `plugins.load`, wherever it is set, that only this folder can bring."""
    return tuple(
        TrustNeed(
            key="plugins.load",
            shown=reference,
            place=settings.origin_of("plugins.load"),
            effect="this code of the folder is run",
        )
        for reference in settings.plugins.load
        if _is_beside(reference, folder.path)
    )


def _is_beside(reference: str, path: Path) -> bool:
    package = reference.partition(":")[0].partition(".")[0].strip()
    if not package.isidentifier() or not any(path.glob(f"{package}*")):
        return False
    try:
        return importlib.util.find_spec(package) is None
    except (ImportError, ValueError):  # a module that says nothing of itself is there
        return False


def _ask(folder: SettingsFolder, needs: Sequence[TrustNeed]) -> None:
    """Let the user decide, once for the folder and its files as they are."""
    title = f"the settings of {visible(folder.trusted_as, one_line=True)} are not trusted"
    lines = needs_in_words(needs)
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise _refusal(title, lines)
    click.echo("\n".join([f"Arc has been asked to use settings, but {title}:", *lines]), err=True)
    with redirect_stdout(sys.stderr):  # part of a prompt goes to standard output otherwise
        is_wanted = click.confirm("Trust this folder?", default=False, err=True)
    if not is_wanted:
        raise _refusal(title, [])
    try:
        TrustedFolders().remember(folder)
    except OSError as error:
        click.echo(f"The answer is not remembered: {visible(str(error))}", err=True)


def _refusal(title: str, lines: Sequence[str]) -> ConfigurationFailure:
    remedy = (
        "To fix it: read these files; if you trust them, call `arc trust` in this folder, "
        f"or set {TRUST_VARIABLE}=1 in the environment"
    )
    return ConfigurationFailure("\n".join([title, *lines, remedy]))


def _is_terminal(stream: object) -> bool:
    is_terminal = getattr(stream, "isatty", None)
    return bool(is_terminal is not None and is_terminal())


class TrustedFolders:
    """Folders with the digest of their files when trusted; a broken file trusts nothing."""

    def __init__(self) -> None:
        self.file = user_config_path("arc", appauthor=False) / _FILE

    def digests(self) -> Mapping[str, str]:
        """The digest of each trusted folder, by its path."""
        try:
            kept = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        folders = kept.get("folders") if isinstance(kept, dict) else None
        pairs = folders.items() if isinstance(folders, dict) else ()
        return {path: digest for path, digest in pairs if isinstance(digest, str)}

    def trusts(self, folder: SettingsFolder) -> bool:
        """Say whether the folder is trusted with the files as they are now."""
        return self.digests().get(folder.trusted_as) == folder.digest

    def remember(self, folder: SettingsFolder) -> None:
        """Trust the folder as long as its files stay as they are; raises OSError."""
        self._write({**self.digests(), folder.trusted_as: folder.digest})

    def forget(self, path: Path) -> bool:
        """Trust the folder no longer; returns whether it was trusted, raises OSError."""
        before = self.digests()
        kept = {
            folder: digest
            for folder, digest in before.items()
            if folder != str(path) and not folder.startswith(f"{path} with ")
        }
        if len(kept) < len(before):
            self._write(kept)
        return len(kept) < len(before)

    def _write(self, folders: Mapping[str, str]) -> None:
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Replaced as a whole, so that a reader never finds half of it.
        handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=_FILE)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as written:
                json.dump({"folders": dict(sorted(folders.items()))}, written, indent=2)
            Path(name).replace(self.file)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
