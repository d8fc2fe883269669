"""Whether a component has the members of an interface, of a kind that Arc can use."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import pytest

from arc_autoconfig.declare.component_fit import find_problem
from arc_core import (
    AgentCommand,
    AgentExecutor,
    AgentResult,
    Allowed,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Document,
    Guard,
    GuardRequest,
    GuardResult,
    Retriever,
    Tool,
    ToolContext,
    ToolSource,
)


class Misspelt(Guard):
    async def chek(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class OddOrder(Guard):
    order = "1"  # type: ignore[assignment]

    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class NoMethod(Guard):
    check = "yes"  # type: ignore[assignment]


class Synchronous(Guard):
    def check(self, request: GuardRequest) -> GuardResult:  # type: ignore[override]
        return Allowed()


class Yielding(Guard):
    async def check(self, request: GuardRequest) -> Any:
        yield Allowed()


class AwaitedStream(ChatModel):
    async def complete(self, request: ChatRequest) -> ChatResponse:
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:  # type: ignore[override]
        raise NotImplementedError


class EmptySource(ToolSource): ...


class NoLimit(Retriever):
    async def retrieve(self, query: str) -> Sequence[Document]:  # type: ignore[override]
        return ()


class AnyOptions(Retriever):
    async def retrieve(self, query: str, **options: Any) -> Sequence[Document]:
        return ()


@pytest.mark.parametrize(
    ("component", "interface", "complaint"),
    [
        (Misspelt, Guard, "it lacks check; it has chek, which Arc never uses: write check"),
        (OddOrder, Guard, "order is of the type str, not int"),
        (NoMethod, Guard, "check is of the type str, not a method"),
        (NoLimit, Retriever, "retrieve takes no parameter `limit`, which Arc gives it by name"),
        (Synchronous, Guard, "check is not an asynchronous function: write `async def`"),
        (Yielding, Guard, "check contains `yield`, and Arc awaits one answer of it"),
        (AwaitedStream, ChatModel, "stream is an asynchronous function, and Arc calls it without"),
        (EmptySource, Tool, "EmptySource is not a ToolSource: it lacks tools"),
    ],
)
def test_a_class_that_inherits_is_judged_like_any_other(
    component: type, interface: type, complaint: str
) -> None:
    """Inheriting from an interface does not make a component work."""
    assert complaint in str(find_problem(component, interface))


def test_any_options_are_every_parameter() -> None:
    """A method that takes whatever it is given by name lacks none."""
    assert find_problem(AnyOptions, Retriever) is None


class Search(Tool):
    """A tool that lacks what a test says."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    timeout_s: float | None

    def __init__(self, **fields: object) -> None:
        vars(self).update(
            {"name": "search", "description": "Look up.", "parameters": {}, "timeout_s": None}
        )
        vars(self).update(fields)
        for name in [name for name, value in fields.items() if value is ...]:
            delattr(self, name)

    async def call(self, arguments: Any, context: ToolContext) -> object:
        return None


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"timeout_s": ...}, "it lacks timeout_s"),
        ({"parameters": ..., "description": ...}, "it lacks description, parameters"),
        ({"timeout_s": "5"}, "timeout_s is of the type str, not float | None"),
        ({"parameters": "{}"}, "parameters is of the type str"),
        ({"name": 5}, "name is of the type int, not str"),
        ({}, None),
        ({"timeout_s": 5}, None),
    ],
)
def test_a_tool_has_all_its_fields_with_their_types(
    fields: dict[str, object], complaint: str | None
) -> None:
    """What is missing or wrong would only show when the model calls it."""
    misfit = find_problem(Search(**fields), Tool)

    assert misfit is None if complaint is None else complaint in str(misfit)


def _retrying(method: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
    @wraps(method)
    def call(*args: object) -> Awaitable[Any]:
        return method(*args)

    return call


class Decorated(Guard):
    @_retrying
    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed()


class Handing(Guard):
    def __init__(self) -> None:
        self._inner: Guard = Decorated()

    def check(self, request: GuardRequest) -> Awaitable[GuardResult]:  # type: ignore[override]
        return self._inner.check(request)


class Delegating:
    """Has nothing itself."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.mark.parametrize("guard", [Decorated(), Handing(), Delegating(Decorated())])
def test_methods_may_be_wrapped_and_handed_on(guard: object) -> None:
    """Only what certainly cannot work is refused."""
    assert find_problem(guard, Guard) is None


class Unreadable(Decorated):
    @property
    def order(self) -> int:  # type: ignore[override]
        raise SystemExit(3)


def test_a_field_that_cannot_be_read_is_told() -> None:
    """A property is a component's code, too, which may raise anything."""
    assert "order cannot be read: SystemExit: 3" in str(find_problem(Unreadable(), Guard))


def test_a_keyword_that_an_interface_gained_later_may_be_missing() -> None:
    """Components of other packages were written before it."""

    class Before:
        async def execute(self, command: AgentCommand) -> AgentResult:
            raise NotImplementedError

        def execute_stream(self, command: AgentCommand) -> Any: ...

        def stream_events(self, command: AgentCommand) -> Any: ...

    assert find_problem(Before, AgentExecutor) is None
