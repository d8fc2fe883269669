"""Every status and every exception of the transport has a counterpart."""

import httpx2
import pytest
from anthropic._error_classes import ERROR_CLASSES

from arc_core import errors
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.anthropic.errors import ERRORS
from tests.arc_core.wire.transport_errors import TRANSPORT_ERRORS
from tests.arc_plugins.models.refusals import refusal

SPENT = [code for status, code in ERROR_CLASSES if status == 429 and code is not None]
"""The spend limits that the SDK knows."""


def status_error(
    status: int, message: str = "", error_type: str = "", code: str | None = None
) -> httpx2.HTTPStatusError:
    """What the server answers with a status."""
    error = {"type": error_type, "message": message, "details": {"error_code": code}}
    return refusal(status, {"type": "error", "error": error}, **{"retry-after": "4"})


def type_of(error: Exception) -> type[errors.ModelError]:
    """The counterpart of an exception."""
    return type(ERRORS.translate(error, secret=None))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, errors.InvalidRequestError),
        (401, errors.AuthenticationError),
        (402, errors.QuotaExceededError),
        (403, errors.AuthenticationError),
        (404, errors.InvalidRequestError),
        (408, errors.ModelTimeoutError),
        (409, errors.ModelUnavailableError),
        (413, errors.ContextTooLongError),
        (418, errors.InvalidRequestError),
        (422, errors.InvalidRequestError),
        (429, errors.RateLimitError),
        (499, errors.ModelUnavailableError),
        (503, errors.ModelUnavailableError),
        (504, errors.ModelUnavailableError),
        (529, errors.ModelOverloadedError),
    ],
)
def test_the_status_decides(status: int, expected: type[errors.ModelError]) -> None:
    """Whatever else the body says."""
    assert type_of(status_error(status)) is expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("prompt is too long: 208310 tokens > 200000 maximum", errors.ContextTooLongError),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
            errors.ContextTooLongError,
        ),
        ("your prompt is too long for me to like it", errors.InvalidRequestError),
    ],
)
def test_a_prompt_that_is_too_long_is_known_by_its_documented_form(
    message: str, expected: type[errors.ModelError]
) -> None:
    """The API has no code for it."""
    assert type_of(status_error(400, message, "invalid_request_error")) is expected
    assert type_of(PayloadError({"type": "invalid_request_error", "message": message})) is expected


@pytest.mark.parametrize("code", SPENT)
def test_spend_limits_are_for_good(code: str) -> None:
    """They arrive like rate limits; one that is new in the SDK fails this test."""
    assert type_of(status_error(429, code=code)) is errors.QuotaExceededError


def test_the_message_is_told() -> None:
    """Behind the status, as the server writes it."""
    text = str(ERRORS.translate(status_error(400, "max_tokens: too large"), secret=None))

    assert text == "anthropic: Error code: 400 - max_tokens: too large"


@pytest.mark.parametrize(
    ("error_type", "expected"),
    [
        ("overloaded_error", errors.ModelOverloadedError),
        ("rate_limit_error", errors.RateLimitError),
        ("api_error", errors.ModelUnavailableError),
        ("timeout_error", errors.ModelTimeoutError),
        ("authentication_error", errors.AuthenticationError),
        ("billing_error", errors.QuotaExceededError),
        ("request_too_large", errors.ContextTooLongError),
        ("brand_new_error", errors.ModelUnavailableError),
    ],
)
def test_payloads_are_told_by_type(error_type: str, expected: type[errors.ModelError]) -> None:
    """An error in a stream has a status of success."""
    assert type_of(PayloadError({"type": error_type, "message": "x"})) is expected


@pytest.mark.parametrize(("error", "expected"), TRANSPORT_ERRORS)
def test_transport_errors_are_told_by_class(
    error: Exception, expected: type[errors.ModelError]
) -> None:
    """Whether there was a response or none."""
    assert type_of(error) is expected


def test_the_wait_is_read_from_the_headers() -> None:
    """It travels with the error."""
    assert ERRORS.translate(status_error(429), secret=None).retry_after_s == 4
