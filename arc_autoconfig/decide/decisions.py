"""What was decided, with its reasons: the container executes it, the report prints it."""

from dataclasses import dataclass

from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core.places import Place

__all__ = ["NOT_UNIQUE", "STEPPED_BACK", "UNDECIDED", "Decision", "Decisions", "Loser"]

STEPPED_BACK = "stepped back"
"""Begins the reason of a loser that would have been used without the winner."""

UNDECIDED = "wants the slot, as others do, and none is chosen"
"""The reason of a candidate of an ambiguous slot."""

NOT_UNIQUE = "waits until its place has no two of one name"
"""The reason of a contribution while two of its place have one name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loser:
    """A candidate that is not used.

    Attributes:
        candidate: Which.
        reason: Why not, in words for people.
        is_able: Whether it could be used: its conditions hold, and it lost against others.
    """

    candidate: Candidate
    reason: str
    is_able: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Who takes a place, and why.

    Attributes:
        place: The slot or contribution.
        winners: For a slot one or none; for a contribution all that take part, by name.
        losers: By name.
        reason: Why the winner of a slot won, in words for people; see `reason_for` for the rest.
        problem: Why nothing could be decided; it stops the start, unless an override settles it.
        wrappers: What wraps each winner, the outermost first.
    """

    place: Place
    winners: tuple[Candidate, ...]
    losers: tuple[Loser, ...]
    reason: str
    problem: AmbiguousComponentError | None = None
    wrappers: tuple[Candidate, ...] = ()

    @property
    def winner(self) -> Candidate | None:
        """The component of a slot; None if it is empty."""
        return self.winners[0] if self.winners else None

    def reason_for(self, winner: Candidate) -> str:
        """Why a winner takes part, in words for people; conditions tell namesakes apart."""
        reason = "" if winner.is_wrapper else self.reason
        if winner.condition is None:
            return reason or "always takes part"
        if reason and not any(each.candidate.name == winner.name for each in self.losers):
            return reason
        condition = f"its condition holds: {winner.condition}"
        return f"{reason}; {condition}" if reason else condition


Decisions = dict[str, Decision]
"""By the name of the place."""
