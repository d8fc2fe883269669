"""Explain: how a started application is, each component by its own account."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.plugins import Plugin, PluginState
from arc_autoconfig.errors import describe_cause
from arc_autoconfig.explain.wired import WiredComponent
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import ChecksHealth, Health, HealthStatus
from arc_core.text.addresses import mask_addresses

CHECK_TIMEOUT_S = 10.0
"""The seconds that one check may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFinding:
    """The result of one check."""

    subject: str
    health: Health


async def check_components(
    components: Sequence[WiredComponent], *, timeout_s: float = CHECK_TIMEOUT_S
) -> tuple[HealthFinding, ...]:
    """Ask the components that can say how they are, all at once.

    What fills a slot, does not come from Arc and cannot say is skipped; other components that
    cannot say are left out.
    """
    wanted = [
        each
        for each in components
        if (each.order is None and not each.is_default) or _find_check(each) is not None
    ]
    async with asyncio.TaskGroup() as group:
        checks = [group.create_task(_health(each, timeout_s)) for each in wanted]
    return tuple(
        HealthFinding(subject=f"{each.place}: {each.name}", health=check.result())
        for each, check in zip(wanted, checks, strict=True)
    )


async def _health(wired: WiredComponent, timeout_s: float) -> Health:
    component = wired.component
    if component is None and wired.is_dispensable:
        summary, remedy = f"{wired.setting} could not be made", "see the warning of the start"
        health = Health(status=HealthStatus.ERROR, summary=summary, remedy=remedy)
        return _in_its_place(health, wired)
    check = _find_check(wired)
    if component is None or check is None:
        summary = f"{wired.name} has no check_health, so it cannot say whether it works"
        return Health(status=HealthStatus.SKIPPED, summary=summary)
    return _in_its_place(await _ask(check, wired, timeout_s), wired)


def _find_check(wired: WiredComponent) -> Callable[[], object] | None:
    """Return the check of a component: that of its offer, else its own."""
    if wired.check_health is not None:
        return partial(wired.check_health, wired.component)
    component = wired.component
    return component.check_health if isinstance(component, ChecksHealth) else None


async def _ask(check: Callable[[], object], wired: WiredComponent, timeout_s: float) -> Health:
    deadline = asyncio.timeout(timeout_s)
    health: object = None
    with Contained() as attempt:
        async with deadline:
            health = check()
            if isinstance(health, Awaitable):
                health = await health
    if attempt.error is None and health is None and wired.check_health is not None:
        summary = f"{type(wired.component).__qualname__} works"
        return Health(status=HealthStatus.OK, summary=summary)
    if isinstance(health, Health):
        return health
    if isinstance(attempt.error, ConfigurationError):
        summary = mask_addresses("; ".join([attempt.error.description, *attempt.error.evidence]))
        return Health(status=HealthStatus.ERROR, summary=summary, remedy=attempt.error.remedy)
    if attempt.error is None:
        cause = f"check_health returned {type(health).__qualname__}, which is not a Health"
    elif deadline.expired():
        cause = f"it took longer than {timeout_s:g} s"
    else:
        cause = mask_addresses(describe_cause(attempt.error))
    return Health(
        status=HealthStatus.ERROR,
        summary=cause,
        remedy=f"check what {wired.name} ({wired.origin}) needs to work",
    )


def _in_its_place(health: Health, wired: WiredComponent) -> Health:
    """Return what a component says of itself; a warning if others do without it."""
    if health.status is not HealthStatus.ERROR or wired.setting is None:
        return health
    remedy = None if health.remedy is None else f"in {wired.setting}: {health.remedy}"
    if not wired.is_dispensable:
        return replace(health, remedy=remedy)
    summary = f"{health.summary}; others do without it"
    return Health(status=HealthStatus.WARNING, summary=summary, remedy=remedy)


def quarantine_findings(plugins: Iterable[Plugin]) -> tuple[HealthFinding, ...]:
    """The plugins of which all or a part is left out, each with its cause."""
    return tuple(
        _left_out(each)
        for each in plugins
        if each.state is PluginState.QUARANTINED
        or (each.state is PluginState.LOADED and each.cause is not None)
    )


def _left_out(plugin: Plugin) -> HealthFinding:
    health = Health(
        status=HealthStatus.WARNING,
        summary=f"left out: {plugin.cause}"
        if plugin.state is PluginState.QUARANTINED
        else plugin.cause or "",
        remedy=f"repair or uninstall it, or add {plugin.known_as!r} to plugins.disabled",
    )
    return HealthFinding(subject=f"plugin {plugin}", health=health)
