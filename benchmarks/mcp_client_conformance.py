"""The official conformance suite of MCP for clients, driven over Arc's plugin.

`python -m benchmarks.mcp_client_conformance "node …/conformance/dist/index.js"` runs the scenarios
and prints a line for each. The suite starts this file again as its client, with the address of a
server: a run in which the model calls every tool that it is offered, and the user accepts what the
server asks.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    Answer,
    AnswerRequested,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    DecisionError,
    Request,
    ToolCall,
    ToolResultMessage,
)
from arc_core.testing import ScriptedChatModel

SCENARIOS = (
    "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry",
    "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
    "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
)  # fmt: skip
_SAMPLES: Mapping[object, object] = {
    "string": "text", "integer": 3, "number": 3, "boolean": True, "array": [], "object": {},
}  # fmt: skip
_COUNTS = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")


class EagerModel(ChatModel):
    """Calls every tool once, or as the suite says, and then answers."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Return all calls, and then the end."""
        return await ScriptedChatModel([_choose_turn(request)]).complete(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """Return the same in pieces."""
        return ScriptedChatModel([_choose_turn(request)]).stream(request)


def _choose_turn(request: ChatRequest) -> str | list[ToolCall]:
    if any(isinstance(each, ToolResultMessage) for each in request.messages):
        return "Done."
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    asked = context.get("toolCalls", ())
    wanted = [(each["name"], each.get("arguments", {})) for each in asked]
    named = {name for name, _ in wanted}
    others = [each for each in request.tools if each.name not in named]
    first = dict(request.tools[0].parameters) if request.tools else {}
    wanted += [(each.name, _fill(each.parameters, example=first)) for each in others]
    calls = [
        ToolCall(f"c-{number}", name, json.dumps(arguments))
        for number, (name, arguments) in enumerate(wanted)
    ]
    return calls or "Done."


def _fill(schema: Mapping[str, Any], *, example: Mapping[str, Any]) -> dict[str, object]:
    fields: Mapping[str, Any] = schema.get("properties", {})
    filled: dict[str, object] = {
        name: field.get("default", field.get("enum", [_SAMPLES.get(field.get("type"), "text")])[0])
        for name, field in fields.items()
    }
    return filled | ({"schema": example} if "schema" in fields else {})


async def accept(app: Application, request: Request) -> None:
    """Answer with nothing but defaults; the event may come before the request can be answered."""
    for _ in range(100):
        with suppress(DecisionError):
            await app.decide(request.run_id, request.key, Answer({}), by="ann")
            return
        await asyncio.sleep(0.05)


async def be_client(url: str) -> None:
    """Connect to a server, and have the model call its tools."""
    settings = ArcSettings(mcp={"servers": {"suite": {"url": url}}})
    async with Application(settings, register=[EagerModel()]) as app:
        run_id = await app.submit(AgentCommand(user_prompt="Call every tool.", user_id="ann"))
        async with app.attach(run_id) as run:
            async for event in run.events():
                if isinstance(event, AnswerRequested):
                    await accept(app, event.request)
            result = await run.result()
        for message in result.messages:
            if isinstance(message, ToolResultMessage):
                print(*(f"{each.name}: {each.text[:200]}" for each in message.results), sep="\n")


def run_suite(suite: list[str], scenarios: tuple[str, ...]) -> int:
    """Run scenarios one by one; return how many have a failed check."""
    client = f"{sys.executable} -m benchmarks.mcp_client_conformance"
    failed = 0
    for scenario in scenarios:
        made = subprocess.run(
            [*suite, "client", "--command", client, "--scenario", scenario, "--force"],
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{made.stdout}\n{made.stderr}"
        counts = _COUNTS.search(said)
        failed += made.returncode != 0
        print(f"{scenario}: exit {made.returncode}", counts.group() if counts else said[-300:])
    return failed


if __name__ == "__main__":
    given = sys.argv[1]
    if given.startswith("http"):
        asyncio.run(be_client(given))
    else:
        sys.exit(run_suite(given.split(), tuple(sys.argv[2:]) or SCENARIOS))
