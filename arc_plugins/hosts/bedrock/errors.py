"""Errors of Amazon's, by their types."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial

from arc_core import HostExplanation, HostFailure, errors

_IN_REGION = (
    "enable the model for this account in the console of Bedrock, in the region of llm.region, or "
    "set llm.model to an inference profile that has it"
)
_NEW_CREDENTIALS = "renew the credentials of AWS, and see that they are of this partition"

_no_access = partial(HostExplanation, error_type=errors.AuthenticationError)
_TYPES: dict[str, HostExplanation] = {
    "AccessDeniedException": _no_access(remedy=f"{_IN_REGION}; the role needs bedrock:InvokeModel"),
    "ResourceNotFoundException": _no_access(remedy=_IN_REGION),
    "UnrecognizedClientException": _no_access(
        remedy=f"{_NEW_CREDENTIALS}, and correct llm.region", is_credential=True
    ),
    "ExpiredTokenException": _no_access(remedy=_NEW_CREDENTIALS, is_credential=True),
    "IncompleteSignatureException": _no_access(remedy=_NEW_CREDENTIALS),
    "InvalidSignatureException": _no_access(
        remedy="set the clock of this machine, and see that llm.region is that of the address and "
        "that no proxy changes requests"
    ),
    "SubscriptionRequiredException": _no_access(remedy="subscribe the account to Bedrock"),
    "ThrottlingException": HostExplanation(error_type=errors.RateLimitError),
    "TooManyRequestsException": HostExplanation(error_type=errors.RateLimitError),
    "ServiceQuotaExceededException": HostExplanation(
        error_type=errors.QuotaExceededError, remedy="raise the quota of the account for this model"
    ),
    "ModelTimeoutException": HostExplanation(error_type=errors.ModelTimeoutError),
    "ModelNotReadyException": HostExplanation(error_type=errors.ModelUnavailableError),
    "ModelErrorException": HostExplanation(error_type=errors.ModelUnavailableError),
    "ModelStreamErrorException": HostExplanation(error_type=errors.ModelUnavailableError),
    "InternalServerException": HostExplanation(error_type=errors.ModelUnavailableError),
    "InternalFailure": HostExplanation(error_type=errors.ModelUnavailableError),
    "ServiceUnavailableException": HostExplanation(error_type=errors.ModelOverloadedError),
    "ValidationException": HostExplanation(
        error_type=errors.InvalidRequestError,
        remedy="if it is about the model, set llm.model to an id or an inference profile that "
        "llm.region has",
    ),
}
_TYPES |= {"ExpiredToken": _TYPES["ExpiredTokenException"]}
_OF_CLOCKS = ("InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed")
_TYPES |= dict.fromkeys(_OF_CLOCKS, _TYPES["InvalidSignatureException"])
_TYPES |= {"UnauthorizedException": _TYPES["UnrecognizedClientException"]}

# The type does not tell it from other requests that are not valid; these are the documented words.
_TOO_LONG = re.compile(r"[Ii]nput [Tt]okens? [Ee]xceeded|[Ii]nput is too long|prompt is too long")


def explain(failure: HostFailure) -> HostExplanation:
    """Say what an error means, by the type in its header, or in the frame of a stream."""
    name = find_type(failure)
    if name in {"", "ValidationException"} and _TOO_LONG.search(
        failure.body.decode("utf-8", "replace")
    ):
        return HostExplanation(error_type=errors.ContextTooLongError)
    return _TYPES.get(name, HostExplanation())


CLOCK_TOLERANCE = timedelta(minutes=4)
"""Amazon takes signatures that are five minutes old, or as far ahead."""


def find_clock_offset(failure: HostFailure, *, now: datetime) -> timedelta | None:
    """Find how far the server's clock is ahead of this machine's, if an error may be about that.

    Args:
        failure: Its header `Date` is the server's time.
        now: By the clock of this machine, with its zone.

    Returns:
        Zero if the clocks agree; None if the error is about something else, or has no time.
    """
    if find_type(failure) not in _OF_CLOCKS:
        return None
    try:
        said = parsedate_to_datetime(failure.headers.get("date", ""))
        offset = said.replace(tzinfo=said.tzinfo or UTC) - now
    except (ValueError, OverflowError):
        return None
    return offset if abs(offset) > CLOCK_TOLERANCE else timedelta()


def find_type(failure: HostFailure) -> str:
    """The name of an error as Amazon documents it; empty if there is none."""
    said = failure.headers.get("x-amzn-errortype")
    if said is None and isinstance(failure.payload, dict):
        kind = failure.payload.get("__type") or failure.payload.get("type")
        said = kind if isinstance(kind, str) else None
    name = (said or "").partition(":")[0].rpartition("#")[2]
    return name[:1].upper() + name[1:]
