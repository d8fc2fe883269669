"""Decide, the user's part: what was put into the container takes precedence over all decisions."""

from collections.abc import Mapping
from dataclasses import replace

from arc_autoconfig.decide.decisions import (
    NOT_UNIQUE,
    STEPPED_BACK,
    UNDECIDED,
    Decisions,
    Loser,
    WiringDecision,
)
from arc_autoconfig.declare.candidates import Candidate, Origin, Source, get_name

__all__ = ["with_overrides"]


def with_overrides(decisions: Decisions, overrides: Mapping[str, object]) -> Decisions:
    """The decisions in which every winner stepped back for the override of its place."""
    return {
        name: _overridden(decision, overrides[name]) if name in overrides else decision
        for name, decision in decisions.items()
    }


def _overridden(decision: WiringDecision, component: object) -> WiringDecision:
    winner = Candidate(
        place=decision.place,
        name=get_name(component),
        component=component,
        origin=Origin(source=Source.OVERRIDE),
    )
    reason = f"{STEPPED_BACK} for {winner}"
    stepped_back = tuple(Loser(candidate=each, reason=reason) for each in decision.winners)
    others = tuple(
        replace(loser, reason=reason) if loser.reason in {NOT_UNIQUE, UNDECIDED} else loser
        for loser in decision.losers
    )
    return replace(
        decision,
        winners=(winner,),
        losers=(*stepped_back, *others),
        reason="the container's provider is overridden",
        problem=None,
    )
