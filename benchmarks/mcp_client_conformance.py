"""The official conformance suite of MCP for clients, driven over Arc's plugin.

`python -m benchmarks.mcp_client_conformance "node …/conformance/dist/index.js"` runs the scenarios
and prints a line for each. The suite starts this file again as its client, with the address of a
server: a run in which the model calls every tool that it is offered, and the user accepts what the
server asks. In the scenarios of logins the application is served with its pages, where the user
presses the button, and goes where it leads; the suite's authorization server allows everything.

Of these, `auth/2025-03-26-oauth-endpoint-fallback` is left out: an authorization server that does
not describe itself promises no PKCE, and Arc sends no user there. So are the extensions
(credentials of clients without a user, DPoP, identities of workloads and enterprises), which Arc
does not have. Another authorization server than before needs the word of the operator, who starts
the application anew with its name in the settings. And `auth/basic-cimd` warns: Arc names the
document that it serves itself, and the suite expects the address of another one.
"""

import asyncio
import base64
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
import uvicorn

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    AgentResult,
    Answer,
    AnswerRequested,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    DecisionError,
    Deny,
    LoginRequest,
    LoginRequested,
    Request,
    ToolCall,
    ToolResultMessage,
    UpgradesSchema,
)
from arc_core.testing import ScriptedChatModel

SCENARIOS = (
    "initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry",
    "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
    "http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref",
    "json-schema-2020-12-preservation",
    "auth/metadata-default", "auth/metadata-var1", "auth/metadata-var2", "auth/metadata-var3",
    "auth/basic-cimd", "auth/pre-registration", "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/scope-from-www-authenticate", "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined", "auth/scope-step-up", "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic", "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none", "auth/resource-mismatch", "auth/metadata-issuer-mismatch",
    "auth/offline-access-scope", "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported", "auth/iss-not-advertised", "auth/iss-supported-missing",
    "auth/iss-wrong-issuer", "auth/iss-unexpected", "auth/iss-normalized",
)  # fmt: skip
_SAMPLES: Mapping[object, object] = {
    "string": "text", "integer": 3, "number": 3, "boolean": True, "array": [], "object": {},
}  # fmt: skip
_PUBLIC_URLS = {"auth/basic-cimd": "https://conformance-test.local"}
_PATIENT = ("--timeout", "180000")
"""Milliseconds for a client, which is a process that a busy machine starts slowly."""
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


async def decide(app: Application, request: Request, decision: Answer | Deny) -> None:
    """Decide about a request; the event may come before it can be answered."""
    for _ in range(100):
        with suppress(DecisionError):
            await app.decide(request.run_id, request.key, decision, by="ann")
            return
        await asyncio.sleep(0.05)


async def log_in(request: LoginRequest, address: str) -> bool:
    """Go by the page of a login to the suite's server and back; return whether it was made.

    Args:
        request: Has the public address of the page.
        address: At which the pages are served, as by a proxy.
    """
    async with httpx2.AsyncClient() as browser:
        page = _serve_at(address, request.url)
        if "<button>" not in (await browser.get(page)).text:
            return False
        begun = await browser.post(page)
        if not begun.has_redirect_location:
            return False
        allowed = await browser.get(begun.headers["location"])
        cookie = begun.headers["set-cookie"].partition(";")[0]
        callback = _serve_at(address, allowed.headers["location"])
        ended = await browser.get(callback, headers={"cookie": cookie})
        return ended.is_success


def _serve_at(address: str, public: str) -> str:
    parts = urlsplit(public)
    return f"{address}{parts.path}?{parts.query}"


@asynccontextmanager
async def serve(app: Application, listener: socket.socket) -> AsyncIterator[None]:
    """Serve the pages of an application that has been started."""
    config = uvicorn.Config(app.asgi(), log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


async def run_once(app: Application, address: str) -> AgentResult[Any]:
    """Have the model call its tools; return how the run has ended."""
    run_id = await app.submit(AgentCommand(user_prompt="Call every tool.", user_id="ann"))
    async with app.attach(run_id) as run:
        async for event in run.events():
            if isinstance(event, AnswerRequested):
                await decide(app, event.request, Answer({}))
            elif isinstance(event, LoginRequested) and not await log_in(event.request, address):
                await decide(app, event.request, Deny())
        return await run.result()


async def be_client(url: str) -> None:
    """Connect to a server as the scenario of the suite wants it."""
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    if not scenario.startswith("auth/"):
        async with Application(_make_settings({"url": url}), register=[EagerModel()]) as app:
            _print_results(await run_once(app, ""))
        return
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    client = {key: given[key] for key in ("client_id", "client_secret") if key in given}
    with tempfile.TemporaryDirectory() as folder:
        server = {"url": url, "auth": "oauth", **client}
        public_url = _PUBLIC_URLS.get(scenario)
        await serve_client(server, folder, public_url)
        if scenario == "auth/authorization-server-migration":
            issuer = await find_issuer(url)
            await serve_client({**server, "issuer": issuer}, folder, public_url)


async def serve_client(server: Mapping[str, Any], folder: str, public_url: str | None) -> None:
    """Serve the login, and have the model call its tools, once more if a login shows them."""
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        settings = _make_settings(
            server,
            credentials={
                "backend": "sql",
                "url": f"sqlite:///{folder}/credentials.db",
                "key": base64.b64encode(bytes(32)).decode(),
            },
            server={"public_url": public_url or address},
        )
        app = Application(settings, register=[EagerModel()])
        if isinstance(kept := app.container.credentials(), UpgradesSchema):
            await kept.upgrade_schema()
        await stack.enter_async_context(app)
        await stack.enter_async_context(serve(app, listener))
        if _print_results(await run_once(app, address)) == ["log_in_suite"]:
            _print_results(await run_once(app, address))


async def find_issuer(url: str) -> str:
    """Return the authorization server that a server names now, as its operator knows it."""
    parts = urlsplit(url)
    described = f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{parts.path}"
    async with httpx2.AsyncClient() as client:
        return str((await client.get(described)).json()["authorization_servers"][0])


def _make_settings(suite: Mapping[str, Any], **sections: Mapping[str, Any]) -> ArcSettings:
    return ArcSettings(mcp={"servers": {"suite": dict(suite)}}, **sections)  # type: ignore[arg-type]


def _print_results(result: AgentResult[Any]) -> list[str]:
    """Print what the tools have answered; return their names."""
    results = [
        each
        for message in result.messages
        if isinstance(message, ToolResultMessage)
        for each in message.results
    ]
    print(*(f"{each.name}: {each.text[:200]}" for each in results), sep="\n")
    return [each.name for each in results]


def run_suite(suite: list[str], scenarios: tuple[str, ...]) -> int:
    """Run scenarios one by one; return how many have a failed check."""
    client = f"{sys.executable} -m benchmarks.mcp_client_conformance"
    failed = 0
    for scenario in scenarios:
        made = subprocess.run(
            [*suite, "client", "--command", client, "--scenario", scenario, "--force", *_PATIENT],
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
