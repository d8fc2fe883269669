"""The order of contributions."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_autoconfig.decide.contributions import as_registered, in_order
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import OrderCycleError
from arc_core import Hook, Tool
from tests.arc_autoconfig.offers import ACME, ARC, CODE, OTHER, offer


def _hook(name: str, order: int = 100, **constraints: Any) -> Candidate:
    return offer(Hook, name, component=order, **constraints)


def _order_of(candidate: Candidate) -> int:
    assert isinstance(candidate.component, int)
    return candidate.component


def _names(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.name for candidate in in_order(candidates, _order_of)]


def test_order_comes_before_name() -> None:
    """Lower orders work earlier; equal ones by name."""
    assert _names([_hook("b"), _hook("z", 1), _hook("a")]) == ["z", "a", "b"]


def test_before_and_after_overrule_order() -> None:
    """A constraint moves a component past others, whatever their orders."""
    first, second = _hook("a", 1), _hook("b", 2)

    assert _names([first, second, _hook("late", 0, after=["b"])]) == ["a", "b", "late"]
    assert _names([first, second, _hook("early", 9, before=["a"])]) == ["b", "early", "a"]


def test_names_that_no_component_has_are_ignored() -> None:
    """What a constraint is about may not be installed."""
    assert _names([_hook("a", after=["ghost"]), _hook("b", before=["ghost"])]) == ["a", "b"]


def test_a_cycle_names_its_members() -> None:
    """Three that wait for each other are named in a circle, a fourth is not."""
    hooks = [
        _hook("a", after=["c"]),
        _hook("b", after=["a"]),
        _hook("c", after=["b"]),
        _hook("after-all", after=["a"]),
    ]

    with pytest.raises(OrderCycleError, match="the order of hooks") as raised:
        in_order(hooks, _order_of)

    (circle,) = raised.value.evidence
    assert {name for name in ("a", "b", "c", "after-all") if f"{name} (" in circle} == set("abc")


def test_users_tools_come_first_as_registered_then_plugins_then_arcs() -> None:
    """The model reads tools in this order; a name that exists twice belongs to the first."""
    tools = [
        offer(Tool, "calculate", origin=ARC),
        offer(Tool, "zip", origin=CODE),
        offer(Tool, "search", origin=OTHER),
        offer(Tool, "add", origin=CODE),
        offer(Tool, "find", origin=ACME),
    ]

    assert [tool.name for tool in as_registered(tools)] == [
        "zip",
        "add",
        "find",
        "search",
        "calculate",
    ]


_NAMES = "abcdefgh"

_HOOKS = st.lists(
    st.tuples(
        st.sampled_from(_NAMES), st.integers(0, 3), st.sets(st.sampled_from(_NAMES), max_size=2)
    ),
    unique_by=lambda hook: hook[0],
)


@pytest.mark.slow
@given(hooks=_HOOKS, data=st.data())
def test_the_order_is_the_same_under_every_permutation(
    hooks: list[tuple[str, int, set[str]]], data: st.DataObject
) -> None:
    """Whatever the order of installation, the result is one; all constraints hold in it."""
    made = [
        _hook(name, order, after=sorted(each for each in after if each < name))
        for name, order, after in hooks
    ]
    shuffled = data.draw(st.permutations(made))

    names = _names(made)

    assert _names(shuffled) == names
    for candidate in made:
        for earlier in set(candidate.after) & set(names):
            assert names.index(earlier) < names.index(candidate.name)


@pytest.mark.slow
@given(hooks=_HOOKS)
def test_without_constraints_the_order_is_by_order_then_name(
    hooks: list[tuple[str, int, set[str]]],
) -> None:
    """Nothing else has an influence."""
    names = _names([_hook(name, order) for name, order, _ in hooks])

    assert names == [name for name, _, _ in sorted(hooks, key=lambda hook: (hook[1], hook[0]))]
