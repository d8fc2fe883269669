"""How interfaces say that they can be wired."""

from typing import Protocol

import pytest

from arc_autoconfig import ArcContainer
from arc_core import (
    AgentCommand,
    ConfigurationError,
    Guard,
    ResponseCache,
    Tool,
    contribution,
    slot,
)
from arc_core.components.extension_points import Slot, accepted_in, declared_place, get_place
from arc_core.interfaces.tools.tool import ToolSource
from tests.arc_autoconfig.offers import CONTRIBUTIONS, PLACES, SLOTS


def test_the_container_has_a_provider_per_place() -> None:
    """No place is without a provider, and no provider without a place."""
    providers = set(ArcContainer.providers) - {"settings", "builder"}

    assert providers == {place.name for place in PLACES}


@pytest.mark.parametrize("attribute", ["name", "interface", "group"])
def test_names_interfaces_and_groups_are_unique(attribute: str) -> None:
    """No interface can be taken for another one."""
    assert len({getattr(place, attribute) for place in PLACES}) == len(PLACES)


def test_a_place_is_found_by_its_interface() -> None:
    """An interface leads to the slot or contribution that it declares."""
    assert get_place(ResponseCache) in SLOTS
    assert get_place(Guard) in CONTRIBUTIONS
    assert declared_place("Guard") is None


def test_a_class_that_declares_nothing_is_a_slot_of_its_own_type() -> None:
    """Any class can be a service."""
    place = get_place(AgentCommand)

    assert isinstance(place, Slot)
    assert place.is_service
    assert place.name == "arc_core.command.AgentCommand"
    assert declared_place(AgentCommand) is None


def test_what_inherits_from_an_interface_declares_nothing() -> None:
    """A component is not an interface."""

    class Mine(Guard): ...

    assert declared_place(Mine) is None


def test_a_variant_is_accepted_in_the_place_of_another_interface() -> None:
    """Sources of tools are contributed where tools are."""
    assert accepted_in(get_place(Tool)) == (Tool, ToolSource)


@pytest.mark.parametrize(
    "name", ["two words", "1st", "", "a-b", "class", "_speech", "Speech", "on__off", "språk"]
)
def test_a_name_that_is_not_an_identifier_is_refused(name: str) -> None:
    """The container and the settings use it."""
    with pytest.raises(ConfigurationError, match="it is not an identifier"):

        @slot(name, group="acme.speech")
        class Speech(Protocol): ...


@pytest.mark.parametrize("group", ["speech", "", "acme.", "acme..speech", "acme speech.x"])
def test_a_group_that_could_be_anyones_is_refused(group: str) -> None:
    """It carries the name of its package."""
    with pytest.raises(ConfigurationError, match=r"your_package\.speech"):

        @slot("speech", group=group)
        class Speech(Protocol): ...


def test_an_interface_is_declared_once() -> None:
    """It is either a slot or a contribution."""
    with pytest.raises(ConfigurationError, match="declared twice, as speech and as voices"):

        @contribution("voices", group="acme.voices")
        @slot("speech", group="acme.speech")
        class Speech(Protocol): ...


def test_instances_stand_beside_the_choice() -> None:
    """Or it could not be told which section an entry is laid over."""
    with pytest.raises(ConfigurationError, match=r"instances in llm\.voices"):

        @slot("speech", group="acme.speech", choice="speech.provider", instances="llm.voices")
        class Speech(Protocol): ...
