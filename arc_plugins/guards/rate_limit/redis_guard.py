"""Counts prompts in Redis: for several processes that share their limits.

Costs one round trip a prompt. Redis tells the time, so the processes' clocks do not matter. When it
does not answer, prompts are rejected as a fault of the system: guards fail closed. One script
compares with both limits and counts, because two steps would let a rejection by the hour use up the
minute. Settings:
`guard.rate_limit_redis_url`, `guard.rate_limit_per_minute`, `guard.rate_limit_per_hour`. Needs the
extra `redis`, and a server of version 5 or newer.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence

from pydantic import SecretStr
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from arc_core import (
    Allowed,
    ConfigurationError,
    Guard,
    GuardRequest,
    GuardResult,
    Logger,
    Rejected,
    RejectionCategory,
)
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.timing.loop_timeout import LoopTimeout
from arc_plugins.guards.rate_limit.settings import RateLimitSettings
from arc_plugins.guards.rate_limit.windows import Bucket, bucket_of, rejection, windows_of

__all__ = ["RedisRateLimitGuard"]

_ANSWER_WITHIN_S = 1.0
_TURN_WITHIN_S = 5.0
_MAX_CONNECTIONS = 32
_UNAVAILABLE = Rejected(
    "Requests cannot be accepted at the moment. Please try again later.",
    RejectionCategory.SYSTEM_ERROR,
)
_MICROSECONDS = 1_000_000

# KEYS[1]: the list of admission times, newest first, in microseconds of the server's clock.
# ARGV: a limit and a period in microseconds for each window.
# Returns the place of the window that is full, 0 for none, and the microseconds until it has room.
_ADMIT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local newest = tonumber(redis.call('LINDEX', KEYS[1], 0) or now)
if newest > now + 1000000 then
    redis.call('DEL', KEYS[1])  -- the clock went back, and the age of these times is not known
end
local most, longest = 0, 0
for place = 1, #ARGV / 2 do
    local limit, period = tonumber(ARGV[place * 2 - 1]), tonumber(ARGV[place * 2])
    local nth = redis.call('LINDEX', KEYS[1], limit - 1)
    if nth and tonumber(nth) + period > now then
        return {place, tonumber(nth) + period - now}
    end
    most, longest = math.max(most, limit), math.max(longest, period)
end
redis.call('LPUSH', KEYS[1], string.format('%.0f', now))
redis.call('LTRIM', KEYS[1], 0, most - 1)
redis.call('PEXPIRE', KEYS[1], longest / 1000)
return {0, 0}
"""


class RedisRateLimitGuard(Guard):
    """Lets in what is within every limit of its tenant and user, whichever process is asked."""

    order = -1

    def __init__(self, *, settings: RateLimitSettings, logger: Logger) -> None:
        if settings.rate_limit_redis_url is None:
            raise ValueError("guard.rate_limit_redis_url is not set")
        self._windows, self._logger = windows_of(settings), logger
        self._arguments = [
            number
            for window in self._windows
            for number in (window.limit, window.period_s * _MICROSECONDS)
        ]
        self._redis = _connect_later(settings.rate_limit_redis_url)
        self._admit = self._redis.register_script(_ADMIT)
        self._connections = asyncio.Semaphore(_MAX_CONNECTIONS)

    async def start(self) -> None:
        """Get ready for the running event loop."""
        self._connections = asyncio.Semaphore(_MAX_CONNECTIONS)

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare with the limits and count, in one step.

        A server that cannot be reached, does not answer within a second, or answers with an error
        is a rejection of the category SYSTEM_ERROR, and a warning in the log.
        """
        if not self._windows:
            return Allowed()
        try:
            place, wait = await self._count(_key_of(bucket_of(request)))
        except (RedisError, OSError) as error:  # a time-out is an OSError, too
            self._logger.warning(
                "Redis does not count prompts for the rate limit, and they are rejected: start the "
                "server that guard.rate_limit_redis_url names, or correct it",
                error=type(error).__name__,
            )
            return _UNAVAILABLE
        if place:
            return rejection(self._windows[place - 1], wait_s=wait / _MICROSECONDS)
        return Allowed()

    async def _count(self, key: str) -> Sequence[int]:
        """Place of the window that is full, and the wait; a free connection is waited for first."""
        async with LoopTimeout(_TURN_WITHIN_S):
            await self._connections.acquire()
        try:
            async with LoopTimeout(_ANSWER_WITHIN_S):
                counted: Sequence[int] = await self._admit([key], self._arguments)
        finally:
            self._connections.release()
        return counted

    async def check_health(self) -> Health:
        """Whether the server answers."""
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                await self._redis.ping()
        except (RedisError, TimeoutError) as error:
            return Health(
                status=HealthStatus.ERROR,
                summary=f"Redis does not answer ({type(error).__name__}): prompts are rejected",
                remedy="start the server that guard.rate_limit_redis_url names, or correct it",
            )
        return Health(status=HealthStatus.OK, summary="Redis answers")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


def _connect_later(address: SecretStr) -> Redis:
    """Make a client, which connects when it is asked."""
    try:
        pool = BlockingConnectionPool.from_url(
            address.get_secret_value(),
            max_connections=_MAX_CONNECTIONS,
            timeout=None,  # with a time-out of its own, redis-py swallows cancellations
            socket_timeout=None,
            socket_connect_timeout=None,
            retry=Retry(NoBackoff(), 0),
        )
    except ValueError:  # its text may repeat a password
        raise ConfigurationError(
            "guard.rate_limit_redis_url is not an address of a Redis server",
            remedy="write it as redis://user:password@host:6379/0, "
            "with rediss: for TLS, or unix: for a socket",
        ) from None
    return Redis.from_pool(pool)


def _key_of(bucket: Bucket) -> str:
    """A key of bounded length that does not contain a user's name."""
    # Unescaped, since JSON has one escape for a character and for two halves of a surrogate pair.
    text = json.dumps(bucket, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return f"arc:rate_limit:{hashlib.sha256(text).hexdigest()}"
