"""The stages of a run: their order, and which of them a run that ends early still passes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentMetrics,
    AgentMode,
    AgentResult,
    Allowed,
    AssistantMessage,
    Document,
    Guard,
    GuardRequest,
    GuardResult,
    Message,
    Rejected,
    RejectionCategory,
    ResponseFilterChain,
    Retriever,
    RunRecord,
    Tool,
    ToolContext,
    ToolSelector,
)
from arc_core.interfaces.guards.response_filter import ResponseFilter, ResponseFilterContext
from arc_core.interfaces.hook import Hook, HookContext, HookResult, Reject
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.testing import ListConversationManager, scripted_agent
from tests.arc_core.engine.entry_points import (
    EVERY_ENTRY_POINT,
    EntryPoint,
    events_of,
    executed,
    list_texts,
)

COMMAND = AgentCommand(user_prompt="Hello")
BEGINNING = ["guard", "before", "load", "retrieve", "select", "model"]
END = ["save", "after", "measure"]


class Stations(
    Guard, Hook, Retriever, ToolSelector, ResponseFilter, ListConversationManager, ChatModel
):
    """Every component in one, that notes when it is asked."""

    order = 100

    def __init__(self, *, lets_in: bool = True, starts: bool = True) -> None:
        super().__init__()
        self.passed: list[str] = []
        self._lets_in, self._starts = lets_in, starts

    async def check(self, request: GuardRequest) -> GuardResult:
        self.passed.append("guard")
        return Allowed() if self._lets_in else Rejected("No.", RejectionCategory.OFF_TOPIC)

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        self.passed.append("before")
        return None if self._starts else Reject("No.")

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        self.passed.append("load")
        return ()

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        self.passed.append("retrieve")
        return ()

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self.passed.append("select")
        return tools

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.passed.append("model")
        return ChatResponse(AssistantMessage("Hi."))

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        self.passed.append("model")
        yield ChatDelta(text="Hi.")

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        self.passed.append("filter")
        return content

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        self.passed.append("save")

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        self.passed.append("save")

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self.passed.append("after")


class Measuring(AgentMetrics):
    """Notes the end of the run."""

    def __init__(self, stations: Stations) -> None:
        self._stations = stations

    def record_run(self, record: RunRecord) -> None:
        self._stations.passed.append("measure")


class Look(Tool):
    """Something to select."""

    name, description, timeout_s = "look", "Looks.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return None


async def passed(entry_point: EntryPoint, stations: Stations, **fields: Any) -> list[str]:
    """What a run has passed, in order."""
    agent = scripted_agent(
        stations,
        guards=(stations,),
        hooks=(stations,),
        tools=(Look(),),
        conversation_manager=stations,
        retriever=stations,
        tool_selector=stations,
        response_filter_chain=ResponseFilterChain((stations,)),
        agent_metrics=Measuring(stations),
    )
    await entry_point(agent, COMMAND.model_copy(update=fields))
    return stations.passed


@pytest.mark.parametrize(
    ("entry_point", "stages"),
    [
        (executed, [*BEGINNING, "filter", *END]),
        (list_texts, [*BEGINNING, *END]),
        (events_of, [*BEGINNING, *END]),
    ],
)
async def test_the_stages_have_an_order(entry_point: EntryPoint, stages: list[str]) -> None:
    """Guards, start hooks, history, retrieval, selection, the loop; filters for `execute` alone."""
    assert await passed(entry_point, Stations()) == stages


@EVERY_ENTRY_POINT
async def test_a_rejected_prompt_goes_no_further(entry_point: EntryPoint) -> None:
    """Nothing is loaded and nothing is asked; the end is told."""
    stages = await passed(entry_point, Stations(lets_in=False))

    assert stages == ["guard", "after", "measure"]


@EVERY_ENTRY_POINT
async def test_a_rejected_run_goes_no_further(entry_point: EntryPoint) -> None:
    """Guards come before hooks, hooks before everything else."""
    stages = await passed(entry_point, Stations(starts=False))

    assert stages == ["guard", "before", "after", "measure"]


@EVERY_ENTRY_POINT
async def test_standard_mode_passes_all_but_the_selection(entry_point: EntryPoint) -> None:
    """History and documents belong to it too."""
    stages = await passed(entry_point, Stations(), mode=AgentMode.STANDARD)

    assert stages[:5] == ["guard", "before", "load", "retrieve", "model"]


@EVERY_ENTRY_POINT
async def test_given_history_is_not_loaded(entry_point: EntryPoint) -> None:
    """The store is not even asked."""
    history = (AssistantMessage("Before."),)

    assert "load" not in await passed(entry_point, Stations(), conversation_history=history)
