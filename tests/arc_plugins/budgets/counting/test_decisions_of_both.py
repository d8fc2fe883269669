"""Memory and Redis decide the same, whatever is asked and whatever clocks do."""

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import SecretStr

from arc_core import Amount, Reserved, Spender
from arc_core.testing.conformance.components import running
from arc_plugins.budgets.counting.in_memory_budgets import InMemoryBudgets
from arc_plugins.budgets.counting.limits import BudgetWindow, window_keys
from tests.arc_plugins.budgets.counting.counted import Clock, held, settings, spender, tokens

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_plugins.budgets.counting import scripts  # noqa: E402
from arc_plugins.budgets.counting.redis_budgets import RedisBudgets  # noqa: E402

Budgets = InMemoryBudgets | RedisBudgets
Make = Callable[..., Budgets]

_LEASE_S = 60
LIMITS: dict[str, Any] = {
    "tenant_tokens_per_day": 100,
    "user_tokens_per_month": 150,
    "user_cost_per_day": Decimal("0.9"),
}
AMOUNTS = st.builds(
    Amount, tokens=st.integers(0, 130), cost=st.decimals(0, 1, places=3).map(lambda it: it / 3)
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["reserve", "extend", "settle", "wait"]),
        st.integers(0, 4),
        AMOUNTS,
        AMOUNTS,
    ),
    max_size=25,
)


async def replies(budgets: Budgets, clock: Clock, steps: Sequence[Any]) -> list[Any]:
    """What budgets say to each step, and how they stand after it.

    Steps about a reservation that was settled more than a lease ago are left out: in memory it is
    forgotten by then.
    """
    told: list[Any] = []
    settled: dict[int, float] = {}
    for verb, number, first, second in steps:
        if verb != "wait" and clock.seconds - settled.get(number, clock.seconds) >= _LEASE_S:
            continue
        who = Spender(
            reservation_id=str(number),
            run_id=str(number),
            user_id=f"user-{number % 2}",
            tenant_id=[None, "acme"][number % 3 == 0],
        )
        if verb == "reserve":
            told.append(await budgets.reserve(who, amount=first, least=second))
        elif verb == "extend":
            told.append(await budgets.extend(who, spent=first, hold=second))
        elif verb == "settle":
            await budgets.settle(who, spent=first)
            settled[number] = clock.seconds
        else:
            clock.go(number * 20)
        told.append(await budgets.states())
    return told


@pytest.mark.slow
@examples(max_examples=150, deadline=None)
@given(steps=STEPS)
async def test_both_say_the_same(url: str, steps: Sequence[Any]) -> None:
    """To every sequence of calls, with reservations that end in between."""
    memory, shared = Clock(), Clock()
    prefix = f"arc-test-{uuid.uuid4().hex}"

    here = await replies(in_memory(memory, **LIMITS), memory, steps)
    async with running(in_redis(url, prefix, shared, **LIMITS)) as budgets:
        there = await replies(budgets, shared, steps)
    await forget(url, prefix)

    assert here == there


async def forget(url: str, prefix: str) -> None:
    """Leave nothing of a test in the server."""
    async with redis.asyncio.Redis.from_url(url) as client:
        async for key in client.scan_iter(match=f"{{{prefix}}}*"):
            await client.unlink(key)


def in_memory(clock: Clock, **limits: Any) -> InMemoryBudgets:
    """Budgets in memory, by a clock of the test's."""
    return InMemoryBudgets(
        settings=settings(**limits), now=lambda: clock.now, clock=lambda: clock.seconds
    )


def in_redis(url: str, prefix: str, clock: Clock, **limits: Any) -> RedisBudgets:
    """Budgets in Redis, by a clock of the test's."""
    return RedisBudgets(
        settings=settings(redis_url=SecretStr(url), **limits), prefix=prefix, now=lambda: clock.now
    )


@pytest.fixture(params=["memory", "redis"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes budgets of either kind; those in Redis share one count."""
    if request.param == "memory":
        return in_memory
    url, prefix = request.getfixturevalue("url"), request.getfixturevalue("prefix")
    return lambda clock, **limits: in_redis(url, prefix, clock, **limits)


async def spent(budgets: Budgets) -> dict[str, int]:
    """What is spent of each budget."""
    return {state.limit: int(state.spent) for state in await budgets.states()}


async def test_a_clock_that_jumps_loses_and_doubles_nothing(make: Make) -> None:
    """After a jump of forty days, and back, every window has what was spent in it."""
    clock = Clock()
    async with running(
        make(clock, tenant_tokens_per_day=1_000, tenant_tokens_per_month=9_000)
    ) as budgets:
        who = spender()
        await held(budgets, who, 500)
        await budgets.extend(who, spent=tokens(100), hold=tokens(1))
        clock.now = datetime(2027, 1, 9, tzinfo=UTC)
        await budgets.extend(who, spent=tokens(140), hold=tokens(1))
        ahead = await spent(budgets)
        clock.now = datetime(2026, 11, 30, 11, tzinfo=UTC)
        await budgets.settle(who, spent=tokens(150))
        back = await spent(budgets)

    assert set(ahead.values()) == {40}
    assert set(back.values()) == {110}


@pytest.mark.parametrize(
    ("before", "after", "day", "month"),
    [
        (datetime(2026, 1, 31, 23, 59, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC), 0, 0),
        (datetime(2028, 2, 28, 23, 59, tzinfo=UTC), datetime(2028, 2, 29, tzinfo=UTC), 0, 70),
        (datetime(2027, 2, 28, 23, 59, tzinfo=UTC), datetime(2027, 3, 1, tzinfo=UTC), 0, 0),
        (datetime(2026, 12, 31, 1, tzinfo=UTC), datetime(2026, 12, 31, 23, tzinfo=UTC), 70, 70),
    ],
)
async def test_budgets_return_when_their_window_ends(
    make: Make, before: datetime, after: datetime, day: int, month: int
) -> None:
    """At midnight of UTC, and at that of the last day of a month; what is held stays held."""
    clock = Clock(before)
    limits = {"tenant_tokens_per_day": 100, "tenant_tokens_per_month": 100, "reservation_s": 86_400}
    async with running(make(clock, **limits)) as budgets:
        await budgets.settle(spender(), spent=tokens(70))
        assert await held(budgets, spender(), 30) == 30
        clock.now = after
        found = await spent(budgets)
        most = await held(budgets, spender(), 5_000)

    assert found == {"tenant_tokens_per_day": day, "tenant_tokens_per_month": month}
    assert most == 100 - 30 - max(day, month)


async def test_a_reservation_made_before_the_clock_went_back_ends_in_time(
    url: str, prefix: str
) -> None:
    """In Redis, by whose clock it ends: not an hour later, but after one more lease."""
    clock = Clock()
    async with running(in_redis(url, prefix, clock, tenant_tokens_per_day=100)) as budgets:
        await held(budgets, spender(), 100)
        clock.go(-3_600)
        assert await held(budgets, spender(), 100) == 0
        clock.go(61)

        assert await held(budgets, spender(), 100) == 100


async def test_a_budget_may_be_lowered_below_what_is_reserved(make: Make) -> None:
    """By a process with other settings: who has begun goes on, and no other run begins."""
    clock, who = Clock(), spender()
    large = make(clock, tenant_tokens_per_day=1_000)
    async with running(large) as budgets:
        await held(budgets, who, 500)
        small = (
            budgets
            if isinstance(budgets, InMemoryBudgets)
            else make(clock, tenant_tokens_per_day=100)
        )
        if isinstance(small, InMemoryBudgets):
            small._limits = in_memory(clock, tenant_tokens_per_day=100)._limits
        async with running(small):
            going_on = await small.extend(who, spent=tokens(300), hold=tokens(200))
            assert await held(small, spender(), 1) == 0
            await small.settle(who, spent=tokens(300))
            assert await held(small, spender(), 1) == 0

    assert isinstance(going_on, Reserved)
    assert (going_on.held.tokens, going_on.used_ratio) == (200, 3.0)


@pytest.mark.parametrize("wanted", [2**53, 10**30])
async def test_more_than_the_largest_budget_is_what_is_left_of_it(make: Make, wanted: int) -> None:
    """However much more is asked for; a run that has spent something changes nothing of that."""
    most = 2**53 - 1
    async with running(make(Clock(), tenant_tokens_per_day=most)) as budgets:
        await budgets.settle(spender(), spent=tokens(10))

        assert await held(budgets, spender(), wanted) == most - 10


@pytest.mark.parametrize("tenant", [None, "", "  "])
async def test_those_without_a_tenant_share_one_budget(make: Make, tenant: str | None) -> None:
    """And it is not that of a tenant; users of the same name in two tenants are two."""
    clock = Clock()
    async with running(make(clock, tenant_tokens_per_day=100, user_tokens_per_day=60)) as budgets:
        assert await held(budgets, spender(tenant), 60) == 60
        assert await held(budgets, spender(None), 1) == 0
        assert await held(budgets, spender(None, user_id="bob"), 50, least=41) == 0
        assert await held(budgets, spender("acme"), 60) == 60


def plan_of(tenant_id: str) -> dict[str, int] | None:
    """What a tenant has bought; None if that is not known here."""
    return {"tenant_tokens_per_day": 500} if tenant_id == "big" else None


async def test_budgets_differ_by_tenant(make: Make) -> None:
    """A tenant has what is set for it, for the rest what all have; the report says what."""
    limits = {
        "tenant_tokens_per_day": 100,
        "user_tokens_per_day": 60,
        "tenants": {
            "acme ": {"tenant_tokens_per_day": 300, "user_tokens_per_day": 0},
            "little": {"user_tokens_per_day": 7},
        },
        "tenants_from": f"{__name__}:plan_of",
    }
    tenants = (" acme", "little", "another", None, "big")
    async with running(make(Clock(), **limits)) as budgets:
        granted = [await held(budgets, spender(tenant), 1_000) for tenant in tenants]
        others = [await held(budgets, spender(it, user_id="bob"), 1_000) for it in tenants]
        states = await budgets.states()

    assert granted == [300, 7, 60, 60, 60]
    assert others == [0, 7, 40, 40, 60]
    assert {each.tenant_id: int(each.allowed) for each in states if each.user_id is None} == {
        None: 100, "acme": 300, "another": 100, "big": 500, "little": 100
    }  # fmt: skip
    assert {each.tenant_id: int(each.allowed) for each in states if each.user_id == "bob"} == {
        None: 60, "another": 60, "big": 60, "little": 7
    }  # fmt: skip


async def test_the_report_is_sorted_and_can_be_narrowed(make: Make) -> None:
    """To a tenant, to those without one, and to a user; names are told as they were given."""
    clock, odd = Clock(), "유나:\ud83d"
    async with running(make(clock, tenant_tokens_per_day=100, user_cost_per_day=9)) as budgets:
        for who in (spender("b", user_id=odd), spender("a"), spender(None)):
            await budgets.settle(who, spent=Amount(tokens=1, cost=Decimal("0.5")))
        everything = [(each.tenant_id, each.user_id) for each in await budgets.states()]
        of_b = [each.user_id for each in await budgets.states(tenant_id="b")]
        without = [each.limit for each in await budgets.states(tenant_id="")]
        of_ann = [each.tenant_id for each in await budgets.states(user_id="ann")]

    assert everything == [
        (None, None), (None, "ann"), ("a", None), ("a", "ann"), ("b", None), ("b", odd)
    ]  # fmt: skip
    assert of_b == [None, odd]
    assert without == ["tenant_tokens_per_day", "user_cost_per_day"]
    assert of_ann == [None, "a"]


async def test_lua_knows_the_calendar(url: str) -> None:
    """Every day of four centuries has the date that Python says."""
    days = range(147_000)
    script = scripts._BOOKS + (
        "local dates = {}\n"
        "for day = 0, tonumber(ARGV[4]) do\n"
        "    dates[#dates + 1] = string.format('%04d-%02d-%02d', date_of(day))\n"
        "end\n"
        "return table.concat(dates, ' ')"
    )
    async with redis.asyncio.Redis.from_url(url) as client:
        dates = await client.eval(script, 0, "arc-test", 0, 1, len(days) - 1)

    moments = (datetime.fromtimestamp(day * 86_400, UTC) for day in days)
    assert dates.decode().split() == [window_keys(moment)[BudgetWindow.DAY] for moment in moments]


@pytest.mark.parametrize(
    ("first", "day", "month"),
    [
        (datetime(2026, 11, 14, 23, 59, 59, tzinfo=UTC), 500, 560),
        (datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), 500, 500),
        (datetime(2026, 11, 14, 12, tzinfo=UTC), 560, 560),
    ],
    ids=["midnight", "month end", "noon"],
)
async def test_an_estimate_is_taken_back_from_where_it_was_told(
    make: Make, first: datetime, day: int, month: int
) -> None:
    """What others have spent in a new day or month is theirs."""
    clock = Clock(first)
    limits = {"tenant_tokens_per_day": 9_999, "tenant_tokens_per_month": 9_999}
    async with running(make(clock, **limits)) as budgets:
        ours, theirs = spender(), spender()
        await held(budgets, ours, 200)
        await budgets.extend(ours, spent=tokens(100), hold=tokens(0))
        clock.go(1)
        await budgets.extend(theirs, spent=tokens(500), hold=tokens(0))
        await budgets.settle(ours, spent=tokens(60))
        spent = {state.limit: int(state.spent) for state in await budgets.states()}

    assert spent == {"tenant_tokens_per_day": day, "tenant_tokens_per_month": month}
