"""Decisions with their reasons: the container executes them, the report prints them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core.components.extension_points import ExtensionPoint

STEPPED_BACK = "stepped back"
"""Begins the reason of a loser that would have been used without the winner."""

UNDECIDED = "wants the slot, as others do, and none is chosen"
"""The reason of a candidate of an ambiguous slot."""

NOT_UNIQUE = "waits until its place has no two of one name"
"""The reason of a contribution while two of its place have one name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A candidate that is not used."""

    candidate: Candidate
    reason: str
    is_able: bool = False
    """True if its conditions hold, so that it lost against others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WiringDecision:
    """The components that take a place, and the reasons.

    Attributes:
        place: The slot or contribution.
        winners: For a slot one or none; for a contribution all that take part, by name.
        losers: By name.
        reason: Why the winner of a slot won, in words for people; see `reason_for` for the rest.
        problem: Why nothing could be decided; it stops the start, unless an override settles it.
        wrappers: What wraps each winner, the outermost first.
        entries: The further components of a slot that the settings list, by name.
        unmatched: Those that replace a component that does not exist, with the reason; they are
            losers, too, but where a place fails closed.
    """

    place: ExtensionPoint
    winners: tuple[Candidate, ...] = ()
    losers: tuple[Loser, ...] = ()
    reason: str = ""
    problem: AmbiguousComponentError | None = None
    wrappers: tuple[Candidate, ...] = ()
    entries: tuple[Candidate, ...] = ()
    unmatched: tuple[Loser, ...] = ()

    @property
    def winner(self) -> Candidate | None:
        """The component of a slot; None if it is empty."""
        return self.winners[0] if self.winners else None

    @property
    def listed_losers(self) -> tuple[Loser, ...]:
        """The losers that people read of, each name of an origin once, with the shortest reason."""
        listed: dict[object, Loser] = {}
        won = {(each.name, each.origin) for each in (*self.winners, *self.entries)}
        for loser in self.losers:
            known_as = loser.candidate.name, loser.candidate.origin
            if loser.is_able:
                listed[id(loser)] = loser
            elif known_as not in won:
                listed[known_as] = min(
                    listed.get(known_as, loser), loser, key=lambda each: len(each.reason)
                )
        return tuple(listed.values())

    def reason_for(self, winner: Candidate) -> str:
        """Why a winner takes part, or how an entry is had; conditions tell namesakes apart."""
        if (entry := winner.entry) is not None:
            how = "registered in code for it" if entry.maker is None else f"made by {entry.maker}"
            return f"{entry.setting}, {how}"
        unmatched = [each.reason for each in self.unmatched if each.candidate is winner]
        if unmatched:
            return f"takes part all the same: {unmatched[0]}"
        reason = "" if winner.is_wrapper else self.reason
        if winner.condition is None:
            return reason or "always takes part"
        if reason and not any(each.candidate.name == winner.name for each in self.losers):
            return reason
        condition = f"its condition holds: {winner.condition}"
        return f"{reason}; {condition}" if reason else condition


def as_losers(reasons: Mapping[Candidate, str]) -> tuple[Loser, ...]:
    """Return the candidates that are not used, each with the reason."""
    return tuple(Loser(candidate=each, reason=why) for each, why in reasons.items())


Decisions = dict[str, WiringDecision]
"""By the name of the place."""


def with_overrides(decisions: Decisions, overrides: Mapping[str, object]) -> Decisions:
    """The decisions in which every winner stepped back for the override of its place."""
    return {
        name: _overridden(decision, overrides[name]) if name in overrides else decision
        for name, decision in decisions.items()
    }


def _overridden(decision: WiringDecision, component: object) -> WiringDecision:
    winner = Candidate.of_override(decision.place, component)
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
