"""A named way of running: what a command leaves open, an agent fills in.

    refunds = Agent("refunds", instructions="You decide about refunds.", output=Refund)

    async with Application(register=[refunds]) as app:
        result = await app.agent(refunds).execute("Order 17 came broken.")

One application serves many agents over the same guards, hooks, stores and caches. What a command
says wins over the agent, and the agent over the settings; of limits the smallest holds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypedDict, TypeVar, Unpack, overload

from pydantic import ValidationError

from arc_core.agents.functions import AgentFunction
from arc_core.agents.tools import AgentTool, HandoffTool, ask_name, transfer_name
from arc_core.command import DEFAULT_AGENT as DEFAULT_AGENT
from arc_core.command import AgentCommand, ReasoningEffort
from arc_core.components.extension_points import contribution
from arc_core.components.text_lists import check_list
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.tools.tool import Tool
from arc_core.limits import Limits
from arc_core.output_types import flaw_of_type
from arc_core.result import OutputT
from arc_core.text.names import nearest

Instructions = str | Callable[..., object]
"""A text, or a function, sync or async, that returns one for each run."""

_MAX_NAME_CHARS = 48  # other agents call it by a tool, whose name has words in front
_OF_INSTRUCTIONS, _OF_OUTPUT_CHECK = "instructions", "output_check"
_TYPES: Mapping[str, tuple[Any, str]] = {
    "description": (str, '"Decides about refunds."'),
    "model": (str | None, '"careful"'),
    "limits": (Limits, "Limits(max_tool_calls=8)"),
}

T = TypeVar("T")


class OtherAgents(TypedDict, total=False):
    """The agents that an agent works with; see the attributes of `Agent`."""

    delegates: Sequence[str]
    handoffs: Sequence[str | HandoffTool]


class AgentOptions(OtherAgents, total=False):
    """Further keywords of an agent; see its attributes."""

    output_check: Callable[..., object] | None
    temperature: float | None
    reasoning: ReasoningEffort | str | None
    max_output_tokens: int | None
    examples: Sequence[str]


_KINDS_OF_OTHERS = tuple(OtherAgents.__annotations__)
_TUNING = ("temperature", "reasoning", "max_output_tokens")
_OPTIONS = tuple(AgentOptions.__annotations__)


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
            `transfer_to_<name>`, after which the same run goes on with that agent. A `HandoffTool`
            in place of a name has another name, parameters and a function that is called.
        output_check: A function, sync or async, that checks each answer: its first parameter gets
            the `output`, or the text if the answer is not structured, and the others are filled as
            those of `instructions`. It returns None if the answer is good, else an `OutputRetry`,
            whose text the model reads before it answers once more.
        temperature: At which the model is asked; None is that of the settings.
        reasoning: How much the model thinks before it answers, `low`, `medium` or `high`; None is
            that of the settings.
        max_output_tokens: Of each answer of the model; None is that of the settings.
        examples: Questions for people to begin with, on the page and in the Agent2Agent card.

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
    output_check: Callable[..., object] | None
    temperature: float | None
    reasoning: ReasoningEffort | None
    max_output_tokens: int | None
    examples: tuple[str, ...]
    _function: AgentFunction | None = field(init=False, repr=False, compare=False)
    _check: AgentFunction | None = field(init=False, repr=False, compare=False)
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
        **options: Unpack[AgentOptions],
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
        **options: Unpack[AgentOptions],
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
        **options: Unpack[AgentOptions],
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
            **_check_others(options, name),
            "output_check": options.get("output_check"),
            **_check_tuning(options, name),
            "examples": _check_texts("examples", options.get("examples", ()), name),
        }
        _check_types(values)
        _check_turning(values, options.get("handoffs", ()))
        values["_function"] = _instructions_function(instructions, name)
        values["_check"] = _output_check_function(values["output_check"], name)
        mentioned = (*(tools or ()), *options.get("handoffs", ()))
        values["_own_tools"] = tuple(each for each in mentioned if isinstance(each, Tool))
        self.__dict__.update(values)

    @property
    def tuning(self) -> Mapping[str, Any]:
        """The tuning of its model by the fields of a command; None leaves one to the settings."""
        return {name: getattr(self, name) for name in _TUNING}

    @property
    def instructions_function(self) -> AgentFunction | None:
        """The function that writes its instructions, as far as it is filled; None for a text."""
        return self._function

    @property
    def output_check_function(self) -> AgentFunction | None:
        """The function that checks its answers, as far as it is filled; None if there is none."""
        return self._check

    @property
    def own_tools(self) -> tuple[Tool, ...]:
        """The tools among `tools`, as far as they are filled."""
        return self._own_tools

    def as_tool(self, *, task: Tool | None = None) -> AgentTool:
        """The tool `ask_<name>(task)`, by which other agents ask this one; see `delegates`.

        An agent that has it among its tools can ask this one, whether that is wired or not.

        Args:
            task: A tool that returns the task as a text; the model sees its name, description and
                parameters instead.
        """
        return AgentTool(self.name, description=self.description, agent=self, task=task)

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """The names and patterns among `tools`; None if all wired tools are its."""
        if self.tools is None:
            return None
        return tuple(each for each in self.tools if isinstance(each, str))

    @property
    def injected(self) -> Mapping[str, Any]:
        """The parameters that its instructions and tools have filled, such as `find_order.db`."""
        return {
            f"{part}.{name}": hint
            for part, taking in self._taking_injection().items()
            for name, hint in taking.injected.items()
        }

    def has_default(self, parameter: str) -> bool:
        """Return if a parameter, as `injected` names it, may be left out; see `TakesInjection`."""
        part, _, name = parameter.partition(".")
        has_default: bool = self._taking_injection()[part].has_default(name)
        return has_default

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """Return the same agent with instructions and own tools filled; see `TakesInjection`."""
        filled: dict[str, Any] = {}
        for part, taking in self._taking_injection().items():
            keys = {name: f"{part}.{name}" for name in taking.injected}
            filled[part] = taking.fill(
                {name: values[key] for name, key in keys.items() if key in values},
                per_call=[name for name, key in keys.items() if key in per_call],
            )
        agent = copy(self)
        own_tools = tuple(filled.get(tool.name, tool) for tool in self._own_tools)
        agent.__dict__.update(
            _own_tools=own_tools,
            _function=filled.get(_OF_INSTRUCTIONS, self._function),
            _check=filled.get(_OF_OUTPUT_CHECK, self._check),
        )
        return agent

    def _taking_injection(self) -> Mapping[str, Any]:
        """Its functions, and those of its tools that ask for something."""
        functions = {_OF_INSTRUCTIONS: self._function, _OF_OUTPUT_CHECK: self._check}
        tools = {tool.name: tool for tool in self._own_tools if isinstance(tool, TakesInjection)}
        return {**tools, **{part: each for part, each in functions.items() if each is not None}}


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
    check_list(tools, what=f"tools of the agent {agent!r}")
    if not isinstance(tools, Sequence):
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
    if unknown := sorted(others.keys() - set(_OPTIONS)):
        known = (*_OPTIONS, *_TYPES, "instructions", "tools", "output")
        meant = nearest(unknown[0], known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise TypeError(f"an agent has no keyword {unknown[0]!r}{hint}")
    named = dict(others)
    handoffs = others.get("handoffs", ())
    if isinstance(handoffs, Sequence) and not isinstance(handoffs, str):
        named["handoffs"] = [getattr(each, "agent_name", each) for each in handoffs]
    return {kind: _check_texts(kind, named.get(kind, ()), agent) for kind in _KINDS_OF_OTHERS}


def _check_tuning(options: Mapping[str, Any], agent: str) -> Mapping[str, Any]:
    """Return the tuning of a model that `options` hold, checked as that of a command."""
    given: dict[str, Any] = {name: options.get(name) for name in _TUNING}
    try:
        asked = AgentCommand(user_prompt="", **given)
    except ValidationError as error:
        [problem, *_] = error.errors(include_url=False, include_input=False)
        name = problem["loc"][0]
        raise ConfigurationError(
            f"the {name} of the agent {agent!r} is {given[str(name)]!r}: {problem['msg']}",
            remedy=f"correct {name}, or leave it out to take that of the settings",
        ) from None
    return {name: getattr(asked, name) for name in _TUNING}


def _check_texts(kind: str, texts: Any, agent: str) -> tuple[str, ...]:
    check_list(texts, what=f"{kind} of the agent {agent!r}")
    if not isinstance(texts, Sequence) or not all(isinstance(each, str) for each in texts):
        raise ConfigurationError(
            f"the {kind} of the agent {agent!r} are not a list of texts",
            remedy=f'write {kind}=["…"]',
        )
    return tuple(dict.fromkeys(texts))


def _check_types(values: Mapping[str, Any]) -> None:
    for name, (types, example) in _TYPES.items():
        if not isinstance(values[name], types):
            raise ConfigurationError(
                f"the {name} of the agent {values['name']!r} is of the type "
                f"{type(values[name]).__name__}",
                remedy=f"write {name}={example}",
            )


def _check_turning(values: Mapping[str, Any], handoffs: Iterable[object]) -> None:
    """Check that no tool has the name of one by which the agent turns to another."""
    agent = values["name"]
    if agent in values["handoffs"]:
        raise ConfigurationError(
            f"the agent {agent!r} hands over to itself", remedy="remove it from its `handoffs`"
        )
    names = [each if isinstance(each, str) else each.name for each in values["tools"] or ()]
    own = {each.agent_name: each.name for each in handoffs if isinstance(each, HandoffTool)}
    names += map(ask_name, values["delegates"])
    names += [own.get(each) or transfer_name(each) for each in values["handoffs"]]
    if taken := {name for name in names if names.count(name) > 1}:
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


def _instructions_function(instructions: object, agent: str) -> AgentFunction | None:
    if instructions is None or isinstance(instructions, str):
        return None
    if not callable(instructions):
        raise ConfigurationError(
            f"the instructions of the agent {agent!r} are neither a text nor a function",
            remedy='write instructions="You decide about refunds."',
        )
    return AgentFunction(instructions, agent=agent, task="write the instructions")


def _output_check_function(check: object, agent: str) -> AgentFunction | None:
    if check is None:
        return None
    if not callable(check):
        raise ConfigurationError(
            f"the output_check of the agent {agent!r} is not a function",
            remedy="write a function that takes the output and returns None or an OutputRetry",
        )
    return AgentFunction(check, agent=agent, task="check the answers", takes="the output")
