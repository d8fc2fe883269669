"""A shop whose runs are recorded and replayed: runs of many kinds, and a count of all work."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AgentCommand,
    Allowed,
    Approve,
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Deny,
    FunctionTool,
    Guard,
    GuardRequest,
    Hook,
    HookContext,
    HookResult,
    InvalidResponseError,
    ModelUnavailableError,
    OutputGuard,
    OutputGuardRequest,
    Rejected,
    RejectionCategory,
    ResponseFilter,
    ResponseFilterContext,
    RunContext,
    RunStore,
    TokenUsage,
    Tool,
    ToolCall,
    ToolCallDelta,
    ToolContext,
    ToolResultMessage,
    ToolSource,
    UserMessage,
    tool,
)
from arc_core.recordings import read_recording
from arc_core.runs.journal import Recording

__all__ = ["KINDS", "ShopModel", "Work", "make_parts", "open_shop", "record"]


@dataclass(slots=True)
class Work:
    """Counts of what was done, by its name: questions to the model, calls of tools, hooks."""

    done: Counter[str] = field(default_factory=Counter)


_ITEM = '{"item": "cup"}'
_SCRIPTS: Mapping[str, Sequence[Sequence[tuple[str, str]]]] = {
    "plain": (),
    "parallel": ([("find", _ITEM), ("look", _ITEM), ("find", '{"item": "pot"}')],),
    "turns": ([("find", _ITEM)], [("look", _ITEM)], [("find", '{"item": "pot"}')]),
    "delegate": ([("ask_buyer", '{"task": "parallel for clerk"}'), ("look", _ITEM)],),
    "hand over": ([("transfer_to_buyer", "{}")], [("find", _ITEM)]),
    "approve": ([("look", _ITEM), ("pay", _ITEM)],),
    "deny": ([("pay", _ITEM)],),
    "stream": ([("find", _ITEM)],),
    "server": ([("shop_stock", _ITEM)],),
    "fail": ([("look", _ITEM)],),
    "broken tool": ([("crash", "{}")],),
    "wrong arguments": ([("find", '{"thing": 1}')], [("find", _ITEM)]),
    "unknown tool": ([("fly", "{}")],),
    "limit": ([("find", _ITEM)] * 12,),
    "reject": (),
    "session": ([("find", _ITEM)],),
    "document": (),
    "withheld": ([("find", _ITEM)],),
    "unusable": ([("find", _ITEM)],),
    "compact": tuple([("read", f'{{"page": {number}}}')] for number in range(9)),
}
KINDS = tuple(_SCRIPTS)


class ShopModel(ChatModel):
    """Calls the tools that its prompt asks for, and then says what they gave."""

    encoding = b""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The calls of this turn, or the answer."""
        self._work.done["model"] += 1
        messages = list(request.messages)
        questions = [n for n, each in enumerate(messages) if isinstance(each, UserMessage)]
        begin = questions[-1]
        asked = str(getattr(messages[begin], "text", ""))
        kind = next((k for k in sorted(KINDS, key=len)[::-1] if asked.lower().startswith(k)), "")
        last = messages[-1]
        turns = [each for each in messages[begin:] if isinstance(each, ToolResultMessage)]
        script = _SCRIPTS.get(kind, ())
        turn = sum(len(m.results) for m in turns) if kind == "compact" else len(turns)
        if kind == "fail" and turns:
            raise ModelUnavailableError("closed")
        if kind == "compact" and isinstance(last, ToolResultMessage):
            turn = int(last.results[-1].text.split()[1]) + 1
        if turn < len(script) and request.tool_choice != "none":
            calls = tuple(
                ToolCall(f"call-{place}", *each) for place, each in enumerate(script[turn])
            )
            return ChatResponse(AssistantMessage("", calls), TokenUsage(9, 5))
        said = '{"name": "cup", "price": 3}' if kind == "document" else f"{kind}: done."
        return ChatResponse(AssistantMessage(said), TokenUsage(20, 5))

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The same, in one piece."""
        response = await self.complete(request)
        calls = tuple(
            ToolCallDelta(place, each.id, each.name, each.arguments)
            for place, each in enumerate(response.message.tool_calls)
        )
        yield ChatDelta(text=response.message.text or None, tool_calls=calls)
        yield ChatDelta(usage=response.usage)

    def encode_request(self, request: ChatRequest) -> bytes:
        """The texts of a request, as this vendor would get them."""
        texts = [f"{type(m).__name__}: {getattr(m, 'text', '')}" for m in request.messages]
        text = "\n".join([request.system_prompt or "", *texts])
        return self.encoding + text.encode(errors="replace")


class CountingHook(Hook):
    """Counts all that hooks get to know."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        """Count a begin."""
        self._work.done["start"] += 1
        return await super().before_agent_start(context)

    async def after_agent_complete(self, context: HookContext, response: Any) -> None:
        """Count an end."""
        self._work.done["end"] += 1


class TrimGuard(Guard):
    """Makes one line of a prompt, and rejects what asks for it."""

    pure = True

    def normalize(self, text: str) -> str:
        """Return a text in one line."""
        return " ".join(text.split())

    async def check(self, request: GuardRequest) -> Allowed | Rejected:
        """Let a prompt in."""
        if request.text.startswith("reject"):
            return Rejected("no", RejectionCategory.OFF_TOPIC)
        return Allowed(text=self.normalize(request.text))


class DiscretionGuard(OutputGuard):
    """Lets no answer out that is to be withheld."""

    async def check(self, request: OutputGuardRequest) -> Allowed | Rejected:
        """Look at an answer."""
        if request.text.startswith("withheld"):
            return Rejected("no", RejectionCategory.OFF_TOPIC)
        return Allowed()


class UsableFilter(ResponseFilter):
    """Refuses answers that cannot be used."""

    order = 100

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """Leave the others as they are."""
        if content.startswith("unusable"):
            raise InvalidResponseError("it cannot be used")
        return content


class StockTool(Tool):
    """A tool of another process."""

    name = "shop_stock"
    description = "Count items."
    qualified_name = "mcp:shop/shop_stock"
    timeout_s = None

    def __init__(self, work: Work) -> None:
        self._work = work
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {"item": {"type": "string"}},
            "required": ["item"],
        }

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Count."""
        self._work.done["server"] += 1
        return 3


class StockServer(ToolSource):
    """A server that has one tool."""

    qualifiers = ("mcp:shop/",)

    def __init__(self, work: Work) -> None:
        self._tools, self._work = (StockTool(work),), work

    def tools(self) -> Sequence[Tool]:
        """The tool."""
        self._work.done["asked"] += 1
        return self._tools


class Item(BaseModel):
    """An item of the shop."""

    name: str
    price: int


def make_tools(work: Work) -> list[FunctionTool[Any, Any]]:
    """The tools of the shop."""

    @tool
    async def find(item: str) -> str:
        """Find an item."""
        work.done["find"] += 1
        await asyncio.sleep(0)
        return f"found {item}"

    @tool
    async def look(item: str) -> str:
        """Look at an item."""
        work.done["look"] += 1
        return f"{item} looks good"

    @tool
    async def read(page: int) -> str:
        """Read a page of the catalogue."""
        work.done["read"] += 1
        return f"page {page} " + f"line of page {page}\n" * 200

    @tool
    async def crash() -> str:
        """Fail."""
        work.done["crash"] += 1
        raise RuntimeError("no")

    @tool(needs_approval=True)
    async def pay(item: str, context: ToolContext) -> str:
        """Pay for an item."""
        work.done["pay"] += 1
        return f"paid for {item}"

    return [find, look, read, crash, pay]


async def write_instructions(run: RunContext) -> str:
    """Return instructions that have a date."""
    return f"You sell things. Now it is {run.now.isoformat()}. Write to ann@example.com if unsure."


SETTINGS: Mapping[str, Any] = {
    "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
    "retry": {"max_attempts": 1},
    "logging": {"level": "ERROR"},
    "llm": {"max_context_window_tokens": 6000, "max_output_tokens": 1000},
    "max_tool_calls": 10,
}


def make_parts(work: Work) -> dict[str, Any]:
    """The parts of the shop, each by its name, so that one of them can be exchanged."""
    tools = make_tools(work)
    return {
        "settings": SETTINGS,
        "model": ShopModel(work),
        "hook": CountingHook(work),
        "guard": TrimGuard(),
        "output_guard": DiscretionGuard(),
        "filter": UsableFilter(),
        "server": StockServer(work),
        "tools": tools,
        "buyer": {"instructions": "You buy.", "description": "Buys items."},
        "clerk": {
            "instructions": write_instructions,
            "delegates": ["buyer"],
            "handoffs": ["buyer"],
        },
        "more": [],
    }


_COMPONENTS = ("model", "hook", "guard", "output_guard", "filter", "server")


def open_shop(parts: Mapping[str, Any], *, record: bool = False) -> Application:
    """An application of parts, not started."""
    tools = parts["tools"]
    names = [*(each.name for each in tools), "mcp:shop/shop_stock"]
    buyer = Agent("buyer", tools=names, **parts["buyer"])
    clerk = Agent("clerk", tools=names, **parts["clerk"])
    components = [parts[name] for name in _COMPONENTS]
    components += [*tools, buyer, clerk, *parts["more"]]
    settings = ArcSettings.model_validate(parts["settings"])
    return Application(settings, register=components, plugins=False, record=record)


async def record(
    kinds: Iterable[str], parts: Mapping[str, Any], *, is_exported: bool = True
) -> list[Recording]:
    """Run commands of kinds in an application, and return their recordings.

    Args:
        kinds: Some of `KINDS`.
        parts: Of the shop.
        is_exported: Whether they are masked as in a file; else they are as their store has them.
    """
    async with open_shop(parts, record=True) as app:
        run_ids = [await _run(app, kind, number) for number, kind in enumerate(kinds)]
        if not is_exported:
            store: RunStore = app.component(RunStore)
            return [await store.recording(each) for each in run_ids]
        return [read_recording(line) async for line in app.export(run_ids)]


async def _run(app: Application, kind: str, number: int) -> str:
    command = AgentCommand(
        user_prompt=f"{kind}  please,\n for number {number}",
        agent="clerk",
        session_id=f"s{number // 40}" if kind == "session" else None,
    )
    if kind == "document":
        command = command.model_copy(
            update={"response_format": "json", "response_schema": Item, "agent": None}
        )
    if kind == "stream":
        async with app.stream(command) as stream:
            async for _ in stream.events():
                pass
            return (await stream.result()).run_id
    if kind not in {"approve", "deny"}:
        return (await app.execute(command)).run_id
    run_id = await app.submit(command)
    while True:
        async with app.attach(run_id) as run:
            result = await run.result()
        if not result.waiting:
            return run_id
        for request in result.waiting:
            answer = Approve() if kind == "approve" else Deny("too dear")
            await app.decide(run_id, request.key, answer, by="ann")
