"""What a plugin may offer, and what it is told when it cannot."""

from typing import Any, cast

import pytest

from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import ComponentError
from arc_core import AgentCommand, Condition, ConfigurationError, Guard, Retriever
from arc_core.conditions import on_component, on_env, on_package, on_setting, on_winner
from tests.arc_autoconfig.offers import ACME, EmptyRetriever, OpenGuard


def test_contributions_and_provisions_become_candidates() -> None:
    """Everything that was said is kept, in the order of the calls."""
    registry = CandidateRegistry(ACME)

    registry.contribute(Guard, OpenGuard, before=["pii"], after=["spam"], condition=on_env("CI"))
    registry.provide(Retriever, "acme.search:Search", name="search", primary=True)

    guard, retriever = registry.candidates
    assert (guard.name, guard.before, guard.after) == ("OpenGuard", ("pii",), ("spam",))
    assert guard.condition == on_env("CI")
    assert (retriever.name, retriever.primary) == ("search", True)
    assert retriever.component == Reference("acme.search", "Search")
    assert retriever.origin == ACME


@pytest.mark.parametrize(("verb", "interface"), [("contribute", Retriever), ("provide", Guard)])
def test_the_wrong_verb_is_answered_with_the_right_one(verb: str, interface: type) -> None:
    """A slot takes no contributions, and a contribution no single provider."""
    registry = CandidateRegistry(ACME)

    with pytest.raises(ComponentError) as raised:
        getattr(registry, verb)(interface, OpenGuard)

    other = "provide" if verb == "contribute" else "contribute"
    assert raised.value.remedy == f"call {other} for {interface.__name__}"
    assert "acme-arc 1.2" in raised.value.description


def test_a_service_must_be_of_its_type() -> None:
    """What is offered for a class that declares nothing has to inherit from it."""
    with pytest.raises(ComponentError, match="offered as AgentCommand cannot be used") as raised:
        CandidateRegistry(ACME).provide(AgentCommand, OpenGuard)

    assert raised.value.evidence == ("OpenGuard does not inherit from AgentCommand",)


def test_only_classes_can_be_offered_for() -> None:
    """A component is offered for the class itself, not for its name."""
    with pytest.raises(ComponentError, match="cannot be used with provide") as raised:
        CandidateRegistry(ACME).provide(cast("type", "ChatModel"), OpenGuard)

    assert raised.value.evidence == ("it is not a class",)


@pytest.mark.parametrize("component", [EmptyRetriever, EmptyRetriever(), 42, "acme.pii", None])
def test_a_component_of_a_wrong_type_is_refused_at_once(component: object) -> None:
    """The error says what it lacks, and nothing is registered."""
    registry = CandidateRegistry(ACME)

    with pytest.raises(ComponentError, match="offered as Guard cannot be used as one") as raised:
        registry.contribute(Guard, component)

    assert raised.value.evidence
    assert registry.candidates == []


@pytest.mark.parametrize(
    ("condition", "flaw"),
    [
        (on_setting("llm.providr"), "there is no setting llm.providr, write llm.provider"),
        (on_package("redis=>5"), "'redis=>5' is not a requirement"),
        (on_component(cast("type", "Guard")), "is not an interface"),
        (on_winner(Guard, "pii"), "is not an interface that this condition can ask about"),
        (on_env("A") & (on_env("B") | ~on_setting("nothing")), "there is no setting nothing"),
        (Condition(), "is not a condition"),
    ],
)
def test_a_condition_that_can_never_be_judged_is_refused(condition: Condition, flaw: str) -> None:
    """A misspelt condition is a mistake of the plugin, not a condition that does not hold."""
    with pytest.raises(ComponentError, match="impossible condition") as raised:
        CandidateRegistry(ACME).contribute(Guard, OpenGuard, condition=condition)

    assert flaw in raised.value.evidence[0]


@pytest.mark.parametrize("option", ["before", "after"])
def test_an_order_that_is_a_text_alone_is_refused(option: str) -> None:
    """It would be read letter by letter, and mean components of these names."""
    registry = CandidateRegistry(ACME)

    with pytest.raises(ConfigurationError, match=f"`{option}` of OpenGuard is not a list"):
        registry.contribute(Guard, OpenGuard, **{option: "audit"})  # type: ignore[arg-type]


@pytest.mark.parametrize("wrapper", [OpenGuard(), EmptyRetriever()])
def test_an_instance_cannot_wrap(wrapper: Any) -> None:
    """It was made before there was anything to put around, and would take its place."""
    registry = CandidateRegistry(ACME)
    interface = Guard if isinstance(wrapper, OpenGuard) else Retriever

    with pytest.raises(ComponentError, match="is an instance, and cannot wrap") as raised:
        registry.decorate(interface, wrapper)

    assert f"one parameter of the type {interface.__name__}" in raised.value.remedy
    assert registry.candidates == []
