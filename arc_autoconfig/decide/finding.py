"""From settings and what a program registers to what is wired."""

from collections.abc import Iterable

from arc_autoconfig.decide.conditions import Facts
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.agents_in_settings import agents_in_settings
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.registration import candidates_of, deps_among
from arc_autoconfig.settings import ArcSettings

__all__ = ["find_and_decide"]


def find_and_decide(
    settings: ArcSettings,
    register: Iterable[object],
    *,
    third_party: bool,
    deps: Iterable[type] = (),
) -> Wiring:
    """Find the plugins, and decide what is wired.

    Args:
        settings: Of the application.
        register: What the program registers.
        third_party: Whether installed plugins take part besides Arc's own.
        deps: The classes of what callers hand to runs, as the program declares them.

    Raises:
        ConfigurationError: Something contradicts itself, or does not exist.
    """
    register = tuple(register)
    discovery = discover(settings.plugins, third_party=third_party, sections=settings.brought)
    return Wiring(
        discovery=discovery,
        registered=[*candidates_of(register, discovery.places), *agents_in_settings(settings)],
        facts=Facts(settings=settings),
        deps=(*deps, *deps_among(register)),
    )
