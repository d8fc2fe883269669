"""Serves an application on a loopback socket, as `arc serve` does, inside of a test."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal

import httpx2
import uvicorn

from arc_autoconfig import Application, ArcSettings
from arc_core import ChatModel, ToolCall, tool
from arc_core.testing import ScriptedChatModel

__all__ = ["KEY", "Hanging", "client_of", "events_in", "serving", "serving_app", "serving_long_run"]

KEY = "a-key-of-at-least-16-characters"


class Hanging:
    """A tool that ends only when it is cancelled.

    Attributes:
        begun: Set when it is called.
        ended: Set when it is left.
    """

    def __init__(self) -> None:
        self.begun, self.ended = asyncio.Event(), asyncio.Event()

    @tool
    async def hang(self) -> str:
        """Hang."""
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return ""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving_app(
    app: Any, *, port: int = 0, lifespan: Literal["on", "off"] = "on"
) -> AsyncIterator[str]:
    """The address of an ASGI application, while it is served; a free port if none is named."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        config = uvicorn.Config(
            app, log_config=None, lifespan=lifespan, timeout_graceful_shutdown=1
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def serving(
    *turns: Any, register: Iterable[object] = (), **settings: Any
) -> AsyncIterator[str]:
    """The address of an application whose model says these turns."""
    app = Application(ArcSettings(_isolated=True, **settings), register=register, plugins=False)
    model: ChatModel = ScriptedChatModel(list(turns))
    app.container.chat_model.override(model)
    async with serving_app(app.asgi()) as address:
        yield address


@tool
async def look(size: int) -> str:
    """Look something up."""
    return "word " * (size // 5)


@asynccontextmanager
async def serving_long_run(answer: str) -> AsyncIterator[str]:
    """The address of an application whose first run makes room in its window before it answers."""
    calls = [[ToolCall("c1", "look", '{"size": 1500}')]] * 6
    llm = {"max_context_window_tokens": 1600, "max_output_tokens": 100}
    async with serving(*calls, answer, register=[look], llm=llm) as address:
        yield address


def client_of(address: str, key: str | None = None) -> httpx2.AsyncClient:
    """A client, with a key if one is given."""
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    # The first request imports what its surface needs, which takes a busy machine many seconds.
    # Without TLS, whose certificates would take longer to read than most requests.
    return httpx2.AsyncClient(base_url=address, headers=headers, timeout=60, verify=False)


async def events_in(response: httpx2.Response) -> list[tuple[str, str, str]]:
    """The server-sent events of a response: the id, the name and the data of each."""
    found: list[tuple[str, str, str]] = []
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif fields:
            found.append((fields.get("id", ""), fields["event"], fields["data"]))
            fields = {}
    return found
