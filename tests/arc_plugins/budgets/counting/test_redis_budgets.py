"""Budgets that processes share, on a real server."""

import asyncio
import socket
import time
from decimal import Decimal

import pytest
from pydantic import SecretStr

from arc_core import Budgets, ConfigurationError
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.budgets import BudgetsConformance
from arc_core.testing.conformance.components import running
from tests.arc_plugins.budgets.counting.counted import Clock, held, settings, spender, tokens
from tests.ports import free_port

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_plugins.budgets.counting.redis_budgets import RedisBudgets  # noqa: E402


def made(url: str, prefix: str, *, clock: Clock | None = None, **limits: object) -> RedisBudgets:
    """Budgets in the server, by its clock or the test's."""
    return RedisBudgets(
        settings=settings(redis_url=SecretStr(url), **limits),
        prefix=prefix,
        now=None if clock is None else lambda: clock.now,
    )


class TestConformance(BudgetsConformance):
    """They are budgets like any others, and raise where there is no server."""

    @pytest.fixture(autouse=True)
    def _server(self, url: str, prefix: str) -> None:
        self._url, self._prefix = url, prefix

    def make_budgets(self) -> Budgets:
        return made(self._url, self._prefix, tenant_tokens_per_month=1_000)

    def make_cost_budgets(self) -> Budgets:
        return made(self._url, self._prefix, tenant_cost_per_day=Decimal(1))

    def make_expiring_budgets(self) -> Budgets:
        self._clock = Clock()
        return made(self._url, self._prefix, clock=self._clock, tenant_tokens_per_day=1_000)

    async def let_reservations_expire(self) -> None:
        self._clock.go(61)

    def make_failing_budgets(self) -> Budgets:
        address = f"redis://127.0.0.1:{free_port()}/0"
        return made(address, self._prefix, tenant_tokens_per_day=1_000)


async def test_the_server_tells_the_time(url: str, prefix: str) -> None:
    """Without a clock of the test's, the day is the server's, and so is the end of a lease."""
    async with (
        running(made(url, prefix, tenant_tokens_per_day=1_000)) as budgets,
        redis.asyncio.Redis.from_url(url) as client,
    ):
        seconds, _ = await client.time()
        await held(budgets, spender(), 10)
        (state,) = await budgets.states()
        ((_, ends_at),) = await client.zrange(f"{{{prefix}}}:live", 0, -1, withscores=True)

    assert 0 < state.returns_at.timestamp() - seconds <= 86_400
    assert 59_000 < ends_at - seconds * 1000 < 62_000


async def test_no_key_names_a_user_and_every_key_ends(url: str, prefix: str) -> None:
    """Keys are hashes in one slot of a cluster, and the server forgets all of them in time."""
    async with (
        running(made(url, prefix, user_tokens_per_day=1_000)) as budgets,
        redis.asyncio.Redis.from_url(url) as client,
    ):
        for who in (spender(), spender()):
            await held(budgets, who, 10)
        await budgets.settle(who, spent=tokens(5))
        keys = [key async for key in client.scan_iter(match=f"{{{prefix}}}:*")]
        endless = [key for key in keys if await client.ttl(key) < 0]

    assert len(keys) >= 7
    assert not [key for key in keys if b"ann" in key or b"acme" in key]
    assert endless == []


@pytest.mark.parametrize("kind", ["s", "w"])
async def test_a_key_that_is_lost_gives_no_one_more_than_the_budget(
    url: str, prefix: str, kind: str
) -> None:
    """Evicted or deleted: what comes back then was not there, and is not there twice."""
    async with (
        running(made(url, prefix, tenant_tokens_per_day=1_000)) as budgets,
        redis.asyncio.Redis.from_url(url) as client,
    ):
        who = spender()
        await held(budgets, who, 900)
        await budgets.extend(who, spent=tokens(500), hold=tokens(0))
        lost = [key async for key in client.scan_iter(match=f"{{{prefix}}}:{kind}:*")]
        await client.unlink(*lost)
        await budgets.settle(who, spent=tokens(100))
        most = await held(budgets, spender(), 5_000)
        more = await held(budgets, spender(), 1)

    assert (most, more) == ({"s": 900, "w": 1_000}[kind], 0)


async def test_a_server_that_is_silent_costs_a_second(prefix: str) -> None:
    """A server that takes the connection and says nothing is given up, by an OSError."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        async with running(made(address, prefix, user_tokens_per_day=9)) as budgets:
            begin = time.monotonic()
            with pytest.raises(TimeoutError, match="does not answer within 1 s"):
                await held(budgets, spender(), 1)

    assert time.monotonic() - begin < 20


async def test_a_cancellation_leaves_while_the_server_is_silent(prefix: str) -> None:
    """It is neither swallowed nor taken for a time-out."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        async with running(made(address, prefix, user_tokens_per_day=9)) as budgets:
            call = asyncio.create_task(held(budgets, spender(), 1))
            loop = asyncio.get_running_loop()
            connection, _ = await loop.sock_accept(silent)
            with connection:
                await loop.sock_recv(connection, 1)
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call


async def test_an_error_of_the_server_is_raised_as_an_os_error(url: str, prefix: str) -> None:
    """A key of another type cannot be counted in, and nothing is told of what was sent."""
    async with (
        redis.asyncio.Redis.from_url(url) as client,
        running(made(url, prefix, user_tokens_per_day=9)) as budgets,
    ):
        await client.set(f"{{{prefix}}}:live", "a text")
        with pytest.raises(OSError, match="ResponseError"):
            await held(budgets, spender(), 1)


async def test_it_says_whether_the_server_answers(url: str, prefix: str) -> None:
    """`arc doctor` learns of a dead server, and what to do; no password is told."""
    dead = f"redis://:hush@127.0.0.1:{free_port()}/0"
    async with running(made(url, prefix)) as alive, running(made(dead, prefix)) as budgets:
        good, bad = await alive.check_health(), await budgets.check_health()

    assert good.status is HealthStatus.OK
    assert bad.status is HealthStatus.ERROR
    assert "budget.redis_url" in (bad.remedy or "")
    assert "hush" not in str(bad)


def test_what_cannot_be_counted_exactly_is_refused_at_start(prefix: str) -> None:
    """Nine million of a currency in billionths is as far as Lua's numbers go."""
    with pytest.raises(ConfigurationError, match="larger than Redis counts exactly"):
        made("redis://127.0.0.1:1/0", prefix, tenant_cost_per_month=Decimal(10_000_000))


def test_an_address_that_is_none_is_refused_without_its_password(prefix: str) -> None:
    """The error says how to write one."""
    with pytest.raises(ConfigurationError, match="is not an address") as caught:
        made("http://:hush@host", prefix)

    assert "hush" not in str(caught.value)
