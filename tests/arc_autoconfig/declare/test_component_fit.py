"""Whether a component is what an interface asks for."""

from collections.abc import Mapping, Sequence

import pytest

from arc_autoconfig.declare.candidates import Candidate, Reference
from arc_autoconfig.declare.component_fit import (
    find_offer_problem,
    find_problem,
    fitting_places,
    is_built,
)
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.settings import PluginsSettings
from arc_core import (
    ChatModel,
    Document,
    Guard,
    Hook,
    ResponseFilterChain,
    Retriever,
    Tool,
    ToolSource,
    tool,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.offers import PLACES, EmptyRetriever, OpenGuard


class Toolbox:
    """Brings tools; its method `retrieve` is one, and makes it no retriever."""

    @tool
    async def retrieve(self, query: str) -> str:
        """Look something up."""
        return query


class Workshop(ToolSource):
    """Brings tools that come and go."""

    def tools(self) -> Sequence[Tool]:
        return ()


class CallableRetriever:
    """An instance that can be called and is a component nevertheless."""

    def __call__(self) -> None: ...

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        return ()


def make_retriever() -> Retriever:
    return EmptyRetriever()


class AuditHook(Hook):
    pass


@pytest.mark.parametrize(
    ("component", "interface"),
    [
        (OpenGuard, Guard),
        (OpenGuard(), Guard),
        (AuditHook, Hook),
        (AuditHook(), Hook),
        (ScriptedChatModel([]), ChatModel),
        (Toolbox, Tool),
        (Workshop, Tool),
        (Workshop(), Tool),
        (Toolbox().retrieve, Tool),
        (ResponseFilterChain(), ResponseFilterChain),
    ],
)
def test_what_inherits_or_has_the_methods_fits(component: object, interface: type) -> None:
    """Base classes count, else methods and fields, for classes as for instances."""
    assert find_problem(component, interface) is None


@pytest.mark.parametrize(
    ("component", "interface", "complaint"),
    [
        (EmptyRetriever, Guard, "EmptyRetriever is not a Guard: it lacks check"),
        (EmptyRetriever(), Guard, "EmptyRetriever is not a Guard: it lacks check, order"),
        (OpenGuard(), Hook, "OpenGuard does not inherit from Hook"),
        (42, ChatModel, "int is not a ChatModel: it lacks complete, stream"),
    ],
)
def test_a_misfit_is_told_what_it_lacks(component: object, interface: type, complaint: str) -> None:
    """The complaint names the class and what is missing."""
    assert find_problem(component, interface) == complaint


def test_instances_are_used_and_makers_are_called() -> None:
    """Only classes, functions and other callables that do not fit themselves are called."""
    assert is_built(EmptyRetriever(), Retriever)
    assert is_built(CallableRetriever(), Retriever)
    assert is_built(Toolbox().retrieve, Tool)
    assert not is_built(EmptyRetriever, Retriever)
    assert not is_built(make_retriever, Retriever)


def test_what_a_function_makes_is_not_judged_when_it_is_offered() -> None:
    """Only building it shows what it makes."""
    assert find_offer_problem(make_retriever, Guard) is None
    assert find_offer_problem(EmptyRetriever, Guard) is not None


def test_places_are_found_by_base_class_or_looks() -> None:
    """A class that inherits from an interface is not judged by its looks."""
    assert [place.name for place in fitting_places(AuditHook, PLACES)] == ["hooks"]
    assert [place.name for place in fitting_places(OpenGuard(), PLACES)] == ["guards"]
    assert [place.name for place in fitting_places(Toolbox, PLACES)] == ["tools"]
    assert [place.name for place in fitting_places(Workshop(), PLACES)] == ["tools"]
    assert fitting_places(42, PLACES) == ()


_ARCS_OWN = [
    each
    for each in discover(PluginsSettings(), third_party=False).candidates
    if isinstance(each.component, Reference)
]


@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")  # of bpe-openai
@pytest.mark.parametrize("candidate", _ARCS_OWN, ids=lambda each: f"{each.name}: {each.reference}")
def test_arcs_own_components_are_what_they_are_offered_as(candidate: Candidate) -> None:
    """Also those that are only used when a setting asks for them."""
    assert isinstance(candidate.component, Reference)

    assert find_offer_problem(candidate.component.load(), candidate.place.interface) is None


def test_methods_of_one_name_are_told_apart_by_their_inputs() -> None:
    """`check` is a method of several interfaces; the annotation of its request says which."""
    assert [place.interface for place in fitting_places(OpenGuard, PLACES)] == [Guard]
