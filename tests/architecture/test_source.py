"""Every file of the packages and the tests keeps the rules of the house."""

import pytest

from tests.architecture.rules import RULES_FOR_PACKAGES, RULES_FOR_TESTS, Rule
from tests.architecture.source import PACKAGES, sources


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES_FOR_PACKAGES, ids=lambda rule: rule.__name__)
def test_packages_keep_the_rule(rule: Rule) -> None:
    """No file of the three packages breaks the rule."""
    assert [finding for source in sources(*PACKAGES) for finding in rule(source)] == []


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES_FOR_TESTS, ids=lambda rule: rule.__name__)
def test_tests_keep_the_rule(rule: Rule) -> None:
    """No test file breaks the rule."""
    assert [finding for source in sources("tests") for finding in rule(source)] == []
