"""Servers whose login is asked for at the start of a run: each user has the tools listed for them.

With a real authorization server on loopback, in whole applications.
"""

import asyncio
import logging
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    AgentCommand,
    AgentExecutor,
    ChatRequest,
    Deny,
    LoginRequest,
    Owner,
    Recording,
    RunStore,
    ToolCall,
)
from arc_core.recordings.timeline import make_timeline
from arc_core.replay import ReplayOutcome, ReplayVerdict
from arc_core.replay.replay import Replay
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.run_journal.rules import until
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.tools.mcp.settings import McpServerSettings
from tests.arc_autoconfig.cli.invoking import arc_process, invoke
from tests.arc_plugins.journals.sql.databases import runs_at
from tests.arc_plugins.journals.sql.processes import WorkerProcess
from tests.arc_plugins.tools.mcp.authorization_world import NeededError, World, context_of, world_of
from tests.arc_plugins.tools.mcp.test_owned_servers_runs import (
    application,
    application_at,
    log_in,
    make_login,
)

KEY = "A" * 43 + "="
AT_START = {"login": "at_start"}
pytestmark = pytest.mark.slow


def answer(request: ChatRequest) -> Any:
    """Call the first tool there is, and then say what was offered."""
    names = [tool.name for tool in request.tools]
    if names and len(request.messages) == 1:
        return [ToolCall("c1", names[0], "{}")]
    return ", ".join(names) or "no tools"


def say_tools(request: ChatRequest) -> str:
    """Say what is offered."""
    return ", ".join(tool.name for tool in request.tools) or "no tools"


async def test_a_run_waits_and_begins_with_the_tools_of_its_user() -> None:
    """The model is asked once the user has logged in, and calls with the token of the login."""
    async with application(answer, answer, server=AT_START) as (app, world):
        waiting = await app.execute("Hello", user_id="ann")
        [request] = waiting.waiting
        result = await log_in(app, world, waiting)

    assert isinstance(request, LoginRequest)
    assert (request.key, request.service) == ("login/start/1", "mcp:tools")
    assert request.tool == "mcp:tools/*"
    assert result.content == "whoami"
    assert world.used == [("whoami", world.server.tokens[0])]


async def test_each_user_has_a_list_of_their_own() -> None:
    """What is listed for one user is offered to no other, and to no program."""
    async with application(*[say_tools] * 4, server=AT_START) as (app, world):
        world.listed = lambda token: (
            ["pay_salaries"] if token == world.server.tokens[0] else ["see_own_salary"]
        )
        first = await log_in(app, world, await app.execute("Hello", user_id="ann"))
        second = await log_in(app, world, await app.execute("Hello", user_id="bob"))
        again = [await app.execute("Hello", user_id=each) for each in ("ann", "bob")]
        anyone = app.component(AgentExecutor).callable_tools()

    assert (first.content, second.content) == ("pay_salaries", "see_own_salary")
    assert [each.content for each in again] == ["pay_salaries", "see_own_salary"]
    assert list(anyone) == []


@pytest.mark.parametrize("user", ["ann", None])
async def test_a_run_without_a_login_goes_on_without_the_tools(
    user: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """The user has denied it, or there is none."""
    async with application(say_tools, server=AT_START) as (app, _):
        result = await app.execute("Hello", user_id=user)
        if user is not None:
            [request] = result.waiting
            await app.decide(result.run_id, request.key, Deny("not now"), by="ann")
            async with app.attach(result.run_id) as run:
                result = await run.result()

    assert result.content == "no tools"
    warned = [vars(each) for each in caplog.records if each.levelno == logging.WARNING]
    assert [each["tools"] for each in warned if "tools" in each] == ["mcp:tools/*"]


async def list_anew(world: World, credentials: KeptCredentials) -> list[str]:
    """The tools of ann by a new connection, or the login that is needed."""
    async with running(world.tools(**AT_START)) as tools:
        found = await tools.list_for("mcp:tools/", context_of(credentials, "ann"))
        return [tool.name for tool in found]


async def test_a_token_that_is_refused_is_renewed_before_a_login_is_asked_for() -> None:
    """Once; a server that refuses the new one, too, wants a login."""
    async with world_of() as world, running(world.credentials()) as credentials:
        with pytest.raises(NeededError) as needed:
            await list_anew(world, credentials)
        await world.log_in(credentials, needed.value.login)
        world.refused.update(world.server.tokens)
        renewed = await list_anew(world, credentials)
        world.refused.update(world.server.tokens)
        with pytest.raises(NeededError):
            await list_anew(world, credentials)

    assert (renewed, world.server.refreshed) == (["whoami"], 1)


async def test_a_server_that_lists_without_a_token_asks_no_one() -> None:
    """Its tools are those of all."""
    async with world_of() as world:
        world.server.tokens.append("")  # no token is good
        async with application_at(world, ScriptedChatModel([say_tools]), AT_START) as app:
            result = await app.execute("Hello", user_id="ann")

    assert result.content == "whoami"


async def record() -> tuple[Recording, ReplayOutcome]:
    """A run that has waited for a login, and its replay."""
    async with application(answer, answer, server=AT_START, record=True) as (app, world):
        run_id = (await log_in(app, world, await app.execute("Hello", user_id="ann"))).run_id
        recording = await app.component(RunStore).recording(run_id)
        await app.credentials.remove(Owner(user_id="ann"))
        return recording, await Replay(app.component(AgentExecutor)).replay(recording)


async def test_a_replay_asks_for_no_login() -> None:
    """Its tools are those of the recording."""
    _, outcome = await record()

    assert outcome.verdict is ReplayVerdict.SAME, outcome
    assert outcome.turns == 2


async def test_the_wait_for_a_login_is_seen_in_the_timeline() -> None:
    """It ends when the run has its tools."""
    recording, _ = await record()

    steps = {each.name: each for each in make_timeline(recording).steps}
    assert [*steps][:3] == ["admit", "login/start/1", "enter"]
    waited = steps["login/start/1"]
    assert (waited.outcome, waited.text) == ("waited", "A login at mcp:tools")
    assert waited.ended_at == steps["enter"].ended_at


def test_a_server_without_logins_cannot_ask_for_one() -> None:
    """The settings say so."""
    with pytest.raises(ValueError, match='login = "at_start" goes with auth = "oauth"'):
        McpServerSettings(url="https://shop.example/mcp", login="at_start")  # type: ignore[arg-type]


def kept_at(url: str) -> dict[str, Any]:
    """The settings by which a database keeps runs and credentials."""
    return {
        "credentials": {"backend": "sql", "key": KEY},
        "conversation": {"url": url},
        "durable": {"enabled": True, "url": url},
    }


async def upgrade(url: str) -> None:
    """Make the tables of conversations and credentials."""
    options = ("--set", f"conversation.url={url}", "--set", "credentials.backend=sql")
    made = await asyncio.to_thread(
        invoke, "db", "upgrade", *options, "--set", f"credentials.key={KEY}"
    )
    assert made.exit_code == 0, made.output


async def test_a_run_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The login comes to a process that has begun later; nothing is done twice."""
    url = f"sqlite:///{tmp_path}/arc.db"
    await upgrade(url)
    model = ScriptedChatModel([answer, answer])
    async with world_of() as world:
        async with application_at(world, model, AT_START, **kept_at(url)) as app:
            waiting = await app.execute("Hello", user_id="ann")
        async with application_at(world, model, AT_START, **kept_at(url)) as app:
            [request] = await app.waiting()
            assert isinstance(request, LoginRequest)
            await make_login(app, world, request)
            async with app.attach(waiting.run_id) as run:
                result = await run.result()

    assert result.content == "whoami"
    assert world.used == [("whoami", world.server.tokens[0])]


def start_worker(world: World, url: str) -> WorkerProcess:
    """A process that works on the runs of a database."""
    settings = {
        "llm.provider": "offline",
        "credentials.backend": "sql",
        "credentials.key": KEY,
        "conversation.url": url,
        "durable.enabled": "true",
        "durable.url": url,
        "server.public_url": "https://agents.example",
        "mcp.servers.tools.url": f"{world.url}/mcp",
        "mcp.servers.tools.auth": "oauth",
        "mcp.servers.tools.login": "at_start",
    }
    options = [each for name, value in settings.items() for each in ("--set", f"{name}={value}")]
    popen = subprocess.Popen(
        arc_process("worker", *options), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return WorkerProcess(popen)


@asynccontextmanager
async def worker_at(world: World, url: str) -> AsyncIterator[WorkerProcess]:
    """A worker that takes runs; this process has the server that it asks."""
    worker = start_worker(world, url)
    try:
        await asyncio.to_thread(worker.wait_for, "works on default")
        yield worker
    finally:
        worker.signal(signal.SIGTERM)
        await asyncio.to_thread(worker.close)


async def wait_for_request(app: Application) -> LoginRequest:
    """The login for which a run waits, once it does."""

    async def is_asked() -> bool:
        return bool(await app.waiting())

    await until(is_asked)
    [request] = await app.waiting()
    assert isinstance(request, LoginRequest)
    return request


async def test_a_run_goes_on_at_another_worker(postgres: str) -> None:
    """That which has asked for the login was killed; the login comes to a third process."""
    with runs_at(postgres) as url:
        await upgrade(url)
        async with world_of() as world:
            kept, world.listed = kept_at(url), lambda _: ["look_up"]
            kept["durable"]["work"] = False
            async with application_at(world, ScriptedChatModel([]), AT_START, **kept) as app:
                run_id = await app.submit(AgentCommand(user_prompt="Please look up", user_id="ann"))
                async with worker_at(world, url) as first:
                    request = await wait_for_request(app)
                    first.kill()
                await make_login(app, world, request)
                async with worker_at(world, url), app.attach(run_id) as run:
                    result = await run.result()

    assert "your token is ***" in str(result.content)
    assert world.used == [("look_up", world.server.tokens[0])]
