"""Instructions that a function writes for each run, with parameters that Arc fills."""

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from typing import Any, Self, get_type_hints

from arc_core.errors import ConfigurationError, DepsNotGivenError
from arc_core.injection_marks import is_injected
from arc_core.interfaces.run_scope import RunContext
from arc_core.tools.threads import run_in_thread

__all__ = ["InstructionsFunction"]


class InstructionsFunction:
    """A function, sync or async, that writes the instructions of an agent; called once a run.

    A sync one is called in a thread.

    Args:
        function: Its parameters are marked with `Inject`, are a `RunContext`, or have defaults.
        agent: The name of the agent, for errors.

    Attributes:
        injected: The annotations of the parameters that each run fills in, by name; all of them
            until an application has filled those that stay the same.

    Raises:
        ConfigurationError: A parameter could not be filled by anything.
    """

    def __init__(self, function: Callable[..., object], *, agent: str) -> None:
        self._function, self._agent = function, agent
        self._is_async = inspect.iscoroutinefunction(function)
        self._parameters = self._read_parameters()
        hints = self._read_hints()
        self.injected: Mapping[str, Any] = {n: h for n, h in hints.items() if is_injected(h)}
        self._contexts = [name for name, hint in hints.items() if hint is RunContext]
        self._filled: Mapping[str, object] = {}
        for name, parameter in self._parameters.items():
            is_given = name in self.injected or name in self._contexts
            if not is_given and parameter.default is parameter.empty:
                raise self._error(
                    f"the parameter {parameter} cannot be filled",
                    f"mark it, as in `{name}: Inject[Database]`, or give it a default",
                )

    def _read_parameters(self) -> Mapping[str, inspect.Parameter]:
        parameters = inspect.signature(self._function).parameters
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        for parameter in parameters.values():
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise self._error(
                    f"the parameter {parameter} cannot be filled by its name", "remove the `/`"
                )
        return {name: each for name, each in parameters.items() if each.kind not in variadic}

    def _read_hints(self) -> Mapping[str, Any]:
        function: Any = self._function
        if not inspect.isroutine(function):
            function = type(function).__call__
        try:
            hints = get_type_hints(function, include_extras=True)
        except NameError as error:
            raise self._error(
                f"the annotation {error.name!r} is not defined",
                "import the type where the function is defined, at run time too",
            ) from None
        return {name: hints[name] for name in self._parameters if name in hints}

    def _error(self, problem: str, remedy: str) -> ConfigurationError:
        name = getattr(self._function, "__qualname__", repr(self._function))
        return ConfigurationError(
            f"{name} cannot write the instructions of the agent {self._agent!r}: {problem}",
            remedy=remedy,
        )

    def has_default(self, parameter: str) -> bool:
        """Whether the function can be called without a parameter."""
        found = self._parameters[parameter]
        return found.default is not found.empty

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The same with parameters that are filled once, for every run; see `TakesInjection`."""
        filled = copy(self)
        injected = {name: self.injected[name] for name in per_call}
        filled.__dict__.update(_filled=dict(values), injected=injected)
        return filled

    async def write(self, context: RunContext) -> object:
        """What the function returns; it should be a text.

        Raises:
            ConfigurationError: A component that a parameter asks for cannot be made.
            Exception: Whatever the function raises.
        """
        arguments: dict[str, object] = dict(self._filled)
        for name, hint in self.injected.items():
            try:
                arguments[name] = await context.get(hint)
            except DepsNotGivenError:
                if not self.has_default(name):
                    raise
        arguments |= dict.fromkeys(self._contexts, context)
        if self._is_async:
            return await self._function(**arguments)  # type: ignore[misc]
        value = await run_in_thread(self._function, **arguments)
        return await value if inspect.isawaitable(value) else value
