"""The suite for estimators fails for those that break their contract, and passes for good ones."""

from typing import Any

from arc_core import TokenEstimator
from arc_core.testing import CharacterEstimator
from arc_core.testing.conformance.models.token_estimator import TokenEstimatorConformance
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, make_good_suite

TestCharacterEstimator = make_good_suite(TokenEstimatorConformance, CharacterEstimator)


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


PLAUSIBLE = "every_text_has_a_plausible_number_of_tokens"
FAULTS = [
    Fault(RoundingEstimator, PLAUSIBLE, "a", match="0 tokens for 1 bytes"),
    Fault(FloatingEstimator, PLAUSIBLE, "abcd", match="returned 1.0"),
    Fault(GenerousEstimator, PLAUSIBLE, "", match="100 tokens for 0 bytes"),
    Fault(LazyEstimator, "it_works_before_its_start", error=AttributeError),
    Fault(LearningEstimator, "the_same_text_costs_the_same", match="several counts"),
    Fault(CappingEstimator, "twice_the_text_costs_about_twice", match="for twice the text"),
    Fault(object, "it_is_an_estimator", match="lacks estimate"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = TokenEstimatorConformance, FAULTS
