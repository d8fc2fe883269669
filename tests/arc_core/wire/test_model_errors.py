"""From statuses, headers and exceptions to `ModelError`s, without secrets."""

import traceback

import pytest

from arc_core import (
    AgentErrorCode,
    InvalidResponseError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from arc_core.wire import error_of_status, find_counterpart, model_error, redact

KEY = "sk-very-secret"


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (400, AgentErrorCode.UNKNOWN, False),
        (401, AgentErrorCode.AUTHENTICATION, False),
        (402, AgentErrorCode.RATE_LIMITED, False),
        (403, AgentErrorCode.AUTHENTICATION, False),
        (404, AgentErrorCode.UNKNOWN, False),
        (408, AgentErrorCode.TIMEOUT, True),
        (409, AgentErrorCode.UNAVAILABLE, True),
        (413, AgentErrorCode.CONTEXT_TOO_LONG, False),
        (418, AgentErrorCode.UNKNOWN, False),
        (422, AgentErrorCode.UNKNOWN, False),
        (429, AgentErrorCode.RATE_LIMITED, True),
        (500, AgentErrorCode.UNAVAILABLE, True),
        (502, AgentErrorCode.UNAVAILABLE, True),
        (503, AgentErrorCode.UNAVAILABLE, True),
        (504, AgentErrorCode.UNAVAILABLE, True),
        (529, AgentErrorCode.OVERLOADED, True),
    ],
)
def test_a_status_has_a_code(status: int, code: AgentErrorCode, *, retryable: bool) -> None:
    """Every status of a refusal says what people are told and whether it is tried again."""
    error_type = error_of_status(status)

    assert (error_type.code, error_type.retryable) == (code, retryable)


def test_the_nearest_ancestor_decides() -> None:
    """A class without an entry has its parent's counterpart."""
    table: dict[type[Exception], type[ModelError]] = {
        Exception: InvalidResponseError,
        OSError: ModelUnavailableError,
        TimeoutError: ModelTimeoutError,
    }

    found = [
        find_counterpart(error, table) for error in (KeyError(), ConnectionError(), TimeoutError())
    ]

    assert found == [InvalidResponseError, ModelUnavailableError, ModelTimeoutError]


def test_headers_say_when_to_retry() -> None:
    """The wait a vendor asks for travels with the error."""
    error = model_error(ModelUnavailableError, "busy", {"retry-after": "3"})

    assert (error.retry_after_s, error.retryable) == (3, True)


@pytest.mark.parametrize("answer", ["true", "false"])
def test_a_vendor_may_decide_about_retries(answer: str) -> None:
    """`x-should-retry` goes before what the status usually means, for this error alone."""
    error = model_error(ModelUnavailableError, "busy", {"x-should-retry": answer})

    assert error.retryable is (answer == "true")
    assert ModelUnavailableError.retryable


def test_messages_are_bounded() -> None:
    """A page of HTML does not fill the log."""
    assert len(str(model_error(ModelUnavailableError, "x" * 10_000))) == 500


def test_secrets_are_taken_out_of_an_exception_and_its_text() -> None:
    """Servers echo keys; neither our error nor the logged cause shows them."""
    cause = RuntimeError(f"Incorrect API key provided: {KEY}", 401)

    text = redact(cause, KEY)

    assert KEY not in text + "".join(traceback.format_exception(cause))
    assert "Incorrect API key provided: ***" in text


@pytest.mark.parametrize("secret", [None, ""])
def test_without_a_secret_nothing_is_changed(secret: str | None) -> None:
    """The text stays as it is."""
    assert redact(RuntimeError("plain"), secret) == "plain"
