"""The components of an application, as the record of a run names them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel, TypeAdapter

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.declare.candidates import Candidate, Source, get_name
from arc_core.components.extension_points import Contribution
from arc_core.components.wiring_record import ComponentRecord


def record_components(
    decisions: Iterable[WiringDecision],
    *,
    made: Mapping[Candidate, object],
    members: Mapping[Candidate, Sequence[object]],
    sections: Mapping[Candidate, Sequence[object]],
    overrides: Mapping[str, Sequence[object]],
) -> tuple[ComponentRecord, ...]:
    """All that take part in runs, in the order of their places.

    Args:
        decisions: Of all places; what is there on demand only, as commands are, serves no run.
        made: The instances; one that each run makes for itself is not among them.
        members: The objects that candidates have brought to their contributions.
        sections: The settings with which candidates were made.
        overrides: The components that stand in the place of those decided, by their places.
    """
    records: list[ComponentRecord] = []
    for decision in decisions:
        place = decision.place
        if isinstance(place, Contribution) and place.is_on_demand:
            continue
        for each in (*decision.winners, *decision.wrappers, *decision.entries):
            if each.origin.source is Source.OVERRIDE:
                records += [
                    _record(each, one, members=(one,), settings="") for one in overrides[place.name]
                ]
                continue
            component = made.get(each)
            its = members.get(each) or (() if component is None else (component,))
            settings = "\n".join(_write(sections.get(each, ())))
            records.append(_record(each, component, members=its, settings=settings))
    return tuple(records)


def _record(
    candidate: Candidate, component: object, *, members: Sequence[object], settings: str
) -> ComponentRecord:
    cls, origin = type(component), candidate.origin
    is_override = origin.source is Source.OVERRIDE
    return ComponentRecord(
        place=candidate.place.name,
        name=get_name(component) if is_override else candidate.name,
        type=candidate.reference if component is None else f"{cls.__module__}:{cls.__qualname__}",
        package=origin.distribution or "",
        version=origin.version or "",
        settings=settings,
        members=tuple(members),
    )


def _write(sections: Iterable[object]) -> Iterator[str]:
    """Write sections as JSON, secrets as stars; of one that has no JSON, the name."""
    for section in sections:
        name = type(section).__qualname__
        try:
            text = (
                section.model_dump_json()
                if isinstance(section, BaseModel)
                else TypeAdapter(type(section)).dump_json(section).decode()
            )
        except (TypeError, ValueError):
            text = ""
        yield f"{name} {text}"
