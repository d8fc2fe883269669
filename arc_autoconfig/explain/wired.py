"""The components of an application as they are built: who is where, and built with whom."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.declare.candidates import Candidate, Source, get_name
from arc_core.components.extension_points import Contribution
from arc_core.components.wiring_record import ComponentRecord


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
    return tuple(
        WiredComponent(
            place=each.place.name,
            name=_find_name(each, component),
            type=_find_type(each, component),
            origin=str(each.origin),
            order=_find_order(each, component),
            needs=tuple(needs.get(each, ())),
            is_default=each.origin.source is Source.DEFAULT,
            wraps=each.is_wrapper,
            setting=None if each.entry is None else each.entry.setting,
            is_dispensable=can_do_without(each),
            component=component,
            check_health=None if each.lifecycle is None else each.lifecycle.check_health,
        )
        for each, component in _find_used(decisions, made, overrides)
    )


def record_components(
    decisions: Iterable[WiringDecision],
    *,
    made: Mapping[Candidate, object],
    members: Mapping[Candidate, Sequence[object]],
    sections: Mapping[Candidate, Sequence[object]],
    overrides: Mapping[str, Sequence[object]],
) -> tuple[ComponentRecord, ...]:
    """All that take part in runs, as the record of a run names them.

    Args:
        decisions: Of all places; what is there on demand only, as commands are, serves no run.
        made: The instances; one that each run makes for itself is not among them.
        members: The objects that candidates have brought to their contributions.
        sections: The settings with which candidates were made.
        overrides: The components that stand in the place of those decided, by their places.
    """
    serving = (each for each in decisions if not each.place.is_on_demand)
    return tuple(
        ComponentRecord(
            place=each.place.name,
            name=_find_name(each, component),
            type=_find_type(each, component),
            package=each.origin.distribution or "",
            version=each.origin.version or "",
            settings="\n".join(map(_write_section, sections.get(each, ()))),
            members=tuple(members.get(each) or ([] if component is None else [component])),
        )
        for each, component in _find_used(serving, made, overrides)
    )


def _find_used(
    decisions: Iterable[WiringDecision],
    made: Mapping[Candidate, object],
    overrides: Mapping[str, Sequence[object]],
) -> Iterator[tuple[Candidate, object]]:
    """All that is used, with the instances; None for one that only a start or a run makes."""
    for decision in decisions:
        for each in (*decision.winners, *decision.wrappers, *decision.entries):
            is_override = each.origin.source is Source.OVERRIDE
            for component in overrides[each.place.name] if is_override else [made.get(each)]:
                yield each, component


def _find_name(candidate: Candidate, component: object) -> str:
    is_override = candidate.origin.source is Source.OVERRIDE
    return get_name(component) if is_override else candidate.name


def _find_type(candidate: Candidate, component: object) -> str:
    cls = type(component)
    return candidate.reference if component is None else f"{cls.__module__}:{cls.__qualname__}"


def _find_order(candidate: Candidate, component: object) -> int | None:
    has_order = isinstance(candidate.place, Contribution) and not candidate.is_wrapper
    return getattr(component, "order", None) if has_order else None


def _write_section(section: object) -> str:
    """Write a section as JSON, secrets as stars; of one that has no JSON, the name."""
    try:
        text = TypeAdapter(type(section)).dump_json(section).decode()
    except (TypeError, ValueError):
        text = ""
    return f"{type(section).__qualname__} {text}"


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
