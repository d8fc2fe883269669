"""Runs the fake vendor: `python -m benchmarks.vendor_process` prints its port, ends with stdin."""

import asyncio
import json
import sys
from typing import Any

from benchmarks.fake_vendor import render, script_of

APIS = {
    "completions": "chat",
    "messages": "messages",
    "responses": "responses",
    "bench-1:generateContent": "gemini",
    "bench-1:streamGenerateContent?alt=sse": "gemini",
}


class Connection(asyncio.Protocol):
    """Answers the requests of one client, one after the other."""

    def __init__(self) -> None:
        self.received = b""
        self.writable = asyncio.Event()
        self.writable.set()
        self.sending: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        for task in self.sending:
            task.cancel()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        self.received += data
        while (end := self.received.find(b"\r\n\r\n")) >= 0:
            head = self.received[:end].decode("latin-1")
            lower = head.lower()
            length = int(lower.partition("content-length:")[2].partition("\r\n")[0] or 0)
            if len(self.received) < end + 4 + length:
                return
            body = self.received[end + 4 : end + 4 + length]
            self.received = self.received[end + 4 + length :]
            self.answer(head.split(" ", 2)[1], json.loads(body))

    def answer(self, path: str, request: dict[str, Any]) -> None:
        script = script_of(path)
        api = APIS[path.rpartition("/")[2]]
        calls = () if has_results(request) else tool_names(request, script.get("tools", 0))
        streamed = bool(request.get("stream")) or path.endswith("=sse")
        pieces = render(api=api, streamed=streamed, words=script["words"], calls=calls)
        if len(pieces) > 1 and (script.get("delay") or script.get("turns")):
            task = asyncio.ensure_future(self.send(pieces, script.get("delay", 0) / 1000))
            self.sending.add(task)
            task.add_done_callback(self.sending.discard)
        else:
            self.transport.write(b"".join(pieces))

    async def send(self, pieces: tuple[bytes, ...], delay_s: float) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for count, piece in enumerate(pieces):
            await self.writable.wait()
            self.transport.write(piece)
            await asyncio.sleep(max(0, began + count * delay_s - loop.time()))


def has_results(request: dict[str, Any]) -> bool:
    """Whether the last message brings the results of tools."""
    if "contents" in request:
        return any("functionResponse" in part for part in request["contents"][-1]["parts"])
    last = (request.get("messages") or request["input"])[-1]
    content = last.get("content")
    blocks = content if isinstance(content, list) else ()
    is_result = last.get("role") == "tool" or last.get("type") == "function_call_output"
    return is_result or any(b.get("type") == "tool_result" for b in blocks)


def tool_names(request: dict[str, Any], count: int) -> tuple[str, ...]:
    """The names of so many calls, of the offered tools in turn."""
    tools = request.get("tools") or []
    if "contents" in request and tools:
        tools = tools[0]["functionDeclarations"]
    names = [tool.get("function", tool)["name"] for tool in tools]
    return tuple(names[place % len(names)] for place in range(count)) if names else ()


async def main() -> None:
    """Serve until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
