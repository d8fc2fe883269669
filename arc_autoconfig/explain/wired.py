"""The components of an application as they are built: who is where, and built with whom."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.declare.candidates import Candidate, Source, get_name
from arc_core.components.extension_points import Contribution


@dataclass(frozen=True, slots=True, kw_only=True)
class WiredComponent:
    """One component in its place.

    Attributes:
        place: The slot or contribution.
        name: How settings and the report call it.
        type: The class of the instance, `package.module:Class`; of one that is not built, what
            makes it.
        origin: Who brought it, in words for people.
        order: Where it works among others of its contribution, lower earlier; None in a slot.
        needs: The places whose components it was built with.
        is_default: Whether it is Arc's own.
        wraps: Whether it wraps the components of its place.
        setting: The key of the settings that lists it, as `llm.models.quick`; None if none does.
        is_dispensable: Whether others do without it, as a model does with another to fall back on.
        component: The instance; None if it is only built by a start, or by a run.
        check_health: Says whether it works, if its offer says how.
    """

    place: str
    name: str
    type: str
    origin: str
    order: int | None
    needs: tuple[str, ...]
    is_default: bool
    wraps: bool = False
    setting: str | None = None
    is_dispensable: bool = False
    component: object = field(repr=False)
    check_health: Callable[[Any], object] | None = field(default=None, repr=False)


def wired_components(
    decisions: Iterable[WiringDecision],
    *,
    made: Mapping[Candidate, object],
    needs: Mapping[Candidate, Sequence[str]],
    overrides: Mapping[str, Sequence[object]],
    can_do_without: Callable[[Candidate], bool],
) -> tuple[WiredComponent, ...]:
    """Slots first, then contributions, each in its order."""
    found: list[WiredComponent] = []
    used = ((*each.winners, *each.wrappers, *each.entries) for each in decisions)
    for each in chain.from_iterable(used):
        is_override = each.origin.source is Source.OVERRIDE
        instances = overrides[each.place.name] if is_override else [made.get(each)]
        built_with = tuple(needs.get(each, ()))
        is_dispensable = can_do_without(each)
        found += [
            _wired_component(each, instance, built_with, is_dispensable=is_dispensable)
            for instance in instances
        ]
    return tuple(found)


def _wired_component(
    winner: Candidate, component: object, needs: tuple[str, ...], *, is_dispensable: bool
) -> WiredComponent:
    cls, source = type(component), winner.origin.source
    has_order = isinstance(winner.place, Contribution) and not winner.is_wrapper
    return WiredComponent(
        place=winner.place.name,
        name=get_name(component) if source is Source.OVERRIDE else winner.name,
        type=winner.reference if component is None else f"{cls.__module__}:{cls.__qualname__}",
        origin=str(winner.origin),
        order=getattr(component, "order", None) if has_order else None,
        needs=needs,
        is_default=source is Source.DEFAULT,
        wraps=winner.is_wrapper,
        setting=None if winner.entry is None else winner.entry.setting,
        is_dispensable=is_dispensable,
        component=component,
        check_health=None if winner.lifecycle is None else winner.lifecycle.check_health,
    )


def mermaid(components: Sequence[WiredComponent]) -> str:
    """The graph in Mermaid's language: a box per component, an arrow to what it is built with."""
    by_place: dict[str, list[tuple[int, WiredComponent]]] = {}
    for number, each in enumerate(components):
        by_place.setdefault(each.place, []).append((number, each))
    lines = ["graph LR"]
    # Mermaid takes no dots and brackets, which the names of services have.
    ids = {each: "".join(c if c.isalnum() else "_" for c in each) for each in by_place}
    for place, members in by_place.items():
        heading = place if place.isidentifier() else f'{ids[place]}["{place}"]'
        lines.append(f"    subgraph {heading}")
        lines += [f'        c{number}["{_label(each)}"]' for number, each in members]
        lines.append("    end")
    for number, each in enumerate(components):
        lines += [f"    c{number} --> {ids[place]}" for place in each.needs if place in by_place]
        if each.wraps:
            lines.append(f"    c{number} -. wraps .-> {ids[each.place]}")
    return "\n".join(lines)


def _label(component: WiredComponent) -> str:
    name = component.name.replace('"', "'")
    return f"{name}<br/>{component.type.rpartition(':')[2]}<br/>{component.origin}"


def components_view(built: Sequence[WiredComponent]) -> list[dict[str, Any]]:
    """The components, slots first."""
    names = ("place", "name", "type", "origin", "order", "needs")
    return [{name: getattr(each, name) for name in names} for each in built]
