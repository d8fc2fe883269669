"""No library that speaks HTTP logs a token, a password or a path of an address."""

import logging
from collections.abc import Awaitable, Callable

import httpx2
import pytest
from pydantic import SecretStr
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import AgentResult, ModelError
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_core.wire.guarded_client import redact_addresses
from arc_plugins.embedders.openai import OpenAIEmbedder
from arc_plugins.hooks.webhook import WebhookSettings
from arc_plugins.hooks.webhook.hook import WebhookHook
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from tests.arc_plugins.embedders.servers import options_at
from tests.arc_plugins.hooks.webhook.test_hook import run
from tests.wire.answers import QUESTION


@pytest.fixture(autouse=True)
def _unfiltered() -> None:
    """Loggers as a new process has them, so that each client has to see to them itself."""
    for name in logging.root.manager.loggerDict:
        logging.getLogger(name).filters.clear()


REFUSAL = Reply.json({"error": {"message": "no"}}, status=400, headers={"location": "/hush"})


async def ask_openai(url: str) -> None:
    """The chat model, on aiohttp."""
    model = OpenAIChatModel(settings=LlmSettings(base_url=url))
    with pytest.raises(ModelError):
        await model.complete(QUESTION)
    await model.aclose()


async def ask_anthropic(url: str) -> None:
    """The chat model, on aiohttp."""
    model = AnthropicChatModel(settings=LlmSettings(base_url=url))
    with pytest.raises(ModelError):
        await model.complete(QUESTION)
    await model.aclose()


async def embed(url: str) -> None:
    """The embedder, on aiohttp."""
    async with running(OpenAIEmbedder(**options_at(url))) as embedder:
        with pytest.raises(ModelError):
            await embedder.embed(["a"], kind="query")


async def notify(url: str) -> None:
    """httpx2 alone."""
    with_password = url.replace("://", "://ann:hush@")
    settings = WebhookSettings(
        url=SecretStr(f"{with_password}?token=hush"), secret=SecretStr("hush")
    )
    hook = WebhookHook(settings=settings, logger=BoundLogger(CapturingLogger(), [], {}))
    async with running(hook):
        await hook.after_agent_complete(run("r"), AgentResult(success=True, content="Done."))


@pytest.mark.parametrize("client", [ask_openai, ask_anthropic, embed, notify])
async def test_no_logger_tells_an_address_with_credentials(
    client: Callable[[str], Awaitable[None]], caplog: pytest.LogCaptureFixture
) -> None:
    """With everything logged, host and port are all that is told of an address."""
    caplog.set_level(logging.DEBUG)

    async with VendorServer(*[REFUSAL] * 3) as server:
        await client(f"{server.url}/hush")

    assert len(server.requests) == 1
    assert "hush" not in caplog.text


@pytest.mark.parametrize("name", ["aiohttp.client", "mcp.client.streamable_http", "httpx2"])
@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://ann:hush@host:81/hush?token=hush#hush", "https://host:81/***"),
        ("https://host", "https://host"),
        ("https://ann:hu/hush@host/x", "https://***"),
        ("HTTP://[::1]:81/hush", "HTTP://[::1]:81/***"),
    ],
)
def test_addresses_are_cut_in_messages_and_tracebacks(
    name: str, address: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A password may hold what ends an address: then nothing of it is told."""
    caplog.set_level(logging.DEBUG)
    logger = logging.getLogger(name)
    redact_addresses()

    logger.debug("asked %s", httpx2.URL(address) if "hu/" not in address else address)
    logger.error("failed", exc_info=ValueError(f"cannot ask {address}"))

    assert "hush" not in caplog.text
    assert caplog.text.lower().count(told.lower()) >= 2
