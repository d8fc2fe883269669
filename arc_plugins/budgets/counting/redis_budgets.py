"""Counts in Redis: for several processes that share their budgets.

Costs one round trip a call. Redis tells the time, so the processes' clocks do not matter, and does
each call in one step. When it does not answer within a second of an event loop that is on time, the
call raises, and `budget.on_failure` decides. What it forgets was never spent: give it
`maxmemory-policy noeviction`, and a file if it may restart. Settings: `budget.*`. Needs the extra
`redis`, and a server of version 5 or newer.
"""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from arc_core import Amount, BudgetRefused, Budgets, BudgetState, ReportsBudgets, Reserved, Spender
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.stores.redis import RedisServer, digest_names
from arc_plugins.budgets.counting import scripts
from arc_plugins.budgets.counting.decisions import (
    Standing,
    confirm,
    make_state,
    refusal,
    sorted_states,
)
from arc_plugins.budgets.counting.limits import (
    BudgetWindow,
    Counts,
    Limit,
    Subject,
    TenantLimits,
    get_subjects,
)
from arc_plugins.budgets.settings import BudgetLimitSettings

_MOST = 2**53 - 1
_SUBJECTS_PER_STEP = 200
_FIGURES_OF_ONE = 7
"""A name, and tokens and cost: held, spent in the day, spent in the month."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RedisBudgets(Budgets, ReportsBudgets):
    """Exact for all processes that count in one Redis.

    Each call raises `OSError` if the server cannot be reached, answers with an error, or not in
    time; `extend` and `settle` may have counted then.

    Args:
        settings: Where, the budgets, and how long a reservation lasts.
        prefix: Of all keys; processes with the same one share their budgets.
        now: The time in the place of the server's; None is the server's.

    Raises:
        ConfigurationError: The address is none, or a budget is larger than can be counted exactly.
    """

    def __init__(
        self,
        *,
        settings: BudgetLimitSettings,
        prefix: str = "arc:budget",
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._limits, self._lease_s = TenantLimits(settings, most=_MOST), settings.reservation_s
        self.bounds_tokens = self._limits.bounds_tokens
        self.bounds_costs = self._limits.bounds_costs
        self._now, self._prefix = now, f"{{{prefix}}}:"
        self._redis = RedisServer(settings.redis_url, setting="budget.redis_url")

    async def start(self) -> None:
        """Get ready for the running event loop; connections belong to one."""
        self._redis.connect_later()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """Reserve in all budgets or in none; again while it lasts, what is held."""
        limits = await self._limits.get(spender.tenant_id)
        if not limits:
            return None
        wanted, at_least = _for_lua(amount), _for_lua(least)
        numbers = [*wanted, *at_least]
        reply = await self._run(scripts.RESERVE, spender, numbers=numbers, limits=limits)
        return self._outcome(reply, limits, needed=at_least)

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Count what was spent, whatever the answer is, and hold more if all budgets have room."""
        limits = await self._limits.get(spender.tenant_id)
        wanted = _for_lua(hold)
        numbers = [*_for_lua(spent), *wanted]
        reply = await self._run(scripts.EXTEND, spender, numbers=numbers, limits=limits)
        extra = wanted.without(Counts(int(reply[2]), int(reply[3])))
        return self._outcome(reply, limits, needed=extra)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count the rest and hold nothing; a later call for this reservation counts nothing twice.

        A day later it may.
        """
        await self._run(scripts.SETTLE, spender, numbers=[*_for_lua(spent)])

    async def states(
        self, *, tenant_id: str | None = None, user_id: str | None = None
    ) -> Sequence[BudgetState]:
        """Return the state of the budgets, for all processes."""
        key = f"{self._prefix}subjects"
        members: list[Any] = await self._redis.call(lambda redis: redis.zrange(key, 0, -1))
        subjects = [each.decode("ascii") for each in members]
        found: list[BudgetState] = []
        for begin in range(0, len(subjects), _SUBJECTS_PER_STEP):
            step = subjects[begin : begin + _SUBJECTS_PER_STEP]
            found += await self._states_in(await self._call(scripts.STATES, [json.dumps(step)]))
        return sorted_states(found, tenant_id=tenant_id, user_id=user_id)

    async def check_health(self) -> Health:
        """Return true if the server answers, and keeps what it is told."""
        try:
            memory = await self._redis.call(lambda redis: redis.info("memory"))
        except OSError as error:
            return Health(
                status=HealthStatus.ERROR,
                summary=f"Redis does not answer ({type(error).__name__}): budgets cannot be kept",
                remedy=self._redis.remedy,
            )
        policy = memory.get("maxmemory_policy", "noeviction")
        if memory.get("maxmemory") and policy != "noeviction":
            return Health(
                status=HealthStatus.WARNING,
                summary="Redis answers, and forgets what was spent when its memory is full",
                remedy="set its maxmemory-policy to noeviction",
            )
        return Health(status=HealthStatus.OK, summary="Redis answers")

    async def _run(
        self, script: str, spender: Spender, *, numbers: Sequence[int], limits: Sequence[Limit] = ()
    ) -> Sequence[bytes]:
        subjects = get_subjects(spender)
        arguments: list[str | int] = [
            digest_names((spender.reservation_id,)),
            *map(digest_names, subjects),
            *map(json.dumps, subjects),
            *numbers,
        ]
        for each in limits:
            subject = 2 if each.is_users else 1
            arguments += (subject, each.window.value, each.dimension, each.allowed)
        return await self._call(script, arguments)

    async def _call(self, script: str, arguments: Sequence[str | int]) -> Sequence[bytes]:
        now = "" if self._now is None else (self._now() - _EPOCH) // timedelta(milliseconds=1)
        lease_ms = max(1, round(self._lease_s * 1000))
        return await self._redis.run(
            script,
            keys=[f"{self._prefix}live"],
            arguments=[self._prefix, now, lease_ms, *arguments],
        )

    def _outcome(
        self, reply: Sequence[bytes], limits: Sequence[Limit], *, needed: Counts
    ) -> Reserved | BudgetRefused:
        is_granted, now, tokens, cost, *figures = map(int, reply)
        standings = [
            Standing(limit, figures[2 * place], figures[2 * place + 1])
            for place, limit in enumerate(limits)
        ]
        if not is_granted:
            return refusal(standings, needed=needed, now=_moment(now))
        return confirm(standings, held=Counts(tokens, cost), lease_s=self._lease_s)

    async def _states_in(self, reply: Sequence[bytes]) -> list[BudgetState]:
        now = _moment(int(reply[0]))
        states: list[BudgetState] = []
        for begin in range(1, len(reply), _FIGURES_OF_ONE):
            name, *figures = reply[begin : begin + _FIGURES_OF_ONE]
            if not name:  # forgotten meanwhile
                continue
            subject: Subject = tuple(json.loads(name))
            counts = map(Counts, map(int, figures[::2]), map(int, figures[1::2]))
            held, spent = next(counts), dict(zip(BudgetWindow, counts, strict=True))
            states += [
                make_state(Standing(each, each.of(spent[each.window]), each.of(held)), subject, now)
                for each in await self._limits.get(subject[0])
                if each.is_users is (len(subject) > 1)
            ]
        return states


def _for_lua(amount: Amount) -> Counts:
    """An amount that Lua has exactly; a larger one is more than any budget."""
    tokens, cost = Counts.of(amount)
    return Counts(min(tokens, _MOST + 1), min(cost, _MOST + 1))


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=milliseconds)
