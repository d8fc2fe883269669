"""The condition report, for people and for programs."""

import json
from dataclasses import replace

import pytest

from arc_autoconfig.decide.decisions import with_overrides
from arc_autoconfig.decide.resolution import resolve
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.explain.report import ConditionReport
from arc_core import AgentCommand, ChatModel, Guard, ResponseCache, Retriever
from arc_core.conditions import on_env
from tests.arc_autoconfig.offers import ACME, ACME_PLUGIN, PLACES, OpenGuard, facts, offer

PLUGIN = replace(ACME_PLUGIN, state=PluginState.QUARANTINED, cause="ImportError: no", brought=())


@pytest.fixture
def report() -> ConditionReport:
    candidates = [
        offer(ResponseCache, "memory"),
        offer(ResponseCache, "redis", origin=ACME),
        offer(ChatModel, "openai", condition=on_env("KEY")),
        offer(Guard, "a", component=OpenGuard),
        offer(Guard, "b", origin=ACME),
    ]
    decisions = with_overrides(resolve(candidates, facts(), PLACES), {"retriever": object()})
    return ConditionReport(tuple(decisions.values()), (PLUGIN,))


def test_winners_are_found_by_their_interface(report: ConditionReport) -> None:
    """One for a slot, all of a contribution, None if there is none."""
    winner = report.winner(ResponseCache)

    assert winner is not None
    assert (winner.name, winner.origin.distribution, winner.origin.version) == (
        "redis",
        "acme-arc",
        "1.2",
    )
    assert report.winner(ChatModel) is None
    assert [each.name for each in report.winners(Guard)] == ["a", "b"]
    with pytest.raises(LookupError, match="AgentCommand"):
        report.winner(AgentCommand)


def test_people_read_who_won_who_lost_and_why(report: ConditionReport) -> None:
    """A line per place, a line per loser."""
    lines = str(report).splitlines()

    assert "response_cache: redis (acme-arc 1.2), brought by a plugin" in lines
    assert "    not memory (arc-agents 0.1.0): stepped back for redis (acme-arc 1.2)" in lines
    assert "chat_model: none" in lines
    assert (
        "    not openai (arc-agents 0.1.0): condition not met: environment variable KEY is set"
        in lines
    )
    assert "guards: a (arc-agents 0.1.0), b (acme-arc 1.2)" in lines
    assert "retriever: object (container override), the container's provider is overridden" in lines


def test_programs_read_the_same(report: ConditionReport) -> None:
    """Plain values that survive JSON, plugins included."""
    read = json.loads(json.dumps(report.to_dict()))

    cache = read["decisions"]["response_cache"]
    assert (cache["kind"], cache["interface"]) == ("slot", "ResponseCache")
    assert cache["winners"][0]["distribution"] == "acme-arc"
    assert cache["losers"][0]["reason"] == "stepped back for redis (acme-arc 1.2)"
    guards = read["decisions"]["guards"]
    assert guards["kind"] == "contribution"
    assert guards["winners"][0]["reference"] == f"{OpenGuard.__module__}:OpenGuard"
    assert read["decisions"]["retriever"]["winners"][0]["source"] == "override"
    (plugin,) = read["plugins"]
    assert (plugin["state"], plugin["cause"]) == ("quarantined", "ImportError: no")


def test_a_winner_of_an_override_is_there_too(report: ConditionReport) -> None:
    """The report does not stop at what Arc decided."""
    winner = report.winner(Retriever)

    assert winner is not None
    assert winner.name == "object"
