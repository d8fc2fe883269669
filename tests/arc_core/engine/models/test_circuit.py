"""When a model is not asked for a while."""

import pytest

from arc_core import AgentErrorCode
from arc_core.engine.models.circuit import ModelCircuit, Permit
from arc_core.settings import CircuitSettings

UNAVAILABLE = AgentErrorCode.UNAVAILABLE


class World:
    """A circuit that opens after two failures in ten seconds, for five seconds, and its clock."""

    def __init__(self, failure_threshold: int = 2) -> None:
        self.now = 100.0
        settings = CircuitSettings(failure_threshold=failure_threshold, window_s=10, open_s=5)
        self.circuit = ModelCircuit(settings, model="quick", clock=lambda: self.now)

    def call(self, failed_with: AgentErrorCode | None) -> Permit:
        """A call from its beginning to its end."""
        permit = self.circuit.enter()
        self.circuit.leave(permit, failed_with=failed_with)
        return permit


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

    assert passages == [Permit.FREE, Permit.FREE, Permit.REFUSED]


@pytest.mark.parametrize(
    "code", ["RATE_LIMITED", "AUTHENTICATION", "CONTEXT_TOO_LONG", "REFUSED", "CANCELLED"]
)
def test_other_failures_do_not_open_it(code: str) -> None:
    """They say nothing of whether the vendor is up."""
    world = World()

    assert {world.call(AgentErrorCode(code)) for _ in range(9)} == {Permit.FREE}


def test_failures_far_apart_do_not_open_it() -> None:
    """Only those of one window count together."""
    world = World()

    for _ in range(5):
        assert world.call(UNAVAILABLE) is Permit.FREE
        world.now += 11


def test_a_healthy_model_under_load_is_asked_on() -> None:
    """Every two hundredth of two thousand calls fails: far less than half of them."""
    world = World()

    passages = set()
    for number in range(2_000):
        passages.add(world.call(UNAVAILABLE if number % 200 == 0 else None))
        world.now += 0.01

    assert passages == {Permit.FREE}


@pytest.mark.parametrize(("answered", "is_open"), [(2, True), (3, False)])
def test_at_least_half_of_the_calls_must_fail(answered: int, *, is_open: bool) -> None:
    """Failures alone do not open it."""
    world = World()
    for failed_with in [*[None] * answered, UNAVAILABLE, UNAVAILABLE]:
        world.call(failed_with)

    assert (world.circuit.enter() is Permit.REFUSED) is is_open


def test_answers_before_the_window_do_not_count() -> None:
    """A model that was up until now is down."""
    world = World()
    for _ in range(100):
        world.call(None)
    world.now += 11

    world.call(UNAVAILABLE)
    world.call(UNAVAILABLE)

    assert world.circuit.enter() is Permit.REFUSED


def test_a_refusal_by_the_callers_fault_is_a_call_and_a_cancelled_one_is_none() -> None:
    """A vendor that refuses is up; a call that was left says nothing of how it would have ended."""
    refused, cancelled = World(), World()
    for _ in range(3):
        refused.call(AgentErrorCode.CONTEXT_TOO_LONG)
        cancelled.call(AgentErrorCode.CANCELLED)
    for world in (refused, cancelled):
        world.call(UNAVAILABLE)
        world.call(UNAVAILABLE)

    passages = [world.circuit.enter() for world in (refused, cancelled)]
    assert passages == [Permit.FREE, Permit.REFUSED]


def test_a_threshold_of_0_switches_it_off() -> None:
    """Whatever fails."""
    world = World(failure_threshold=0)

    assert {world.call(UNAVAILABLE) for _ in range(99)} == {Permit.FREE}


def test_what_it_keeps_is_bounded() -> None:
    """Calls at one time are counted together, however many there are."""
    world = World()
    for _ in range(50_000):
        world.call(None)
        world.now += 0.001

    assert world.circuit.size <= 101


def test_one_call_tries_after_a_while() -> None:
    """The others are refused until it has ended."""
    world = opened()
    assert world.circuit.enter() is Permit.REFUSED

    world.now += 5

    assert [world.circuit.enter() for _ in range(3)] == [
        Permit.TRIAL,
        Permit.REFUSED,
        Permit.REFUSED,
    ]


def test_a_trial_that_succeeds_closes_it() -> None:
    """And what has failed before is forgotten."""
    world = opened()
    world.now += 5

    world.call(None)

    assert [world.call(UNAVAILABLE) for _ in range(2)] == [Permit.FREE, Permit.FREE]


def test_a_trial_that_fails_keeps_it_open() -> None:
    """For as long again."""
    world = opened()
    world.now += 5
    world.call(UNAVAILABLE)

    world.now += 4.9
    assert world.circuit.enter() is Permit.REFUSED
    world.now += 0.1
    assert world.circuit.enter() is Permit.TRIAL


@pytest.mark.parametrize("code", ["CANCELLED", "RATE_LIMITED"])
def test_a_trial_that_says_nothing_makes_room_for_another(code: str) -> None:
    """One that is cancelled must not keep the circuit open for ever."""
    world = opened()
    world.now += 5

    world.call(AgentErrorCode(code))

    assert world.circuit.enter() is Permit.TRIAL


def test_calls_from_before_do_not_close_it() -> None:
    """They were let through when the vendor was still up."""
    world = World()
    early = world.circuit.enter()
    world.call(UNAVAILABLE)
    world.call(UNAVAILABLE)

    world.circuit.leave(early, failed_with=None)

    assert world.circuit.enter() is Permit.REFUSED
