"""Counts prompts in Redis: for several processes that share their limits.

Costs one round trip a prompt. Redis tells the time, so the processes' clocks do not matter. When it
does not answer, prompts are rejected as a fault of the system: guards fail closed. One script
compares with both limits and counts, because two steps would let a rejection by the hour use up the
minute. Settings:
`guard.rate_limit_redis_url`, `guard.rate_limit_per_minute`, `guard.rate_limit_per_hour`. Needs the
extra `redis`, and a server of version 5 or newer.
"""

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Logger, Rejected, RejectionCategory
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.stores.redis import RedisServer, digest_names
from arc_core.timing.loop_timeout import LoopTimeout
from arc_plugins.guards.rate_limit.guard import active_windows, get_bucket, rejection
from arc_plugins.guards.rate_limit.settings import RateLimitSettings

_TURN_WITHIN_S = 5.0
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
        self._windows, self._logger = active_windows(settings), logger
        self._arguments = [
            number
            for window in self._windows
            for number in (window.limit, window.period_s * _MICROSECONDS)
        ]
        self._redis = RedisServer(
            settings.rate_limit_redis_url, setting="guard.rate_limit_redis_url"
        )

    async def start(self) -> None:
        """Get ready for the running event loop."""
        self._redis.connect_later()

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare with the limits and count, in one step.

        A server that cannot be reached, does not answer within a second, or answers with an error
        is a rejection of the category SYSTEM_ERROR, and a warning in the log.
        """
        if not self._windows:
            return Allowed()
        key = f"arc:rate_limit:{digest_names(get_bucket(request))}"
        try:
            async with LoopTimeout(_TURN_WITHIN_S):
                place, wait = await self._redis.run(_ADMIT, keys=[key], arguments=self._arguments)
        except OSError as error:  # a time-out is one, too
            self._logger.warning(
                "Redis does not count prompts for the rate limit, and they are rejected: start the "
                "server that guard.rate_limit_redis_url names, or correct it",
                error=type(error.__cause__ or error).__name__,
            )
            return _UNAVAILABLE
        if place:
            return rejection(self._windows[place - 1], wait_s=wait / _MICROSECONDS)
        return Allowed()

    async def check_health(self) -> Health:
        """Return true if the server answers."""
        try:
            await self._redis.call(lambda redis: redis.ping())
        except OSError as error:
            return Health(
                status=HealthStatus.ERROR,
                summary=f"Redis does not answer ({type(error).__name__}): prompts are rejected",
                remedy=self._redis.remedy,
            )
        return Health(status=HealthStatus.OK, summary="Redis answers")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()
