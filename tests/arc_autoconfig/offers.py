"""Candidates and components for tests of the wiring."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.declare.candidates import Candidate, Origin, Source
from arc_autoconfig.declare.interfaces import declared_in
from arc_autoconfig.declare.plugins import Plugin, PluginState
from arc_autoconfig.installed import ARC_DISTRIBUTION
from arc_autoconfig.settings import ArcSettings
from arc_core import Allowed, Document, GuardRequest, GuardResult, ResponseFilterContext, tool
from arc_core.components.extension_points import Contribution, Slot, get_place

PLACES = declared_in("arc_core")
SLOTS = tuple(place for place in PLACES if isinstance(place, Slot))
CONTRIBUTIONS = tuple(place for place in PLACES if isinstance(place, Contribution))

ARC = Origin(source=Source.DEFAULT, plugin="arc", distribution=ARC_DISTRIBUTION, version="0.1.0")
ACME = Origin(source=Source.PLUGIN, plugin="acme", distribution="acme-arc", version="1.2")
OTHER = Origin(source=Source.PLUGIN, plugin="other", distribution="other-arc", version="3.4")
CODE = Origin(source=Source.CODE)

ACME_PLUGIN = Plugin(
    name="acme",
    known_as="acme",
    group="arc",
    reference="acme.plugin",
    distribution="acme-arc",
    version="1.2",
    state=PluginState.LOADED,
    brought=("hooks: audit",),
)
"""The plugin of the origin `ACME`."""


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city.

    Args:
        city: Its name.
    """
    return f"Sunny in {city}"


class OpenGuard:
    """Lets everything in; fits by its methods alone."""

    order = 100

    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class EmptyRetriever:
    """Finds nothing; fits by its methods alone."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        return ()


class UpperCaseFilter:
    """Fits by its methods alone."""

    order = 50

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content.upper()


def offer(
    interface: type, name: str, *, origin: Origin = ARC, component: object = None, **options: Any
) -> Candidate:
    """A candidate for the place of an interface, with a component of its own."""
    offered = object() if component is None else component
    return Candidate(
        place=get_place(interface), name=name, component=offered, origin=origin, **options
    )


def facts(
    *,
    environment: dict[str, str] | None = None,
    packages: dict[str, str] | None = None,
    **settings: Any,
) -> ConditionFacts:
    """What is known besides the candidates: settings as keywords, and nothing of this machine."""
    return ConditionFacts(
        settings=ArcSettings(**settings),
        environment=environment or {},
        version_of=(packages or {}).get,
    )
