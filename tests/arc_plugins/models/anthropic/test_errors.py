"""Every exception of the SDK and of its transport has a counterpart."""

import anthropic
import httpx2
import pytest
from anthropic._error_classes import ERROR_CLASSES

from arc_core import errors
from arc_core.wire.http_chat_model import PayloadError
from arc_core.wire.model_errors import TRANSPORT_COUNTERPARTS
from arc_plugins.models.anthropic.errors import ERRORS
from tests.arc_core.wire.transport_errors import TRANSPORT_ERRORS, subclasses

COUNTERPARTS = {**TRANSPORT_COUNTERPARTS, **ERRORS.counterparts}
REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/messages")
ROOTS = {anthropic.AnthropicError, anthropic.APIError, anthropic.APIStatusError}
NOT_FROM_A_MESSAGES_REQUEST = {
    "APIWebhookValidationError",
    "MissingDependencyError",
    "MutuallyExclusiveAuthError",
    "StreamAlreadyConsumed",
    "ToolsetClosedError",
    "ToolsetConfigError",
    "ToolsetContractError",
    "ToolsetUsageError",
    "ToolsetsFixedError",
}


def status_error(status: int, message: str = "", error_type: str = "") -> anthropic.APIStatusError:
    """What the SDK raises for a status."""
    body = {"type": "error", "error": {"type": error_type, "message": message}}
    response = httpx2.Response(status, request=REQUEST, headers={"retry-after": "4"})
    error_class = ERROR_CLASSES.get((status, None), anthropic.APIStatusError)
    return error_class(f"Error code: {status} - {body}", response=response, body=body)


def type_of(error: Exception) -> type[errors.ModelError]:
    """The counterpart of an exception."""
    return type(ERRORS.translate(error, secret=None))


def test_every_exception_of_the_sdk_has_a_counterpart() -> None:
    """A class that is new in the SDK has no place here yet, and fails this test."""
    strangers = {
        cls.__name__
        for cls in subclasses(anthropic.AnthropicError)
        if next(each for each in cls.__mro__ if each in COUNTERPARTS) in ROOTS
    }

    assert strangers - {root.__name__ for root in ROOTS} <= NOT_FROM_A_MESSAGES_REQUEST


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
def test_the_class_of_a_status_decides(status: int, expected: type[errors.ModelError]) -> None:
    """The SDK has a class for most, and the status decides for the rest."""
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


@pytest.mark.parametrize(
    "cls",
    [
        anthropic.ContractSpendLimitReachedError,
        anthropic.EnforcedSpendLimitReachedError,
        anthropic.RampLimitExceededError,
        anthropic.LinkedOrganizationSpendLimitReachedError,
    ],
)
def test_spend_limits_are_for_good(cls: type[anthropic.APIStatusError]) -> None:
    """They arrive like rate limits."""
    error = cls("Error", response=httpx2.Response(429, request=REQUEST), body=None)

    assert type_of(error) is errors.QuotaExceededError


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


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (anthropic.APITimeoutError(REQUEST), errors.ModelTimeoutError),
        (anthropic.APIConnectionError(request=REQUEST), errors.ModelUnavailableError),
        *TRANSPORT_ERRORS,
    ],
)
def test_transport_errors_are_told_by_class(
    error: Exception, expected: type[errors.ModelError]
) -> None:
    """The SDK lets the transport's own errors through in the middle of a stream."""
    assert type_of(error) is expected


def test_the_wait_is_read_from_the_headers() -> None:
    """It travels with the error."""
    assert ERRORS.translate(status_error(429), secret=None).retry_after_s == 4
