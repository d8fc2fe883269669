"""What the user put into the container, as a decision."""

from arc_autoconfig.decide.decisions import with_overrides
from arc_autoconfig.decide.resolution import resolve
from arc_autoconfig.declare.candidates import Source
from arc_core import ResponseCache
from arc_core.conditions import on_env
from arc_core.testing import DictResponseCache
from tests.arc_autoconfig.offers import ACME, PLACES, facts, offer


def test_every_winner_steps_back_for_an_override() -> None:
    """The override wins; the winner joins the losers, and other places are as they were."""
    redis = offer(ResponseCache, "redis", origin=ACME)
    memory = offer(ResponseCache, "memory", condition=on_env("X"))
    decisions = resolve([redis, memory], facts(), PLACES)

    overridden = with_overrides(decisions, {"response_cache": DictResponseCache})

    decision = overridden["response_cache"]
    assert decision.winner is not None
    assert decision.winner.origin.source is Source.OVERRIDE
    assert decision.winner.name == "DictResponseCache"
    assert [(loser.candidate, loser.reason) for loser in decision.losers] == [
        (redis, "stepped back for DictResponseCache (container override)"),
        (memory, "condition not met: environment variable X is set"),
    ]
    assert overridden["guards"] is decisions["guards"]
