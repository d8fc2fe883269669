"""The size of the rooms in which runs are, and the way of a prompt and of a decision through them.

`python -m benchmarks.run_figures [CHECKOUT]` prints a table; the profiles need the checkout that is
installed. Numbers of calls and modules are those of Arc's own code, in one run after a first one.
"""

import ast
import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import httpx2

from arc_autoconfig import Application, ArcSettings
from arc_core import Approve, ToolCall, tool
from arc_core.testing import ScriptedChatModel

__all__ = ["main"]

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
PACKAGES = ("arc_core", "arc_plugins", "arc_autoconfig")
VERBS = {"submit", "decide", "cancel", "waiting", "attach", "result"}
AREA = (
    "arc_core/runs", "arc_core/engine/run", "arc_core/engine/journal",
    "arc_core/engine/run_state.py",
    "arc_core/engine/late_scope.py", "arc_core/engine/session_memory.py",
    "arc_core/interfaces/serving/served_application.py", "arc_autoconfig/runs",
    "arc_autoconfig/application.py", "arc_autoconfig/server",
)  # fmt: skip
KIND = re.compile(
    r"\b(?:if|elif|while|assert|and|or|not)\b[^#\n]*(?:_in_place|_kept\b|_kept_\w+\(|"
    r"isinstance\([^)]*(?:Journals|JournalChannel|PassedOnChannel|RunsInPlace)|"
    r"\.capabilities|steps is (?:not )?None|notes is (?:not )?None)"
)
"""A condition of the engine that asks what kind of run or of store it has."""


def sources(*places: str) -> Iterator[Path]:
    """The files of some rooms."""
    for place in places:
        path = ROOT / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def verbs() -> int:
    """Count the functions and methods with a verb of a run for a name; overloads are left out."""
    found = 0
    for path in sources(*PACKAGES):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in VERBS:
                found += not any("overload" in ast.unparse(each) for each in node.decorator_list)
    return found


async def profile(work: Callable[[], Awaitable[Any]]) -> tuple[int, int, int]:
    """Do some work; return its calls in Arc's code, its modules, and its deepest stack in it."""
    calls, files, deepest = 0, set[str](), 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls, deepest
        if event != "call" or "/arc_" not in frame.f_code.co_filename:
            return
        calls += 1
        files.add(frame.f_code.co_filename)
        depth, each = 0, frame
        while each is not None:
            depth += "/arc_" in each.f_code.co_filename
            each = each.f_back  # type: ignore[assignment]  # the last one has none
        deepest = max(deepest, depth)

    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(None)
    return calls, len(files), deepest


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


async def measure() -> list[tuple[str, int]]:
    """Return the figures of one run of each kind."""
    ask = [ToolCall("1", "weather", '{"city": "Seoul"}')]
    turns = [ask, "Sunny."] * 2 + ["Hi."] * 2 + [[ToolCall("2", "pay", "{}")], "Paid."]
    settings = ArcSettings(_isolated=True)
    body = {"id": "c", "trigger": "submit-message"}
    app = Application(settings, register=[weather, pay, ScriptedChatModel(turns)])
    async with app:
        await app.execute("How is the weather?")
        executed = await profile(lambda: app.execute("How is the weather?"))
        transport: Any = httpx2.ASGITransport(app.asgi())
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

            async def post() -> None:
                said = {"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}
                response = await client.post("/ai-sdk", json=body | {"messages": [said]})
                assert response.status_code == 200, response.text

            await post()
            served = await profile(post)
        run = await app.execute("Pay.")
        [request] = run.waiting
        decided = await profile(
            lambda: app.decide(request.run_id, request.key, Approve(), by="bob")
        )
    return [
        ("execute with a tool: calls", executed[0]),
        ("execute with a tool: modules", executed[1]),
        ("execute with a tool: deepest stack", executed[2]),
        ("POST /ai-sdk: calls", served[0]),
        ("POST /ai-sdk: modules", served[1]),
        ("POST /ai-sdk: deepest stack", served[2]),
        ("a decision: deepest stack", decided[2]),
    ]


def main() -> None:
    """Print the table."""
    area = list(sources(*AREA))
    engine = [path.read_text(encoding="utf-8") for path in sources("arc_core/engine")]
    rows = [
        ("definitions of the verbs of a run", verbs()),
        ("lines of the area", sum(path.read_text(encoding="utf-8").count("\n") for path in area)),
        ("files of the area", len(area)),
        ("conditions on the kind of run in the engine", sum(len(KIND.findall(e)) for e in engine)),
        *asyncio.run(measure()),
    ]
    for name, value in rows:
        print(f"{name:<48}{value:>7}")


if __name__ == "__main__":
    main()
