"""Components registered in code: their interface is found, or said with `provides`."""

import pytest

from arc_autoconfig.declare.candidates import Source
from arc_autoconfig.declare.registration import provides, read_candidates
from arc_autoconfig.errors import ComponentError
from arc_core import CachedResponse, Guard, Hook, ResponseCache, Retriever, ToolSelector, tool
from arc_core.testing import DictResponseCache, ScriptedChatModel
from tests.arc_autoconfig.offers import PLACES, EmptyRetriever, OpenGuard


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


class ToolboxHook(Hook):
    """Brings a tool, and watches."""

    @tool
    def shout(self, text: str) -> str:
        """Shout."""
        return text.upper()


class Both(OpenGuard, EmptyRetriever):
    """Looks like two things."""


@provides(Guard, name="strict", before=["pii"])
class Marked(OpenGuard, EmptyRetriever):
    """Looks like two things, and says which it is."""


@provides(ResponseCache, name="made")
def make_cache() -> ResponseCache:
    return DictResponseCache()


def _places(*components: object) -> list[str]:
    return [candidate.place.name for candidate in read_candidates(components, PLACES)]


def test_interfaces_are_found_from_instances_and_classes() -> None:
    """Base classes and looks lead to the place; the order of registration is kept."""
    components = [add, OpenGuard, EmptyRetriever(), ScriptedChatModel([]), DictResponseCache()]

    places = _places(*components)

    assert places == ["tools", "guards", "retriever", "chat_model", "response_cache"]
    assert all(each.origin.source is Source.CODE for each in read_candidates(components, PLACES))


def test_a_component_with_tool_methods_brings_them_besides_what_it_is() -> None:
    """A hook whose methods are tools is offered for both places."""
    assert _places(ToolboxHook()) == ["hooks", "tools"]


def test_provides_says_what_a_class_is_and_more() -> None:
    """The mark decides, with name and constraints, for the class and its instances."""
    for component in (Marked, Marked()):
        (candidate,) = read_candidates([component], PLACES)
        assert (candidate.place.name, candidate.name) == ("guards", "strict")
        assert candidate.before == ("pii",)


def test_provides_makes_a_function_a_component() -> None:
    """A function that makes a component is registered for what it makes."""
    (candidate,) = read_candidates([make_cache], PLACES)

    assert (candidate.place.name, candidate.name) == ("response_cache", "made")


def test_provides_can_be_stacked_and_is_not_inherited() -> None:
    """A class may serve two interfaces; what inherits from it is a component of its own."""

    @provides(Guard)
    @provides(Retriever)
    class Two(OpenGuard, EmptyRetriever): ...

    class Heir(Two): ...

    assert _places(Two) == ["guards", "retriever"]
    with pytest.raises(ComponentError, match="several"):
        read_candidates([Heir], PLACES)


def test_an_instance_of_a_foreign_class_can_be_marked() -> None:
    """Where the class cannot be decorated, the instance can."""
    assert _places(provides(Guard)(Both())) == ["guards"]


@pytest.mark.parametrize("component", [Both, Both()])
def test_what_fits_twice_must_be_said(component: object) -> None:
    """The error names what fits, and the decorator that decides."""
    with pytest.raises(ComponentError, match="may be several things") as raised:
        read_candidates([component], PLACES)

    assert raised.value.evidence == ("it fits Guard, Retriever",)
    assert "@provides(Interface)" in raised.value.remedy


@pytest.mark.parametrize("component", [42, "text", lambda: None, len, CachedResponse])
def test_what_is_not_a_component_is_refused(component: object) -> None:
    """The error says what components are, and what to do with a function."""
    with pytest.raises(ComponentError, match="is not a component") as raised:
        read_candidates([component], PLACES)

    assert "@tool" in raised.value.remedy


def test_options_of_the_other_verb_are_refused() -> None:
    """`primary` means nothing for a guard, `before` nothing for a slot."""

    @provides(Guard, primary=True)
    class Primary(OpenGuard): ...

    @provides(ToolSelector, before=["x"])
    def early() -> None: ...

    with pytest.raises(ComponentError, match=r"@provides\(Guard\) does not take primary"):
        read_candidates([Primary], PLACES)
    with pytest.raises(ComponentError, match=r"@provides\(ToolSelector\) does not take before"):
        read_candidates([early], PLACES)


def test_two_instances_of_one_class_have_names_of_their_own() -> None:
    """The second one is numbered, whatever name its class has."""
    one, two, three = OpenGuard(), OpenGuard(), OpenGuard()

    names = [each.name for each in read_candidates([one, two, three], PLACES)]

    assert names == ["OpenGuard", "OpenGuard-2", "OpenGuard-3"]


@pytest.mark.parametrize("is_one_class", [True, False])
def test_a_given_name_is_never_numbered(*, is_one_class: bool) -> None:
    """Two guards of one name stay two of one name, whatever their class, and are refused."""

    class Lengths(OpenGuard):
        name = "lengths"

    class OtherLengths(OpenGuard):
        name = "lengths"

    guards = [Lengths(), Lengths() if is_one_class else OtherLengths()]

    assert [each.name for each in read_candidates(guards, PLACES)] == ["lengths", "lengths"]


def test_one_component_cannot_be_registered_twice() -> None:
    """It would run twice under one name."""
    guard = OpenGuard()

    with pytest.raises(ComponentError, match="registered twice"):
        read_candidates([guard, guard], PLACES)
    with pytest.raises(ComponentError, match="registered twice"):
        read_candidates([OpenGuard, OpenGuard], PLACES)


class Misspelt:
    """Inherits from nothing."""

    order = 100

    async def chek(self, request: object) -> None: ...


def test_what_looks_nearly_like_a_component_is_told_what_it_lacks() -> None:
    """The evidence names the method that was meant."""
    with pytest.raises(ComponentError, match="not a component that Arc knows") as raised:
        read_candidates([Misspelt()], PLACES)

    assert raised.value.evidence[0] == (
        "if it is a Guard, it has chek, which Arc never uses: write check"
    )
