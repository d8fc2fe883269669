"""Small real implementations of the interfaces, for tests that want to look inside."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from arc_core.command import AgentCommand, question_of
from arc_core.defaults.clearing import clear_oldest
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.interfaces.agent_metrics import (
    AgentMetrics,
    CacheLookup,
    FaultSource,
    ModelCallRecord,
    RunRecord,
)
from arc_core.interfaces.conversations.compactor import Compaction, CompactionView, Compactor
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.interfaces.conversations.retriever import Document, Retriever
from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.interfaces.hook import Hook, HookContext, ToolCallContext, ToolCallResult
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.interfaces.models.response_cache import CachedResponse, ResponseCache
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.run_scope import RunContext, RunScope, RunScopes
from arc_core.interfaces.tools.approval_policy import ApprovalPolicy, PolicyResult, Run
from arc_core.interfaces.tools.tool import Tool
from arc_core.interfaces.tools.tool_selector import ToolSelector
from arc_core.messages import AssistantMessage, Message, ToolOutcome
from arc_core.result import AgentResult
from arc_core.usage import TokenUsage


class RecordingHook(Hook):
    """Remembers every call it gets, as pairs of the method's name and its last argument."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    @property
    def names(self) -> list[str]:
        """The methods called so far."""
        return [name for name, _ in self.calls]

    @property
    def response(self) -> AgentResult:
        """The result of the last run."""
        responses = [value for _, value in self.calls if isinstance(value, AgentResult)]
        return responses[-1]

    async def before_agent_start(self, context: HookContext) -> None:
        """Remember."""
        self.calls.append(("before_agent_start", context))

    async def before_tool_call(self, context: ToolCallContext) -> None:
        """Remember."""
        self.calls.append(("before_tool_call", context))

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """Remember."""
        self.calls.append(("after_tool_call", result))

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Remember."""
        self.calls.append(("after_agent_complete", response))

    async def before_agent_resume(self, context: HookContext) -> None:
        """Remember."""
        self.calls.append(("before_agent_resume", context))

    async def after_agent_suspend(self, context: HookContext) -> None:
        """Remember."""
        self.calls.append(("after_agent_suspend", context))


class RecordingMetrics(AgentMetrics):
    """Remembers every measurement."""

    def __init__(self) -> None:
        self.runs: list[RunRecord] = []
        self.model_calls: list[ModelCallRecord] = []
        self.tool_calls: list[tuple[str, ToolOutcome]] = []
        self.cache_lookups: list[CacheLookup] = []
        self.faults: list[FaultSource] = []

    def record_run(self, record: RunRecord) -> None:
        """Remember."""
        self.runs.append(record)

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Remember."""
        self.model_calls.append(record)

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """Remember."""
        self.tool_calls.append((name, outcome))

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """Remember."""
        self.cache_lookups.append(lookup)

    def record_fault(self, source: FaultSource) -> None:
        """Remember."""
        self.faults.append(source)


class ListConversationManager(ConversationManager):
    """Keeps one conversation, whatever the session.

    Args:
        history: What has been said before.

    Attributes:
        messages: The history, and what has been saved since; a failed run saves the user's message
            and what was handed out.
    """

    def __init__(self, history: Sequence[Message] = ()) -> None:
        self.messages: list[Message] = list(history)

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """All messages."""
        return tuple(self.messages)

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Append the user's message and the answer."""
        self._append(command, result.content or result.partial_content)

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Append the user's message and the answer."""
        self._append(command, content)

    def _append(self, command: AgentCommand, content: str | None) -> None:
        self.messages.append(question_of(command))
        if content:
            self.messages.append(AssistantMessage(content))


class CharacterEstimator(TokenEstimator):
    """A token per character, so that tests can count."""

    def estimate(self, text: str) -> int:
        """The text's length."""
        return len(text)


class EveryToolSelector(ToolSelector):
    """Offers everything."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """All tools."""
        return tools


class OldestFirstCompactor(Compactor):
    """Clears old results, and lists the calls of old exchanges."""

    async def compact(self, view: CompactionView) -> Compaction:
        """As clearing does."""
        return clear_oldest(view)


class FixedRetriever(Retriever):
    """Finds the same documents for every query."""

    def __init__(self, documents: Sequence[Document] = ()) -> None:
        self.documents = documents

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        """The first documents."""
        return self.documents[:limit]


class FixedRunScope(RunScope):
    """Has the same components for whatever asks, by type.

    Args:
        components: By what they are asked for.

    Attributes:
        endings: What each close was told.
    """

    def __init__(self, components: Mapping[object, object] | None = None) -> None:
        self.components = components or {}
        self.endings: list[BaseException | None] = []

    async def get(self, wanted: Any) -> Any:
        """The component."""
        if wanted not in self.components:
            raise ConfigurationError(
                f"this scope has no {wanted}", remedy="give it one: FixedRunScope({…: …})"
            )
        return self.components[wanted]

    async def close(self, error: BaseException | None) -> Sequence[str]:
        """Remember."""
        self.endings.append(error)
        return ()


class EveryCallPolicy(ApprovalPolicy):
    """Lets every call run."""

    never_asks = True

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """Let it run."""
        return Run()


class DictCredentials(Credentials):
    """Keeps what it is given, and asks for a login where it has nothing.

    Attributes:
        kept: By owner and service.
        logins: How many were asked for.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[Owner, str], Credential] = {}
        self.logins = 0

    async def get(
        self,
        owner: Owner,
        service: str,
        *,
        rejected: Credential | None = None,
        scopes: Sequence[str] = (),
    ) -> Credential | LoginNeeded:
        """Return it, unless there is none, or the service has refused it."""
        found = self.kept.get((owner, service))
        if found is not None and found != rejected:
            return found
        self.logins += 1
        url = f"https://arc.example/oauth/login/{self.logins}"
        return LoginNeeded(service=service, url=url, scopes=tuple(scopes))

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep it."""
        self.kept[owner, service] = credential

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """Forget what an owner has."""
        found = [each for each in self.kept if each[0] == owner and service in {None, each[1]}]
        for each in found:
            del self.kept[each]
        return len(found)


class FixedRunScopes(RunScopes):
    """Has the same components for each run, by type, and the run's deps.

    Args:
        components: By what they are asked for.

    Attributes:
        opened: Of each run that asked for a component.
    """

    def __init__(self, components: Mapping[object, object] | None = None) -> None:
        self.components = components or {}
        self.opened: list[FixedRunScope] = []

    def open(self, context: RunContext) -> RunScope:
        """A scope with the components."""
        deps = context.deps
        handed = {} if deps is None else dict.fromkeys(type(deps).__mro__[:-1], deps)
        self.opened.append(FixedRunScope({**handed, **self.components}))
        return self.opened[-1]


class DictResponseCache(ResponseCache):
    """Keeps answers for ever."""

    def __init__(self) -> None:
        self.responses: dict[str, CachedResponse] = {}

    async def get(self, key: str) -> CachedResponse | None:
        """The answer, if any."""
        return self.responses.get(key)

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep it."""
        self.responses[key] = response

    async def invalidate(self, key: str) -> None:
        """Forget it."""
        self.responses.pop(key, None)

    async def invalidate_all(self) -> None:
        """Forget everything."""
        self.responses.clear()


class CodeMessageResolver(ErrorMessageResolver):
    """Tells the code itself."""

    def resolve(self, code: AgentErrorCode) -> str:
        """A sentence with the code in it."""
        return f"It ended with {code.value}."


class FixedModelPrices(ModelPrices):
    """Knows these models of all vendors.

    Args:
        prices: Of a million tokens of the request and of the answer, by the vendor's name.
    """

    def __init__(self, prices: Mapping[str, tuple[int, int]] | None = None) -> None:
        self.prices = dict(prices or {})

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        """The sum of both."""
        price = self.prices.get(model)
        if price is None:
            return None
        billed = usage.prompt_tokens * price[0] + usage.completion_tokens * price[1]
        return Decimal(billed) / 1_000_000
