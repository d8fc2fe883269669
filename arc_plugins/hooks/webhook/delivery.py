"""Brings one message to its receiver, with as many attempts as it takes, up to a bound."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto

import httpx2

from arc_core import Logger, ModelUnavailableError
from arc_core.timing.backoff import Backoff
from arc_plugins.hooks.webhook.message import Message, signature_of

__all__ = ["Delivery", "Retries"]

_SUCCESS, _SERVER_ERROR = 2, 5  # the hundreds of a status
_RETRIED_STATUSES = {408, 425, 429}
_BACKOFF = Backoff(first_delay_s=0.5, max_delay_s=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often, and how long after the attempt before."""

    max_attempts: int = 5
    backoff: Backoff = _BACKOFF
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


class _Verdict(Enum):
    TAKEN = auto()
    REFUSED = auto()
    TRY_AGAIN = auto()


@dataclass(frozen=True, slots=True)
class _Answer:
    verdict: _Verdict
    cause: str


def _verdict_of(status: int) -> _Verdict:
    if status // 100 == _SUCCESS:
        return _Verdict.TAKEN
    is_passing = status // 100 == _SERVER_ERROR or status in _RETRIED_STATUSES
    return _Verdict.TRY_AGAIN if is_passing else _Verdict.REFUSED


class Delivery:
    """Posts messages to one address.

    Time-outs, lost connections, 408, 425, 429 and 5xx are tried again; other answers are final.
    Redirects are not followed: the address is the one the operator wrote.

    Args:
        client: Sends.
        url: Where to.
        key: Signs; None for messages without a signature.
        timeout_s: Of one attempt, from connecting to the status line.
        retries: After failures.
        logger: Told of what could not be delivered; never of the address, which may hold a token.
    """

    def __init__(
        self,
        *,
        client: httpx2.AsyncClient,
        url: str,
        key: bytes | None,
        timeout_s: float,
        retries: Retries,
        logger: Logger,
    ) -> None:
        self._client, self._url, self._key = client, url, key
        self._timeout_s, self._retries, self._logger = timeout_s, retries, logger

    async def deliver(self, message: Message) -> bool:
        """Whether the receiver took it."""
        answer = await self._attempt(message)
        for attempt in range(1, self._retries.max_attempts):
            if answer.verdict is not _Verdict.TRY_AGAIN:
                break
            await self._retries.sleep(self._retries.backoff.delay_s(attempt))
            answer = await self._attempt(message)
        if answer.verdict is _Verdict.TAKEN:
            return True
        self._logger.warning(
            "webhook not delivered", message_id=message.message_id, cause=answer.cause
        )
        return False

    async def _attempt(self, message: Message) -> "_Answer":
        try:
            async with asyncio.timeout(self._timeout_s):
                status = await self._post(message)
        except ModelUnavailableError as error:  # a redirect
            return _Answer(_Verdict.REFUSED, str(error))
        except (TimeoutError, httpx2.HTTPError) as error:
            return _Answer(_Verdict.TRY_AGAIN, type(error).__name__)
        return _Answer(_verdict_of(status), f"status {status}")

    async def _post(self, message: Message) -> int:
        """The status; the body of the answer is not read, however long it is."""
        timestamp = int(time.time())
        headers = {
            "content-type": "application/json",
            "webhook-id": message.message_id,
            "webhook-timestamp": str(timestamp),
        }
        if self._key is not None:
            headers["webhook-signature"] = signature_of(message, timestamp=timestamp, key=self._key)
        async with self._client.stream(
            "POST", self._url, content=message.body, headers=headers
        ) as response:
            return response.status_code
