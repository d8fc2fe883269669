"""Tokens are counted as OpenAI's models count them."""

import pytest

from arc_core import TokenEstimator
from arc_core.settings import LlmSettings
from arc_core.testing.conformance.models.token_estimator import TokenEstimatorConformance

pytest.importorskip("bpe_openai", reason="needs the extra tokens")
from arc_plugins.estimators.bpe.estimator import BpeTokenEstimator


class TestConformance(TokenEstimatorConformance):
    """It is an estimator like any other."""

    def make_estimator(self) -> TokenEstimator:
        return BpeTokenEstimator(settings=LlmSettings())


@pytest.fixture(scope="module")
def estimator() -> BpeTokenEstimator:
    """An estimator for a current model."""
    return BpeTokenEstimator(settings=LlmSettings())


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello world", 2), ("안녕하세요", 2), ("<|endoftext|>", 7), ("a" * 80, 10)],
)
def test_counts_are_those_of_the_vocabulary(
    estimator: BpeTokenEstimator, text: str, tokens: int
) -> None:
    """Known texts have their known numbers; names of special tokens are nothing special."""
    assert estimator.estimate(text) == tokens


def test_older_models_have_another_vocabulary() -> None:
    """Korean cost more in 2023."""
    old = BpeTokenEstimator(settings=LlmSettings(model="gpt-4"))
    new = BpeTokenEstimator(settings=LlmSettings(model="gpt-4o"))

    assert old.estimate("안녕하세요 여러분") > new.estimate("안녕하세요 여러분")


def test_unknown_models_count_as_current_ones(estimator: BpeTokenEstimator) -> None:
    """A model of tomorrow, or of another vendor, is not an error."""
    unknown = BpeTokenEstimator(settings=LlmSettings(model="gpt-99-nano"))

    assert unknown.estimate("안녕하세요 여러분") == estimator.estimate("안녕하세요 여러분")
