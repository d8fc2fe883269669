"""Users, services and processes: `python -m benchmarks.credentials_in_processes`.

Each process calls services in the names of users chosen at random, 50 at once, with a credential
that it asks for before each call; some of the calls are made by the tool of a run. The services
count calls with a token of another user; the authorization server counts how often it renews. Then
50 ask at once for one credential that has ended; then the tokens are revoked, and calls are made
until a login is asked for.
"""

import argparse
import asyncio
import base64
import json
import random
import secrets
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from pydantic import SecretStr

from arc_core import AgentCommand, Credential, Owner, ToolCall, ToolContext, tool
from arc_core.settings import ServerAddressSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.credentials.keeping.sql_credentials import SqlCredentials
from arc_plugins.credentials.settings import CredentialsSettings, ServicesSettings

_AT_ONCE = 50
_OK, _REVOKED = "ok", "revoked"


def options() -> argparse.Namespace:
    """What was asked for."""
    prog = "python -m benchmarks.credentials_in_processes"
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("--users", type=int, default=1_000)
    parser.add_argument("--services", type=int, default=3)
    parser.add_argument("--calls", type=int, default=1_000_000, help="of all processes together")
    parser.add_argument("--runs", type=int, default=8_000, help="of the calls, those of runs")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--url", help="of the database; none is a file of SQLite")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def open_credentials(asked: dict[str, Any]) -> SqlCredentials:
    """The credentials of a process."""
    service = {
        "authorize_url": f"{asked['tokens']}/authorize",
        "token_url": f"{asked['tokens']}/token",
        "client_id": "arc",
    }
    names = [f"service-{number}" for number in range(asked["services"])]
    return SqlCredentials(
        settings=CredentialsSettings(backend="sql", key=SecretStr(asked["key"])),
        services=ServicesSettings.model_validate(dict.fromkeys(names, service)),
        server=ServerAddressSettings(public_url="https://agents.example/"),
        conversation=HistorySettings(url=SecretStr(asked["url"])),
    )


class Services:
    """The services and their authorization server, which know whose each token is."""

    def __init__(self) -> None:
        self.owners: dict[str, str] = {}
        self.refreshes: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.renewed: Counter[str] = Counter()
        self.first_at = self.last_at = 0.0
        self.is_revoked = False

    def give(self, place: str) -> tuple[str, str]:
        """A token and a refresh token of one user at one service."""
        token, refresh = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.owners[token], self.refreshes[refresh] = place, place
        return token, refresh

    def renew(self, request: ReceivedRequest) -> Reply:
        """Answer a request for a token."""
        refresh = parse_qs(request.body.decode())["refresh_token"][0]
        place = self.refreshes.pop(refresh, None)
        if place is None or self.is_revoked:
            return Reply.json({"error": "invalid_grant"}, status=400)
        self.renewed[place] += 1
        token, new = self.give(place)
        return Reply.json(
            {
                "access_token": token,
                "token_type": "Bearer",
                "expires_in": 9999,
                "refresh_token": new,
            }
        )

    def take(self, calls: list[str]) -> list[str]:
        """Answer calls: for whom each is made, and the token."""
        answer = _REVOKED if self.is_revoked else _OK
        for call in calls:
            place, token = call.split()
            self.counts["wrong owner" if self.owners.get(token) != place else answer] += 1
        self.last_at = time.perf_counter()
        self.first_at = self.first_at or self.last_at
        return [answer] * len(calls)


class Lines(asyncio.Protocol):
    """A connection that is used for many lines at once.

    Args:
        take: Gets the lines that arrive together, and returns those to send.
    """

    def __init__(self, take: Callable[[list[str]], Iterable[str]]) -> None:
        self._take, self._rest, self._unsent = take, "", ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Take the whole lines."""
        *lines, self._rest = (self._rest + data.decode()).split("\n")
        self.send(self._take(lines))

    def send(self, lines: Iterable[str]) -> None:
        """Send lines, with others of this round of the event loop."""
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent += "".join(f"{line}\n" for line in lines)

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, ""
        self.transport.write(unsent.encode())


class Caller:
    """One process's calls of the services."""

    def __init__(self, credentials: SqlCredentials) -> None:
        self._credentials = credentials
        self._waiting: deque[asyncio.Future[str]] = deque()
        self.lines = Lines(self._take)

    def _take(self, lines: list[str]) -> Iterable[str]:
        for line in lines:
            self._waiting.popleft().set_result(line)
        return ()

    async def call(self, user: str, service: str, found: Credential) -> str:
        """Call a service in the name of a user."""
        answer = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        self.lines.send([f"{user}@{service} {found.token.get_secret_value()}"])
        return await answer

    async def call_many(self, places: list[tuple[str, str]]) -> None:
        """Call each service in the name of each user, one after the other."""
        for user, service in places:
            found = await self._credentials.get(Owner(user_id=user), service)
            while isinstance(found, Credential) and await self.call(user, service, found) != _OK:
                found = await self._credentials.get(Owner(user_id=user), service, rejected=found)

    async def run_many(self, places: list[tuple[str, str]]) -> None:
        """Do the same by the tool of a run each."""

        @tool
        async def act(service: str, user: str, context: ToolContext) -> str:
            """Act at a service."""
            return await self.call(user, service, await context.credential(service))

        for user, service in places:
            asked = json.dumps({"service": service, "user": user})
            model = ScriptedChatModel([[ToolCall("1", "act", asked)], "Done."])
            agent = scripted_agent(model, tools=[act], credentials=self._credentials)
            result = await agent.execute(AgentCommand(user_prompt="Act.", user_id=user))
            assert result.content == "Done.", result
            assert result.tools_used == ("act",), result


async def work(asked: dict[str, Any]) -> None:
    """Do one process's part."""
    credentials, chosen = open_credentials(asked), random.Random(asked["seed"])
    await credentials.start()
    caller, every = Caller(credentials), asked["places"]
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_connection(lambda: caller.lines, "127.0.0.1", asked["port"])
    for count, call_many in ((asked["calls"], caller.call_many), (asked["runs"], caller.run_many)):
        lanes: list[list[tuple[str, str]]] = [[] for _ in range(_AT_ONCE)]
        for number in range(count):
            place = every[number % len(every)] if asked["in_order"] else chosen.choice(every)
            lanes[number % _AT_ONCE].append(tuple(place))
        async with asyncio.TaskGroup() as group:
            for lane in lanes:
                group.create_task(call_many(lane))
    transport.close()
    await credentials.aclose()


async def run_processes(
    asked: dict[str, Any], *, calls: int, processes: int, runs: int = 0
) -> None:
    """Share calls, and calls of runs, among processes."""
    running = []
    for number in range(processes):
        part = {**asked, "calls": calls // processes, "runs": runs // processes, "seed": number}
        program = ["-m", "benchmarks.credentials_in_processes", "--worker", "-"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, *program, stdin=asyncio.subprocess.PIPE
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(part).encode())
        process.stdin.close()
        running.append(process)
    statuses = [await each.wait() for each in running]
    assert statuses == [0] * processes, f"processes have failed: {statuses}"


async def put_all(asked: dict[str, Any], services: Services, ends: datetime) -> None:
    """Give every user a credential at every service."""
    credentials = open_credentials(asked)
    await credentials.upgrade_schema()
    await credentials.start()
    for user, service in asked["places"]:
        token, refresh = services.give(f"{user}@{service}")
        credential = Credential(
            token=SecretStr(token), refresh_token=SecretStr(refresh), expires_at=ends
        )
        await credentials.put(Owner(user_id=user), service, credential)
    await credentials.aclose()


async def measure(given: argparse.Namespace, folder: Path) -> None:
    """Measure, and print."""
    services, now = Services(), datetime.now(UTC)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Lines(services.take), "127.0.0.1", 0)
    replies = [services.renew] * (given.users * given.services + 10_000)
    async with VendorServer(*replies) as tokens:
        asked: dict[str, Any] = {
            "tokens": tokens.url,
            "port": server.sockets[0].getsockname()[1],
            "key": base64.b64encode(secrets.token_bytes(32)).decode(),
            "url": given.url or f"sqlite:///{folder}/credentials.db",
            "services": given.services,
            "places": [
                (f"user-{user}", f"service-{number}")
                for user in range(given.users)
                for number in range(given.services)
            ],
            "in_order": False,
        }
        await put_all(asked, services, now + timedelta(hours=9))
        calls, runs = given.calls - given.runs, given.runs
        await run_processes(asked, calls=calls, runs=runs, processes=given.processes)
        taken_s = services.last_at - services.first_at
        print(f"calls: {services.counts[_OK]} in {taken_s:.1f} s, {runs} of them by runs")
        first = {**asked, "places": asked["places"][:1]}
        await put_all(first, services, now - timedelta(seconds=1))
        await run_processes(first, calls=_AT_ONCE, processes=min(given.processes, 5))
        print(f"renewed for 50 at once: {services.renewed.total()}")
        services.is_revoked = True
        await run_processes({**asked, "in_order": True}, calls=len(asked["places"]), processes=1)
        each = services.counts[_REVOKED] / len(asked["places"])
        print(f"calls after the token was revoked, for each credential: {each:g}")
        print(f"uses for another owner: {services.counts['wrong owner']}")
    server.close()


def main() -> None:
    """Be one of the processes, or the one that starts them."""
    given = options()
    with asyncio.Runner() as runner:
        if given.worker:
            runner.run(work(json.load(sys.stdin)))
            return
        with tempfile.TemporaryDirectory() as folder:
            runner.run(measure(given, Path(folder)))


if __name__ == "__main__":
    main()
