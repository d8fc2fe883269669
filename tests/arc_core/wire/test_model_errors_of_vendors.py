"""What an SDK and its transport raise, in Arc's words."""

import aiohttp
import httpx2
import pytest

from arc_core import (
    InvalidResponseError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitError,
)
from arc_core.wire.http_chat_model import PayloadError
from arc_core.wire.model_errors import TRANSPORT_COUNTERPARTS
from tests.arc_core.wire.http_chat_model.acme import ERRORS
from tests.arc_core.wire.transport_errors import caused, subclasses

REQUEST = httpx2.Request("POST", "https://ann:hush@acme.example/answers")


@pytest.mark.parametrize("error", [KeyError("index"), TypeError("not a dict"), AttributeError("x")])
def test_a_reply_without_form_says_what_to_check(error: Exception) -> None:
    """The name of a key alone tells a reader of the log nothing."""
    text = str(ERRORS.translate(error, secret=None))

    assert text.startswith(
        f"acme: the reply is not in the form of this API ({type(error).__name__}"
    )
    assert text.endswith("check that the server at llm.base_url speaks this API")


@pytest.mark.parametrize("library", [httpx2.HTTPError, httpx2.StreamError, aiohttp.ClientError])
def test_every_exception_of_the_transport_has_a_counterpart(library: type[Exception]) -> None:
    """Whatever it raises is more than an unusable payload."""
    for cls in subclasses(library):
        nearest = next(each for each in cls.__mro__ if each in TRANSPORT_COUNTERPARTS)
        assert nearest is not Exception


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (httpx2.ReadTimeout("slow", request=REQUEST), ModelTimeoutError),
        (
            caused(httpx2.ReadTimeout("slow", request=REQUEST), aiohttp.ServerDisconnectedError()),
            ModelUnavailableError,
        ),
        (
            caused(httpx2.ReadTimeout("slow", request=REQUEST), aiohttp.SocketTimeoutError()),
            ModelTimeoutError,
        ),
        (ConnectionResetError(), ModelUnavailableError),
        (ValueError("not JSON"), ModelUnavailableError),
        (KeyError("text"), InvalidResponseError),
        (caused(httpx2.ReadError("x", request=REQUEST), RateLimitError("own")), RateLimitError),
    ],
)
def test_an_exception_is_told_by_class(error: Exception, expected: type[ModelError]) -> None:
    """A connection that was lost is not a timeout, and an error of Arc's stays what it is."""
    assert type(ERRORS.translate(error, secret=None)) is expected


def test_a_server_that_is_not_reached_is_named() -> None:
    """Its address without credentials, the cause, and what to do."""
    refused = caused(httpx2.ConnectError("no", request=REQUEST), ConnectionRefusedError())

    error = ERRORS.translate(refused, secret=None)

    assert str(error).startswith("acme: https://acme.example cannot be reached: connection refused")
    assert "correct llm.base_url" in str(error)
    assert "hush" not in str(error)


def test_a_status_has_its_hint_and_its_headers() -> None:
    """How long to wait is in the headers of the response."""
    response = httpx2.Response(429, request=REQUEST, headers={"retry-after": "3"})
    refused = httpx2.HTTPStatusError("key sk-1 is busy", request=REQUEST, response=response)

    error = ERRORS.translate(refused, secret="sk-1")

    assert (type(error), error.retry_after_s) == (RateLimitError, 3)
    assert str(error) == "acme: key *** is busy (asked acme.example)"


@pytest.mark.parametrize(
    ("payload", "codes", "text"),
    [
        ({"code": 429, "type": "x", "message": "slow"}, ["429", "x"], "Error: 429 x - slow"),
        ({"message": "slow"}, [], "Error: - slow"),
        ("slow", [], "Error: - slow"),
    ],
)
def test_a_payload_may_be_an_error(payload: object, codes: list[str], text: str) -> None:
    """With the codes that it has."""
    error = PayloadError(payload)

    assert (error.codes, str(error)) == (codes, text)
