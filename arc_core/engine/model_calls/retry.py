"""Retries of failed model calls: the kinds of failure, and the pauses between attempts."""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from arc_core.errors import AgentErrorCode, ModelError
from arc_core.settings import RetrySettings
from arc_core.timing.backoff import Backoff

_MAX_CAUSES = 16
_ATTEMPTS_AT_A_VALID_ANSWER = 2


@dataclass(frozen=True, slots=True)
class Failure:
    """The meaning of an exception for the run.

    Attributes:
        code: The run's code if it ends here.
        retryable: Whether the same model call may succeed a moment later.
        retry_after_s: Seconds the vendor asked to wait.
    """

    code: AgentErrorCode
    retryable: bool = False
    retry_after_s: float | None = None


def _status(pattern: str) -> str:
    """A status code where one stands: first and apart, or after a word that announces it."""
    announced = r"\b(?:http(?:/[\d.]+)?|(?:status|error)?[\s_-]*code|status|error)\s*[:=]?\s*"
    return rf"^(?:{pattern})(?=\s*(?:$|[^\s\w]))|{announced}(?:{pattern})\b"


# Read only if no plugin has translated the exception. The first that fits decides.
_TEXTS: tuple[tuple[re.Pattern[str], Failure], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), failure)
    for pattern, failure in (
        (
            rf"\brate[ _-]?limit|\btoo many requests\b|{_status('429')}",
            Failure(AgentErrorCode.RATE_LIMITED, retryable=True),
        ),
        (
            r"\bcontext[ _](?:length|window)\b|\bmaximum context\b|\bprompt is too long\b",
            Failure(AgentErrorCode.CONTEXT_TOO_LONG),
        ),
        (
            rf"\bunauthori[sz]ed\b|\bforbidden\b|\binvalid api key\b|{_status('401|403')}",
            Failure(AgentErrorCode.AUTHENTICATION),
        ),
        (
            rf"\btimed? ?-?out\b|{_status('408|504')}",
            Failure(AgentErrorCode.TIMEOUT, retryable=True),
        ),
        (rf"\boverloaded\b|{_status('529')}", Failure(AgentErrorCode.OVERLOADED, retryable=True)),
        (
            r"\binternal server error\b|\bbad gateway\b|\bservice unavailable\b|"
            r"\bconnection (?:refused|reset|aborted|closed|error)\b|" + _status("50[0-3]"),
            Failure(AgentErrorCode.UNAVAILABLE, retryable=True),
        ),
        (
            r"\btool (?:call|execution|invocation)\b.*\b(?:failed|error)\b",
            Failure(AgentErrorCode.TOOL_ERROR),
        ),
    )
)


def classify(error: BaseException) -> Failure:
    """Return the meaning of an exception, by its type and those of its causes, else by texts."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ModelError):
            return Failure(cause.code, cause.retryable, cause.retry_after_s)
    for cause in causes:
        if isinstance(cause, TimeoutError):
            return Failure(AgentErrorCode.TIMEOUT, retryable=True)
        if isinstance(cause, ConnectionError):
            return Failure(AgentErrorCode.UNAVAILABLE, retryable=True)
    for text in map(_text, causes):
        for pattern, failure in _TEXTS:
            if pattern.search(text):
                return failure
    return Failure(AgentErrorCode.UNKNOWN)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, those of a group, and what they came from; causes may go in circles."""
    waiting = deque([error])
    for _ in range(_MAX_CAUSES):
        if not waiting:
            return
        current = waiting.popleft()
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        cause = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
        if cause is not None:
            waiting.append(cause)


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 -- what cannot describe itself says nothing
        return ""


class RetryPolicy:
    """Exponential delays with jitter, and the vendor's own wish where it has one."""

    def __init__(
        self, settings: RetrySettings, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._backoff = Backoff(
            first_delay_s=settings.initial_delay_s,
            max_delay_s=settings.max_delay_s,
            multiplier=settings.multiplier,
        )

    def allows(self, failure: Failure, *, attempt: int) -> bool:
        """Return True if another attempt follows attempt number `attempt` (from 1).

        One follows an answer that is not valid, if its error is retryable.
        """
        most = self._settings.max_attempts
        if failure.code is AgentErrorCode.INVALID_RESPONSE:
            most = min(most, _ATTEMPTS_AT_A_VALID_ANSWER)
        return failure.retryable and attempt < most

    def is_in_vain(
        self, failure: Failure, *, attempt: int, lasted_s: float, left_s: float | None
    ) -> bool:
        """Return True if another attempt would hardly succeed, so that another model is better.

        One that fails would last as long as the last one.
        """
        asked_s, delay_s = failure.retry_after_s, self.delay_s(failure, attempt=attempt)
        if asked_s is not None and asked_s > self._settings.max_delay_s:
            return True
        return left_s is not None and delay_s + lasted_s >= left_s

    async def wait(self, failure: Failure, *, attempt: int) -> None:
        """Sleep between attempt number `attempt` and the next one."""
        await self._sleep(self.delay_s(failure, attempt=attempt))

    def delay_s(self, failure: Failure, *, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`; never more than `max_delay_s`."""
        settings = self._settings
        if failure.retry_after_s is not None:
            return min(max(failure.retry_after_s, 0), settings.max_delay_s)
        return self._backoff.delay_s(attempt)
