"""Every status and every exception of the transport has a counterpart."""

from typing import get_args

import aiohttp
import httpx2
import pytest
from openai.types.responses import ResponseError

from arc_core import errors
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.errors import ERRORS
from tests.arc_core.wire.transport_errors import TRANSPORT_ERRORS, caused
from tests.arc_plugins.models.refusals import refusal


def type_of(error: Exception) -> type[errors.ModelError]:
    """The counterpart of an exception."""
    return type(ERRORS.translate(error, secret=None))


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, {"code": "context_length_exceeded"}, errors.ContextTooLongError),
        (400, {"code": 400, "type": "exceed_context_size_error"}, errors.ContextTooLongError),
        (400, {"code": "content_filter"}, errors.RefusedError),
        (400, {"code": "invalid_value"}, errors.InvalidRequestError),
        (400, "a text", errors.InvalidRequestError),
        (400, ["a list"], errors.InvalidRequestError),
        (401, {"type": "invalid_request_error"}, errors.AuthenticationError),
        (402, None, errors.QuotaExceededError),
        (404, {"code": "model_not_found"}, errors.InvalidRequestError),
        (408, None, errors.ModelTimeoutError),
        (429, {"code": "insufficient_quota"}, errors.QuotaExceededError),
        (429, {"type": "insufficient_quota"}, errors.QuotaExceededError),
        (429, {"code": "rate_limit_exceeded"}, errors.RateLimitError),
        (500, None, errors.ModelUnavailableError),
        (529, None, errors.ModelOverloadedError),
    ],
)
def test_status_and_code_decide(
    status: int, body: object, expected: type[errors.ModelError]
) -> None:
    """The code where it is more precise, else the status; the text never, below `error` or not."""
    bodies = ({"error": body}, body)

    assert {type_of(refusal(status, each)) for each in bodies} == {expected}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"code": 429, "message": "slow"}, errors.RateLimitError),
        ({"code": "502", "message": "bad"}, errors.ModelUnavailableError),
        ({"code": None, "type": "overloaded_error"}, errors.ModelOverloadedError),
        ({"type": "rate_limit_exceeded"}, errors.RateLimitError),
        ({"code": "context_length_exceeded"}, errors.ContextTooLongError),
        ({"code": "invalid_api_key"}, errors.AuthenticationError),
        ({"type": "server_error"}, errors.ModelUnavailableError),
        ({"code": 3}, errors.ModelUnavailableError),
        ("a text", errors.ModelUnavailableError),
        (None, errors.ModelUnavailableError),
    ],
)
def test_payloads_without_status_are_told_by_code(
    payload: object, expected: type[errors.ModelError]
) -> None:
    """An error in a stream has a status of success, and its code may be a number or a text."""
    assert type_of(PayloadError(payload)) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            caused(httpx2.ReadTimeout("gone"), aiohttp.ServerDisconnectedError()),
            errors.ModelUnavailableError,
        ),
        (
            caused(httpx2.ReadTimeout("slow"), aiohttp.SocketTimeoutError()),
            errors.ModelTimeoutError,
        ),
        *TRANSPORT_ERRORS,
        (KeyError("choices"), errors.InvalidResponseError),
    ],
)
def test_transport_errors_are_told_by_class(
    error: Exception, expected: type[errors.ModelError]
) -> None:
    """A lost connection that the aiohttp backend calls a time-out is a lost connection."""
    assert type_of(error) is expected


def test_the_wait_is_read_from_the_headers() -> None:
    """Milliseconds go before seconds."""
    error = ERRORS.translate(
        refusal(429, **{"retry-after-ms": "250", "retry-after": "9"}), secret=None
    )

    assert error.retry_after_s == 0.25


TOO_LONG = (
    "This model's maximum context length is 4096 tokens. However, you requested 8000 tokens "
    "(3904 in the messages, 4096 in the completion)."
)


@pytest.mark.parametrize(
    ("message", "code", "expected"),
    [
        (TOO_LONG, 400, errors.ContextTooLongError),
        (TOO_LONG, None, errors.ContextTooLongError),
        (TOO_LONG, "invalid_value", errors.InvalidRequestError),
        ("The maximum context length is long", 400, errors.InvalidRequestError),
    ],
)
def test_vllm_says_in_words_alone_that_a_request_is_too_long(
    message: str, code: object, expected: type[errors.ModelError]
) -> None:
    """The text counts only for status 400 and only without a code of the vendor's."""
    assert type_of(refusal(400, {"message": message, "code": code})) is expected


def test_vllm_says_the_same_in_a_stream() -> None:
    """There, the status is the code of the payload."""
    assert type_of(PayloadError({"code": 400, "message": TOO_LONG})) is errors.ContextTooLongError


def test_an_error_of_arc_that_the_transport_wrapped_stays_what_it_is() -> None:
    """A bounded reply is not a lost connection."""
    wrapped = caused(httpx2.ReadError("lost"), errors.InvalidResponseError("too large"))

    assert type_of(wrapped) is errors.InvalidResponseError


@pytest.mark.parametrize(
    ("path", "body", "is_named"),
    [("", None, True), ("/v1", None, False), ("", {"code": "model_not_found"}, False)],
)
def test_a_missing_version_in_the_address_is_named(
    path: str, body: object, *, is_named: bool
) -> None:
    """Status 404 at a base URL without /v1 says so, unless the vendor says what is missing."""
    address = f"http://ann:hush@127.0.0.1:81{path}/chat/completions"

    error = ERRORS.translate(refusal(404, body, address=address), secret=None)

    assert ("(asked http://127.0.0.1:81)" in str(error)) is is_named
    assert ("llm.base_url has no /v1" in str(error)) is is_named
    assert "hush" not in str(error)


def test_a_server_without_responses_is_named() -> None:
    """Status 404 behind /v1 says which setting asks through the older API."""
    missing = refusal(404, address="http://127.0.0.1:81/v1/responses")

    error = ERRORS.translate(missing, secret=None)

    assert 'set llm.api to "chat"' in str(error)


def test_every_code_of_a_failed_response_has_a_counterpart() -> None:
    """A code that is new in the SDK has no place here yet, and fails this test."""
    codes = get_args(ResponseError.model_fields["code"].annotation)

    kinds = {code: type_of(PayloadError({"code": code, "message": "no"})) for code in codes}

    unavailable = {code for code, kind in kinds.items() if kind is errors.ModelUnavailableError}
    assert unavailable == {"server_error"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("rate_limit_exceeded", errors.RateLimitError),
        ("invalid_prompt", errors.RefusedError),
        ("image_too_large", errors.InvalidRequestError),
        ("vector_store_timeout", errors.ModelTimeoutError),
        ("news", errors.ModelUnavailableError),
    ],
)
def test_a_code_of_a_failed_response_has_its_kind(
    code: str, expected: type[errors.ModelError]
) -> None:
    """It arrives without a status."""
    assert type_of(PayloadError({"code": code, "message": "no"})) is expected
