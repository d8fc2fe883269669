"""Brings one message to its receiver, with as many attempts as it takes, up to a bound."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto

import httpx2

from arc_core import AgentResult, ConfigurationError, HookContext, Logger, ModelUnavailableError
from arc_core.timing.backoff import Backoff

_BASE64_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """One notification.

    Attributes:
        message_id: The same for every attempt, so that a receiver can tell a repetition.
        body: JSON, in ASCII.
    """

    message_id: str
    body: bytes


def write_message(context: HookContext, response: AgentResult) -> WebhookMessage:
    """The notification of a run that has ended, in whatever way."""
    usage = response.token_usage
    content = {
        "type": "run.completed",
        "timestamp": datetime.now(UTC).isoformat(),
        "data": {
            "run_id": context.run_id,
            "user_id": context.user_id,
            "session_id": context.session_id,
            "tenant_id": context.tenant_id,
            "user_prompt": context.user_prompt,
            "started_at": context.started_at.isoformat(),
            "duration_ms": round(response.duration_ms, 3),
            "success": response.success,
            "content": response.content,
            "partial_content": response.partial_content,
            "error_code": None if response.error_code is None else response.error_code.value,
            "error_message": response.error_message,
            "tools_used": list(response.tools_used),
            "token_usage": None
            if usage is None
            else {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "total_tokens": usage.total_tokens,
            },
        },
    }
    return WebhookMessage(
        context.run_id, json.dumps(content, separators=(",", ":")).encode("ascii")
    )


def derive_key(secret: str) -> bytes:
    """The signing key: the secret's bytes, or those it stands for as `whsec_` and Base64."""
    if not secret.startswith(_BASE64_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_BASE64_PREFIX), validate=True)
    except binascii.Error:
        raise ConfigurationError(
            "webhook.secret starts with whsec_, and what follows is not Base64",
            remedy="copy the secret once more, or use one without whsec_",
        ) from None


def write_signature(message: WebhookMessage, *, timestamp: int, key: bytes) -> str:
    """The header `webhook-signature`, as the Standard Webhooks specification has it.

    Args:
        message: What is sent.
        timestamp: Seconds since the epoch, those of the header `webhook-timestamp`: a receiver
            rejects old ones, so that an old message cannot be sent again.
        key: See `derive_key`.
    """
    signed = f"{message.message_id}.{timestamp}.".encode() + message.body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


_SUCCESS, _SERVER_ERROR = 2, 5  # the hundreds of a status
_RETRIED_STATUSES = {408, 425, 429}
_BACKOFF = Backoff(first_delay_s=0.5, max_delay_s=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """The attempts, and the pauses between them."""

    max_attempts: int = 5
    backoff: Backoff = _BACKOFF
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


class _Verdict(Enum):
    TAKEN = auto()
    REFUSED = auto()
    TRY_AGAIN = auto()


def _read_verdict(status: int) -> _Verdict:
    if status // 100 == _SUCCESS:
        return _Verdict.TAKEN
    is_passing = status // 100 == _SERVER_ERROR or status in _RETRIED_STATUSES
    return _Verdict.TRY_AGAIN if is_passing else _Verdict.REFUSED


class Delivery:
    """Posts messages to one address.

    Time-outs, lost connections, 408, 425, 429 and 5xx are tried again; other answers are final.
    Redirects are not followed: the address is the one the operator wrote. It is never logged, since
    it may hold a token.
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

    async def deliver(self, message: WebhookMessage) -> bool:
        """True if the receiver took it."""
        verdict, cause = await self._attempt(message)
        for attempt in range(1, self._retries.max_attempts):
            if verdict is not _Verdict.TRY_AGAIN:
                break
            await self._retries.sleep(self._retries.backoff.delay_s(attempt))
            verdict, cause = await self._attempt(message)
        if verdict is _Verdict.TAKEN:
            return True
        self._logger.warning("webhook not delivered", message_id=message.message_id, cause=cause)
        return False

    async def _attempt(self, message: WebhookMessage) -> tuple[_Verdict, str]:
        """Return the verdict of the receiver, and the cause if it did not take the message."""
        try:
            async with asyncio.timeout(self._timeout_s):
                status = await self._post(message)
        except ModelUnavailableError as error:  # a redirect
            return _Verdict.REFUSED, str(error)
        except (TimeoutError, httpx2.HTTPError) as error:
            return _Verdict.TRY_AGAIN, type(error).__name__
        return _read_verdict(status), f"status {status}"

    async def _post(self, message: WebhookMessage) -> int:
        """The status; the body of the answer is not read, however long it is."""
        timestamp = int(time.time())
        headers = {
            "content-type": "application/json",
            "webhook-id": message.message_id,
            "webhook-timestamp": str(timestamp),
        }
        if self._key is not None:
            headers["webhook-signature"] = write_signature(
                message, timestamp=timestamp, key=self._key
            )
        async with self._client.stream(
            "POST", self._url, content=message.body, headers=headers
        ) as response:
            return response.status_code
