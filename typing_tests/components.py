# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of guards, hooks and other components, and of where they are declared."""

from typing import Annotated, Any, assert_type

from arc_autoconfig import Application, on_component, on_env, on_package, on_setting, provides
from arc_autoconfig.container.container import ComponentProvider
from arc_core import (
    AgentErrorCode,
    Allowed,
    ChatDelta,
    ChatModel,
    ChatResponse,
    Condition,
    ErrorMessageResolver,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    HookResult,
    Named,
    Registry,
    Reject,
    Rejected,
    RejectionCategory,
    ResponseCache,
    ResponseFilter,
    ResponseFilterContext,
    ToolCallContext,
    hookimpl,
)
from arc_core.testing import DictResponseCache, ScriptedChatModel


class ShortGuard:
    """A guard without a base class: its methods are those of the interface."""

    order = 120

    async def check(self, request: GuardRequest) -> GuardResult:
        """Keep out what is long."""
        assert_type(request.text, str)
        assert_type(request.session_id, str | None)
        if len(request.text) > 100:
            return Rejected("Too long.", RejectionCategory.INVALID_INPUT)
        return Allowed()


class RulesHook(Hook):
    """Overrides some of the methods."""

    order = 110

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        """Reject a closed tenant."""
        assert_type(context.metadata["note"], object)  # type: ignore[assert-type]
        return Reject("Closed.") if context.tenant_id == "closed" else None


class AskingHook(Hook):
    """Asks the run for components."""

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        """Classes and protocols alike, lists of them, and what is asked for by its name."""
        assert_type(await context.get(RulesHook), RulesHook)
        assert_type(await context.get(ResponseCache), ResponseCache)
        assert_type(await context.get(list[Guard]), list[Guard])
        assert_type(await context.get(Annotated[ChatModel, Named("quick")]), Any)
        return None


class WrongHook(Hook):
    """Its method takes something else."""

    async def before_tool_call(self, context: HookContext) -> HookResult | None:  # type: ignore[override]
        """Wrong: a tool call has a context of its own."""


class SyncGuard:
    """Its method cannot be awaited."""

    order = 120

    def check(self, request: GuardRequest) -> GuardResult:
        """Wrong: not async."""
        return Allowed(request.text)


class LoudFilter:
    """A filter of answers."""

    order = 100

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """Change the answer."""
        assert_type(context.tools_used, tuple[str, ...])
        return content.upper()


class ShortResolver:
    """Texts for people."""

    def resolve(self, code: AgentErrorCode) -> str:
        """Name the code."""
        return code.value


guard: Guard = ShortGuard()
response_filter: ResponseFilter = LoudFilter()
resolver: ErrorMessageResolver = ShortResolver()
cache: ResponseCache = DictResponseCache()
model: ChatModel = ScriptedChatModel(["Hello."])

wrong_guard: Guard = SyncGuard()  # type: ignore[assignment]
wrong_cache: ResponseCache = ShortGuard()  # type: ignore[assignment]
Rejected("Too long.")  # type: ignore[call-arg]
Rejected("Too long.", "invalid_input")  # type: ignore[arg-type]

Application(register=[ShortGuard, RulesHook(), LoudFilter(), model])


async def ask(chat_model: ChatModel, call: ToolCallContext) -> None:
    """What a chat model gives."""
    request = ScriptedChatModel(["a"]).requests[0]
    assert_type(await chat_model.complete(request), ChatResponse)
    async for delta in chat_model.stream(request):
        assert_type(delta, ChatDelta)
    call.tool_name = "other"  # type: ignore[misc]


is_shared: Condition = on_setting("cache.backend", "redis") & on_package("redis>=5")
is_alone: Condition = ~on_component(ResponseCache) | on_env("ALONE")
on_env(ResponseCache)  # type: ignore[arg-type]
on_setting("cache.enabled") & True  # type: ignore[operator]


@provides(ResponseCache, name="dict", condition=is_shared)
class MyCache(DictResponseCache):
    """Stays the class that it is."""


@provides(ResponseCache)
def make_cache() -> MyCache:
    """Stays the function that it is."""
    return MyCache()


assert_type(MyCache(), MyCache)
assert_type(make_cache(), MyCache)


@hookimpl
def arc_register(registry: Registry) -> None:
    """What a plugin may say."""
    registry.contribute(Guard, ShortGuard, name="short", before=["input_validation"])
    registry.provide(ResponseCache, "acme:Cache", condition=is_alone, primary=True)
    registry.contribute(Guard, ShortGuard, primary=True)  # type: ignore[call-arg]
    registry.provide(ResponseCache, DictResponseCache, condition=on_env)  # type: ignore[arg-type]


assert_type(Application().container.of(ChatModel), ComponentProvider[ChatModel])
assert_type(Application().container.of(MyCache), ComponentProvider[MyCache])
