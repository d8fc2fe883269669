"""The runs that other processes keep, as commands get at them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import ConfigurationFailure, RunFailure
from arc_autoconfig.cli.wiring import application_for
from arc_core.engine.models.models import MissingChatModel
from arc_core.errors import UnknownRunError
from arc_core.runs.store import Capability, RunStore, Waiting
from arc_core.settings import DEFAULT_MODEL

_NEWEST = 1000
_SHOWN = 5

T = TypeVar("T")

_NEEDED = frozenset(("durable", "plugins", "tools", "approvals", "agents", "components"))
"""The sections that a look at kept runs uses; secrets of others need not be there."""

_REMEDY = "Set durable.enabled = true to keep runs in a database."


def ask_journals(ctx: click.Context, ask: Callable[[Application], Awaitable[T]]) -> T:
    """Ask an application about runs while it is open; it takes no runs itself."""
    app = application_for(ctx, needed=_NEEDED)
    app.container.chat_model.override(MissingChatModel(DEFAULT_MODEL))  # no run is taken here
    journals = app.component(RunStore)
    if not outlives_process(app):
        raise ConfigurationFailure(
            f"{type(journals).__qualname__} keeps runs in the memory of their own process, which "
            f"no command can read.\n{_REMEDY}"
        )
    if Capability.QUEUES in journals.capabilities:
        journals.work_on(())

    async def ask_open() -> T:
        async with app:
            return await ask(app)

    try:
        return asyncio.run(ask_open())
    except BrokenPipeError:  # of standard output
        raise
    except OSError as error:
        raise RunFailure(error.strerror or str(error)) from error


def ask_run(ctx: click.Context, run_id: str, ask: Callable[[Application, str], Awaitable[T]]) -> T:
    """As `ask_journals`, about a run by its id or by how that begins."""

    async def ask_open(app: Application) -> T:
        return await ask(app, await resolve_run_id(app, run_id))

    return ask_journals(ctx, ask_open)


def outlives_process(app: Application) -> bool:
    """Say whether the runs of an application are there for other processes, and later ones."""
    return Capability.KEEPS in app.component(RunStore).capabilities


def cannot(journals: RunStore, verb: str) -> ConfigurationFailure:
    """The failure for a command that the store of runs cannot serve."""
    return ConfigurationFailure(f"{type(journals).__qualname__} cannot {verb}.\n{_REMEDY}")


async def key_of_only_request(app: Application, run_id: str) -> str:
    """The key of the one call of a run that waits for a person."""
    found = await app.result(run_id)
    keys = [request.key for request in found.requests] if isinstance(found, Waiting) else []
    if not keys:
        where = found.state.value if isinstance(found, Waiting) else "finished"
        raise RunFailure(f"The run {run_id} does not wait for a person: it is {where}.")
    if len(keys) > 1:
        raise RunFailure(
            f"Several calls of the run {run_id} wait; name one of them: {', '.join(keys)}."
        )
    return keys[0]


async def resolve_run_id(app: Application, text: str) -> str:
    """Return the id of the run that is meant: by the whole id, or by how it alone begins."""
    try:
        await app.result(text)
    except UnknownRunError:
        journals = app.component(RunStore)
        can_list = Capability.LISTS in journals.capabilities
        newest = await journals.list(limit=_NEWEST) if can_list else []
        found: list[str] = [each.run_id for each in newest if each.run_id.startswith(text)]
        if len(found) == 1:
            return found[0]
        if found:
            more = ", …" if len(found) > _SHOWN else ""
            raise RunFailure(
                f"{len(found)} runs begin with {text}; write more of one of them: "
                f"{', '.join(found[:_SHOWN])}{more}"
            ) from None
    return text
