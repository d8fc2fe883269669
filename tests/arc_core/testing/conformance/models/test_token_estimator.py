"""The suite for estimators fails for those that break their contract, and passes for good ones."""

from collections.abc import Callable
from typing import Any

import pytest

from arc_core import TokenEstimator
from arc_core.testing import CharacterEstimator
from arc_core.testing.conformance.models.token_estimator import TokenEstimatorConformance


class TestCharacterEstimator(TokenEstimatorConformance):
    """A good estimator passes."""

    def make_estimator(self) -> TokenEstimator:
        return CharacterEstimator()


class RoundingEstimator(TokenEstimator):
    """Rounds down."""

    def estimate(self, text: str) -> int:
        return len(text) // 4


class FloatingEstimator(TokenEstimator):
    """Counts in fractions."""

    def estimate(self, text: str) -> Any:
        return len(text) / 4


class GenerousEstimator(TokenEstimator):
    """Adds a hundred to be safe."""

    def estimate(self, text: str) -> int:
        return len(text) + 100


class LazyEstimator(TokenEstimator):
    """Needs to be started."""

    _tokens_per_character: int

    async def start(self) -> None:
        self._tokens_per_character = 1

    def estimate(self, text: str) -> int:
        return len(text) * self._tokens_per_character


class LearningEstimator(TokenEstimator):
    """Changes its mind."""

    _seen = 0

    def estimate(self, text: str) -> int:
        self._seen += 1
        return len(text) + self._seen


class CappingEstimator(TokenEstimator):
    """Looks at the beginning only."""

    def estimate(self, text: str) -> int:
        return len(text[:50_000])


class SuiteFor(TokenEstimatorConformance):
    """The suite, applied to one wrong estimator."""

    __test__ = False

    def __init__(self, estimator: Callable[[], Any]) -> None:
        self._estimator = estimator

    def make_estimator(self) -> TokenEstimator:
        estimator: TokenEstimator = self._estimator()
        return estimator


@pytest.mark.parametrize(
    ("estimator", "text", "complaint"),
    [
        (RoundingEstimator, "a", "0 tokens for 1 bytes"),
        (FloatingEstimator, "abcd", "returned 1.0"),
        (GenerousEstimator, "", "100 tokens for 0 bytes"),
    ],
)
async def test_implausible_numbers_are_found(
    estimator: type[TokenEstimator], text: str, complaint: str
) -> None:
    """A count is a whole number between one and the bytes of the text."""
    with pytest.raises(AssertionError, match=complaint):
        await SuiteFor(estimator).test_every_text_has_a_plausible_number_of_tokens(text)


async def test_a_missing_start_is_found() -> None:
    """An estimator works without being started."""
    with pytest.raises(AttributeError):
        await SuiteFor(LazyEstimator).test_it_works_before_its_start()


async def test_changed_minds_are_found() -> None:
    """A text has one count."""
    with pytest.raises(AssertionError, match="several counts"):
        await SuiteFor(LearningEstimator).test_the_same_text_costs_the_same()


async def test_a_cap_is_found() -> None:
    """Long texts are counted to their end."""
    with pytest.raises(AssertionError, match="for twice the text"):
        await SuiteFor(CappingEstimator).test_twice_the_text_costs_about_twice()


async def test_a_stranger_is_found() -> None:
    """Whatever cannot estimate is not an estimator."""
    with pytest.raises(AssertionError, match="lacks estimate"):
        await SuiteFor(object).test_it_is_an_estimator()
