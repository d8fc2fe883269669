"""A server that does not answer is left alone until a probe finds it back."""

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from arc_core.log import get_logger

pytest.importorskip("redis", reason="needs the extra redis")
from arc_core.stores.redis import RedisCircuit


class Server:
    """Answers once it is up, and counts who asks.

    Attributes:
        may_answer: Cleared, the probe hangs.
    """

    def __init__(self) -> None:
        self.is_up = False
        self.probes = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.now_s = 0.0

    async def probe(self) -> None:
        self.probes += 1
        await self.may_answer.wait()
        if not self.is_up:
            raise ConnectionError

    def clock(self) -> float:
        return self.now_s


@pytest.fixture
def server() -> Server:
    """A server that is down."""
    return Server()


@pytest.fixture
async def circuit(server: Server) -> AsyncIterator[RedisCircuit]:
    """A circuit that has just been opened."""
    made = RedisCircuit(server.probe, logger=get_logger("test"), clock=server.clock)
    made.open()
    yield made
    await made.aclose()


async def settle() -> None:
    """Let the probe run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_closed_circuit_probes_nothing(server: Server) -> None:
    """As long as the server answers, it is asked what it is asked."""
    circuit = RedisCircuit(server.probe, logger=get_logger("test"), clock=server.clock)

    assert circuit.lets_pass()
    await settle()
    assert server.probes == 0


async def test_nothing_passes_in_the_first_second(server: Server, circuit: RedisCircuit) -> None:
    """Right after a failure no caller asks again, not even a probe."""
    server.now_s = 0.9

    assert not circuit.lets_pass()
    await settle()
    assert server.probes == 0


async def test_one_probe_at_a_time(server: Server, circuit: RedisCircuit) -> None:
    """While a probe is under way, no caller waits for it and none starts another."""
    server.may_answer.clear()
    server.now_s = 1

    for _ in range(10):
        assert not circuit.lets_pass()
        await settle()

    assert server.probes == 1


async def test_a_failed_probe_is_followed_by_a_pause(server: Server, circuit: RedisCircuit) -> None:
    """A server that stays down is probed once a second."""
    for tenth in range(31):
        server.now_s = tenth / 10
        assert not circuit.lets_pass()
        await settle()

    assert server.probes == 3


async def test_a_probe_that_succeeds_closes_the_circuit(
    server: Server, circuit: RedisCircuit, caplog: pytest.LogCaptureFixture
) -> None:
    """The server is asked again, and the log says so."""
    server.is_up, server.now_s = True, 1

    with caplog.at_level(logging.INFO):
        assert not circuit.lets_pass()
        await settle()

    assert circuit.lets_pass()
    assert caplog.messages == ["Redis is back"]


async def test_going_away_is_logged_once(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """A hundred runs that find the server gone are one line."""
    circuit = RedisCircuit(server.probe, logger=get_logger("test"), clock=server.clock)

    for _ in range(100):
        circuit.open()

    assert caplog.messages == ["Redis does not answer, nothing is kept until it is back"]


async def test_closing_ends_a_probe(server: Server, circuit: RedisCircuit) -> None:
    """No task is left behind by a server that never answers."""
    server.may_answer.clear()
    server.now_s = 1
    circuit.lets_pass()
    await settle()

    await circuit.aclose()

    assert [task for task in asyncio.all_tasks() if "probe" in task.get_name()] == []


async def test_a_probe_that_was_ended_is_followed_by_another(
    server: Server, circuit: RedisCircuit
) -> None:
    """An application that is entered again finds its server again."""
    server.now_s = 1
    circuit.lets_pass()
    await circuit.aclose()

    server.is_up = True
    circuit.lets_pass()
    await settle()

    assert circuit.lets_pass()
