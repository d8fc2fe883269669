"""The folders that the user trusts, remembered in the user's configuration folder."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_config_path

from arc_autoconfig.settings.inputs.folder import SettingsFolder

__all__ = ["TrustedFolders"]

_FILE = "trusted-folders.json"


class TrustedFolders:
    """Folders with the digest that their settings files had when the user trusted them.

    A folder in which `--config` names a file is kept together with that name.

    A file that cannot be read trusts nothing.
    """

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
        """Trust the folder as long as its files stay as they are.

        Raises:
            OSError: It cannot be written down.
        """
        self._write({**self.digests(), folder.trusted_as: folder.digest})

    def forget(self, path: Path) -> bool:
        """Trust the folder no longer, with whatever file; returns whether it was trusted.

        Raises:
            OSError: It cannot be written down.
        """
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
