"""The suite for resolvers fails for those that break their contract, and passes for good ones."""

from typing import Any

import pytest

from arc_core import AgentErrorCode, ErrorMessageResolver
from arc_core.testing import CodeMessageResolver
from arc_core.testing.conformance.error_message_resolver import ErrorMessageResolverConformance
from tests.arc_core.testing.conformance.suites import make_good_suite

TestCodeMessageResolver = make_good_suite(ErrorMessageResolverConformance, CodeMessageResolver)


class Saying(ErrorMessageResolver):
    """Says the same for every code."""

    def __init__(self, message: Any) -> None:
        self._message = message

    def resolve(self, code: AgentErrorCode) -> str:
        message: str = self._message
        return message


class SuiteFor(ErrorMessageResolverConformance):
    """The suite, applied to one wrong resolver."""

    __test__ = False

    def __init__(self, message: Any) -> None:
        self._message = message

    def make_resolver(self) -> ErrorMessageResolver:
        return Saying(self._message)


@pytest.mark.parametrize("message", [None, " ", "Sorry.\nTraceback"])
def test_what_is_not_a_sentence_is_found(message: object) -> None:
    """Nothing, a blank, and several lines."""
    with pytest.raises(AssertionError, match="UNKNOWN"):
        SuiteFor(message).test_every_code_has_a_sentence(AgentErrorCode.UNKNOWN)
