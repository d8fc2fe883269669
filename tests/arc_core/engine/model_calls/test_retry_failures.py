"""From exceptions to codes: types first, texts only for what was not translated."""

from itertools import pairwise

import pytest

from arc_core import (
    AgentErrorCode,
    AuthenticationError,
    IncompleteStreamError,
    ModelError,
    QuotaExceededError,
    RateLimitError,
)
from arc_core.engine.model_calls.retry import Failure, classify

LIMITED = Failure(AgentErrorCode.RATE_LIMITED, retryable=True)
UNAVAILABLE = Failure(AgentErrorCode.UNAVAILABLE, retryable=True)
TIMEOUT = Failure(AgentErrorCode.TIMEOUT, retryable=True)
OVERLOADED = Failure(AgentErrorCode.OVERLOADED, retryable=True)
AUTHENTICATION = Failure(AgentErrorCode.AUTHENTICATION)
TOO_LONG = Failure(AgentErrorCode.CONTEXT_TOO_LONG)
TOOL = Failure(AgentErrorCode.TOOL_ERROR)
UNKNOWN = Failure(AgentErrorCode.UNKNOWN)


def chained(*errors: BaseException) -> BaseException:
    """The first error, caused by the second, and so on."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (RateLimitError(), LIMITED),
        (QuotaExceededError(), Failure(AgentErrorCode.RATE_LIMITED)),
        (IncompleteStreamError(), UNAVAILABLE),
        (AuthenticationError(), AUTHENTICATION),
        (ModelError(), UNKNOWN),
        (ConnectionResetError(), UNAVAILABLE),
        (TimeoutError(), TIMEOUT),
        (ValueError("no idea"), UNKNOWN),
    ],
    ids=repr,
)
def test_the_type_decides(error: Exception, failure: Failure) -> None:
    """Code and retryability are read off the class."""
    assert classify(error) == failure


def test_the_type_decides_against_the_text() -> None:
    """What a plugin has translated is not read again."""
    assert classify(AuthenticationError("429 rate limit, 503, timed out")) == AUTHENTICATION


def test_the_vendors_wish_is_kept() -> None:
    """`retry_after_s` comes along."""
    assert classify(RateLimitError(retry_after_s=7)).retry_after_s == 7


def test_a_429_three_causes_deep_is_a_rate_limit() -> None:
    """The whole chain of causes is looked at, and the translated error in it wins."""
    error = chained(ValueError("bad"), KeyError("x"), RuntimeError("y"), RateLimitError("429"))

    assert classify(error) == LIMITED


def test_a_text_three_causes_deep_is_read() -> None:
    """So are the texts of the chain, if no type says anything."""
    error = chained(ValueError("bad"), KeyError("x"), RuntimeError("HTTP 429"))

    assert classify(error) == LIMITED


def test_what_an_exception_came_up_during_counts_too() -> None:
    """A bug while a rate limit was handled does not hide the rate limit."""
    error = ValueError("in the handler")
    error.__context__ = RateLimitError()

    assert classify(error) == LIMITED


def test_what_was_suppressed_does_not_count() -> None:
    """`raise … from None` says that the context has nothing to do with it."""
    error = ValueError("unrelated")
    error.__context__, error.__suppress_context__ = RateLimitError(), True

    assert classify(error) == UNKNOWN


def test_the_exceptions_of_a_group_count() -> None:
    """Libraries with task groups raise groups."""
    assert classify(ExceptionGroup("several", [RateLimitError(), ValueError()])) == LIMITED
    assert classify(ExceptionGroup("several", [ValueError(), RateLimitError()])) == LIMITED


def test_a_chain_that_bites_its_tail_ends() -> None:
    """Causes that go round in a circle are looked at once."""
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one

    assert classify(one) == UNKNOWN


class UnprintableError(Exception):
    """Fails to describe itself."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_an_exception_without_a_text_is_unknown() -> None:
    """Reading the text of an exception cannot fail the run in its turn."""
    assert classify(UnprintableError()) == UNKNOWN


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("Rate limit reached for requests", LIMITED),
        ("rate_limit_error", LIMITED),
        ("Too Many Requests", LIMITED),
        ("429", LIMITED),
        ("429: slow down", LIMITED),
        ("Error code: 429 - {'error': …}", LIMITED),
        ("status_code=429", LIMITED),
        ("HTTP/1.1 429", LIMITED),
        ("Client error '429 Too Many Requests' for url", LIMITED),
        ("Request timed out.", TIMEOUT),
        ("Read timeout", TIMEOUT),
        ("time-out", TIMEOUT),
        ("status 504", TIMEOUT),
        ("This model's maximum context length is 8192 tokens", TOO_LONG),
        ("prompt is too long: 210000 tokens", TOO_LONG),
        ("context window exceeded", TOO_LONG),
        ("401 Unauthorized", AUTHENTICATION),
        ("Invalid API key provided", AUTHENTICATION),
        ("status: 403", AUTHENTICATION),
        ("403 Client Error: Forbidden for url", AUTHENTICATION),
        ("Overloaded", OVERLOADED),
        ("Error 529", OVERLOADED),
        ("500", UNAVAILABLE),
        ("500 Internal Server Error", UNAVAILABLE),
        ("HTTP 503", UNAVAILABLE),
        ("statusCode: 502", UNAVAILABLE),
        ("bad gateway", UNAVAILABLE),
        ("Connection refused", UNAVAILABLE),
        ("connection reset by peer", UNAVAILABLE),
        ("tool call failed", TOOL),
    ],
)
def test_the_text_of_an_untranslated_exception_decides(text: str, failure: Failure) -> None:
    """Words and status codes at their places are understood."""
    assert classify(RuntimeError(text)) == failure


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Processed 500 records",
        "500 records processed",
        "429 rows",
        "order 503 not found",
        "decode 500",
        "port 5000",
        "1429",
        "4290",
        "barcode 500",
        "the tool is blunt",
        "stool call failed",
        "pirate limits",
        "runtime outside",
        "contextual length",
        "unoverloaded",
    ],
)
def test_numbers_and_words_elsewhere_mean_nothing(text: str) -> None:
    """A number that is not a status, and a word within a word, do not classify."""
    assert classify(RuntimeError(text)) == UNKNOWN
