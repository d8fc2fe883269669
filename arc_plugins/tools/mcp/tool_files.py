"""Files about the tools of servers: pins that a person has confirmed, and lists for the next start.

A pin is the digest of a tool. A list is that of a server that says nothing without a login.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from arc_core import Logger
from arc_plugins.tools.mcp.listing import LOGGED, LOGGED_NAME_CHARS, MAX_TOOLS, ListedTool

_MAX_PIN_BYTES, _MAX_LIST_BYTES = 10_000_000, 20_000_000


class PinFileError(Exception):
    """A file of pins says nothing that can be read."""


def write_pins(path: Path, *, server: str, tools: Iterable[ListedTool]) -> None:
    """Confirm the tools of a server as they are now; what is said of other servers stays."""
    pins = {**_read(path), server: {tool.name: tool.digest for tool in tools}}
    _replace(path, json.dumps(pins, indent=2, sort_keys=True) + "\n")


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _read(path: Path) -> dict[str, dict[str, str]]:
    try:
        with path.open("rb") as file:
            pins = json.loads(file.read(_MAX_PIN_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise PinFileError(f"{path} cannot be read as JSON") from error
    if not isinstance(pins, dict) or not all(isinstance(each, dict) for each in pins.values()):
        raise PinFileError(f"{path} holds no digests by server and tool")
    return pins


class ToolChanges:
    """Compares each list of a server's tools with those before it, and with what was confirmed."""

    def __init__(self, server: str, *, pin: Path | None, logger: Logger) -> None:
        self._server, self._pin, self._logger = server, pin, logger
        self._known: dict[str, str] | None = None
        self._held_back: frozenset[str] = frozenset()

    async def choose_offered(self, listed: Iterable[ListedTool]) -> tuple[ListedTool, ...]:
        """Those of the listed tools that may be offered to the model."""
        listed = tuple(listed)
        self._tell_changes(listed)
        if self._pin is None:
            return listed
        pins = await asyncio.to_thread(self._read_pins, self._pin)
        offered = tuple(tool for tool in listed if pins.get(tool.name) == tool.digest)
        self._tell_held_back(tool for tool in listed if pins.get(tool.name) != tool.digest)
        return offered

    def _tell_changes(self, listed: tuple[ListedTool, ...]) -> None:
        digests = {tool.name: tool.digest for tool in listed}
        if self._known is not None:
            changed = [tool for tool in listed if self._known.get(tool.name, "") != tool.digest]
            if changed:
                self._logger.warning(
                    "mcp server describes tools otherwise than before, or brings new ones",
                    server=self._server,
                    tools=_describe(changed),
                    count=len(changed),
                )
        self._known = digests

    def _tell_held_back(self, tools: Iterable[ListedTool]) -> None:
        held_back = tuple(tools)
        fresh = [tool for tool in held_back if tool.digest not in self._held_back]
        if fresh:
            self._logger.warning(
                "mcp tools are not offered until you have read and confirmed them: arc mcp pin",
                server=self._server,
                setting=f"mcp.servers.{self._server}.pin",
                tools=_describe(fresh),
                count=len(fresh),
            )
        self._held_back = frozenset(tool.digest for tool in held_back)

    def _read_pins(self, path: Path) -> Mapping[str, str]:
        """The confirmed tools of the server, each with its digest; none without the file."""
        try:
            return _read(path).get(self._server, {})
        except PinFileError as error:
            self._logger.warning(
                "the file of confirmed mcp tools cannot be used, and none of its tools is offered; "
                "write it anew: arc mcp pin",
                server=self._server,
                setting=f"mcp.servers.{self._server}.pin",
                cause=str(error),
            )
            return {}


def _describe(tools: Iterable[ListedTool]) -> list[str]:
    return [f"{tool.name[:LOGGED_NAME_CHARS]} {tool.digest}" for tool in list(tools)[:LOGGED]]


_KEPT_FIELDS = ("name", "description", "parameters", "output")


class KeptLists:
    """Files of a folder, one for each server and address, which a hash names; without one, none."""

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
                kept = json.loads(file.read(_MAX_LIST_BYTES))
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
            "tools": [{field: getattr(each, field) for field in _KEPT_FIELDS} for each in tools],
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, json.dumps(kept))
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
