"""Credentials that the SDK finds: here the identity of a workload, exchanged for tokens."""

from pathlib import Path

import pytest

from arc_core import AuthenticationError, ChatRequest, ConfigurationError, UserMessage
from arc_core.settings import LlmSettings
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel

QUESTION = ChatRequest(messages=(UserMessage("Hi"),))
ANSWER = Reply.json({"content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"})
REFUSAL = Reply.json({"error": {"type": "authentication_error", "message": "no"}}, status=401)


def token(text: str) -> Reply:
    """What the exchange gives."""
    return Reply.json({"access_token": text, "token_type": "Bearer", "expires_in": 3600})


@pytest.fixture(autouse=True)
def _workload(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL", "PROFILE", "IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("ANTHROPIC_FEDERATION_RULE_ID", "fdrl_1")
    monkeypatch.setenv("ANTHROPIC_ORGANIZATION_ID", "org_1")
    monkeypatch.setenv("ANTHROPIC_IDENTITY_TOKEN", "identity")


async def test_a_token_is_fetched_once_and_sent(server: VendorServer) -> None:
    """It is the server's that is asked."""
    server.add(token("first"), ANSWER, ANSWER)
    model = AnthropicChatModel(settings=LlmSettings(base_url=server.url))

    for _ in range(2):
        await model.complete(QUESTION)
    await model.aclose()

    paths = [request.path for request in server.requests]
    assert paths == ["/v1/oauth/token", "/v1/messages", "/v1/messages"]
    assert server.requests[2].headers["authorization"] == "Bearer first"


async def test_a_token_that_is_refused_is_not_sent_again(server: VendorServer) -> None:
    """The call fails, and the next one fetches another token."""
    server.add(token("first"), REFUSAL, token("second"), ANSWER)
    model = AnthropicChatModel(settings=LlmSettings(base_url=server.url))

    with pytest.raises(AuthenticationError, match="401"):
        await model.complete(QUESTION)
    await model.complete(QUESTION)
    await model.aclose()

    assert server.requests[3].headers["authorization"] == "Bearer second"


async def test_a_failed_exchange_is_one_of_credentials(server: VendorServer) -> None:
    """It does not look like an answer without a form."""
    server.add(Reply.json({"error": "invalid_grant"}, status=400))
    model = AnthropicChatModel(settings=LlmSettings(base_url=server.url))

    with pytest.raises(AuthenticationError):
        await model.complete(QUESTION)
    await model.aclose()


async def test_a_profile_that_is_not_there_is_said_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the variable that names it."""
    monkeypatch.setenv("ANTHROPIC_PROFILE", "missing")

    with pytest.raises(ConfigurationError, match="ANTHROPIC_PROFILE"):
        await AnthropicChatModel(settings=LlmSettings()).start()
