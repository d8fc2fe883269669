"""When a Redis server counts as silent, and when only the event loop was late."""

import asyncio
import socket
import time
import traceback
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_core import ConfigurationError  # noqa: E402
from arc_core.stores.redis import RedisServer, SilentRedisError  # noqa: E402
from tests.arc_plugins.redis_server import redis_url  # noqa: E402

ECHO = "return {ARGV[1]}"
LATE_S = 30


class LateClock:
    """The clock of an event loop, which goes ahead as if the loop had been busy so long."""

    def __init__(self) -> None:
        self.late_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.late_s


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server."""
    with redis_url(tmp_path_factory.mktemp("redis")) as found:
        yield found


@pytest.fixture
async def late_clock(monkeypatch: pytest.MonkeyPatch) -> LateClock:
    """That of the running loop."""
    clock = LateClock()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
    return clock


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        server.setblocking(False)
        yield server


def address(server: socket.socket) -> SecretStr:
    """Where it listens."""
    return SecretStr(f"redis://127.0.0.1:{server.getsockname()[1]}/0")


@pytest.mark.parametrize("rounds", [1, 2, 5])
async def test_a_loop_that_is_late_costs_no_answer(
    url: str, late_clock: LateClock, rounds: int
) -> None:
    """A loop that is busy for half a minute between two of its rounds still takes the answer."""
    calls = RedisServer(SecretStr(url), setting="cache.redis_url")
    await calls.run(ECHO, keys=[], arguments=["connected"])

    call = asyncio.create_task(calls.run(ECHO, keys=[], arguments=["late"]))
    for _ in range(rounds):
        await asyncio.sleep(0)
    late_clock.late_s += LATE_S
    reply = await call
    await calls.aclose()

    assert reply == [b"late"]


async def test_those_who_wait_for_a_silent_server_fail_with_the_others(
    silent: socket.socket,
) -> None:
    """A hundred calls at once have failed after the first ones, instead of later, one by one."""
    calls = RedisServer(address(silent), setting="cache.redis_url")

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(fail(calls.run(ECHO, keys=[], arguments=["?"]))) for _ in range(100)
        ]
    await calls.aclose()

    assert [task.result() for task in tasks] == [TimeoutError] * 4 + [SilentRedisError] * 96
    assert count_connections(silent) == 4


async def test_a_silent_server_is_asked_again_by_the_next(silent: socket.socket, url: str) -> None:
    """Its silence is not remembered: a call that need not wait asks by itself."""
    calls = RedisServer(address(silent), setting="cache.redis_url")
    for _ in range(2):
        await fail(calls.run(ECHO, keys=[], arguments=["?"]))
    await calls.aclose()

    assert count_connections(silent) == 2


async def test_an_error_is_told_without_its_words(url: str) -> None:
    """A reply that is an error does not count as silence, and the server is asked on."""
    silences: list[str] = []
    server = RedisServer(SecretStr(url), setting="x", on_silence=lambda: silences.append("silent"))

    with pytest.raises(OSError, match="answers with an error: ResponseError") as caught:
        await server.run("return redis.error_reply('hunter2')", keys=[], arguments=[])
    await server.aclose()

    assert "hunter2" not in str(caught.value)
    assert not silences


@pytest.mark.parametrize(
    "address",
    [
        "redis://user:hunter2secret/x@host",
        "redis://user:p@ss/hunter2secret@host",
        "redis://user:hunter2#secret@host",
        "redis://user:hunter2secret@host:99999/0",
        "redis://user:hunter2secret@[::1/0",
        "rediss://user:hunter2secret@host:abc",
        "http://user:hunter2secret@host",
        "hunter2secret",
    ],
)
def test_a_malformed_address_never_shows_its_password(address: str) -> None:
    """Neither in the error nor in what a traceback tells of it."""
    with pytest.raises(ConfigurationError, match=r"cache\.redis_url is not an address") as caught:
        RedisServer(SecretStr(address), setting="cache.redis_url")

    assert "hunter2" not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None


async def fail(call: object) -> type[BaseException] | None:
    """What a call ends with."""
    try:
        await call  # type: ignore[misc]
    except OSError as error:
        return type(error)
    return None


def count_connections(server: socket.socket) -> int:
    """How many connections were made to a server."""
    found = 0
    while True:
        try:
            connection, _ = server.accept()
        except BlockingIOError:
            return found
        connection.close()
        found += 1
