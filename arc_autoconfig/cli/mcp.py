"""`arc mcp pin`: confirm the tools of MCP servers as they are now."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.json_output import print_json
from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.tables import print_rows
from arc_autoconfig.cli.wiring import application_for
from arc_core.interfaces.optional import PinnedTools, PinsTools

__all__ = ["mcp"]


@click.group()
@wiring_options
def mcp() -> None:
    """See to the tools of MCP servers."""


@mcp.command("pin")
@json_option
@wiring_options
@click.pass_context
def _pin(ctx: click.Context, *, as_json: bool) -> None:
    """Confirm the tools of servers that have the setting pin, as they are now.

    Read the descriptions before: a model does what they say. From then on a tool that is described
    otherwise, or is new, is not offered until this is run again.
    """
    sources = [
        each for each in application_for(ctx).container.tools() if isinstance(each, PinsTools)
    ]
    if not sources:
        raise ConfigurationFailure(
            'No MCP server is configured.\nName one: [tool.arc.mcp.servers.files] command = "…"'
        )
    pinned = asyncio.run(_pin_all(sources))
    if as_json:
        print_json([asdict(each) for each in pinned])
    else:
        rows = [
            (each.server, tool, digest, each.place)
            for each in pinned
            for tool, digest in each.tools
        ]
        print_rows(("Server", "Tool", "Digest", "In"), rows)


async def _pin_all(sources: Sequence[PinsTools]) -> list[PinnedTools]:
    return [pinned for source in sources for pinned in await source.pin_tools()]
