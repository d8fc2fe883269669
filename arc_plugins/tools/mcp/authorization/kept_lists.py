"""The last lists of servers that say nothing without a login, kept for the next start."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from arc_core import Logger
from arc_plugins.tools.mcp.listing import MAX_TOOLS, ListedTool

_MAX_BYTES = 20_000_000


class KeptLists:
    """Files of a folder, one for each server and address, which a hash names.

    Args:
        folder: For the files; made when the first is written. None keeps nothing.
        logger: Is told of a file that cannot be read or written.
    """

    def __init__(self, folder: Path | None, *, logger: Logger) -> None:
        self._folder, self._logger = folder, logger

    def read(self, server: str, place: str) -> tuple[ListedTool, ...]:
        """Return the last list of a server; empty if there is none, or it has been changed."""
        path = self._find_path(server, place)
        if path is None:
            return ()
        tools: list[ListedTool] = []
        try:
            with path.open("rb") as file:
                kept = json.loads(file.read(_MAX_BYTES))
            tools = [ListedTool(**each) for each in kept["tools"][:MAX_TOOLS]]
            digests = [each.digest for each in tools]
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            digests, kept = [], {"digests": None}
        if digests != kept["digests"]:
            self._logger.warning("the last list of an mcp server cannot be read", server=server)
            return ()
        return tuple(tools)

    def write(self, server: str, place: str, tools: Sequence[ListedTool]) -> None:
        """Keep the list of a server in the place of the one before."""
        path = self._find_path(server, place)
        if path is None:
            return
        kept = {
            "digests": [each.digest for each in tools],
            "tools": [
                {
                    "name": each.name,
                    "description": each.description,
                    "parameters": each.parameters,
                    "output": each.output,
                }
                for each in tools
            ],
        }
        fresh = path.with_suffix(".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh.write_text(json.dumps(kept), encoding="utf-8")
            fresh.replace(path)
        except OSError as error:
            self._logger.warning(
                "the list of an mcp server cannot be kept",
                server=server,
                setting="mcp.lists",
                cause=type(error).__name__,
            )

    def _find_path(self, server: str, place: str) -> Path | None:
        name = hashlib.sha256(json.dumps((server, place)).encode()).hexdigest()
        return None if self._folder is None else self._folder / f"{name}.json"
