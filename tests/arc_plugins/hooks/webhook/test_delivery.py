"""Attempts: which failures are tried again, how often, and how long each may take."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core.timing.backoff import Backoff
from arc_plugins.hooks.webhook.delivery import Delivery, Retries, WebhookMessage, write_signature
from tests.arc_plugins.hooks.webhook.receiver import Receiver

MESSAGE = WebhookMessage("run-1", b'{"a":1}')


class Sleeps:
    """Passes pauses at once and remembers them."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def sleeps() -> Sleeps:
    """The pauses between attempts."""
    return Sleeps()


@pytest.fixture
def log() -> CapturingLogger:
    """What is logged."""
    return CapturingLogger()


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """A real client."""
    async with httpx2.AsyncClient() as each:
        yield each


@pytest.fixture
def retries(sleeps: Sleeps) -> Retries:
    """Three attempts that do not keep the test waiting."""
    backoff = Backoff(first_delay_s=1, max_delay_s=30)
    return Retries(max_attempts=3, backoff=backoff, sleep=sleeps)


def delivery_to(
    url: str,
    *,
    client: httpx2.AsyncClient,
    retries: Retries,
    log: CapturingLogger,
    key: bytes | None = None,
    timeout_s: float = 5,
) -> Delivery:
    """A delivery to a receiver."""
    return Delivery(
        client=client,
        url=url,
        key=key,
        timeout_s=timeout_s,
        retries=retries,
        logger=BoundLogger(log, [], {}),
    )


async def test_a_message_arrives_as_it_was_sent(
    client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """Body, type, id and a signature that can be checked."""
    async with Receiver() as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=retries, log=log, key=b"hush")
        taken = await delivery.deliver(MESSAGE)

    [request] = receiver.requests
    timestamp = int(request.headers["webhook-timestamp"])
    assert taken
    assert request.path == "/hook?token=hush"
    assert request.body == MESSAGE.body
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"] == "run-1"
    assert request.headers["webhook-signature"] == write_signature(
        MESSAGE, timestamp=timestamp, key=b"hush"
    )


async def test_without_a_secret_there_is_no_signature(
    client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """Nothing pretends to be signed."""
    async with Receiver() as receiver:
        await delivery_to(receiver.url, client=client, retries=retries, log=log).deliver(MESSAGE)

    assert "webhook-signature" not in receiver.requests[0].headers


@pytest.mark.parametrize("status", [500, 503, 429, 408, 425, 0])
async def test_passing_failures_get_a_retry(
    status: int, client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """Overload, time-outs and lost connections pass; the message keeps its id."""
    async with Receiver(statuses=[status, 200]) as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=retries, log=log)

        assert await delivery.deliver(MESSAGE)

    assert [each.headers["webhook-id"] for each in receiver.requests] == ["run-1"] * 2
    assert log.calls == []


@pytest.mark.parametrize("status", [301, 302, 400, 401, 404, 410, 413])
async def test_other_answers_are_final(
    status: int, client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """What is wrong stays wrong, and no redirect is followed."""
    tail = b"location: /elsewhere\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    async with Receiver(statuses=[status], tail=tail) as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=retries, log=log)

        assert not await delivery.deliver(MESSAGE)

    assert len(receiver.requests) == 1


async def test_attempts_are_bounded_and_further_and_further_apart(
    client: httpx2.AsyncClient, sleeps: Sleeps, retries: Retries, log: CapturingLogger
) -> None:
    """Three attempts with pauses of about one and two seconds, then one line in the log."""
    async with Receiver(statuses=[503]) as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=retries, log=log)

        assert not await delivery.deliver(MESSAGE)

    assert len(receiver.requests) == 3
    assert sleeps.seconds == [pytest.approx(1, rel=0.25), pytest.approx(2, rel=0.25)]
    [call] = log.calls
    assert call.kwargs["cause"] == "status 503"
    assert call.kwargs["message_id"] == "run-1"


async def test_the_address_is_never_logged(
    client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """Addresses of webhooks hold tokens."""
    async with Receiver() as receiver:
        url = receiver.url
    await delivery_to(url, client=client, retries=retries, log=log).deliver(MESSAGE)

    assert len(log.calls) == 1
    assert "hush" not in str(log.calls)


async def test_an_attempt_takes_no_longer_than_allowed(
    client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """A receiver that takes the message and says nothing costs a time-out per attempt."""
    async with Receiver(statuses=[None]) as receiver:
        delivery = delivery_to(
            receiver.url, client=client, retries=retries, log=log, timeout_s=0.05
        )

        assert not await delivery.deliver(MESSAGE)

    assert log.calls[0].kwargs["cause"] == "TimeoutError"


async def test_an_endless_answer_is_not_read(
    client: httpx2.AsyncClient, retries: Retries, log: CapturingLogger
) -> None:
    """The status is enough: a body that never ends holds up no delivery."""
    endless = b"content-length: 999999999\r\n\r\n" + b"x" * 100_000
    async with Receiver(statuses=[200], tail=endless) as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=retries, log=log)

        assert await delivery.deliver(MESSAGE)


async def test_cancellation_leaves_a_backoff(
    client: httpx2.AsyncClient, log: CapturingLogger
) -> None:
    """A caller that closes does not wait for the next attempt."""
    sleeping = asyncio.Event()

    async def sleep(seconds: float) -> None:
        del seconds
        sleeping.set()
        await asyncio.Event().wait()

    async with Receiver(statuses=[503]) as receiver:
        delivery = delivery_to(receiver.url, client=client, retries=Retries(sleep=sleep), log=log)
        task = asyncio.ensure_future(delivery.deliver(MESSAGE))
        await sleeping.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task


def test_the_backoff_has_a_bound() -> None:
    """However many attempts, the caller waits half a minute at most."""
    assert Retries().backoff.max_delay_s == 30
