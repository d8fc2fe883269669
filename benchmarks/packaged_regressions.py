"""Changes of one package, which replays have to name with its component and both versions.

The package brings a tool, an agent, a guard and a chat model by its entry points. It is written to
a folder on the path as an installer would, once as it was and once with each change.
"""

import importlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, RunStore
from arc_core.replay import ReplayOutcome
from arc_core.runs.journal import Recording

__all__ = ["PACKAGED", "PackagedRegression", "find_packaged_difference", "record_packaged"]

_MODULE = "packaged_shop"
_BEFORE, _NOW = "1.2.0", "1.3.0"
_SOURCE = '''
from arc_core import (
    Agent, Allowed, AssistantMessage, ChatModel, ChatResponse, Guard, Rejected, RejectionCategory,
    ToolCall, ToolResultMessage, tool,
)


@tool
async def find_order(order: str = "7", day: int = 1) -> str:
    """Find an order."""
    return f"{order} is on its way"


@tool
async def look(item: str) -> str:
    """Look at an item."""
    return f"{item} looks good"


seller = Agent("seller", instructions="You sell.", tools=["find_order", "look"])


class Trim(Guard):
    pure = True

    async def check(self, request):
        return Allowed(text=" ".join(request.text.split()))


class ShopModel(ChatModel):
    async def complete(self, request):
        if isinstance(request.messages[-1], ToolResultMessage):
            return ChatResponse(AssistantMessage("It is on its way."), usage=None)
        call = ToolCall("1", "find_order", '{"order": "7", "day": 2}')
        return ChatResponse(AssistantMessage("", (call,)), usage=None)

    async def stream(self, request):
        raise NotImplementedError
        yield

    def encode_request(self, request):
        return repr((request.system_prompt, len(request.messages))).encode()
'''
_ENTRY_POINTS = {
    "arc.tools": {"find": "find_order", "look": "look"},
    "arc.agents": {"seller": "seller"},
    "arc.guards": {"trim": "Trim"},
    "arc.chat_models": {"shop": "ShopModel"},
}


@dataclass(frozen=True, slots=True)
class PackagedRegression:
    """A change in a version of the package.

    Attributes:
        name: Of the change.
        before: A text of its source.
        now: Stands in its place.
        said: The whole line of the difference.
    """

    name: str
    before: str
    now: str
    said: str


def _name(turn: int, what: str, problem: str) -> str:
    return f"turn {turn}: {what} (shop-tools {_BEFORE} → {_NOW}): {problem}"


_TOOL = "tool `find_order`"
PACKAGED: Sequence[PackagedRegression] = (
    PackagedRegression(
        "a description of the package",
        "Find an order.",
        "Find any order.",
        _name(1, _TOOL, "its description has changed"),
    ),
    PackagedRegression(
        "a required parameter of the package",
        'order: str = "7", day: int = 1',
        "order: str, day: int = 1",
        _name(1, _TOOL, "parameter `order` became required"),
    ),
    PackagedRegression(
        "a new parameter of the package",
        "day: int = 1",
        "day: int = 1, year: int = 1",
        _name(1, _TOOL, "parameter `year` is new"),
    ),
    PackagedRegression(
        "a renamed parameter of the package",
        "day: int = 1",
        "date: int = 1",
        _name(1, _TOOL, "parameter `date` is new"),
    ),
    PackagedRegression(
        "a type of the package",
        "day: int = 1",
        "day: float = 1",
        _name(1, _TOOL, 'parameter `day`: type "integer" → "number"'),
    ),
    PackagedRegression(
        "an approval of the package",
        "@tool\nasync def find_order",
        "@tool(needs_approval=True)\nasync def find_order",
        _name(1, f"approval of {_TOOL}", "its call waits for a person, and was made at once then"),
    ),
    PackagedRegression(
        "a tool fewer in the package",
        'tools=["find_order", "look"]',
        'tools=["find_order"]',
        _name(1, "tool `look`", "it is not offered any more"),
    ),
    PackagedRegression(
        "an agent of the package",
        "You sell.",
        "You sell!",
        _name(1, "system prompt `seller`", "its text has changed"),
    ),
    PackagedRegression(
        "a guard of the package",
        '" ".join(request.text.split())',
        "request.text",
        _name(1, "guard `trim`", "it makes another text of the prompt"),
    ),
    PackagedRegression(
        "a stricter guard of the package",
        'return Allowed(text=" ".join(request.text.split()))',
        'return Rejected("no", RejectionCategory.OFF_TOPIC)',
        _name(1, "guard `trim`", "the prompt is rejected, and was let in"),
    ),
    PackagedRegression(
        "the encoding of the package",
        "repr((request.system_prompt,",
        "repr((2, request.system_prompt,",
        _name(1, "body `shop`", "the model plugin encodes the same request in another way"),
    ),
)


async def record_packaged() -> Recording:
    """Return the recording of a run with the package as it was."""
    with _install(_SOURCE, _BEFORE):
        async with _open() as app:
            command = AgentCommand(user_prompt="Where  is order 7?", agent="seller")
            result = await app.execute(command)
            store: RunStore = app.component(RunStore)
            return await store.recording(result.run_id)


async def find_packaged_difference(
    recording: Recording, change: PackagedRegression | None
) -> ReplayOutcome:
    """Return the outcome of a replay with the next version; without a change only that is new."""
    source = _SOURCE
    if change is not None:
        assert source.count(change.before) == 1, f"{change.name}: {change.before} is not there once"
        source = source.replace(change.before, change.now)
    with _install(source, _NOW):
        [outcome] = [each async for each in _open(record=False).replay([recording])]
    return outcome


def _open(*, record: bool = True) -> Application:
    names = [name for group in _ENTRY_POINTS.values() for name in group]
    settings: Mapping[str, Any] = {
        "plugins": {"autoload": False, "enabled": names},
        "guard": {"forward_normalized": True},
        "logging": {"level": "ERROR"},
    }
    return Application(ArcSettings.model_validate(settings), record=record)


@contextmanager
def _install(source: str, version: str) -> Iterator[None]:
    """Have the package on the path as an installer would write it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        info = folder / f"shop_tools-{version}.dist-info"
        info.mkdir()
        lines = [f"Metadata-Version: 2.1\nName: shop-tools\nVersion: {version}\n"]
        (info / "METADATA").write_text("".join(lines), "utf-8")
        (info / "entry_points.txt").write_text("\n".join(_list_entry_points()), "utf-8")
        (folder / f"{_MODULE}.py").write_text(source, "utf-8")
        sys.path.insert(0, name)
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(name)
            sys.modules.pop(_MODULE, None)


def _list_entry_points() -> Iterator[str]:
    for group, members in _ENTRY_POINTS.items():
        yield f"[{group}]"
        yield from (f"{name} = {_MODULE}:{member}" for name, member in members.items())
