"""An agent all of whose components suspend, and may be held, released, and refuse cancellation."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Any

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    CachedResponse,
    Document,
    Message,
    ResponseFilterChain,
    Retriever,
    Tool,
    ToolCall,
    ToolContext,
    UserMessage,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.interfaces.guards.guard import Allowed, Guard, GuardRequest, GuardResult
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.interfaces.guards.response_filter import ResponseFilter, ResponseFilterContext
from arc_core.interfaces.hook import Hook, HookContext, ToolCallContext, ToolCallResult
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.settings import AgentSettings
from arc_core.testing import (
    DictResponseCache,
    EveryToolSelector,
    ListConversationManager,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_model import Turn

__all__ = ["PLACES", "SuspendingAgent", "Suspension", "let_go"]

PLACES = (
    "guard",
    "before_agent_start",
    "load_history",
    "retrieve",
    "select",
    "model",
    "before_tool_call",
    "tool",
    "after_tool_call",
)
"""Where a run suspends inside the deadline, through every entry point."""


class Suspension:
    """Every component waits here for a few rounds of the event loop, and at some places for long.

    Args:
        hold: The places where a run is held until it is released or cancelled.
        refuses: Whether a cancellation there does not leave.
        replacement: What it becomes then; None swallows it.
    """

    def __init__(
        self, *hold: str, refuses: bool = False, replacement: Exception | None = None
    ) -> None:
        self.hold, self.refuses, self.replacement = hold, refuses, replacement
        self.held, self.released = asyncio.Event(), asyncio.Event()

    async def at(self, place: str) -> None:
        """Suspend."""
        for _ in range(3):
            await asyncio.sleep(0)
        if place in self.hold:
            self.held.set()
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                if not self.refuses:
                    raise
                if self.replacement is not None:
                    raise self.replacement from None


class SuspendingAgent:
    """An agent with a permit for one run, a model that calls two tools and answers, and its traces.

    Attributes:
        executor: The engine.
        responses: What `after_agent_complete` was told, as often as it was called.
        ending: Set when a run's last hook begins.
        finished: Set when a run's last hook has ended.
        metrics: All measurements.
        history: The conversation.
    """

    def __init__(
        self, suspension: Suspension | None = None, *, is_guarded: bool = False, **settings: Any
    ) -> None:
        self.suspension, self._is_guarded = suspension or Suspension(), is_guarded
        self.responses: list[AgentResult] = []
        self.ending, self.finished = asyncio.Event(), asyncio.Event()
        self.metrics = RecordingMetrics()
        self.history = _History(self.suspension)
        self.model = _Model(self.suspension)
        concurrency = {"max_concurrent_requests": 1, "acquire_timeout_s": 0.05}
        self.executor = self._executor(
            AgentSettings.model_validate(
                {
                    **settings,
                    "concurrency": concurrency | settings.get("concurrency", {}),
                    "retry": {"initial_delay_s": 0},
                    "llm": {"temperature": 0},
                    "cache": {"enabled": True},
                }
            )
        )

    def _executor(self, settings: AgentSettings) -> ReActAgentExecutor:
        suspension = self.suspension
        return scripted_agent(
            self.model,
            settings,
            guards=(_Guard(suspension),),
            output_guards=(_OutputGuard(suspension),) if self._is_guarded else (),
            hooks=(_Hook(suspension, self),),
            tools=(_Tool("left", suspension), _Tool("right", suspension)),
            tool_selector=_Selector(suspension),
            response_filter_chain=ResponseFilterChain((_Filter(suspension),)),
            response_cache=_Cache(suspension),
            conversation_manager=self.history,
            retriever=_Retriever(suspension),
            agent_metrics=self.metrics,
        )

    @property
    def asked_again(self) -> int:
        """How many of the model's requests repeat an earlier one."""
        requests = [request.messages for request in self.model.script.requests]
        return len(requests) - len(set(requests))

    @property
    def open_streams(self) -> int:
        """How many of the model's streams are not closed."""
        return self.model.opened - self.model.closed

    async def works_again(self) -> bool:
        """Whether the permit is back, and another run succeeds."""
        self.suspension.hold = ()
        return (await self.executor.execute(AgentCommand(user_prompt="Again?"))).success


def _next_turn(request: ChatRequest) -> Turn:
    if not isinstance(request.messages[-1], UserMessage):
        return "It is done now."
    calls = (ToolCall("1", "left", "{}"), ToolCall("2", "right", "{}"))
    return AssistantMessage("I shall look.", calls)


class _Model(ChatModel):
    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension
        self.script = ScriptedChatModel([_next_turn] * 20)
        self.opened = self.closed = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        response = await self.script.complete(request)
        await self._suspension.at("model")
        return response

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        self.opened += 1
        try:
            async for delta in self.script.stream(request):
                await self._suspension.at("model")
                yield delta
        finally:
            self.closed += 1
            await self._suspension.at("model's end")


class _OutputGuard(OutputGuard):
    order, window_chars = 1, 3

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        await self._suspension.at("output_guard")
        return Allowed()


class _Guard(Guard):
    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def check(self, request: GuardRequest) -> GuardResult:
        await self._suspension.at("guard")
        return Allowed()


class _Hook(Hook):
    def __init__(self, suspension: Suspension, agent: SuspendingAgent) -> None:
        self._suspension, self._agent = suspension, agent

    async def before_agent_start(self, context: HookContext) -> None:
        await self._suspension.at("before_agent_start")

    async def before_tool_call(self, context: ToolCallContext) -> None:
        await self._suspension.at("before_tool_call")

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        await self._suspension.at("after_tool_call")

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self._agent.responses.append(response)
        self._agent.ending.set()
        await self._suspension.at("after_agent_complete")
        self._agent.finished.set()


class _History(ListConversationManager):
    def __init__(self, suspension: Suspension) -> None:
        super().__init__()
        self._suspension = suspension

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        await self._suspension.at("load_history")
        return ()

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        await self._suspension.at("save_history")
        await super().save_history(command, result)

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        await self._suspension.at("save_history")
        await super().save_streaming_history(command, content, result=result)


class _Cache(DictResponseCache):
    def __init__(self, suspension: Suspension) -> None:
        super().__init__()
        self._suspension = suspension

    async def get(self, key: str) -> CachedResponse | None:
        await self._suspension.at("cache_get")
        return await super().get(key)

    async def put(self, key: str, response: CachedResponse) -> None:
        await self._suspension.at("cache_put")
        await super().put(key, response)


class _Retriever(Retriever):
    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        await self._suspension.at("retrieve")
        return ()


class _Selector(EveryToolSelector):
    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        await self._suspension.at("select")
        return await super().select(user_prompt, tools)


class _Tool(Tool):
    cacheable = True
    description = "Suspends."
    parameters: Mapping[str, Any] = {"type": "object"}
    timeout_s: float | None = None

    def __init__(self, name: str, suspension: Suspension) -> None:
        self.name = name
        self._suspension = suspension

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        await self._suspension.at("tool")
        return self.name


class _Filter(ResponseFilter):
    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        await self._suspension.at("filter")
        return content


async def let_go(
    journals: DictRunJournals, journal: DictRunJournal, after: Awaitable[object]
) -> None:
    """Begin a life of a run, and close its process once something has happened in it."""
    assert journals.body is not None
    life = asyncio.ensure_future(journals.body(journal.command, journal))
    await after
    journal.is_closing = True
    life.cancel()
    await asyncio.wait([life])
    journal.is_closing = False
    assert life.cancelled()
