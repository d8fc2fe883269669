"""Vendors' models at hosts on loopback, with credentials that are good for these alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arc_core import Host
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.hosts.azure.host import AzureHost
from arc_plugins.hosts.bedrock.host import BedrockHost
from arc_plugins.hosts.vertex.host import VertexHost
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.hosts.bedrock.test_eventstream import chunk
from tests.arc_plugins.hosts.vertex.accounts import write_account
from tests.wire.models import VendorModel, started

AT_HOSTS: dict[str, tuple[str, type[VendorModel]]] = {
    "azure-chat": ("azure", OpenAIChatModel),
    "azure-responses": ("azure", OpenAIResponsesChatModel),
    "azure-messages": ("azure", AnthropicChatModel),
    "bedrock-messages": ("bedrock", AnthropicChatModel),
    "bedrock-chat": ("bedrock", OpenAIChatModel),
    "bedrock-responses": ("bedrock", OpenAIResponsesChatModel),
    "vertex-messages": ("vertex", AnthropicChatModel),
    "vertex-gemini": ("vertex", GeminiChatModel),
}
"""Every API that a host speaks, with the model that speaks it."""

AWS_SECRET = "wJalrXUtnFEMI/K7MDENG"
AZURE_KEY = "key-of-azure"
EVENTSTREAM = "application/vnd.amazon.eventstream"


def give_credentials(patch: pytest.MonkeyPatch, folder: Path, *, tokens: VendorServer) -> None:
    """Credentials of all three; Google's token is `ya29.token` from `tokens`."""
    patch.setenv("AZURE_OPENAI_API_KEY", AZURE_KEY)
    patch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    patch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    patch.setenv("AWS_SECRET_ACCESS_KEY", AWS_SECRET)
    patch.setenv("AWS_SESSION_TOKEN", "session/token")
    account = folder / "account.json"
    write_account(account, token_uri=f"{tokens.url}/token")
    patch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(account))


def google_token() -> Reply:
    """The answer of Google's server of tokens."""
    return Reply.json({"access_token": "ya29.token", "expires_in": 3600, "token_type": "Bearer"})


def frames_of(events: bytes) -> Reply:
    """A stream of Anthropic's events in Amazon's frames."""
    lines = [each for each in events.splitlines() if each.startswith(b"data: ")]
    body = b"".join(chunk(each.removeprefix(b"data: ")) for each in lines)
    return Reply(body=body, content_type=EVENTSTREAM)


def make_hosts() -> tuple[Host, ...]:
    """New ones, which know no credentials yet."""
    return AzureHost(), BedrockHost(), VertexHost()


@asynccontextmanager
async def asking_host(
    server: VendorServer, model_type: type[VendorModel], host: str, **llm: Any
) -> AsyncIterator[VendorModel]:
    """A started model at a host that is `server`."""
    given = {"model": "m:1", "region": "us-east-1", "project": "p", **llm}
    settings = LlmSettings(base_url=server.url, host=host, **given)
    async with started(model_type(settings=settings, hosts=make_hosts()), server) as model:
        yield model
