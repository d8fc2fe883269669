"""Which tools a server lists: page by page, bounded, and without those that lie."""

import asyncio
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp_types import Tool

from arc_core import Logger
from arc_core.json_schema import flaw_of

__all__ = ["MAX_TOOLS", "ListedTool", "list_tools"]

MAX_TOOLS = 1_000
"""How many tools of one server are taken; more would never fit a request."""

_MAX_PAGES = 1_000
_MAX_SCHEMA_CHARS = 50_000
_MAX_DESCRIPTION_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its server describes it, checked.

    Attributes:
        name: On the server.
        description: Cut where it is too long.
        parameters: A JSON Schema of type `object`.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


async def list_tools(
    client: Client, *, server: str, allowed: Container[str] | None, logger: Logger | None
) -> tuple[ListedTool, ...]:
    """The first thousand tools of a server that may be used.

    A tool whose `input_schema` is no JSON Schema of type `object`, refers to what is not in it, or
    has more than 50 000 characters is left out: with it, vendors would refuse every request.

    Args:
        client: Connected.
        server: Its name, for the log.
        allowed: Names; None is all.
        logger: Warned of what is left out; None keeps it quiet.
    """
    found: dict[str, Tool] = {}
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor, cache_mode="refresh")
        for tool in page.tools:
            if allowed is None or tool.name in allowed:
                found.setdefault(tool.name, tool)
        cursor = page.next_cursor
        if not cursor or len(found) > MAX_TOOLS:
            break
    if len(found) > MAX_TOOLS and logger is not None:
        logger.warning(
            "mcp server has too many tools; name those wanted in its allowed_tools", server=server
        )
    kept = list(found.values())[:MAX_TOOLS]
    flaws = await asyncio.to_thread(lambda: [_flaw(tool) for tool in kept])
    if logger is not None and (flawed := list(_flawed(flaws, kept))):
        logger.warning(
            "mcp tools without a proper schema are left out", server=server, tools=flawed[:10]
        )
    return tuple(_listed(tool) for tool, flaw in zip(kept, flaws, strict=True) if flaw is None)


def _flawed(flaws: Sequence[str | None], tools: Sequence[Tool]) -> Iterator[str]:
    for flaw, tool in zip(flaws, tools, strict=True):
        if flaw is not None:
            yield f"{tool.name[:64]}: {flaw[:200]}"


def _flaw(tool: Tool) -> str | None:
    schema = tool.input_schema
    if schema.get("type", "object") != "object":
        return "its arguments are no object"
    if len(json.dumps(schema)) > _MAX_SCHEMA_CHARS:
        return f"its schema has more than {_MAX_SCHEMA_CHARS} characters"
    return flaw_of(schema)


def _listed(tool: Tool) -> ListedTool:
    description = (tool.description or "")[:_MAX_DESCRIPTION_CHARS]
    return ListedTool(tool.name, description, {"type": "object", **tool.input_schema})
