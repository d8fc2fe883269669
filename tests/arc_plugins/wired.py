"""What an application with some settings and all of Arc's plugins would wire, and why."""

from dataclasses import dataclass
from typing import Any

from arc_autoconfig import Application, ArcSettings

__all__ = ["Wired", "wired"]


@dataclass(frozen=True)
class Wired:
    """The decision on one interface: names of those who take part, and why the others do not."""

    winners: list[str]
    reasons: dict[str, str]


def wired(interface: type, **sections: Any) -> Wired:
    """What is decided for an interface.

    Args:
        interface: Of a slot or contribution.
        **sections: Settings, as keyword arguments of `ArcSettings`.
    """
    decision = Application(ArcSettings(**sections)).report.decision(interface)
    return Wired(
        winners=[winner.name for winner in decision.winners],
        reasons={loser.candidate.name: loser.reason for loser in decision.losers},
    )
