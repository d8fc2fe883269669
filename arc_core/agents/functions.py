"""Functions of an agent that each run calls, with parameters that Arc fills.

One of them takes instructions from another program, such as a prompt of an MCP server.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from functools import partial
from typing import Any, Self, get_type_hints

from arc_core.components.injection import Inject, get_injected, is_injected
from arc_core.errors import ConfigurationError
from arc_core.interfaces.run_scope import RunContext
from arc_core.interfaces.tools.prompt_source import PromptSource
from arc_core.interfaces.tools.tool import Tool, ToolSource
from arc_core.tools.threads import OwnThreads


class AgentFunction:
    """A function, sync or async, that writes the instructions of an agent or checks its answers.

    A sync one is called in a thread. Its parameters are marked with `Inject`, are a `RunContext`,
    or have defaults; with `takes`, the name of a value for errors, each call gives the first one.
    `injected` has the annotations of those that each run fills in, by name.
    """

    def __init__(
        self, function: Callable[..., object], *, agent: str, task: str, takes: str | None = None
    ) -> None:
        self._function, self._agent, self._task = function, agent, task
        self._is_async = inspect.iscoroutinefunction(function)
        self._threads = OwnThreads()
        self._parameters = self._read_parameters(takes)
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

    def _read_parameters(self, takes: str | None) -> Mapping[str, inspect.Parameter]:
        parameters = dict(inspect.signature(self._function).parameters)
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        if takes is not None:
            first = next(iter(parameters.values()), None)
            if first is None or first.kind in (first.KEYWORD_ONLY, first.VAR_KEYWORD):
                raise self._error(
                    f"it has no parameter for {takes}", "give it one, before all others"
                )
            if first.kind is not first.VAR_POSITIONAL:
                del parameters[first.name]
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
            f"{name} cannot {self._task} of the agent {self._agent!r}: {problem}", remedy=remedy
        )

    def has_default(self, parameter: str) -> bool:
        """Return if the function can be called without a parameter."""
        found = self._parameters[parameter]
        return found.default is not found.empty

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The same with parameters that are filled once, for every run; see `TakesInjection`."""
        filled = copy(self)
        injected = {name: self.injected[name] for name in per_call}
        filled.__dict__.update(_filled=dict(values), injected=injected)
        return filled

    async def call(self, context: RunContext, *values: object) -> object:
        """Return what the function does in a run, with the value that it takes, if it takes one."""
        injected = await get_injected(self.injected, context.get, self.has_default)
        arguments = {**self._filled, **injected, **dict.fromkeys(self._contexts, context)}
        if self._is_async:
            return await self._function(*values, **arguments)  # type: ignore[misc]
        value = await self._threads.run(partial(self._function, *values), **arguments)
        return await value if inspect.isawaitable(value) else value


def prompt_instructions(
    name: str, arguments: Mapping[str, str] | None = None
) -> Callable[..., object]:
    """Return a function for `Agent.instructions` that has a prompt written for each run.

    Args:
        name: With its place: `mcp:shop/refunds`.
        arguments: Of the prompt.
    """

    async def write_instructions(tools: Inject[list[Tool | ToolSource]]) -> str:
        for source in tools:
            if isinstance(source, PromptSource):
                text = await source.write_prompt(name, arguments or {})
                if text is not None:
                    return text
        raise ConfigurationError(
            f"no source of tools has the prompt {name}",
            remedy="choose one of those that `arc mcp prompts` lists",
        )

    return write_instructions
