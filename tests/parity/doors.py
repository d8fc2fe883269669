"""The doors by which people are asked, each as its own client uses it: one run, one request."""

import asyncio
import base64
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import mcp_types
from a2a.helpers import new_data_part, new_text_part
from a2a.types import Message, Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from arc_autoconfig import Application, ArcSettings
from arc_core import ToolContext, UpgradesSchema, tool
from arc_core.testing.vendor_server import VendorServer
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer
from tests.arc_plugins.surfaces.a2a.test_surface import client_for
from tests.arc_plugins.surfaces.logins.served_logins import cookie_of
from tests.arc_plugins.surfaces.served_apps import issues, make_obedient_model, pay
from tests.serving import KEY, client_of, serving_app

__all__ = ["KINDS", "Door", "Kind", "World", "doors_for", "order"]

SCHEMA = {
    "type": "object",
    "properties": {
        "account": {"type": "string"},
        "amount": {"type": "integer"},
        "rate": {"type": "number"},
        "at_once": {"type": "boolean"},
    },
    "required": ["account"],
}

_KEYS = [{"name": "ann", "key": KEY, "users": ["ann"], "decide": "own"}]


@tool
async def order(context: ToolContext) -> str:
    """Order a shirt."""
    answer = await context.ask("Which account?", SCHEMA)
    return json.dumps(answer, sort_keys=True)


@dataclass(frozen=True)
class Kind:
    """A request, and what the user says to it.

    Attributes:
        task: What the model is told, and does.
        answer: To a question.
        approve: Of a call: whether it is made.
        arguments: In the place of those of the call.
        reason: Of a denial.
    """

    task: str
    answer: Mapping[str, Any] | None = None
    approve: bool | None = None
    arguments: Mapping[str, Any] | None = None
    reason: str = ""

    @property
    def is_login(self) -> bool:
        """Whether a login is waited for."""
        return self.answer is None and self.approve is None

    def make_fields(self, *, arguments: str = "arguments") -> dict[str, Any]:
        """The fields that say it of an approval, of which one has a name of the door's own."""
        more = {arguments: self.arguments, "reason": self.reason}
        return {name: value for name, value in more.items() if value}

    def make_decision(self, key: str) -> dict[str, Any]:
        """The decision on the request of a key, as those doors take it that have no other form."""
        if self.answer is not None:
            return {"key": key, "answer": self.answer}
        return {"key": key, "approve": self.approve, **self.make_fields()}


KINDS = {
    "question": Kind(
        "order", answer={"account": "savings", "amount": 40, "rate": 1.5, "at_once": True}
    ),
    "approval": Kind("pay 5", approve=True),
    "changed approval": Kind("pay 5", approve=True, arguments={"amount": 4}),
    "denial": Kind("pay 5", approve=False, reason="not today"),
    "login": Kind("issues"),
}


class World:
    """A server whose runs are kept in a file, and the service at which ann logs in.

    Args:
        folder: For the file.

    Attributes:
        file: The database.
        app: The application, while it is served.
        address: Of the server.
        options: Its settings, for the command line.
    """

    app: Application
    address: str

    def __init__(self, folder: Path) -> None:
        self.file = folder / "runs.db"
        self._url = f"sqlite:///{self.file}"
        self._key = base64.b64encode(secrets.token_bytes(32)).decode()
        self._service, self._served = AuthorizationServer(), AsyncExitStack()
        self._vendor = VendorServer(*[self._service.answer] * 9)
        self.options = (
            *("--set", "durable.enabled=true", "--set", f"durable.url={self._url}"),
            *("--set", f"plugins.load={__name__}:order,tests.arc_plugins.surfaces.served_apps:pay"),
            *("--set", f"server.api_keys={json.dumps(_KEYS)}"),
        )

    async def __aenter__(self) -> "World":
        await self._vendor.__aenter__()
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
        await self._vendor.__aexit__(None, None, None)

    async def open(self) -> None:
        """Serve the application; its runs go on."""
        oauth = {
            "authorize_url": f"{self._vendor.url}/authorize",
            "token_url": f"{self._vendor.url}/token",
        }
        settings = ArcSettings(
            _isolated=True,
            durable={"enabled": True, "url": self._url},
            credentials={"backend": "sql", "url": self._url, "key": self._key},
            services={"github": {**oauth, "client_id": "arc", "scopes": ["read"]}},
            server={"api_keys": _KEYS},
        )
        known = [make_obedient_model(), order, pay, issues]
        self.app = Application(settings, register=known, plugins=False)
        if isinstance(kept := self.app.container.credentials(), UpgradesSchema):
            await kept.upgrade_schema()
        self.address = await self._served.enter_async_context(serving_app(self.app.asgi()))
        async with client_of(self.address) as client:
            await client.get("/health/live")  # is answered once the application has started

    async def close(self) -> None:
        """Leave no process that has the runs."""
        await self._served.aclose()

    async def log_in(self, link: str) -> None:
        """Log in as ann, by the link that a door shows."""
        async with httpx2.AsyncClient(timeout=60) as browser:
            begun = await browser.post(f"{self.address}{urlsplit(link).path}")
            answer = urlencode(self._service.log_in(begun.headers["location"]))
            callback = f"{self.address}/oauth/callback?{answer}"
            ended = await browser.get(callback, headers=cookie_of(begun))
        assert ended.status_code == 200, ended.text


Door = Callable[[World, Kind], Awaitable[None]]


async def use_page(world: World, kind: Kind) -> None:
    """As the page does: the run is begun, what waits is listed, and the decision is posted."""
    async with client_of(world.address, KEY) as client:
        begun = await client.post("/api/runs", json={"user_prompt": kind.task})
        assert begun.status_code == 202, begun.text
        [request] = (await client.get("/api/approvals")).json()["requests"]
        if kind.is_login:
            await world.log_in(request["url"])
            return
        path = f"/api/runs/{request['run_id']}/decisions"
        assert (await client.post(path, json=kind.make_decision(request["key"]))).is_success


async def use_ag_ui(world: World, kind: Kind) -> None:
    """The run ends with an interrupt, and another one resumes it."""

    async def post(**more: Any) -> Any:
        body = {"threadId": "t", "messages": [], **more}
        frames = (await client.post("/ag-ui", json=body)).text.split("\n\n")
        return json.loads([each for each in frames if each][-1].removeprefix("data: "))

    async with client_of(world.address, KEY) as client:
        said = {"id": "m", "role": "user", "content": kind.task}
        [asked] = (await post(runId="r1", messages=[said]))["outcome"]["interrupts"]
        if kind.is_login:
            await world.log_in(asked["metadata"]["arc"]["url"])
            return
        payload: Any = kind.answer
        if payload is None:
            payload = {"approved": kind.approve, **kind.make_fields(arguments="editedArgs")}
        entry = {"interruptId": asked["id"], "status": "resolved", "payload": payload}
        await post(runId="r2", resume=[entry])


async def use_a2a(world: World, kind: Kind) -> None:
    """The task waits, and a message with data answers it."""

    async def send(part: Any, **fields: Any) -> Any:
        said = Message(message_id="m1", role=Role.ROLE_USER, parts=[part], **fields)
        [told] = [each async for each in client.send_message(SendMessageRequest(message=said))]
        return told.task

    async with client_for(world.address, streaming=False, key=KEY) as client:
        task = await send(new_text_part(kind.task))
        asked = MessageToDict(task.status.message.parts[-1].data)
        if kind.is_login:
            await world.log_in(asked["url"])
            return
        await send(new_data_part(kind.make_decision(asked["key"])), task_id=task.id)


async def _elicit(world: World, kind: Kind, *, mode: Any) -> None:
    async def answer(context: Any, params: Any) -> mcp_types.ElicitResult:
        del context
        if kind.is_login:
            await world.log_in(params.url)
        content: Any = {"approve": kind.approve} if kind.answer is None else kind.answer
        return mcp_types.ElicitResult(action="accept", content=None if kind.is_login else content)

    async with client_of(world.address, KEY) as http:
        transport = streamable_http_client(f"{world.address}/mcp", http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=answer) as client:
            await client.call_tool("ask_default", {"task": kind.task})


async def use_mcp(world: World, kind: Kind) -> None:
    """The client asks its user, and sends the answer with the call anew."""
    await _elicit(world, kind, mode="auto")


async def use_earlier_mcp(world: World, kind: Kind) -> None:
    """The client of an earlier era asks its user within the open call."""
    await _elicit(world, kind, mode="legacy")


async def use_command_line(world: World, kind: Kind) -> None:
    """The server is down, and a command answers."""

    async def arc(*arguments: str) -> str:
        result = await asyncio.to_thread(invoke, "runs", *arguments, *world.options)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    async with client_of(world.address, KEY) as client:
        await client.post("/api/runs", json={"user_prompt": kind.task})
    await world.close()
    [request] = json.loads(await arc("waiting", "--json"))
    verb, options = "answer", {"values": kind.answer}
    if kind.approve is not None:
        verb, options = ("approve" if kind.approve else "deny"), kind.make_fields()
    texts = {f"--{name}": json.dumps(each) for name, each in options.items()}
    if kind.reason:
        texts["--reason"] = kind.reason
    if not kind.is_login:
        await arc(verb, request["run_id"], *chain(*texts.items()), "--by", "ann")
    await world.open()
    if kind.is_login:
        await world.log_in(request["url"])


_DOORS: Mapping[str, Door] = {
    "page": use_page,
    "AG-UI": use_ag_ui,
    "A2A": use_a2a,
    "MCP": use_mcp,
    "earlier MCP": use_earlier_mcp,
    "command line": use_command_line,
}
_ONLY_YES_OR_NO = frozenset({"MCP", "earlier MCP"})
"""Their form for an approval has no fields for other arguments, and none for a reason."""


def doors_for(kind: Kind) -> Mapping[str, Door]:
    """The doors that offer what the user says."""
    left_out = _ONLY_YES_OR_NO if kind.make_fields() else frozenset[str]()
    return {name: door for name, door in _DOORS.items() if name not in left_out}
