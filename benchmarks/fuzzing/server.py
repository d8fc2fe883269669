"""A server with all of its surfaces: bodies of JSON, and requests byte by byte."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core import Agent
from benchmarks.fuzzing.target import SECRET, FaultError, Target, check_text
from tests.arc_plugins.surfaces.served_apps import issues, order, pay, weather

_ANSWER_S, _RAW_S = 20, 0.1
_SETTINGS: dict[str, Any] = {
    "server": {"port": 0, "api_keys": [{"name": "all", "key": SECRET}], "access_log": True},
    "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
    "logging": {"level": "WARNING"},
}
_ASKED = "What is 2 + 3, and how is the weather in Seoul?"
_TOOL = {"name": "find", "description": "Find.", "parameters": {"type": "object", "properties": {}}}
_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
_INPUT = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": _ASKED}]}
_OF_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {},
              "clientInfo": {"name": "fuzz", "version": "1"}}  # fmt: skip
_BODIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/chat", {"message": _ASKED, "user_id": "ann", "session_id": "s", "tenant_id": "t"}),
    ("/api/chat/stream", {"message": "pay 3", "metadata": {"a": [1]}, "agent": "cashier"}),
    ("/api/runs", {"user_prompt": _ASKED, "respond": "stream", "run_id": "r1", "temperature": 0.5,
                   "response_format": "json", "response_schema": {"type": "object"},
                   "attachments": [{"type": "attachment", "media_type": "text/plain",
                                    "data": "aGk=", "name": "a.txt"}],
                   "conversation_history": [{"type": "user_message", "content": "Hi"}]}),
    ("/api/runs/r1/decisions", {"key": "approve/0", "approve": True, "answer": {"size": 3}}),
    ("/api/runs/r1/cancel", {}),
    ("/v1/chat/completions", {"model": "default", "stream": True, "max_tokens": 9, "user": "ann",
                              "messages": [{"role": "system", "content": "Be kind."},
                                           {"role": "user", "content": [
                                               {"type": "text", "text": _ASKED}, _PART]}],
                              "tools": [{"type": "function", "function": _TOOL}],
                              "stream_options": {"include_usage": True}}),
    ("/v1/responses", {"model": "default", "input": [_INPUT], "stream": False, "store": True,
                       "tools": [{"type": "function", **_TOOL}], "instructions": "Be kind.",
                       "text": {"format": {"type": "json_schema", "name": "a", "schema": {}}}}),
    ("/ag-ui", {"threadId": "t", "runId": "r", "state": {}, "context": [], "forwardedProps": {},
                "messages": [{"id": "m", "role": "user", "content": _ASKED}], "tools": []}),
    ("/ag-ui", {"threadId": "t", "runId": "r2", "messages": [], "resume": [
        {"interruptId": "r#approve/0#3", "status": "resolved", "payload": {"approved": True}}]}),
    ("/ai-sdk", {"id": "c", "trigger": "submit-message", "messageId": "m", "messages": [
        {"id": "m", "role": "user", "parts": [{"type": "text", "text": _ASKED}]}]}),
    ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _OF_CLIENT}),
    ("/mcp", {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
              "params": {"name": "weather", "arguments": {"city": "Seoul"}}}),
    ("/a2a", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {
        "messageId": "m", "role": "ROLE_USER", "parts": [{"text": _ASKED}]}}}),
    ("/api/conversations/s/branches", {"messages": 1, "user_id": "ann"}),
)  # fmt: skip
_READ = (
    "/api/runs?state=waiting&limit=3", "/api/runs/r1", "/api/runs/r1/events?after=0",
    "/api/runs/r1/steps", "/api/runs/r1/steps/model/1", "/api/approvals?user_id=ann", "/api/agents",
    "/api/conversations?user_id=ann&tenant_id=t", "/api/conversations/s", "/v1/models",
    "/v1/models/default", "/v1/responses/x", "/ai-sdk/c/stream", "/arc/conditions", "/arc/graph",
    "/", "/page/app.js", "/health/ready", "/.well-known/agent-card.json", "/oauth/callback?code=1",
)  # fmt: skip
_LENGTH = re.compile(rb"content-length: \d+", re.IGNORECASE)


def _write(method: str, path: str, body: bytes) -> bytes:
    head = [
        f"{method} {path} HTTP/1.1", "host: 127.0.0.1", "connection: close",
        f"authorization: Bearer {SECRET}", "content-type: application/json", "a2a-version: 1.0",
        "accept: application/json, text/event-stream", f"content-length: {len(body)}", "", "",
    ]  # fmt: skip
    return "\r\n".join(head).encode() + body


async def _exchange(address: str, request: bytes, timeout_s: float) -> bytes | None:
    """The response; None if there is none in time."""
    url, found = urlsplit(address), bytearray()
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        async with asyncio.timeout(timeout_s):
            writer.write(request)
            while piece := await reader.read(65_536):
                found += piece
    except ConnectionError:
        pass
    except TimeoutError:
        return None
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return bytes(found)


def _check(response: bytes) -> bool:
    status = int(response[9:12]) if response[:5] == b"HTTP/" else 0
    text = response.decode(errors="replace")
    if status >= 500:
        raise FaultError(f"the status is {status}: {text[-300:]}")
    # MCP's SDK tells clients in pydantic's words what is wrong with what they have sent.
    if text and "/javascript" not in text and "Validation error: " not in text:
        check_text(text)
    return 200 <= status < 300


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """A served application with the offline model."""
    cashier = Agent("cashier", description="pays", tools=["pay", "weather", "order"])
    app = Application(
        ArcSettings(_isolated=True, **_SETTINGS),
        register=[weather, pay, order, issues, cashier],
        plugins=False,
        record=True,
    )
    ending, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(app, ending=ending, tell=listening.set_result))
    address = await listening

    async def attempt(kind: str, data: bytes) -> bool:
        if kind != "raw":
            response = await _exchange(address, _write("POST", kind, data), _ANSWER_S)
            if response is None:
                raise FaultError(f"no answer within {_ANSWER_S} s")
            return _check(response)
        length = len(data.partition(b"\r\n\r\n")[2])
        if len(data) % 4:
            data = _LENGTH.sub(b"content-length: %d" % length, data)
        response = await _exchange(address, data, _RAW_S)
        return _check(response) if response is not None else False

    bodies = [(path, json.dumps(body).encode()) for path, body in _BODIES]
    raw = [_write("POST", path, body) for path, body in bodies]
    raw += [_write("GET", path, b"") for path in _READ]
    yield Target(samples=[*bodies, *bodies, *(("raw", each) for each in raw)], attempt=attempt)
    ending.set()
    await serving
