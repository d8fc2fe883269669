"""Runs are told of behind their backs, and no run waits for a receiver."""

import asyncio
import json
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from pydantic import SecretStr
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import AgentResult, Hook, HookContext
from arc_core.command import AgentCommand
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.hook import HookConformance
from arc_core.timing.backoff import Backoff
from arc_plugins.hooks.webhook import WebhookSettings
from arc_plugins.hooks.webhook.delivery import Retries
from arc_plugins.hooks.webhook.hook import WebhookHook
from tests.arc_plugins.hooks.webhook.receiver import Receiver

DONE = AgentResult(success=True, content="Done.")
AT_ONCE = Backoff(first_delay_s=0, max_delay_s=0)
UNREACHABLE = "http://127.0.0.1:9/hook?token=hush"


@pytest.fixture
def log() -> CapturingLogger:
    """What is logged."""
    return CapturingLogger()


def hook_to(
    url: str,
    *,
    log: CapturingLogger,
    secret: str | None = "whisper",
    timeout_s: float = 5,
    max_waiting: int = 100,
    max_waiting_bytes: int = 1_000_000,
    attempts: int = 1,
) -> WebhookHook:
    """A hook that tells a receiver."""
    settings = WebhookSettings(
        url=SecretStr(url), secret=SecretStr(secret) if secret else None, timeout_s=timeout_s
    )
    return WebhookHook(
        settings=settings,
        logger=BoundLogger(log, [], {}),
        retries=Retries(max_attempts=attempts, backoff=AT_ONCE),
        max_waiting=max_waiting,
        max_waiting_bytes=max_waiting_bytes,
    )


def run(run_id: str) -> HookContext:
    """A run."""
    return HookContext(
        run_id=run_id, user_id="ann", user_prompt="Hi.", started_at=datetime.now(UTC)
    )


def events(log: CapturingLogger) -> Sequence[str]:
    """What was logged, without its fields."""
    return [call.kwargs["event"] for call in log.calls]


class TestConformance(HookConformance):
    """It is a hook like any other."""

    def make_hook(self) -> Hook:
        return hook_to(UNREACHABLE, log=CapturingLogger())


async def test_a_real_run_is_told_with_its_answer(log: CapturingLogger) -> None:
    """What the caller got is what the receiver gets, signed."""
    async with Receiver() as receiver, running(hook_to(receiver.url, log=log)) as hook:
        agent = scripted_agent(ScriptedChatModel(["Four."]), hooks=(hook,))
        result = await agent.execute(AgentCommand(user_prompt="2 + 2?"))
        await receiver.wait_for(bool)

    [request] = receiver.requests
    data = json.loads(request.body)["data"]
    assert (data["run_id"], data["content"]) == (result.run_id, "Four.")
    assert request.headers["webhook-signature"].startswith("v1,")
    assert log.calls == []


async def test_a_silent_receiver_delays_no_run(log: CapturingLogger) -> None:
    """Fifty runs end while the receiver has not answered the first."""
    async with Receiver(statuses=[None]) as receiver:
        hook = hook_to(receiver.url, log=log, timeout_s=0.2)
        async with running(hook):
            begin = time.monotonic()
            for number in range(50):
                await hook.after_agent_complete(run(f"run-{number}"), DONE)
            elapsed = time.monotonic() - begin

    assert elapsed < 5  # one after the other, ten


async def test_what_waits_is_bounded(log: CapturingLogger) -> None:
    """Memory does not grow with a receiver's absence; what is dropped is logged by its run."""
    hook = hook_to(UNREACHABLE, log=log, max_waiting=2)

    for number in range(4):
        await hook.after_agent_complete(run(f"run-{number}"), DONE)

    dropped = [call.kwargs["message_id"] for call in log.calls]
    assert dropped == ["run-2", "run-3"]


async def test_closing_sends_what_waits(log: CapturingLogger) -> None:
    """An application that ends in good order loses nothing."""
    async with Receiver() as receiver, running(hook_to(receiver.url, log=log)) as hook:
        for number in range(20):
            await hook.after_agent_complete(run(f"run-{number}"), DONE)

    assert {each.headers["webhook-id"] for each in receiver.requests} == {
        f"run-{number}" for number in range(20)
    }


async def test_closing_has_a_deadline(log: CapturingLogger) -> None:
    """A receiver that is silent for ever keeps no application alive; what is lost is logged."""
    async with Receiver(statuses=[None]) as receiver:
        hook = hook_to(receiver.url, log=log, timeout_s=0.1, attempts=1_000)
        async with running(hook):
            for number in range(6):
                await hook.after_agent_complete(run(f"run-{number}"), DONE)
            begin = time.monotonic()

    assert time.monotonic() - begin < 20  # all attempts, six hundred
    given_up = log.calls[-1].kwargs
    assert given_up["event"] == "webhooks given up at the end"
    assert given_up["message_ids"] == [f"run-{number}" for number in range(6)]


async def test_nothing_is_left_behind(log: CapturingLogger) -> None:
    """After the end there are no tasks of the hook's."""
    async with (
        Receiver(statuses=[503]) as receiver,
        running(hook_to(receiver.url, log=log, attempts=3)) as hook,
    ):
        await hook.after_agent_complete(run("run-1"), DONE)

    names = {task.get_name() for task in asyncio.all_tasks()}
    assert not any(name.startswith("arc-webhook") for name in names)
    assert events(log) == ["webhook not delivered"]


async def test_a_dead_receiver_that_comes_back_gets_the_next(log: CapturingLogger) -> None:
    """One failure does not end the sending."""
    async with (
        Receiver(statuses=[500, 204]) as receiver,
        running(hook_to(receiver.url, log=log)) as hook,
    ):
        await hook.after_agent_complete(run("run-1"), DONE)
        await receiver.wait_for(bool)
        await hook.after_agent_complete(run("run-2"), DONE)
        await receiver.wait_for(lambda requests: len(requests) == 2)

    assert receiver.requests[1].headers["webhook-id"] == "run-2"


async def test_an_unusable_address_keeps_no_message_waiting(log: CapturingLogger) -> None:
    """Even what no attempt survives is logged, and the next message is tried."""
    hook = hook_to("http://-\u00e9.example/", log=log)
    async with running(hook):
        await hook.after_agent_complete(run("run-1"), DONE)
        await hook.after_agent_complete(run("run-2"), DONE)

    assert len(log.calls) == 2
    assert "given up" not in str(log.calls)


async def test_a_missing_secret_is_said_once(log: CapturingLogger) -> None:
    """Receivers cannot check unsigned messages."""
    async with running(hook_to(UNREACHABLE, log=log, secret=None)):
        pass

    assert events(log) == ["webhook is not signed: webhook.secret is not set"]


def test_an_address_is_needed(log: CapturingLogger) -> None:
    """Without one there is nothing to wire."""
    with pytest.raises(ValueError, match=r"webhook\.url"):
        WebhookHook(settings=WebhookSettings(), logger=BoundLogger(log, [], {}))


async def test_what_waits_is_bounded_in_bytes(log: CapturingLogger) -> None:
    """A few huge messages fill the memory as well as many small ones do."""
    hook = hook_to(UNREACHABLE, log=log, max_waiting_bytes=25_000)

    for number in range(4):
        response = AgentResult(success=True, content="x" * 10_000)
        await hook.after_agent_complete(run(f"run-{number}"), response)

    dropped = [call.kwargs["message_id"] for call in log.calls]
    assert dropped == ["run-2", "run-3"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_told_and_not_followed(status: int, log: CapturingLogger) -> None:
    """The log names the host and what to do, and no token."""
    async with Receiver() as elsewhere, Receiver(statuses=[status]) as receiver:
        receiver.tail = f"location: {elsewhere.url}\r\ncontent-length: 0\r\n\r\n".encode()
        async with running(hook_to(receiver.url, log=log)) as hook:
            await hook.after_agent_complete(run("run-1"), DONE)
            await receiver.wait_for(bool)

    assert elsewhere.requests == []
    [call] = log.calls
    assert f"127.0.0.1:{receiver.port} redirects to" in call.kwargs["cause"]
    assert "set webhook.url to" in call.kwargs["cause"]
    assert "hush" not in str(call.kwargs)
