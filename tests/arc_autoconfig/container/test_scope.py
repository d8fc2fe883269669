"""Making one component, and whose fault it is when that fails."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from arc_autoconfig.container.application_scope import ApplicationScope
from arc_autoconfig.container.scope import keep_marks
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.registration import read_candidates
from arc_autoconfig.errors import ComponentError, MissingDependencyError
from arc_core import (
    ChatModel,
    ConfigurationError,
    Guard,
    Hook,
    ResponseCache,
    Retriever,
    Tool,
    ToolContext,
    decorates,
    tool,
)
from arc_core.log import Logger
from arc_core.settings import LlmSettings
from arc_core.testing import DictResponseCache
from tests.arc_autoconfig.building import container_of_candidates
from tests.arc_autoconfig.offers import ACME, PLACES, EmptyRetriever, OpenGuard, facts, offer

CACHE, GUARD, EMPTY = DictResponseCache(), OpenGuard(), EmptyRetriever()


@dataclass
class Parts:
    cache: ResponseCache
    guards: tuple[Guard, ...]


class Watcher(Hook):
    def __init__(
        self,
        parts: Parts,
        guards: list[Guard],
        llm: LlmSettings,
        logger: Logger,
        model: ChatModel | None,
        retriever: Retriever | None = None,
        fallback: Retriever = EMPTY,
        path: str = "audit.log",
    ) -> None:
        self.given = vars() | {"self": None}


def _builder(*candidates: Candidate) -> ApplicationScope:
    """A response cache and one guard are there besides, nothing else."""
    known = facts(llm={"model": "m"})
    registered = [*read_candidates([CACHE, GUARD], PLACES), *candidates]
    _, builder = container_of_candidates(registered, known)
    return builder


def _made(interface: type, component: object) -> Any:
    candidate = offer(interface, "thing", origin=ACME, component=component)
    builder = _builder(candidate)
    builder.component(candidate.place.name)
    return builder.made[candidate]


def test_every_parameter_is_filled_by_its_annotation() -> None:
    """What is not provided is None if it may be, or keeps its default."""
    given = _made(Hook, Watcher).given

    assert given["parts"] == Parts(cache=CACHE, guards=(GUARD,))
    assert given["guards"] == [GUARD]
    assert given["llm"].model == "m"
    assert given["logger"].name == "arc.hooks.thing"
    assert (given["model"], given["retriever"], given["path"]) == (None, None, "audit.log")
    assert given["fallback"] is EMPTY


def test_instances_are_used_as_they_are() -> None:
    """Nothing is called that was made already."""
    instance = OpenGuard()

    assert _made(Guard, instance) is instance


def test_a_class_for_two_places_is_built_once() -> None:
    """One object serves both, as it would if it had been registered as an instance."""

    class Two(OpenGuard, EmptyRetriever): ...

    guard = offer(Guard, "two", component=Two)
    retriever = offer(Retriever, "two", component=Two)
    builder = _builder(guard, retriever)

    builder.build_all()

    assert builder.made[guard] is builder.made[retriever]


def test_a_constructor_that_raises_is_told_with_its_plugin() -> None:
    """The error names slot, component, distribution and version, and where it was raised."""

    class Broken(OpenGuard):
        def __init__(self) -> None:
            msg = "no licence"
            raise ValueError(msg)

    with pytest.raises(
        ComponentError, match=r"guards: thing \(acme-arc 1\.2\) cannot be"
    ) as raised:
        _made(Guard, Broken)

    assert raised.value.evidence[0].startswith("ValueError: no licence (")
    assert "test_scope.py:" in raised.value.evidence[0]
    assert isinstance(raised.value.__cause__, ValueError)


def test_an_error_that_says_what_to_do_passes_as_it_is() -> None:
    """A component may know better what is wrong than the wiring."""
    own = ConfigurationError("the key is missing", remedy="set ACME_KEY")

    def make() -> object:
        raise own

    with pytest.raises(ConfigurationError) as raised:
        _made(Guard, make)

    assert raised.value is own


def test_a_function_that_makes_something_else_is_told() -> None:
    """What is built is checked against the interface."""

    def make() -> object:
        return EmptyRetriever()

    with pytest.raises(ComponentError, match="is of a wrong type") as raised:
        _made(Guard, make)

    assert raised.value.evidence[0] == "EmptyRetriever is not a Guard: it lacks check, order"


def test_a_required_component_that_is_missing_stops() -> None:
    """Without `| None` and without default, a component insists."""

    def make(model: ChatModel) -> object:
        return model

    with pytest.raises(MissingDependencyError, match="thing"):
        _made(Guard, make)


@pytest.mark.parametrize("panic", [SystemExit(3), GeneratorExit(), BaseException("panic")])
def test_whatever_a_constructor_raises_is_the_components_failure(panic: BaseException) -> None:
    """`sys.exit()` in a constructor ends no application."""

    def make() -> object:
        raise panic

    with pytest.raises(ComponentError, match="cannot be built"):
        _made(Guard, make)


class Plain(Tool):
    """Wraps a tool, and knows of nothing but what every tool has."""

    def __init__(self, inner: Tool) -> None:
        self.inner, self.name, self.description = inner, inner.name, inner.description
        self.parameters, self.timeout_s = inner.parameters, inner.timeout_s

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return await self.inner.call(arguments, context)


class Frank(Plain):
    """Says itself that no person is asked, since it asks in its own way."""

    needs_approval = False


class Closed(Tool):
    """Takes no further attributes."""

    __slots__ = ("description", "name", "parameters", "timeout_s")

    def __init__(self, inner: Tool) -> None:
        self.name, self.description = inner.name, inner.description
        self.parameters, self.timeout_s = inner.parameters, inner.timeout_s

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return None

    def __setattr__(self, name: str, value: object) -> None:
        if name not in Closed.__slots__:
            raise AttributeError(name)
        object.__setattr__(self, name, value)


@tool(needs_approval=True, once=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def wrapper_of(component: type) -> Candidate:
    """A class, as it is offered as a wrapper of tools."""
    [candidate] = read_candidates([decorates(Tool)(component)], PLACES)
    return candidate


def test_the_marks_of_a_tool_are_kept_in_its_wrapper() -> None:
    """A wrapper that has not heard of approval does not approve."""
    made = keep_marks(wrapper_of(Plain), Plain(pay), wrapped=pay)

    assert vars(made).items() >= {("needs_approval", True), ("once", True)}


def test_a_wrapper_may_say_itself_that_no_approval_is_needed() -> None:
    """Its own word counts."""
    made = keep_marks(wrapper_of(Frank), Frank(pay), wrapped=pay)

    assert "needs_approval" not in vars(made)


def test_a_wrapper_that_hides_a_mark_for_good_is_refused() -> None:
    """With the name of the mark, and what to do."""
    with pytest.raises(ComponentError, match="hides needs_approval of the FunctionTool") as told:
        keep_marks(wrapper_of(Closed), Closed(pay), wrapped=pay)

    assert "give it an attribute needs_approval" in told.value.remedy


class Strict(Hook):
    fail_on_error = True


class Around(Hook):
    def __init__(self, inner: Hook) -> None:
        self.inner = inner


def test_a_hook_in_a_wrapper_fails_closed_as_it_does_alone() -> None:
    """The default of every hook is not a word of the wrapper."""
    [candidate] = read_candidates([decorates(Hook)(Around)], PLACES)

    made = keep_marks(candidate, Around(Strict()), wrapped=Strict())

    assert isinstance(made, Hook)
    assert made.fail_on_error
