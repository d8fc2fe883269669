"""Limits shared by processes, on a real server."""

import asyncio
import socket
import time
import traceback
import uuid
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from arc_core import Allowed, ConfigurationError, Guard, GuardRequest, Rejected, RejectionCategory
from arc_core.interfaces.optional import HealthStatus
from arc_core.log import get_logger
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_plugins.guards.rate_limit.settings import RateLimitSettings
from tests.arc_plugins.ready_processes import go, ready_process
from tests.arc_plugins.redis_server import redis_url
from tests.ports import free_port

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_core.stores.redis import digest_names  # noqa: E402
from arc_plugins.guards.rate_limit.redis_guard import RedisRateLimitGuard  # noqa: E402

_PROCESS = """
import asyncio, sys
from pydantic import SecretStr
from arc_core import Allowed, GuardRequest
from arc_core.log import get_logger
from arc_plugins.guards.rate_limit.settings import RateLimitSettings
from arc_plugins.guards.rate_limit.redis_guard import RedisRateLimitGuard

async def main(url, user_id, prompts):
    guard = RedisRateLimitGuard(
        settings=RateLimitSettings(rate_limit_per_minute=20, rate_limit_redis_url=SecretStr(url)),
        logger=get_logger("test"),
    )
    request = GuardRequest(text="hi", user_id=user_id)
    print("ready", flush=True)
    sys.stdin.readline()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(guard.check(request)) for _ in range(prompts)]
    await guard.aclose()
    print(sum(isinstance(task.result(), Allowed) for task in tasks))

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def _key(bucket: tuple[str, str]) -> str:
    return f"arc:rate_limit:{digest_names(bucket)}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server."""
    with redis_url(tmp_path_factory.mktemp("redis")) as address:
        yield address


@pytest.fixture
def user_id() -> str:
    """A user who was never seen before."""
    return uuid.uuid4().hex


def guard_at(url: str, *, minute: int = 0, hour: int = 0) -> RedisRateLimitGuard:
    """A guard with these limits."""
    return RedisRateLimitGuard(
        settings=RateLimitSettings(
            rate_limit_per_minute=minute,
            rate_limit_per_hour=hour,
            rate_limit_redis_url=SecretStr(url),
        ),
        logger=get_logger("test"),
    )


class TestConformance(GuardConformance):
    """It is a guard like any other, and closed where there is no server."""

    @pytest.fixture(autouse=True)
    def _server(self, url: str) -> None:
        self._url = url

    def make_guard(self) -> Guard:
        return guard_at(self._url, minute=1_000)

    def make_failing_guard(self) -> Guard:
        return guard_at(f"redis://127.0.0.1:{free_port()}/0", minute=20)


async def passed(guard: Guard, prompts: int, user_id: str) -> int:
    """How many of so many concurrent prompts are let in."""
    request = GuardRequest(text="hi", user_id=user_id)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(guard.check(request)) for _ in range(prompts)]
    return sum(isinstance(task.result(), Allowed) for task in tasks)


async def test_of_fifty_at_once_exactly_twenty_pass(url: str, user_id: str) -> None:
    """Concurrent prompts of one user are let in up to the limit, and not one more."""
    async with running(guard_at(url, minute=20)) as guard:
        assert await passed(guard, 50, user_id) == 20


@pytest.mark.slow
def test_two_processes_share_the_limit(url: str, user_id: str) -> None:
    """Of fifty prompts at once, half of them in another process, exactly twenty pass."""
    asked = _PROCESS, url, user_id, "25"
    with ready_process(*asked) as first, ready_process(*asked) as second:
        go(first)
        go(second)
        passed_in_each = [int(each.communicate()[0]) for each in (first, second)]

    assert sum(passed_in_each) == 20


async def test_users_have_counts_of_their_own(url: str, user_id: str) -> None:
    """Another user is not held up."""
    async with running(guard_at(url, minute=1)) as guard:
        assert await passed(guard, 2, user_id) == 1
        assert await passed(guard, 2, f"{user_id}-other") == 1


async def test_a_rejection_by_the_hour_does_not_eat_the_minute(url: str, user_id: str) -> None:
    """What the hour rejects is not counted by the minute either."""
    async with running(guard_at(url, minute=5, hour=2)) as guard:
        assert await passed(guard, 10, user_id) == 2
    async with running(guard_at(url, minute=5)) as guard:
        assert await passed(guard, 10, user_id) == 3


async def test_old_admissions_leave_the_window(url: str, user_id: str) -> None:
    """What was let in more than a minute ago no longer counts, and the server forgets in time."""
    key = _key(("", user_id))
    moment = int((time.time() - 61) * 1e6)
    async with (
        redis.asyncio.Redis.from_url(url) as client,
        running(guard_at(url, minute=1)) as guard,
    ):
        await client.lpush(key, moment)

        assert await passed(guard, 2, user_id) == 1
        assert 0 < await client.ttl(key) <= 60


@pytest.mark.parametrize("ahead_s", [0.5, 86_400])
async def test_a_clock_that_jumped_back_locks_no_user_out(
    url: str, user_id: str, ahead_s: float
) -> None:
    """Admissions in the future count while they may be true, and are forgotten if they cannot."""
    key = _key(("", user_id))
    moment = int((time.time() + ahead_s) * 1e6)
    async with (
        redis.asyncio.Redis.from_url(url) as client,
        running(guard_at(url, minute=2)) as guard,
    ):
        await client.lpush(key, moment)

        assert await passed(guard, 5, user_id) == (1 if ahead_s < 1 else 2)


async def test_the_reason_tells_when_to_come_back(url: str, user_id: str) -> None:
    """The wait is that until the window has room."""
    async with running(guard_at(url, minute=1)) as guard:
        await passed(guard, 1, user_id)
        result = await guard.check(GuardRequest(text="hi", user_id=user_id))

    assert isinstance(result, Rejected)
    assert result.reason.endswith(("in 60 seconds.", "in 59 seconds."))


async def test_the_server_learns_no_name_of_a_user(url: str) -> None:
    """Keys are hashes, and two ways of splitting one text are two users."""
    keys = {_key(("acme", "ann")), _key(("", "acmeann")), _key(("acmeann", ""))}

    assert len(keys) == 3
    assert not any("ann" in key for key in keys)


@pytest.mark.slow
async def test_a_server_that_does_not_answer_costs_a_second(user_id: str) -> None:
    """A server that takes the connection and says nothing is given up."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        async with running(guard_at(address, minute=1)) as guard:
            begin = time.monotonic()
            result = await guard.check(GuardRequest(text="hi", user_id=user_id))

    assert time.monotonic() - begin < 20
    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.SYSTEM_ERROR


async def test_a_server_that_is_down_is_a_fault_of_the_system(
    user_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The prompt is rejected, the person reads to try again later, and the log says what to do."""
    async with running(guard_at(f"redis://127.0.0.1:{free_port()}/0", minute=1)) as guard:
        result = await guard.check(GuardRequest(text="hi", user_id=user_id))

    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.SYSTEM_ERROR
    assert "try again later" in result.reason
    assert "guard.rate_limit_redis_url" in caplog.text


async def test_an_error_of_the_server_is_a_fault_of_the_system(url: str, user_id: str) -> None:
    """A key of another type cannot be counted in, and what cannot be counted is kept out."""
    async with (
        redis.asyncio.Redis.from_url(url) as client,
        running(guard_at(url, minute=1)) as guard,
    ):
        await client.set(_key(("", user_id)), "a text")
        result = await guard.check(GuardRequest(text="hi", user_id=user_id))

    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.SYSTEM_ERROR


@pytest.mark.slow
async def test_a_cold_burst_is_counted(url: str, user_id: str) -> None:
    """Five hundred prompts that queue for connections are let in: waiting is not timed."""
    async with running(guard_at(url, minute=500)) as guard:
        assert await passed(guard, 500, user_id) == 500


async def test_names_that_are_not_unicode_have_counts_of_their_own() -> None:
    """Half a surrogate pair is a name like any other, and two halves are not their character."""
    names = ("\ud83d", "\ud83d\ude00", "\U0001f600")

    assert len({_key(("", name)) for name in names}) == 3


async def test_a_cancellation_leaves_while_the_server_is_silent(user_id: str) -> None:
    """It is neither swallowed nor taken for a time-out."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        async with running(guard_at(address, minute=1)) as guard:
            check = asyncio.create_task(guard.check(GuardRequest(text="hi", user_id=user_id)))
            loop = asyncio.get_running_loop()
            connection, _ = await loop.sock_accept(silent)
            with connection:
                await loop.sock_recv(connection, 1)
                check.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await check


async def test_it_says_whether_the_server_answers(url: str) -> None:
    """`arc doctor` learns of a dead server, and what to do; no password is told."""
    dead = f"redis://:hush@127.0.0.1:{free_port()}/0"
    async with running(guard_at(url)) as alive, running(guard_at(dead)) as guard:
        good, bad = await alive.check_health(), await guard.check_health()

    assert good.status is HealthStatus.OK
    assert bad.status is HealthStatus.ERROR
    assert "guard.rate_limit_redis_url" in (bad.remedy or "")
    assert "hush" not in str(bad)


@pytest.mark.parametrize("address", ["redis://u:hunter2@host:port", "http://u:hunter2@host", "x"])
def test_what_is_not_an_address_is_refused_without_repeating_it(address: str) -> None:
    """The error names the setting and how an address is written, and no password."""
    settings = RateLimitSettings(rate_limit_redis_url=SecretStr(address))

    with pytest.raises(ConfigurationError, match=r"guard\.rate_limit_redis_url") as refusal:
        RedisRateLimitGuard(settings=settings, logger=get_logger("test"))

    assert "hunter2" not in "".join(traceback.format_exception(refusal.value))
