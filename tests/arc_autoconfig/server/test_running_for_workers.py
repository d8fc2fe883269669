"""What a worker serves: the surfaces that are for operators, and no others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import listen, serve_until_end
from arc_core import ServedApplication, ServesWorkers, Surface
from arc_core.testing import ScriptedChatModel
from tests.serving import KEY, client_of


class Depth(Surface, ServesWorkers):
    """A page of a program's own, for those who operate its workers."""

    serves_workers = True

    def routes(self, application: ServedApplication) -> list[Route]:
        """One."""
        return [Route("/depth", self._show)]

    async def _show(self, _: Request) -> PlainTextResponse:
        return PlainTextResponse("3")


def application(**server: object) -> Application:
    """One whose model is never asked."""
    settings = ArcSettings(_isolated=True, server=server)
    return Application(settings, register=[Depth, ScriptedChatModel([])], plugins=False)


@asynccontextmanager
async def watched(app: Application) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the address at which a worker of this application is watched."""
    ending = asyncio.Event()
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with listen(app, "127.0.0.1", 0) as listener:
        async with app:
            tell = address.set_result
            served = asyncio.create_task(
                serve_until_end(app, listener, ending=ending, tell=tell, kind=ServesWorkers)
            )
            try:
                async with client_of(await address) as client:
                    yield client
            finally:
                ending.set()
                await served


async def get_statuses(client: httpx2.AsyncClient, *paths: str) -> list[int]:
    """The statuses of the answers, one by one."""
    return [(await client.get(path)).status_code for path in paths]


async def test_a_worker_serves_what_is_for_operators_alone() -> None:
    """What callers ask is not found: runs, protocols, the page, the views of the wiring."""
    async with watched(application()) as client:
        found = await get_statuses(client, "/health/live", "/health/ready", "/depth")
        others = await get_statuses(client, "/", "/api/approvals", "/v1/models", "/arc/config")

    assert found == [200, 200, 200]
    assert others == [404, 404, 404, 404]


async def test_a_worker_with_keys_asks_for_one() -> None:
    """Health checks need none; they say no more than a status then."""
    keys = [{"name": "operator", "key": KEY}]
    async with watched(application(api_keys=keys)) as client:
        ready = await client.get("/health/ready")
        without = await get_statuses(client, "/depth")
        client.headers["authorization"] = f"Bearer {KEY}"
        with_key = await get_statuses(client, "/depth")

    assert ready.json() == {"status": "ok"}
    assert without == [401]
    assert with_key == [200]
