"""Keywords never leave, and everything else does."""

import pytest
from acme_arc.keyword_redaction_filter import KeywordRedactionFilter

from arc_core import AgentCommand, ResponseFilter, ResponseFilterContext
from arc_core.testing.conformance.guards.response_filter import ResponseFilterConformance

CONTEXT = ResponseFilterContext(command=AgentCommand(user_prompt="Hello"))


class TestConformance(ResponseFilterConformance):
    """It is a filter as Arc expects it, even for keywords that are part of its mark."""

    def make_filter(self) -> ResponseFilter:
        """Make a new one."""
        return KeywordRedactionFilter({"secret-project", "red", "["})


@pytest.mark.parametrize(
    ("content", "filtered"),
    [
        ("Nothing to hide.", "Nothing to hide."),
        ("About Secret-Project: it runs.", "About [REDACTED]: it runs."),
        ("secret-project-x", "[REDACTED]"),
        ("a+b and aab", "[REDACTED] and aab"),
    ],
)
async def test_keywords_are_replaced(content: str, filtered: str) -> None:
    """Capitals make no difference, the longest keyword wins, and none is a pattern."""
    redaction = KeywordRedactionFilter({"secret-project", "secret-project-x", "a+b", ""})

    assert await redaction.filter(content, CONTEXT) == filtered
