"""When a model is not asked for a while."""

import pytest

from arc_core import AgentErrorCode
from arc_core.engine.components.circuit import Circuit, Passage
from arc_core.settings import CircuitSettings

UNAVAILABLE = AgentErrorCode.UNAVAILABLE


class World:
    """A circuit that opens after two failures in ten seconds, for five seconds, and its clock."""

    def __init__(self) -> None:
        self.now = 100.0
        settings = CircuitSettings(failure_threshold=2, window_s=10, open_s=5)
        self.circuit = Circuit(settings, model="quick", clock=lambda: self.now)

    def call(self, failed_with: AgentErrorCode | None) -> Passage:
        """A call from its beginning to its end."""
        passage = self.circuit.enter()
        self.circuit.leave(passage, failed_with=failed_with)
        return passage


def opened() -> World:
    """After two failures."""
    world = World()
    world.call(UNAVAILABLE)
    world.call(UNAVAILABLE)
    return world


@pytest.mark.parametrize("code", ["UNAVAILABLE", "OVERLOADED", "TIMEOUT"])
def test_it_opens_after_failures_of_the_vendors(code: str) -> None:
    """As many as the settings say, and not before."""
    world = World()

    passages = [world.call(AgentErrorCode(code)) for _ in range(3)]

    assert passages == [Passage.FREE, Passage.FREE, Passage.REFUSED]


@pytest.mark.parametrize(
    "code", ["RATE_LIMITED", "AUTHENTICATION", "CONTEXT_TOO_LONG", "REFUSED", "CANCELLED"]
)
def test_other_failures_do_not_open_it(code: str) -> None:
    """They say nothing of whether the vendor is up."""
    world = World()

    assert {world.call(AgentErrorCode(code)) for _ in range(9)} == {Passage.FREE}


def test_failures_far_apart_do_not_open_it() -> None:
    """Only those of one window count together."""
    world = World()

    for _ in range(5):
        assert world.call(UNAVAILABLE) is Passage.FREE
        world.now += 11


def test_one_call_tries_after_a_while() -> None:
    """The others are refused until it has ended."""
    world = opened()
    assert world.circuit.enter() is Passage.REFUSED

    world.now += 5

    assert [world.circuit.enter() for _ in range(3)] == [
        Passage.TRIAL,
        Passage.REFUSED,
        Passage.REFUSED,
    ]


def test_a_trial_that_succeeds_closes_it() -> None:
    """And what has failed before is forgotten."""
    world = opened()
    world.now += 5

    world.call(None)

    assert [world.call(UNAVAILABLE) for _ in range(2)] == [Passage.FREE, Passage.FREE]


def test_a_trial_that_fails_keeps_it_open() -> None:
    """For as long again."""
    world = opened()
    world.now += 5
    world.call(UNAVAILABLE)

    world.now += 4.9
    assert world.circuit.enter() is Passage.REFUSED
    world.now += 0.1
    assert world.circuit.enter() is Passage.TRIAL


@pytest.mark.parametrize("code", ["CANCELLED", "RATE_LIMITED"])
def test_a_trial_that_says_nothing_makes_room_for_another(code: str) -> None:
    """One that is cancelled must not keep the circuit open for ever."""
    world = opened()
    world.now += 5

    world.call(AgentErrorCode(code))

    assert world.circuit.enter() is Passage.TRIAL


def test_calls_from_before_do_not_close_it() -> None:
    """They were let through when the vendor was still up."""
    world = World()
    early = world.circuit.enter()
    world.call(UNAVAILABLE)
    world.call(UNAVAILABLE)

    world.circuit.leave(early, failed_with=None)

    assert world.circuit.enter() is Passage.REFUSED
