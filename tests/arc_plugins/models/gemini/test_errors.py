"""Gemini's errors, by the reason in their details, else by their status."""

from typing import Any

import pytest

from arc_core import errors
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.gemini.errors import ERRORS
from tests.arc_plugins.models.refusals import refusal


def quota(name: str) -> dict[str, Any]:
    """A refusal for a quota."""
    details = [{"violations": [{"quotaId": name}]}, {"retryDelay": "2.5s"}]
    return {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow", "details": details}


@pytest.mark.parametrize(
    ("quota_id", "expected"),
    [
        ("GenerateRequestsPerDayPerProject", errors.QuotaExceededError),
        ("GenerateRequestsPerMinutePerProject", errors.RateLimitError),
    ],
)
@pytest.mark.parametrize("is_list", [False, True])
def test_a_quota_of_a_day_is_not_waited_for(
    quota_id: str, expected: type[errors.ModelError], *, is_list: bool
) -> None:
    """Another one is, for as long as the details say; Vertex AI sends lists of one."""
    body = {"error": quota(quota_id)}

    error = ERRORS.translate(refusal(429, [body] if is_list else body), secret=None)

    assert type(error) is expected
    assert error.retry_after_s == 2.5


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"code": 499, "status": "CANCELLED"}, errors.ModelUnavailableError),
        ({"code": 429}, errors.RateLimitError),
        ({"code": 504, "status": "DEADLINE_EXCEEDED"}, errors.ModelTimeoutError),
        ({"details": [{"reason": "API_KEY_INVALID"}], "code": 400}, errors.AuthenticationError),
        ({"details": "none", "code": "none"}, errors.ModelUnavailableError),
        ("none", errors.ModelUnavailableError),
    ],
)
def test_an_error_in_a_stream_counts_alike(
    facts: object, expected: type[errors.ModelError]
) -> None:
    """Its code stands for the status."""
    assert type(ERRORS.translate(PayloadError(facts), secret=None)) is expected


@pytest.mark.parametrize(
    ("status", "facts", "hint"),
    [
        (400, {"status": "FAILED_PRECONDITION"}, "enable billing"),
        (404, {"message": "models/m is not found"}, r"correct llm\.model"),
        (404, None, r"correct llm\.base_url"),
    ],
)
def test_an_error_says_what_to_do(status: int, facts: Any, hint: str) -> None:
    """Where the vendor's message does not."""
    error = ERRORS.translate(refusal(status, facts and {"error": facts}), secret=None)

    assert hint.replace("\\", "") in str(error)
