"""What is sent, and how it is signed."""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime

import pytest

from arc_core import AgentErrorCode, AgentResult, ConfigurationError, HookContext, TokenUsage
from arc_plugins.hooks.webhook.delivery import (
    WebhookMessage,
    derive_key,
    write_message,
    write_signature,
)

RUN = HookContext(
    run_id="run-1",
    user_id="ann",
    user_prompt="Wie spät ist es? \ud800",
    started_at=datetime(2026, 1, 2, tzinfo=UTC),
)


def test_the_body_tells_everything_about_a_run() -> None:
    """Who asked what, what came of it, which tools took part and what it cost."""
    response = AgentResult(
        success=True,
        content="Zwölf.",
        tools_used=("clock",),
        token_usage=TokenUsage(3, 2),
        duration_ms=1.23456,
    )

    body = json.loads(write_message(RUN, response).body)

    assert body["type"] == "run.completed"
    assert body["data"] == {
        "run_id": "run-1", "user_id": "ann", "session_id": None, "tenant_id": None,
        "user_prompt": "Wie spät ist es? \ud800", "started_at": "2026-01-02T00:00:00+00:00",
        "duration_ms": 1.235, "success": True, "content": "Zwölf.", "partial_content": None,
        "error_code": None, "error_message": None, "tools_used": ["clock"],
        "token_usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }  # fmt: skip


def test_a_failure_has_its_code() -> None:
    """Programs read the code, people the message."""
    response = AgentResult(
        success=False, error_code=AgentErrorCode.TIMEOUT, error_message="Too slow."
    )

    data = json.loads(write_message(RUN, response).body)["data"]

    assert (data["error_code"], data["error_message"]) == ("TIMEOUT", "Too slow.")
    assert data["token_usage"] is None


def test_the_id_is_that_of_the_run() -> None:
    """A receiver tells a repetition by it."""
    assert write_message(RUN, AgentResult(success=True)).message_id == "run-1"


def test_the_signature_is_that_of_the_specification() -> None:
    """Id, time and body are signed, so that none of them can be exchanged."""
    message, key = WebhookMessage("run-1", b'{"a":1}'), b"hush"
    digest = hmac.new(key, b'run-1.1700000000.{"a":1}', hashlib.sha256).digest()

    signature = write_signature(message, timestamp=1_700_000_000, key=key)

    assert signature == "v1," + base64.b64encode(digest).decode()


@pytest.mark.parametrize(
    ("secret", "key"),
    [("hush", b"hush"), ("whsec_aHVzaA==", b"hush"), ("schlüssel", "schlüssel".encode())],
)
def test_a_secret_is_a_key(secret: str, key: bytes) -> None:
    """Any text will do; `whsec_` announces Base64, as other senders write it."""
    assert derive_key(secret) == key


def test_a_garbled_secret_stops_the_start_and_is_not_shown() -> None:
    """The error names the setting and not the secret."""
    with pytest.raises(ConfigurationError, match=r"webhook\.secret") as caught:
        derive_key("whsec_not base64!")

    assert "not base64" not in str(caught.value)
