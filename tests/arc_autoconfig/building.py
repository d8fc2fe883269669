"""Containers and builders for tests that need no plugin, not even one of Arc's own."""

from collections.abc import Sequence
from typing import Any

from arc_autoconfig import ArcContainer
from arc_autoconfig.container.application_scope import ApplicationScope
from arc_autoconfig.container.container import bind
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.plugins import Discovery, Plugin
from arc_autoconfig.declare.registration import read_candidates
from tests.arc_autoconfig.offers import PLACES, facts

__all__ = ["container_of", "container_of_candidates"]


def container_of(
    *registered: object, own: ArcContainer | None = None, **settings: Any
) -> tuple[Any, ApplicationScope]:
    """A container with what a program registers, and its builder."""
    return container_of_candidates(read_candidates(registered, PLACES), facts(**settings), own=own)


def container_of_candidates(
    candidates: Sequence[Candidate],
    known: ConditionFacts,
    *,
    own: ArcContainer | None = None,
    plugins: tuple[Plugin, ...] = (),
) -> tuple[Any, ApplicationScope]:
    """A container with some candidates, and its builder."""
    container = own or ArcContainer()
    discovery = Discovery(PLACES, (), plugins)
    wiring = Wiring(discovery=discovery, registered=candidates, facts=known)
    overrides = ContainerOverrides(container, wiring.places)
    builder = ApplicationScope(wiring=wiring, overrides=overrides, settings=known.settings)
    bind(container, builder, wiring.places)
    return container, builder
