"""`arc mcp`: serve over standard input and output; `pin` and `prompts`: see to MCP servers."""

import asyncio
import sys
from collections.abc import Awaitable, Coroutine, Iterable
from contextlib import AsyncExitStack, redirect_stdout
from dataclasses import asdict
from typing import Any, TypeVar

import click

from arc_autoconfig.application import Application, import_server
from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import model_options, report_options, wiring_options
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.cli.signals import end_asked_for
from arc_autoconfig.cli.wiring import announce_model, application_for
from arc_core.interfaces.optional import PinsTools
from arc_core.interfaces.serving.surface import ServesStdio
from arc_core.interfaces.tools.prompt_source import OfferedPrompt, PromptSource
from arc_core.timing.cancellation import wait_despite_cancellation

T = TypeVar("T")


@click.group(invoke_without_command=True)
@model_options
@wiring_options
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve other programs by MCP, or see to MCP servers.

    Without a command it serves the agents and tools over standard input and output to the
    program that has started it, until the input ends. What is logged goes to standard error.
    """
    if ctx.invoked_subcommand is None:
        _serve(ctx)


@mcp.command("serve")
@model_options
@wiring_options
@click.pass_context
def _serve_command(ctx: click.Context) -> None:
    """Serve agents and tools over standard input and output. `arc mcp` does the same."""
    _serve(ctx)


def _serve(ctx: click.Context) -> None:
    with redirect_stdout(sys.stderr):  # what modules print as they are imported
        application = application_for(ctx)
        announce_model(application)
    asyncio.run(_serve_stdio(application))


async def _serve_stdio(application: Application) -> None:
    with end_asked_for() as ending:
        async with AsyncExitStack() as stack:
            with redirect_stdout(sys.stderr):
                await stack.enter_async_context(application)
                surfaces = await application.surfaces()
            surface = next((each for each in surfaces if isinstance(each, ServesStdio)), None)
            if surface is None:
                raise ConfigurationFailure(
                    "Nothing that is installed serves over standard input and output.\n"
                    "Install it: pip install 'arc-agents[mcp,server]'"
                )
            served = import_server("served_application")
            serving = surface.serve_stdio(served.ServedArc(application, has_keys=False))
            await _serve_until(serving, ending)


async def _serve_until(serving: Coroutine[Any, Any, None], ending: asyncio.Event) -> None:
    task = asyncio.create_task(serving, name="arc-mcp")
    told = asyncio.create_task(ending.wait(), name="arc-mcp-ending")
    try:
        await asyncio.wait((task, told), return_when=asyncio.FIRST_COMPLETED)
    finally:
        told.cancel()
        task.cancel()
        await wait_despite_cancellation(task)
    if not task.cancelled():
        task.result()


@mcp.command("pin")
@report_options
def _pin(ctx: click.Context, *, as_json: bool) -> None:
    """Confirm the tools, as they are, of servers with the setting pin.

    Read the descriptions before: a model does what they say. From then on a tool that is described
    otherwise, or is new, is not offered until this is run again.
    """
    sources = _find_sources(ctx, PinsTools)  # type: ignore[type-abstract]
    pinned = asyncio.run(_gather_lists(source.pin_tools() for source in sources))
    rows = [(one.server, tool, digest, one.place) for one in pinned for tool, digest in one.tools]
    form = [asdict(each) for each in pinned]
    print_report(form, ("Server", "Tool", "Digest", "In"), rows, as_json=as_json)


async def _gather_lists(lists: Iterable[Awaitable[Iterable[T]]]) -> list[T]:
    return [each for awaited in lists for each in await awaited]


@mcp.command("prompts")
@report_options
def _prompts(ctx: click.Context, *, as_json: bool) -> None:
    """List the prompts of MCP servers. Agents may have them as instructions, by these names."""
    sources = _find_sources(ctx, PromptSource)  # type: ignore[type-abstract]
    prompts = asyncio.run(_gather_lists(source.list_prompts() for source in sources))
    form = [{**asdict(each), "required": sorted(each.required)} for each in prompts]
    rows = [(each.name, _join_arguments(each), each.description) for each in prompts]
    print_report(form, ("Prompt", "Arguments", "Description"), rows, as_json=as_json)


def _join_arguments(prompt: OfferedPrompt) -> str:
    return ", ".join(name if name in prompt.required else f"[{name}]" for name in prompt.arguments)


def _find_sources(ctx: click.Context, kind: type[T]) -> list[T]:
    """Return the sources of tools that have an optional interface.

    Raises:
        ConfigurationFailure: There is none.
    """
    sources = [each for each in application_for(ctx).container.tools() if isinstance(each, kind)]
    if not sources:
        raise ConfigurationFailure(
            'No MCP server is configured.\nName one: [tool.arc.mcp.servers.files] command = "…"'
        )
    return sources
