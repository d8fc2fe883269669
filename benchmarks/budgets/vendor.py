"""A vendor that bills each token: prints its port, ends with stdin, and tells what it has billed.

It speaks chat completions. The prompt is billed once it has come, a word of the answer
once it was written, and no more words than the request allows. `GET /billed` gives the sums.
"""

import asyncio
import json
import random
import sys
from typing import Any

__all__ = ["prompt_tokens"]

_PIECE_S = 0.002
_TURNS_OF_TOOLS = 2
_CHARS_A_TOKEN = 5  # fewer tokens than any estimator of Arc finds, as it is to be on the safe side


def prompt_tokens(request: dict[str, Any]) -> int:
    """What a prompt is billed as."""
    texts = [str(message.get("content") or "") for message in request["messages"]]
    return sum(map(len, texts)) // _CHARS_A_TOKEN


class Vendor:
    """Counts what it bills."""

    def __init__(self) -> None:
        self.prompts = self.words = self.cut_off = self.requests = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await _head(reader):
                length = int(head.lower().partition("content-length:")[2].split("\r\n")[0] or 0)
                body = await reader.readexactly(length)
                if head.startswith("GET"):
                    await _send_json(writer, vars(self))
                else:
                    await self._answer(json.loads(body), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        if random.random() < 0.05:
            await _refuse(writer)
            return
        prompt, words = prompt_tokens(request), 0
        self.prompts += prompt
        most = request.get("max_completion_tokens") or request.get("max_tokens") or 4096
        if not request.get("stream"):
            await self._answer_whole(request, writer, most=most)
            return
        is_ended = False
        try:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
            writer.write(b"Transfer-Encoding: chunked\r\n\r\n")
            for delta in _deltas(request, most):
                words += 1
                self.words += 1
                await _send_event(writer, _chunk(delta))
                await asyncio.sleep(_PIECE_S)
            reason = "tool_calls" if _calls_tool(request) else "stop"
            await _send_event(writer, _chunk({}, reason if words < most else "length"))
            total = {"prompt_tokens": prompt, "completion_tokens": words}
            usage = {**total, "total_tokens": prompt + words}
            await _send_event(writer, {**_chunk({}), "choices": [], "usage": usage})
            await _send(writer, b"data: [DONE]\n\n")
            writer.write(b"0\r\n\r\n")
            is_ended = True
        finally:
            self.cut_off += 0 if is_ended else prompt + words

    async def _answer_whole(
        self, request: dict[str, Any], writer: asyncio.StreamWriter, *, most: int
    ) -> None:
        deltas = _deltas(request, most)
        prompt, self.words = prompt_tokens(request), self.words + len(deltas)
        await asyncio.sleep(len(deltas) * _PIECE_S)
        message: dict[str, Any] = {"role": "assistant", "content": "", "refusal": None}
        for delta in deltas:
            message["content"] += delta.get("content", "")
            if calls := delta.get("tool_calls"):
                message["tool_calls"] = [{**call, "type": "function"} for call in calls]
        reason = "tool_calls" if _calls_tool(request) else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        total = {"prompt_tokens": prompt, "completion_tokens": len(deltas)}
        usage = {**total, "total_tokens": prompt + len(deltas)}
        body = {**_chunk({}), "object": "chat.completion", "choices": [choice], "usage": usage}
        await _send_json(writer, body)


def _calls_tool(request: dict[str, Any]) -> bool:
    turns = sum(message.get("role") == "tool" for message in request["messages"])
    may = bool(request.get("tools")) and request.get("tool_choice") != "none"
    return may and turns < _TURNS_OF_TOOLS


def _deltas(request: dict[str, Any], most: int) -> list[dict[str, Any]]:
    if _calls_tool(request):
        call = {"index": 0, "id": "1", "function": {"name": "look", "arguments": "{}"}}
        return [{"content": " seeds"}] * min(most - 1, 5) + [{"tool_calls": [call]}]
    return [{"content": " hills"}] * min(most, random.randint(5, 120))


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {
        "id": "chatcmpl-b",
        "object": "chat.completion.chunk",
        "created": 1763600000,
        "model": "bench-1",
        "choices": [choice],
    }


async def _head(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return ""


async def _send_event(writer: asyncio.StreamWriter, event: dict[str, Any]) -> None:
    await _send(writer, b"data: " + json.dumps(event).encode() + b"\n\n")


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    if writer.is_closing():
        raise ConnectionResetError
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


async def _send_json(writer: asyncio.StreamWriter, value: object, status: str = "200 OK") -> None:
    body = json.dumps(value).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()


async def _refuse(writer: asyncio.StreamWriter) -> None:
    error = {"error": {"message": "Too many requests", "type": "requests", "code": None}}
    await _send_json(writer, error, status="429 Too Many Requests")


async def main() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(Vendor().serve, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
