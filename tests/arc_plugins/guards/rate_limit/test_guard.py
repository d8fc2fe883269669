"""Limits within one process, by a clock that the test turns."""

import asyncio
import itertools

from hypothesis import given
from hypothesis import strategies as st

from arc_core import Allowed, Guard, GuardRequest, Rejected
from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_plugins.guards.rate_limit.guard import RateLimitGuard
from arc_plugins.guards.rate_limit.settings import RateLimitSettings


class TestConformance(GuardConformance):
    """It is a guard like any other."""

    def make_guard(self) -> Guard:
        return RateLimitGuard(settings=RateLimitSettings(rate_limit_per_minute=20))


class Clock:
    """Shows what the test sets."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def guard_with(
    clock: Clock, *, minute: int = 0, hour: int = 0, max_buckets: int = 10
) -> RateLimitGuard:
    """A guard with these limits."""
    settings = RateLimitSettings(rate_limit_per_minute=minute, rate_limit_per_hour=hour)
    return RateLimitGuard(settings=settings, clock=clock, max_buckets=max_buckets)


async def passes(guard: Guard, user_id: str = "ann", tenant_id: str | None = None) -> bool:
    """Whether a prompt of this user is let in."""
    request = GuardRequest(text="hi", user_id=user_id, tenant_id=tenant_id)
    return isinstance(await guard.check(request), Allowed)


async def passed(guard: Guard, prompts: int, user_id: str = "ann") -> int:
    """How many of so many prompts are let in."""
    return sum([await passes(guard, user_id) for _ in range(prompts)])


async def test_of_fifty_at_once_exactly_twenty_pass() -> None:
    """Concurrent prompts of one user are let in up to the limit, and not one more."""
    guard = guard_with(Clock(), minute=20)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(passes(guard)) for _ in range(50)]

    assert sum(task.result() for task in tasks) == 20


async def test_without_limits_everything_passes() -> None:
    """0 is off."""
    assert await passed(guard_with(Clock()), 100) == 100


async def test_users_and_tenants_have_counts_of_their_own() -> None:
    """Another user, and a user of the same name elsewhere, are not held up."""
    guard = guard_with(Clock(), minute=1)
    await passes(guard, "ann", "acme")

    assert await passes(guard, "bob", "acme")
    assert await passes(guard, "ann", "other")
    assert not await passes(guard, "ann", "acme")


async def test_the_window_moves() -> None:
    """Each prompt counts for a minute from its own moment, not until the minute's end."""
    clock = Clock()
    guard = guard_with(clock, minute=2)
    await passes(guard)
    clock.now += 40
    await passes(guard)

    clock.now += 20
    assert await passed(guard, 2) == 1
    clock.now += 39.9
    assert not await passes(guard)
    clock.now += 0.1
    assert await passes(guard)


async def test_a_rejected_prompt_consumes_nothing() -> None:
    """A user who keeps asking is let in as soon as one who waits."""
    clock = Clock()
    guard = guard_with(clock, minute=1)
    await passes(guard)

    for _ in range(59):
        clock.now += 1
        assert not await passes(guard)
    clock.now += 1
    assert await passes(guard)


async def test_a_rejection_by_the_hour_does_not_eat_the_minute() -> None:
    """When the hour has room again, the minute still has all of its own."""
    clock = Clock()
    guard = guard_with(clock, minute=2, hour=3)
    await passed(guard, 2)
    clock.now += 3_550
    assert await passed(guard, 2) == 1

    clock.now += 50

    assert await passed(guard, 2) == 1
    clock.now += 10
    assert await passed(guard, 2) == 1


async def test_a_clock_that_jumps_back_locks_no_user_out() -> None:
    """After a jump, a minute of the clock is still a minute."""
    clock = Clock()
    guard = guard_with(clock, minute=1)
    await passes(guard)

    clock.now -= 86_400
    assert not await passes(guard)
    clock.now += 59
    assert not await passes(guard)
    clock.now += 1
    assert await passes(guard)


async def test_a_clock_that_jumps_ahead_keeps_the_limit() -> None:
    """A jump frees the windows once; from then on they count as ever."""
    clock = Clock()
    guard = guard_with(clock, minute=2)
    await passed(guard, 2)

    clock.now += 1e9

    assert await passed(guard, 5) == 2


async def test_the_reason_tells_when_to_come_back() -> None:
    """The seconds are those until the oldest prompt leaves the window."""
    clock = Clock()
    guard = guard_with(clock, hour=1)
    await passes(guard)
    clock.now += 600

    result = await guard.check(GuardRequest(text="hi", user_id="ann"))

    assert isinstance(result, Rejected)
    assert result.reason.endswith("in 3000 seconds.")


async def test_other_ids_erase_no_count() -> None:
    """Who has used up the limit stays limited, however many other users are let in meanwhile."""
    guard = guard_with(Clock(), minute=1, max_buckets=10_000)
    await passes(guard, "ann")

    for number in range(10_001):
        await passes(guard, f"user-{number}")

    assert not await passes(guard, "ann")


async def test_memory_is_bounded() -> None:
    """Of too many users at once, newcomers share a fixed number of counts."""
    guard = guard_with(Clock(), minute=1, max_buckets=3)

    for number in range(20_000):
        await passes(guard, f"user-{number}")

    assert len(guard._admissions) <= 3 + 1_024


async def test_sharing_a_count_limits_too_early_and_never_too_late() -> None:
    """A newcomer without a count of its own is let in up to the limit, and not once more."""
    guard = guard_with(Clock(), minute=5, max_buckets=1)
    await passes(guard, "first")

    assert await passed(guard, 10, "newcomer") == 5


async def test_a_shared_count_is_kept_to_when_there_is_room_again() -> None:
    """The limit does not begin anew because another user has gone."""
    clock = Clock()
    guard = guard_with(clock, minute=2, max_buckets=1)
    await passes(guard, "first")
    clock.now += 30
    before = await passed(guard, 5, "newcomer")
    clock.now += 31

    assert (before, await passed(guard, 5, "newcomer")) == (2, 0)


async def test_users_who_have_gone_are_forgotten() -> None:
    """Nothing is remembered of a user who was not let in for the longest period."""
    clock = Clock()
    guard = guard_with(clock, minute=5)
    for number in range(5):
        await passes(guard, f"user-{number}")

    clock.now += 60
    await passes(guard, "new")

    assert list(guard._admissions) == [("", "new")]


@given(
    steps=st.lists(st.tuples(st.floats(0, 2_000), st.integers(0, 2)), max_size=80),
    minute=st.integers(0, 4),
    hour=st.integers(0, 6),
)
async def test_no_window_ever_holds_more_than_its_limit(
    steps: list[tuple[float, int]], minute: int, hour: int
) -> None:
    """Whenever users ask, no minute and no hour has more admissions of a user than allowed."""
    clock = Clock()
    guard = guard_with(clock, minute=minute, hour=hour)
    admitted: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for pause, user in steps:
        clock.now += pause
        if await passes(guard, f"user-{user}"):
            admitted[user].append(clock.now)

    for times, (limit, period) in itertools.product(
        admitted.values(), ((minute, 60), (hour, 3_600))
    ):
        spans = [last - first for first, last in zip(times, times[limit:], strict=False)]
        assert not limit or all(span >= period - 1e-6 for span in spans)
