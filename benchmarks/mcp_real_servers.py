"""Nine real MCP servers from PyPI and npm, called through Arc's client.

`python -m benchmarks.mcp_real_servers FOLDER` installs them into the folder, once, starts each as
an application would, calls one of its tools, and prints a line for each: how many tools it offers,
how long it took to be ready, and what the tool has answered. `fetch` is asked for a page of this
machine, which it may refuse by a rule of its own; that is told, and does not count as a failure.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand, AgentExecutor, AgentResult, CallsTools, ToolCall
from arc_core.testing import ScriptedChatModel

PYPI: Mapping[str, tuple[str, ...]] = {
    "mcp-server-time": ("mcp-server-time==2026.10.19",),
    "mcp-server-git": ("mcp-server-git==2026.10.19",),
    "mcp-server-fetch": ("mcp-server-fetch==2026.10.24",),
    "mcp-server-sqlite": ("mcp-server-sqlite==2025.4.25", "mcp<2"),  # it is older than that
    "mcp-server-calculator": ("mcp-server-calculator==0.2.1",),
}
NPM = (
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
)
_NOTE = "Buy milk."
_READY_S = 120.0


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server, and a call of one of its tools.

    Attributes:
        name: Of its package.
        command: Starts it.
        tool: Is called.
        arguments: Of the call.
        says: A part of what the tool answers.
        refuses: A part of what it says if it refuses by a rule of its own.
        env: For its process.
    """

    name: str
    command: tuple[str, ...]
    tool: str
    arguments: Mapping[str, Any]
    says: str
    refuses: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


def list_servers(folder: Path) -> Iterator[Server]:
    """Return the servers, as they are installed in a folder."""
    modules, work = folder / "node_modules/.bin", folder / "work"
    yield Server(
        name="mcp-server-time",
        command=(str(folder / "mcp-server-time/bin/mcp-server-time"), "--local-timezone", "UTC"),
        tool="convert_time",
        arguments={"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Seoul"},
        says="21:00",
    )
    yield Server(
        name="mcp-server-git",
        command=(str(folder / "mcp-server-git/bin/mcp-server-git"),),
        tool="git_status",
        arguments={"repo_path": str(work)},
        says="note.txt",
    )
    yield Server(
        name="mcp-server-fetch",
        command=(str(folder / "mcp-server-fetch/bin/mcp-server-fetch"), "--ignore-robots-txt"),
        tool="fetch",
        arguments={"url": "http://127.0.0.1:9/"},
        says="Contents of",
        refuses="Refused to fetch",
    )
    yield Server(
        name="mcp-server-sqlite",
        command=(
            str(folder / "mcp-server-sqlite/bin/mcp-server-sqlite"),
            "--db-path",
            str(work / "shop.db"),
        ),
        tool="read_query",
        arguments={"query": "SELECT 6 * 7 AS answer"},
        says="42",
    )
    yield Server(
        name="mcp-server-calculator",
        command=(str(folder / "mcp-server-calculator/bin/mcp-server-calculator"),),
        tool="calculate",
        arguments={"expression": "6 * 7"},
        says="42",
    )
    yield Server(
        name="server-everything",
        command=(str(modules / "mcp-server-everything"),),
        tool="get-sum",
        arguments={"a": 40, "b": 2},
        says="42",
    )
    yield Server(
        name="server-filesystem",
        command=(str(modules / "mcp-server-filesystem"), str(work)),
        tool="read_text_file",
        arguments={"path": str(work / "note.txt")},
        says=_NOTE,
    )
    yield Server(
        name="server-memory",
        command=(str(modules / "mcp-server-memory"),),
        tool="create_entities",
        arguments={"entities": [{"name": "Ann", "entityType": "person", "observations": ["tall"]}]},
        says="Ann",
        env={"MEMORY_FILE_PATH": str(work / "memory.jsonl")},
    )
    yield Server(
        name="server-sequential-thinking",
        command=(str(modules / "mcp-server-sequential-thinking"),),
        tool="sequentialthinking",
        arguments={
            "thought": "Six times seven.",
            "nextThoughtNeeded": False,
            "thoughtNumber": 1,
            "totalThoughts": 1,
        },
        says="thoughtNumber",
    )


def install(folder: Path) -> None:
    """Install the servers, and make what they work on."""
    for name, needs in PYPI.items():
        place = folder / name
        if not place.exists():  # one each, since they do not agree about their libraries
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            subprocess.run([str(place / "bin/pip"), "install", "-q", *needs], check=True)
    if not (folder / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), *NPM], check=True)
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (work / "note.txt").write_text(_NOTE, "utf-8")
    (work / "memory.jsonl").unlink(missing_ok=True)  # what a run before has taught it
    subprocess.run(["git", "init", "-q", str(work)], check=True)


async def call(server: Server) -> tuple[int, float, AgentResult[Any]]:
    """Call the tool of a server.

    Returns:
        How many tools the server has, after how many seconds they were there, and the result.
    """
    known = {
        "command": server.command[0],
        "args": server.command[1:],
        "env": dict(server.env),
        "connect_timeout_s": _READY_S,
    }
    sections: dict[str, Any] = {"mcp": {"servers": {"real": known}}, "logging": {"level": "ERROR"}}
    settings = ArcSettings(_isolated=True, **sections)
    began = time.perf_counter()
    async with Application(settings, register=[ScriptedChatModel([])]) as app:
        seconds = time.perf_counter() - began
        engine = app.component(AgentExecutor)
        assert isinstance(engine, CallsTools)
        tools = engine.callable_tools()
        made = ToolCall("c1", server.tool, json.dumps(server.arguments))
        command = AgentCommand(user_prompt="", tool_call=made, user_id="ann")
        return len(tools), seconds, await app.execute(command)


def judge(server: Server, result: AgentResult[Any]) -> str:
    """Return `answered`, `refused` by a rule of the server, or `failed`."""
    if result.success and server.says in (result.content or ""):
        return "answered"
    told = server.refuses is not None and server.refuses in (result.error_message or "")
    return "refused" if told else "failed"


async def call_all(folder: Path) -> int:
    """Call every server, and print the table; return how many have failed."""
    failed = 0
    print(f"{'server':<28} {'tools':>5} {'ready s':>8}  {'':<9} answer")
    for server in list_servers(folder):
        count, seconds, result = await call(server)
        verdict = judge(server, result)
        failed += verdict == "failed"
        said = " ".join((result.content or result.error_message or "").split())
        print(f"{server.name:<28} {count:>5} {seconds:>8.2f}  {verdict:<9} {said[:80]}")
    return failed


if __name__ == "__main__":
    target = Path(sys.argv[1]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    install(target)
    sys.exit(asyncio.run(call_all(target)) and 1)
