"""Which name was meant."""

import pytest

from arc_core.text.names import nearest, with_article


def test_the_nearest_name_is_found_whatever_its_capitals_and_hyphens() -> None:
    """As variables write it."""
    assert nearest("FIND_ORDR", ["other", "find-order"]) == "find-order"


def test_a_name_that_is_near_to_none_meant_none() -> None:
    """Nothing is suggested that was not meant."""
    assert nearest("x", ["find_order"]) is None


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
