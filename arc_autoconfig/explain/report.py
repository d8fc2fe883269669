"""Explain: what is wired and why, as it was decided."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.plugins import Plugin, PluginState
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.errors import ConfigurationError


def with_faults(
    plugins: Sequence[Plugin], faults: Mapping[Candidate, ConfigurationError]
) -> tuple[Plugin, ...]:
    """The plugins, those of which components cannot be built marked as broken."""
    marked: list[Plugin] = []
    for plugin in plugins:
        errors = [error for each, error in faults.items() if plugin.has_brought(each)]
        cause = "; ".join([errors[0].description, *errors[0].evidence[:1]]) if errors else None
        broken = replace(plugin, state=PluginState.BROKEN, cause=cause)
        marked.append(broken if errors else plugin)
    return tuple(marked)


@dataclass(frozen=True, slots=True)
class ConditionReport:
    """Every decision with its reasons; `str()` is for people, `to_dict()` for programs.

    Attributes:
        decisions: One per slot and contribution.
        plugins: All installed plugins, also those that are not loaded.
    """

    decisions: tuple[WiringDecision, ...]
    plugins: tuple[Plugin, ...]

    def decision(self, interface: type) -> WiringDecision:
        """Return the decision for an interface.

        Raises:
            LookupError: The interface is neither a slot's nor a contribution's.
        """
        for decision in self.decisions:
            if decision.place.asked_as == interface:
                return decision
        msg = f"{interface!r} is neither the interface of a slot or contribution nor a service"
        raise LookupError(msg)

    def winner(self, interface: type) -> Candidate | None:
        """Return what fills a slot, or the first of a contribution; None if it is empty."""
        return self.decision(interface).winner

    def winners(self, interface: type) -> tuple[Candidate, ...]:
        """All of a contribution, in their order once they are built; for a slot one or none."""
        return self.decision(interface).winners

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, ready for JSON."""
        return {
            "decisions": {each.place.name: _decision(each) for each in self.decisions},
            "plugins": [_plugin(plugin) for plugin in self.plugins],
        }

    def __str__(self) -> str:
        return "\n".join(line for decision in self.decisions for line in _lines(decision))


def _decision(decision: WiringDecision) -> dict[str, Any]:
    return {
        "kind": _kind(decision.place),
        "interface": decision.place.interface.__name__,
        **{
            role: [_candidate(each, decision.reason_for(each)) for each in getattr(decision, role)]
            for role in ("winners", "wrappers", "entries")
        },
        "reason": decision.reason,
        "problem": None if decision.problem is None else str(decision.problem),
        "losers": [_candidate(loser.candidate, loser.reason) for loser in decision.losers],
    }


def _kind(place: ExtensionPoint) -> str:
    if isinstance(place, Contribution):
        return "contribution"
    return "service" if place.is_service else "slot"


def _candidate(candidate: Candidate, reason: str) -> dict[str, Any]:
    origin = candidate.origin
    return {
        "name": candidate.name,
        "source": origin.source.value,
        "plugin": origin.plugin,
        "distribution": origin.distribution,
        "version": origin.version,
        "reference": candidate.reference,
        "condition": None if candidate.condition is None else str(candidate.condition),
        "reason": reason,
    }


def _plugin(plugin: Plugin) -> Mapping[str, Any]:
    read = {"brought": list(plugin.brought), "load_ms": round(plugin.load_ms, 3)}
    return {**asdict(plugin), "state": plugin.state.value, **read}


def _lines(decision: WiringDecision) -> Iterator[str]:
    is_slot = isinstance(decision.place, Slot)
    otherwise = "none" if decision.problem is None else f"undecided: {decision.problem.remedy}"
    winners = ", ".join(map(str, decision.winners)) or otherwise
    reason = f", {decision.reason}" if is_slot and decision.winners else ""
    yield f"{decision.place.name}: {winners}{reason}"
    for wrapper in decision.wrappers:
        yield f"    wrapped by {wrapper}"
    for entry in decision.entries:
        yield f"    by name {entry}: {decision.reason_for(entry)}"
    for loser in decision.listed_losers:
        yield f"    not {loser.candidate}: {loser.reason}"
