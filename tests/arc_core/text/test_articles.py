"""The article before a name."""

import pytest

from arc_core.text.articles import with_article


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("Guard", "a Guard"),
        ("OutputGuard", "an OutputGuard"),
        ("AgentMetrics", "an AgentMetrics"),
        ("UserDirectory", "a UserDirectory"),
        ("", "a "),
    ],
)
def test_the_article_is_as_it_is_spoken(name: str, named: str) -> None:
    """By the first letter."""
    assert with_article(name) == named
