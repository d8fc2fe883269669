"""Components of one name, where a name chooses one."""

from dataclasses import replace

import pytest

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.decide.resolution import resolve
from arc_autoconfig.declare.candidates import Candidate, Origin, Reference, Source
from arc_autoconfig.declare.registration import read_candidates
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core import Agent, Hook
from arc_core.conditions import on_env
from tests.arc_autoconfig.offers import ACME, CODE, OTHER, PLACES, facts, offer

SETTINGS = Origin(source=Source.SETTINGS, place="arc.toml, line 3")


def agents(*candidates: Candidate) -> WiringDecision:
    """What is decided of agents."""
    return resolve(candidates, facts(), PLACES)["agents"]


def test_code_wins_over_settings_and_settings_over_packages() -> None:
    """The report says for whom each of the others stands back."""
    packaged, written, coded = (offer(Agent, "x", origin=each) for each in (ACME, SETTINGS, CODE))

    decision = agents(packaged, written, coded)

    assert decision.winners == (coded,)
    reason = "stands back for x (registered in code) of the same name"
    assert [(each.candidate, each.reason) for each in decision.losers] == [
        (written, reason),
        (packaged, reason),
    ]
    assert agents(packaged, written).winners == (written,)
    assert str(written) == "x (settings, arc.toml, line 3)"


def test_one_whose_condition_does_not_hold_takes_nobodys_place() -> None:
    """Only what takes part counts."""
    packaged = offer(Agent, "x", origin=ACME)
    coded = offer(Agent, "x", origin=CODE, condition=on_env("NEVER"))

    assert agents(packaged, coded).winners == (packaged,)


def test_two_packages_with_one_agent_are_an_error() -> None:
    """It names both, and how to leave one out."""
    problem = agents(offer(Agent, "x", origin=ACME), offer(Agent, "x", origin=OTHER)).problem

    assert isinstance(problem, AmbiguousComponentError)
    assert "acme-arc 1.2" in str(problem)
    assert "other-arc 3.4" in str(problem)
    assert "plugins.disabled" in str(problem)


def test_two_agents_of_one_name_in_code_are_an_error() -> None:
    """They are not numbered, as two guards of one class are."""
    registered = read_candidates([Agent("x"), Agent("x", model="quick")], PLACES)

    problem = agents(*registered).problem

    assert problem is not None
    assert problem.description.startswith("2 agents are called 'x'")
    assert problem.remedy == "give one of them another name, or register one of them only"


@pytest.mark.parametrize("origin", [ACME, CODE])
def test_agents_of_different_names_do_not_meet(origin: Origin) -> None:
    """All of them take part."""
    decision = agents(offer(Agent, "x", origin=origin), offer(Agent, "y", origin=SETTINGS))

    assert [each.name for each in decision.winners] == ["x", "y"]


def test_a_component_under_two_names_takes_part_once() -> None:
    """What the plugin itself registers stays; the report says what became of the other."""
    line = replace(ACME, group="arc.hooks")
    reference = Reference("acme.hooks", "AuditHook")
    named = offer(Hook, "audit", origin=line, component=reference)
    again = offer(Hook, "watch", origin=ACME, component=Reference("acme.hooks", "AuditHook"))
    other = offer(Hook, "other", origin=line, component=Reference("acme.hooks", "OtherHook"))

    decision = resolve([named, again, other], facts(), PLACES)["hooks"]

    assert decision.winners == (other, again)
    assert [each.reason for each in decision.losers] == [f"takes part already as {again}"]


def test_a_class_that_plugins_register_under_two_names_takes_part_twice() -> None:
    """They say so themselves, as a hook that watches two things is registered."""
    pair = [offer(Hook, name, component=Reference("acme", "AuditHook")) for name in ("a", "b")]

    assert resolve(pair, facts(), PLACES)["hooks"].winners == tuple(pair)


def test_a_component_that_is_excluded_under_one_name_is_left_out_under_any() -> None:
    """Who leaves a hook out does not mean one of its names."""
    pair = [offer(Hook, name, component=Reference("acme", "AuditHook")) for name in ("a", "b")]
    known = facts(components={"exclude": ["hooks:b"]})

    assert resolve(pair, known, PLACES)["hooks"].winners == ()
