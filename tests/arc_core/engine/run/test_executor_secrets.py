"""What exceptions say stays in the log at ERROR: no caller, model or lower record reads it."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AuthenticationError,
    CachedResponse,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Document,
    ErrorMessageResolver,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
    Retriever,
    RunRecord,
    Tool,
    ToolCall,
    ToolContext,
    ToolSelector,
)
from arc_core.interfaces.guards.guard import Guard, GuardRequest, GuardResult
from arc_core.interfaces.hook import Hook, HookContext, ToolCallContext, ToolCallResult
from arc_core.settings import AgentSettings
from arc_core.testing import (
    DictResponseCache,
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint

SECRET = "hunter2"
EXECUTE_ONLY = {"response_filter_chain", "response_cache"}
COMMAND = AgentCommand(user_prompt="Hello")
SETTINGS = AgentSettings.model_validate(
    {"retry": {"initial_delay_s": 0}, "cache": {"enabled": True}, "llm": {"temperature": 0}}
)


class HunterError(Exception):
    """Its name is a secret too."""


def _leak() -> Any:
    raise HunterError(f"password={SECRET}") from ConnectionError(f"token={SECRET}")


class LeakyGuard(Guard):
    """Leaks."""

    async def check(self, request: GuardRequest) -> GuardResult:
        result: GuardResult = _leak()
        return result


class LeakyHook(Hook):
    """Leaks at one moment."""

    def __init__(self, moment: str, *, fail_on_error: bool) -> None:
        self._moment, self.fail_on_error = moment, fail_on_error

    def _at(self, moment: str) -> None:
        if moment == self._moment:
            _leak()

    async def before_agent_start(self, context: HookContext) -> None:
        self._at("before_agent_start")

    async def before_tool_call(self, context: ToolCallContext) -> None:
        self._at("before_tool_call")

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        self._at("after_tool_call")

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self._at("after_agent_complete")


class LeakyManager(ListConversationManager):
    """Leaks."""

    async def load_history(self, command: AgentCommand) -> Any:
        return _leak()

    async def save_history(self, command: AgentCommand, result: Any) -> None:
        _leak()

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        _leak()


class LeakyRetriever(Retriever):
    """Leaks."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        documents: Sequence[Document] = _leak()
        return documents


class LeakySelector(ToolSelector):
    """Leaks."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        selected: Sequence[Tool] = _leak()
        return selected


class Look(Tool):
    """A tool of a plugin, which may leak."""

    cacheable = True
    name, description, timeout_s = "look", "Looks.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    def __init__(self, *, leaks: bool = False) -> None:
        self._leaks = leaks

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return _leak() if self._leaks else "seen"


class LeakyFilter(ResponseFilter):
    """Leaks."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return str(_leak())


class LeakyCache(DictResponseCache):
    """Leaks."""

    async def get(self, key: str) -> CachedResponse | None:
        return DictResponseCache().responses.get(_leak())

    async def put(self, key: str, response: CachedResponse) -> None:
        _leak()


class LeakyMetrics(RecordingMetrics):
    """Leaks."""

    def record_run(self, record: RunRecord) -> None:
        _leak()


class LeakyResolver(ErrorMessageResolver):
    """Leaks."""

    def resolve(self, code: AgentErrorCode) -> str:
        return str(_leak())


class LeakyModel(ChatModel):
    """Leaks, after a piece of text where there are pieces."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(_leak())

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        yield ChatDelta(text="Half an ")
        _leak()


MOMENTS = ("before_agent_start", "before_tool_call", "after_tool_call", "after_agent_complete")
LEAKS: dict[str, dict[str, Any]] = {
    "guard": {"guards": (LeakyGuard(),)},
    **{
        f"{moment}, {strict=}": {"hooks": (LeakyHook(moment, fail_on_error=strict),)}
        for moment in MOMENTS
        for strict in (False, True)
    },
    "history": {"conversation_manager": LeakyManager()},
    "retriever": {"retriever": LeakyRetriever()},
    "selector": {"tool_selector": LeakySelector()},
    "tool": {"tools": (Look(leaks=True),)},
    "filter": {"response_filter_chain": ResponseFilterChain((LeakyFilter(),))},
    "cache": {"response_cache": LeakyCache()},
    "metrics": {"agent_metrics": LeakyMetrics()},
    "resolver": {"error_message_resolver": LeakyResolver(), "guards": (LeakyGuard(),)},
    "model": {"chat_model": LeakyModel()},
    "vendor": {"chat_model": ScriptedChatModel([AuthenticationError(f"key={SECRET}")] * 3)},
}


def leaking(*records: logging.LogRecord) -> list[str]:
    """The records that say more than they should."""
    formatter = logging.Formatter()
    said = [f"{formatter.format(record)} {vars(record)}" for record in records]
    return [text for text in said if SECRET in text or HunterError.__name__ in text]


@EVERY_ENTRY_POINT
@pytest.mark.parametrize("components", LEAKS.values(), ids=LEAKS)
async def test_what_an_exception_says_is_for_the_log_alone(
    components: dict[str, Any], entry_point: EntryPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Not for callers, hooks, history or the model; in the log at ERROR and at DEBUG."""
    caplog.set_level(logging.DEBUG, "arc")
    hook, manager = RecordingHook(), ListConversationManager()
    script = ScriptedChatModel([[ToolCall("1", "look", "{}")], "Done."])
    given: dict[str, Any] = {
        "chat_model": script,
        "tools": (Look(),),
        "conversation_manager": manager,
    }
    given |= components | {"hooks": (*components.get("hooks", ()), hook)}

    seen = await entry_point(scripted_agent(settings=SETTINGS, **given), COMMAND)

    told = f"{seen!r} {hook.calls!r} {manager.messages!r} {script.requests!r}"
    assert SECRET not in told
    assert HunterError.__name__ not in told
    between = range(logging.INFO, logging.ERROR)
    assert leaking(*(record for record in caplog.records if record.levelno in between)) == []
    applies = entry_point.__name__ == "executed" or not components.keys() & EXECUTE_ONLY
    assert bool(leaking(*caplog.records)) == applies
