"""`@tool`: from a function, sync or async, or a method to a tool the model may call."""

import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import update_wrapper
from typing import Any, Concatenate, Generic, Self, TypedDict, Unpack, cast, overload

from typing_extensions import ParamSpec, TypeVar

from arc_core.components.injection import get_injected
from arc_core.errors import ToolDefinitionError, ToolRetry
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.log import get_logger
from arc_core.tools.signature import ToolSignature, mentions
from arc_core.tools.threads import NoThreadFreeError, OwnThreads

logger = get_logger("tools")

_BUSY = "the tool is busy, too many calls have not ended yet. Do without it, or try again later."
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


P = ParamSpec("P", default=...)
R = TypeVar("R", default=Any)
BoundP = ParamSpec("BoundP")


NeedsApproval = bool | Callable[[ToolCallContext], bool | Awaitable[bool]]
"""True if each call of a tool waits for a person, or a function that says so of a call."""


class ToolOptions(TypedDict, total=False):
    """The properties of a tool beside its function; see the attributes of `FunctionTool`."""

    name: str | None
    description: str | None
    timeout_s: float | None
    category: str | None
    cacheable: bool | None
    needs_approval: NeedsApproval
    once: bool
    always_offered: bool


class FunctionTool(Tool, Generic[P, R]):
    """A tool made of a function; calling it calls the function, as type checkers see it too.

    Attributes:
        name: The function's, unless given.
        description: The docstring's text, unless given.
        parameters: JSON Schema, from the signature through pydantic; descriptions from the
            docstring or `Field`.
        timeout_s: Seconds a call may take; None is `concurrency.tool_call_timeout_s`.
        category: For selectors that choose by category.
        cacheable: Whether answers in which it took part may be cached. Unless given, they may if it
            does not read the run.
        needs_approval: Whether each call waits for a person; or a function, sync or async, that
            says so of a `ToolCallContext`.
        once: Whether a call is not made again if the process ended while it was made: the model is
            told that it is unknown whether it took effect.
        always_offered: Whether every run offers it, whatever the selector chooses.
        reads_run: Whether it is told of the run it is called in: by a `ToolContext`, or by a
            component that lives as long as the run.
        may_ask: Whether calls of it may wait for the user, as it takes a `ToolContext`.
        asks_agents: Whether it gets the `AgentExecutor`, so that calls of it may start runs.
        injected: The annotations of the parameters that each call gets from its run, by name: those
            marked with `Inject`, but for those that an application has filled.
    """

    def __init__(self, function: Callable[P, R], **options: Unpack[ToolOptions]) -> None:
        self.signature = ToolSignature.of(function)
        self.name = options.get("name") or function.__name__
        self.description = options.get("description") or self.signature.description
        self.parameters: Mapping[str, Any] = self.signature.parameters
        self.timeout_s, self.category = options.get("timeout_s"), options.get("category")
        self.needs_approval: NeedsApproval = options.get("needs_approval", False)
        self.once = options.get("once", False)
        self.always_offered = options.get("always_offered", False)
        self.injected: Mapping[str, Any] = self.signature.injected
        self.may_ask = self.signature.context_parameter is not None
        self.asks_agents = any(mentions(hint, AgentExecutor) for hint in self.injected.values())
        self._filled: Mapping[str, object] = {}
        self._declared_cacheable = options.get("cacheable")
        self._judge()
        self._function: Callable[..., Any] = function
        self._threads = OwnThreads()
        self._is_async = inspect.iscoroutinefunction(function)
        self._check()
        update_wrapper(self, function, updated=())

    def _check(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise self._error(
                f"the name {self.name!r} is not made of letters, digits, _ and -, at most 64",
                "Give it a name: @tool(name=…).",
            )
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise self._error(
                f"timeout_s is {self.timeout_s}", "Give it a time-out of more than 0 seconds."
            )

    def _error(self, problem: str, remedy: str) -> ToolDefinitionError:
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return ToolDefinitionError(tool=name, problem=problem, remedy=remedy)

    def has_default(self, parameter: str) -> bool:
        """Say whether the function can be called without a parameter."""
        found = inspect.signature(self._function).parameters[parameter]
        return found.default is not found.empty

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The tool with parameters that are filled once, for every call.

        Args:
            values: By the name of a parameter that is marked with `Inject`.
            per_call: The names of those that are got for each call; others keep their default.
        """
        copy = object.__new__(type(self))
        injected = {name: self.injected[name] for name in per_call}
        copy.__dict__ = {**self.__dict__, "_filled": dict(values), "injected": injected}
        copy._judge()
        return copy

    def _judge(self) -> None:
        is_own = type(self).call is not FunctionTool.call  # which gets the context of each call
        has_context = self.signature.context_parameter is not None
        self.reads_run = is_own or has_context or bool(self.injected)
        declared = self._declared_cacheable
        self.cacheable = not self.reads_run if declared is None else declared

    def parse_arguments(self, text: str) -> Mapping[str, Any]:
        """Keyword arguments for the function, from the model's JSON.

        Raises:
            ToolArgumentsError: With a sentence per field that does not fit.
        """
        return self.signature.parse(text)

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Call the function, in a thread of its own if it is not async.

        Args:
            arguments: As `parse_arguments` gives them.
            context: Goes to the parameter annotated with `ToolContext`, if there is one.

        Raises:
            ConfigurationError: A component that a parameter asks for cannot be made.
        """
        if self._filled:
            arguments = {**arguments, **self._filled}
        if self.injected:
            injected = await get_injected(self.injected, context.get, self.has_default)
            arguments = {**arguments, **injected}
        if self.signature.context_parameter is not None:
            arguments = {**arguments, self.signature.context_parameter: context}
        if self._is_async:  # what other decorators hide is awaited below
            return await self._function(**arguments)
        try:
            value = await self._threads.run(self._function, **arguments)
        except NoThreadFreeError as error:
            logger.error("tool was not called", tool=self.name, reason=str(error))  # noqa: TRY400 -- it says it all
            raise ToolRetry(_BUSY) from error
        return await value if inspect.isawaitable(value) else value

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself, as if it were not decorated."""
        return cast("R", self._function(*args, **kwargs))

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self: "FunctionTool[Concatenate[Any, BoundP], R]",
        instance: object,
        owner: type | None = None,
    ) -> "FunctionTool[BoundP, R]": ...

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        bound = object.__new__(type(self))
        bound.__dict__ = {**self.__dict__, "_function": self._function.__get__(instance, owner)}
        return bound

    def __repr__(self) -> str:
        return f"<tool {self.name}>"


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Make a function, sync or async, or a method a tool: `@tool` or `@tool(name=…, timeout_s=…)`.

    Raises:
        ToolDefinitionError: The function cannot be described to a model; says what to change.
    """
    if function is not None:
        return FunctionTool(function, **options)
    return lambda decorated: FunctionTool(decorated, **options)
