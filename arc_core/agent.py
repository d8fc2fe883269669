"""A named way of running: what a command leaves open, an agent fills in.

    refunds = Agent("refunds", instructions="You decide about refunds.", output=Refund)

    async with Application(register=[refunds]) as app:
        result = await app.agent(refunds).execute("Order 17 came broken.")

One application serves many agents over the same guards, hooks, stores and caches. What a command
says wins over the agent, and the agent over the settings; of limits the smallest holds.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypedDict, TypeVar, Unpack, overload

from arc_core.agent_tool import AgentTool, ask_name, transfer_name
from arc_core.errors import ConfigurationError
from arc_core.instructions import InstructionsFunction
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.tool import Tool
from arc_core.limits import Limits
from arc_core.output_types import flaw_of_type
from arc_core.places import contribution
from arc_core.result import OutputT

__all__ = ["DEFAULT_AGENT", "Agent", "Instructions", "OtherAgents"]

DEFAULT_AGENT = "default"
"""Who answers a command that names no agent: what the settings describe, unless an agent of this
name is wired."""

Instructions = str | Callable[..., object]
"""A text, or a function, sync or async, that returns one for each run."""

_MAX_NAME_CHARS = 48  # other agents call it by a tool, whose name has words in front
_OF_INSTRUCTIONS = "instructions"
_TYPES: Mapping[str, tuple[Any, str]] = {
    "description": (str, '"Decides about refunds."'),
    "model": (str | None, '"careful"'),
    "limits": (Limits, "Limits(max_tool_calls=8)"),
}

T = TypeVar("T")


class OtherAgents(TypedDict, total=False):
    """The agents that an agent works with; see the attributes of `Agent`."""

    delegates: Sequence[str]
    handoffs: Sequence[str]


_KINDS_OF_OTHERS = tuple(OtherAgents.__annotations__)


@contribution("agents", group="arc.agents", is_chosen_by_name=True)
@dataclass(frozen=True, init=False)
class Agent(Generic[OutputT]):
    """An agent; generic in what it answers: `Agent[Refund]` gives `AgentResult[Refund]`.

    Attributes:
        name: By which commands choose it; letters, digits, `_` and `-`, at most 48.
        description: What it is for, in a sentence, for people and for other agents' models.
        instructions: Its system prompt, or a function, sync or async, that returns it for each run;
            its parameters are marked with `Inject` as those of a tool are, or are a `RunContext`.
            None is `llm.system_prompt`.
        model: Which model answers: a name of `llm.models`, or `default` for the model of `llm`
            itself; without any in `llm.models`, a name that the vendor knows. None is the
            configured one.
        tools: What it may call: tools, which no other agent gets, and names and patterns of wired
            ones, such as `find_order`, `find_*`, and of tools of MCP servers `mcp:shop/*`. None is
            all that are wired, and an empty one none.
        output: The type of its answers, as `AgentCommand.response_schema` takes it; a command that
            asks for a text without a schema gets it as JSON. None is a text.
        limits: Bounds of its runs, within those of the settings.
        delegates: The names of the agents that it may ask: each is a tool `ask_<name>(task)`, whose
            call is a run of that agent, with a conversation of its own.
        handoffs: The names of the agents that it may hand over to: each is a tool
            `transfer_to_<name>`, after which the same run goes on with that agent.

    Raises:
        ConfigurationError: The name, a tool, the instructions or the output type cannot be used.
    """

    name: str
    description: str
    instructions: Instructions | None
    model: str | None
    tools: tuple[Tool | str, ...] | None
    output: Any
    limits: Limits
    delegates: tuple[str, ...]
    handoffs: tuple[str, ...]
    _function: InstructionsFunction | None = field(init=False, repr=False, compare=False)
    _own_tools: tuple[Tool, ...] = field(init=False, repr=False, compare=False)

    @overload
    def __init__(
        self: "Agent[T]",
        name: str,
        *,
        description: str = ...,
        instructions: Instructions | None = ...,
        model: str | None = ...,
        tools: Sequence[Tool | str] | None = ...,
        output: type[T],
        limits: Limits = ...,
        **others: Unpack[OtherAgents],
    ) -> None: ...

    @overload
    def __init__(
        self: "Agent[Any]",
        name: str,
        *,
        description: str = ...,
        instructions: Instructions | None = ...,
        model: str | None = ...,
        tools: Sequence[Tool | str] | None = ...,
        output: Any = None,
        limits: Limits = ...,
        **others: Unpack[OtherAgents],
    ) -> None: ...

    def __init__(
        self,
        name: str,
        *,
        description: str = "",
        instructions: Instructions | None = None,
        model: str | None = None,
        tools: Sequence[Tool | str] | None = None,
        output: Any = None,
        limits: Limits | None = None,
        **others: Unpack[OtherAgents],
    ) -> None:
        _check_name(name)
        values = {
            "name": name,
            "description": description,
            "instructions": instructions,
            "model": model,
            "tools": None if tools is None else _check_tools(tools, name),
            "output": _check_output(output, name),
            "limits": Limits() if limits is None else limits,
            **_check_others(others, name),
        }
        _check_types(values)
        _check_turning(values)
        values["_function"] = _function_of(instructions, name)
        values["_own_tools"] = tuple(each for each in tools or () if isinstance(each, Tool))
        self.__dict__.update(values)

    @property
    def instructions_function(self) -> InstructionsFunction | None:
        """The function that writes its instructions, as far as it is filled; None for a text."""
        return self._function

    @property
    def own_tools(self) -> tuple[Tool, ...]:
        """The tools among `tools`, as far as they are filled."""
        return self._own_tools

    def as_tool(self) -> AgentTool:
        """The tool `ask_<name>(task)`, by which other agents ask this one; see `delegates`.

        An agent that has it among its tools can ask this one, whether that is wired or not.
        """
        return AgentTool(self.name, description=self.description, agent=self)

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """The names and patterns among `tools`; None if all wired tools are its."""
        if self.tools is None:
            return None
        return tuple(each for each in self.tools if isinstance(each, str))

    @property
    def injected(self) -> Mapping[str, Any]:
        """What its instructions and its own tools ask for, as `find_order.db`."""
        return {
            f"{part}.{name}": hint
            for part, taking in self._taking_injection().items()
            for name, hint in taking.injected.items()
        }

    def has_default(self, parameter: str) -> bool:
        """Whether a parameter, as `injected` names it, may be left out; see `TakesInjection`."""
        part, _, name = parameter.partition(".")
        has_default: bool = self._taking_injection()[part].has_default(name)
        return has_default

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The same agent, whose instructions and own tools are filled; see `TakesInjection`."""
        filled: dict[str, Any] = {}
        for part, taking in self._taking_injection().items():
            keys = {name: f"{part}.{name}" for name in taking.injected}
            filled[part] = taking.fill(
                {name: values[key] for name, key in keys.items() if key in values},
                per_call=[name for name, key in keys.items() if key in per_call],
            )
        agent = copy(self)
        own_tools = tuple(filled.get(tool.name, tool) for tool in self._own_tools)
        function = filled.get(_OF_INSTRUCTIONS, self._function)
        agent.__dict__.update(_own_tools=own_tools, _function=function)
        return agent

    def _taking_injection(self) -> Mapping[str, Any]:
        """The function of its instructions, and those of its tools that ask for something."""
        function = {} if self._function is None else {_OF_INSTRUCTIONS: self._function}
        tools = {tool.name: tool for tool in self._own_tools if isinstance(tool, TakesInjection)}
        return {**tools, **function}


def _check_name(name: object) -> None:
    is_text = isinstance(name, str) and 0 < len(name) <= _MAX_NAME_CHARS
    plain = name.replace("-", "").replace("_", "") if isinstance(name, str) else ""
    if not is_text or not (plain.isascii() and plain.isalnum()):
        raise ConfigurationError(
            f"an agent cannot be called {name!r}",
            evidence=["models call other agents by their names"],
            remedy=f"use letters, digits, _ and -, at most {_MAX_NAME_CHARS}",
        )


def _check_tools(tools: object, agent: str) -> tuple[Tool | str, ...]:
    if isinstance(tools, str) or not isinstance(tools, Sequence):
        raise ConfigurationError(
            f"tools of the agent {agent!r} is not a list", remedy='write tools=["find_order"]'
        )
    names: set[str] = set()
    for each in tools:
        if not isinstance(each, Tool | str):
            raise ConfigurationError(
                f"the agent {agent!r} has {each!r} among its tools, which is neither a tool nor "
                "the name of one",
                remedy="decorate the function with @tool",
            )
        name = each if isinstance(each, str) else each.name
        if name in names:
            raise ConfigurationError(
                f"the agent {agent!r} has two tools called {name!r}", remedy="leave one of them out"
            )
        names.add(name)
    return tuple(tools)


def _check_others(others: Mapping[str, Any], agent: str) -> Mapping[str, tuple[str, ...]]:
    if unknown := sorted(others.keys() - set(_KINDS_OF_OTHERS)):
        raise TypeError(f"Agent() got an unexpected keyword argument {unknown[0]!r}")
    return {kind: _check_agents(kind, others.get(kind, ()), agent) for kind in _KINDS_OF_OTHERS}


def _check_agents(kind: str, names: Any, agent: str) -> tuple[str, ...]:
    is_list = isinstance(names, Sequence) and not isinstance(names, str)
    if not is_list or not all(isinstance(name, str) for name in names):
        raise ConfigurationError(
            f"the {kind} of the agent {agent!r} are not a list of names",
            remedy=f'write {kind}=["refunds"]',
        )
    return tuple(dict.fromkeys(names))


def _check_types(values: Mapping[str, Any]) -> None:
    for name, (types, example) in _TYPES.items():
        if not isinstance(values[name], types):
            raise ConfigurationError(
                f"the {name} of the agent {values['name']!r} is of the type "
                f"{type(values[name]).__name__}",
                remedy=f"write {name}={example}",
            )


def _check_turning(values: Mapping[str, Any]) -> None:
    """Check that no tool has the name of one by which the agent turns to another."""
    agent = values["name"]
    if agent in values["handoffs"]:
        raise ConfigurationError(
            f"the agent {agent!r} hands over to itself", remedy="remove it from its `handoffs`"
        )
    names = {each if isinstance(each, str) else each.name for each in values["tools"] or ()}
    turning = *map(ask_name, values["delegates"]), *map(transfer_name, values["handoffs"])
    if taken := names.intersection(turning):
        raise ConfigurationError(
            f"the agent {agent!r} has two tools called {min(taken)!r}, one of them to turn to "
            "another agent",
            remedy="give the other tool another name, or leave one of them out",
        )


def _check_output(output: Any, agent: str) -> Any:
    if output is not None and (flaw := flaw_of_type(output)):
        raise ConfigurationError(
            f"the agent {agent!r} cannot answer with its output type: {flaw}",
            remedy="use a pydantic class, a dataclass, a TypedDict, a list, a union or a scalar",
        )
    return output


def _function_of(instructions: object, agent: str) -> InstructionsFunction | None:
    if instructions is None or isinstance(instructions, str):
        return None
    if not callable(instructions):
        raise ConfigurationError(
            f"the instructions of the agent {agent!r} are neither a text nor a function",
            remedy='write instructions="You decide about refunds."',
        )
    return InstructionsFunction(instructions, agent=agent)
