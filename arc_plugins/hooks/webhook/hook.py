"""Sends every run that has ended to another service, beside the runs and never in their way.

Opt-in; costs a JSON text per run. Messages wait in memory, bounded in number and in bytes, and are
lost when the process is killed or the receiver stays away; the audit log misses none.
Settings: `webhook.url`, `webhook.secret`, `webhook.timeout_s`.
"""

import asyncio

from arc_core import AgentResult, Hook, HookContext, Logger
from arc_core.wire.guarded_client import GuardedClient
from arc_plugins.hooks.webhook import WebhookSettings
from arc_plugins.hooks.webhook.delivery import (
    Delivery,
    Retries,
    WebhookMessage,
    derive_key,
    write_message,
)

_SENDERS = 4
_MAX_REPLY_BYTES = 65_536  # no body is read
_RETRIES = Retries()


class WebhookHook(Hook):
    """Notifies after completion; what it cannot deliver is logged with the id of its run."""

    order = 95

    def __init__(
        self,
        *,
        settings: WebhookSettings,
        logger: Logger,
        retries: Retries = _RETRIES,
        max_waiting: int = 1_000,
        max_waiting_bytes: int = 33_554_432,
    ) -> None:
        if settings.url is None:
            raise ValueError("webhook.url is not set")
        secret = settings.secret
        self._url = settings.url.get_secret_value()
        self._key = None if secret is None else derive_key(secret.get_secret_value())
        self._timeout_s, self._retries, self._logger = settings.timeout_s, retries, logger
        self._waiting: asyncio.Queue[WebhookMessage] = asyncio.Queue(max_waiting)
        self._max_waiting_bytes, self._waiting_bytes = max_waiting_bytes, 0
        self._undelivered: dict[str, WebhookMessage] = {}
        self._client: GuardedClient | None = None
        self._senders: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to send."""
        if self._key is None:
            self._logger.warning("webhook is not signed: webhook.secret is not set")
        self._client = GuardedClient(
            max_reply_bytes=_MAX_REPLY_BYTES, setting="webhook.url", timeout=self._timeout_s
        )
        delivery = Delivery(
            client=self._client,
            url=self._url,
            key=self._key,
            timeout_s=self._timeout_s,
            retries=self._retries,
            logger=self._logger,
        )
        self._senders = [
            asyncio.create_task(self._send(delivery), name=f"arc-webhook-{number}")
            for number in range(_SENDERS)
        ]

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Put a message into the queue; a full queue drops it."""
        message = write_message(context, response)
        has_room = self._waiting_bytes + len(message.body) <= self._max_waiting_bytes
        if self._waiting.full() or not has_room:
            self._logger.warning(
                "webhook dropped: too many are waiting", message_id=message.message_id
            )
            return
        self._waiting.put_nowait(message)
        self._waiting_bytes += len(message.body)
        self._undelivered[message.message_id] = message

    async def aclose(self) -> None:
        """Send what is waiting, for at most `webhook.timeout_s` more."""
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._waiting.join()
        except TimeoutError:
            pass  # what is left is told below
        finally:
            await self._stop()

    async def _stop(self) -> None:
        if self._undelivered:
            self._logger.warning("webhooks given up at the end", message_ids=[*self._undelivered])
        for sender in self._senders:
            sender.cancel()
        if self._senders:
            await asyncio.wait(self._senders)
        if self._client is not None:
            await self._client.aclose()

    async def _send(self, delivery: Delivery) -> None:
        while True:
            message = await self._waiting.get()
            try:
                await delivery.deliver(message)
            except Exception:  # a message that cannot be sent must not keep the others waiting
                self._logger.exception("webhook failed", message_id=message.message_id)
            self._undelivered.pop(message.message_id, None)
            self._waiting_bytes -= len(message.body)
            self._waiting.task_done()
