"""Contributions that take the place of another one."""

from typing import Any

import pytest

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.decide.resolution import resolve
from arc_autoconfig.declare.registration import provides, read_candidates
from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_core import Guard, Hook
from arc_core.conditions import on_env
from tests.arc_autoconfig.offers import ACME, ARC, CODE, OTHER, PLACES, OpenGuard, facts, offer

LENGTH = offer(Guard, "length", origin=ARC)


def _guards(*candidates: Any, **settings: Any) -> WiringDecision:
    return resolve(candidates, facts(**settings), PLACES)["guards"]


@pytest.mark.parametrize("name", ["mine", "length"])
def test_the_other_one_is_left_out_and_the_report_says_for_whom(name: str) -> None:
    """Also under the same name."""
    mine = offer(Guard, name, origin=ACME, replaces="length")

    decision = _guards(LENGTH, mine)

    assert decision.winners == (mine,)
    (loser,) = decision.losers
    assert (loser.candidate, loser.reason) == (LENGTH, f"replaced by {name} (acme-arc 1.2)")


def test_the_other_one_stays_where_the_condition_does_not_hold() -> None:
    """Only what takes part replaces."""
    mine = offer(Guard, "mine", origin=ACME, replaces="length", condition=on_env("NEVER"))

    assert _guards(LENGTH, mine).winners == (LENGTH,)


def test_an_unknown_name_in_code_is_answered_with_the_nearest() -> None:
    """The program can be corrected, and is wrong today as it was yesterday."""
    mine = offer(Guard, "mine", origin=CODE, replaces="lenght")

    with pytest.raises(
        UnknownNameError, match=r"replaces of mine \(registered in code\)"
    ) as raised:
        _guards(LENGTH, mine)

    assert raised.value.remedy == "write 'length'"


def test_what_replaces_a_component_that_is_gone_is_quarantined_alone() -> None:
    """Another package was uninstalled; the report says which one is left out, and why."""
    kept = offer(Hook, "kept", origin=ACME)
    mine = offer(Hook, "mine", origin=ACME, replaces="audit")

    decision = resolve([kept, mine], facts(), PLACES)["hooks"]

    assert decision.winners == (kept,)
    (loser,) = decision.losers
    assert loser.candidate is mine
    assert loser.reason == (
        "quarantined: it replaces 'audit', and none of the hooks is called so; known names: kept"
    )


def test_a_guard_that_replaces_one_that_is_gone_takes_part() -> None:
    """Without it nothing would check what either of the two was to check."""
    mine = offer(Guard, "mine", origin=ACME, replaces="audit")

    decision = _guards(LENGTH, mine)

    assert decision.winners == (LENGTH, mine)
    assert "it replaces 'audit', and none of the guards is called so" in decision.reason_for(mine)


@pytest.mark.parametrize("plugins", [{"strict": True}, {"required": ["acme"]}], ids=str)
def test_it_stops_the_start_where_a_broken_plugin_does(plugins: Any) -> None:
    """As the settings say."""
    mine = offer(Hook, "mine", origin=ACME, replaces="audit")

    with pytest.raises(UnknownNameError):
        resolve([mine], facts(plugins=plugins), PLACES)


@pytest.mark.parametrize("required", ["acme", "guards:pii"])
def test_what_a_required_plugin_brings_cannot_be_replaced(required: str) -> None:
    """A company's guard does not vanish quietly."""
    pii = offer(Guard, "pii", origin=ACME if required == "acme" else _named_pii())
    mine = offer(Guard, "mine", origin=OTHER, replaces="pii")

    with pytest.raises(ComponentError, match="must not be left out"):
        _guards(pii, mine, plugins={"required": [required]})


def _named_pii() -> Any:
    return type(ACME)(source=ACME.source, plugin="pii", group="arc.guards", distribution="acme")


def test_two_cannot_replace_each_other() -> None:
    """Neither would be left."""
    one = offer(Guard, "one", origin=ACME, replaces="two")
    two = offer(Guard, "two", origin=OTHER, replaces="one")

    with pytest.raises(ComponentError, match="itself"):
        _guards(one, two)


def test_a_class_says_by_its_decorator_what_it_replaces() -> None:
    """`@provides` takes what `Registry.contribute` takes."""

    @provides(Guard, replaces="length")
    class Mine(OpenGuard): ...

    (mine,) = read_candidates([Mine], PLACES)

    assert _guards(LENGTH, mine).winners == (mine,)
