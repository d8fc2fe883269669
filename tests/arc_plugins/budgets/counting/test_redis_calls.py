"""When a Redis server counts as silent, and when only the event loop was late."""

import asyncio
import socket
import time
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_plugins.budgets.counting.redis_calls import RedisCalls  # noqa: E402

ECHO = "return {ARGV[1]}"
LATE_S = 30


class LateClock:
    """The clock of an event loop, which goes ahead as if the loop had been busy so long."""

    def __init__(self) -> None:
        self.late_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.late_s


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


def address_of(server: socket.socket) -> SecretStr:
    """Where it listens."""
    return SecretStr(f"redis://127.0.0.1:{server.getsockname()[1]}/0")


@pytest.mark.parametrize("rounds", [1, 2, 5])
async def test_a_loop_that_is_late_costs_no_answer(
    url: str, late_clock: LateClock, rounds: int
) -> None:
    """A loop that is busy for half a minute between two of its rounds still takes the answer."""
    calls = RedisCalls(SecretStr(url))
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
    """A hundred calls at once have failed after the first 32, instead of three times later."""
    calls = RedisCalls(address_of(silent))

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(fail(calls.run(ECHO, keys=[], arguments=["?"]))) for _ in range(100)
        ]
    await calls.aclose()

    assert [task.result() for task in tasks] == [TimeoutError] * 100
    assert count_connections(silent) == 32


async def test_a_silent_server_is_asked_again_by_the_next(silent: socket.socket, url: str) -> None:
    """Its silence is not remembered: a call that need not wait asks by itself."""
    calls = RedisCalls(address_of(silent))
    for _ in range(2):
        await fail(calls.run(ECHO, keys=[], arguments=["?"]))
    await calls.aclose()

    assert count_connections(silent) == 2


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
