"""An agent in which one method of one component misbehaves."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arc_core import (
    Agent,
    AgentCommand,
    AgentMetrics,
    AgentResult,
    ApprovalPolicy,
    Attachment,
    ChatDelta,
    Document,
    FinishReason,
    Guard,
    Hook,
    OutputGuard,
    Reranker,
    ResponseFilter,
    ResponseFilterChain,
    RunSuspended,
    Tool,
    ToolCall,
    ToolResultGuard,
    ToolSelector,
    tool,
)
from arc_core.engine.boundary.policies import Policy
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.log import get_logger
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent
from arc_core.testing.fakes import (
    CharacterEstimator,
    CodeMessageResolver,
    DictCredentials,
    DictResponseCache,
    EveryToolSelector,
    FixedModelPrices,
    FixedRetriever,
    ListConversationManager,
    OldestFirstCompactor,
)
from arc_core.testing.run_journals import DictRunJournals
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals
from tests.capped_budgets import CappedBudgets

__all__ = ["COMMAND", "KINDS", "Panic", "World"]

COMMAND = AgentCommand(user_prompt="Do it.", temperature=0)
_TINY_S = 0.01
_SETTINGS: dict[str, dict[str, Any]] = {
    "budget": {"report_within_s": 0},
    "concurrency": {"request_timeout_s": 0},
    "llm": {"model": "large-4", "max_context_window_tokens": 12_000},
    "cache": {"enabled": True},
}


class Panic(BaseException):
    """As libraries written in Rust raise."""


KINDS: dict[str, BaseException | str] = {
    "exception": RuntimeError("password=hunter2"),
    "panic": Panic("password=hunter2"),
    "exit": SystemExit(3),
    "generator exit": GeneratorExit(),
    "timeout": "hangs",
    "wrong type": "returns an object",
    "cancel": asyncio.CancelledError(),
}


@tool
async def echo() -> str:
    """Says something."""
    return "hello"


class PluginTool:
    """A tool that was not made by `@tool`, so selectors and boundaries see it."""

    name, description, timeout_s = "plain", "Does nothing.", None
    cacheable = True
    parameters: dict[str, Any] = {"type": "object"}  # noqa: RUF012 -- never changed

    async def call(self, arguments: object, context: object) -> object:
        return "done"


class RememberingManager(ListConversationManager):
    """A conversation manager that remembers handoffs."""

    remembers_handoffs = True

    async def load_handoffs(self, *_: object) -> Mapping[str, str]:
        return {}

    async def save_handoffs(self, *_: object) -> None:
        return None


class OfferingManager(ListConversationManager):
    """A conversation manager that remembers which tools were offered."""

    remembers_offered_tools = True

    async def load_offered_tools(self, *_: object) -> Collection[str]:
        return ()

    async def save_offered_tools(self, *_: object) -> None:
        return None


class SearchingSelector(EveryToolSelector):
    """A selector with a search."""

    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        return ", ".join(tool.name for tool in tools)

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return tools


LONG = "x" * 3000


class LongTool(PluginTool):
    """Returns much, so that room has to be made."""

    name = "long"

    async def call(self, *_: object) -> str:
        return LONG


class ActingTool(PluginTool):
    """Acts for its user."""

    async def call(self, arguments: object, context: Any) -> str:
        found = await context.credential("github")
        return str(found)


class UserSource:
    """A source of tools that are listed for one user at a time."""

    user_qualifiers = ("far/",)

    def tools(self) -> Sequence[Tool]:
        return ()


class FirstToolSelector(ToolSelector):
    """Selects one tool of many."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        del user_prompt
        return tools[:1]


class Streaming:
    """A stream that is not a generator: its end can misbehave."""

    def __init__(self, close: Callable[..., Any]) -> None:
        self._deltas = iter([ChatDelta(text="Done.", finish_reason=FinishReason.STOP)])
        self._close = close

    def __aiter__(self) -> "Streaming":
        return self

    async def __anext__(self) -> ChatDelta:
        for delta in self._deltas:
            return delta
        raise StopAsyncIteration

    async def aclose(self) -> None:
        await self._close()


class AmpleBudgets(CappedBudgets):
    """Bound what no run here comes near."""

    def __init__(self) -> None:
        super().__init__(tokens=1_000_000)


_SLOTS: dict[str, tuple[str, Any]] = {
    "Guard": ("guards", Guard),
    "OutputGuard": ("output_guards", OutputGuard),
    "Hook": ("hooks", Hook),
    "ConversationManager": ("conversation_manager", ListConversationManager),
    "RemembersHandoffs": ("conversation_manager", RememberingManager),
    "RemembersOfferedTools": ("conversation_manager", OfferingManager),
    "Compactor": ("compactor", OldestFirstCompactor),
    "Retriever": ("retriever", FixedRetriever),
    "Reranker": ("reranker", Reranker),
    "ToolSelector": ("tool_selector", EveryToolSelector),
    "SearchesTools": ("tool_selector", SearchingSelector),
    "ToolSource": ("tools", object),
    "UserToolSource": ("tools", UserSource),
    "ResponseCache": ("response_cache", DictResponseCache),
    "ResponseFilter": ("response_filter_chain", ResponseFilter),
    "TokenEstimator": ("token_estimator", CharacterEstimator),
    "ErrorMessageResolver": ("error_message_resolver", CodeMessageResolver),
    "AgentMetrics": ("agent_metrics", AgentMetrics),
    "Tool": ("tools", PluginTool),
    "ParsesArguments": ("tools", PluginTool),
    "ToolResultGuard": ("tool_result_guards", ToolResultGuard),
    "ApprovalPolicy": ("approval_policy", ApprovalPolicy),
    "Credentials": ("credentials", DictCredentials),
    "ModelPrices": ("model_prices", FixedModelPrices),
    "Budgets": ("budgets", AmpleBudgets),
}
_SYNCHRONOUS = {
    "ToolSource", "TokenEstimator", "ErrorMessageResolver", "AgentMetrics", "ParsesArguments",
    "ModelPrices",
}  # fmt: skip
_BETWEEN_LIVES = {"Hook.before_agent_resume", "Hook.after_agent_suspend"}


class World:
    """One run of an agent with a component that misbehaves.

    Args:
        policy: Of the component.
        call: Which of its methods misbehaves.
        kind: How, a key of `KINDS`.
    """

    def __init__(self, policy: Policy, call: str, kind: str) -> None:
        self.policy, self.kind = policy, KINDS[kind]
        self.metrics, self.hook = RecordingMetrics(), RecordingHook()
        interface, _, method = call.partition(".")
        self.streaming = "stream" in call
        self.has_two_lives = call in _BETWEEN_LIVES
        self._components: dict[str, Any] = {"agent_metrics": self.metrics}
        self._model: Any = ScriptedChatModel(
            [[ToolCall("1", "echo", "{}"), ToolCall("2", "plain", "{}")], "Done."]
        )
        if interface == "ErrorMessageResolver":
            self._model = ScriptedChatModel([ValueError()])
        self.command = COMMAND
        if interface == "AcceptsAttachments":
            self._model.accepts = self._acts_now
            image = Attachment("image/png", b"PNG")
            self.command = COMMAND.model_copy(update={"attachments": (image,)})
        elif interface == "AcceptsAddresses":
            self._model.accepts_address = self._acts_now
            online = Attachment("image/png", url="https://a.example/a.png")
            self.command = COMMAND.model_copy(update={"attachments": (online,)})
        elif call.startswith("aclose"):
            self._model = type("Model", (), {"stream": lambda *_: Streaming(self._act)})()
        elif call.startswith("needs_approval"):
            marked = type("Marked", (PluginTool,), {"needs_approval": self._acts})
            self._components["tools"] = (marked(),)
        elif interface == "Agent":
            self._components["agents"] = (_agent_with(method, self._acts),)
        elif interface == "ChatModel":
            setattr(self._model, method, self._streams if self.streaming else self._acts)
        else:
            self._place(interface, method.replace("record_…", "record_run"))
        if interface == "RemembersHandoffs":
            self._hand_over()
        elif interface == "RemembersOfferedTools":
            self._choose_tools()

    def _fill_window(self) -> None:
        self._components["tools"] = (LongTool(),)
        calls = [[ToolCall(str(number), "long", "{}")] for number in range(3)]
        self._model = ScriptedChatModel([*calls, "Done."])

    def _choose_tools(self) -> None:
        self.command = COMMAND.model_copy(update={"session_id": "s"})
        self._components["tool_selector"] = FirstToolSelector()
        self._components["tools"] = (PluginTool(), type("Other", (PluginTool,), {"name": "b"})())

    def _hand_over(self) -> None:
        self.command = COMMAND.model_copy(update={"session_id": "s", "agent": "boss"})
        self._components["agents"] = (Agent("boss", handoffs=["clerk"]), Agent("clerk"))
        self._model = ScriptedChatModel([[ToolCall("1", "transfer_to_clerk", "{}")], "Done."])

    def _record(self) -> None:
        journals = InMemoryRunJournals(logger=get_logger("test"))
        journals.record_runs()
        self._components["run_journals"] = journals
        self._model.encode_request = self._acts_now

    def _place(self, interface: str, method: str) -> None:
        if interface == "EncodesRequests":
            self._record()
            return
        if interface == "Compactor":
            self._fill_window()
        slot, base = _SLOTS[interface]
        act = self._acts_now if interface in _SYNCHRONOUS else self._acts
        component = type("Broken", (base,), {method: act})()
        value: Any = component
        if slot == "response_filter_chain":
            value = ResponseFilterChain((component,))
        elif slot in {"guards", "output_guards", "hooks", "tools", "tool_result_guards"}:
            value = (component,)
        self._components[slot] = value
        if interface == "Reranker":
            self._components["retriever"] = FixedRetriever([Document("Tea.")])
        if interface == "Credentials":
            self._components["tools"] = (ActingTool(),)
        if interface == "SearchesTools":
            finding = ToolCall("1", "find_tools", '{"query": "plain"}')
            self._model = ScriptedChatModel([[finding], "Done."])

    def agent(self) -> ReActAgentExecutor:
        """The agent."""
        components = {"hooks": (), "tools": (PluginTool(),), **self._components}
        components["hooks"] = (*components["hooks"], self.hook)
        components["tools"] = (echo, *components["tools"])
        return scripted_agent(self._model, self._settings(), **components)

    def _settings(self) -> AgentSettings:
        """Only what hangs has a short timeout: on a busy machine the others would run out too."""
        sections = {name: dict(section) for name, section in _SETTINGS.items()}
        if self.kind == "hangs" and self.policy.timeout:
            section, _, field = self.policy.timeout.partition(".")
            sections.setdefault(section, {})[field] = _TINY_S
        return AgentSettings.model_validate(sections)

    async def result_of_two_lives(self) -> AgentResult:
        """What a run comes to that leaves after its first turn, and is taken up again."""
        self._components["run_journals"] = journals = DictRunJournals()
        await self.agent().start()
        journal = journals.open(self.command, run_id="r")
        journal.suspend_before = "model/2"
        assert journals.body is not None
        try:
            with suppress(RunSuspended):
                await journals.body(self.command, journal)
        finally:
            result = await journals.take_up("r")
        return result

    @property
    def ends(self) -> int:
        """How often the hook behind all others was told of the end."""
        return self.hook.names.count("after_agent_complete")

    async def _acts(self, *_: object, **__: object) -> Any:
        return await self._act()

    def _acts_now(self, *_: object, **__: object) -> Any:
        if isinstance(self.kind, BaseException):
            raise self.kind
        return object()

    async def _streams(self, *_: object) -> Any:
        yield await self._act()

    async def _act(self) -> Any:
        if self.kind == "hangs":
            await asyncio.Event().wait()
        return self._acts_now()


def _agent_with(part: str, function: Callable[..., Any]) -> Agent:
    if part == "output_check":
        return Agent("default", output_check=function)
    return Agent("default", instructions=function)
