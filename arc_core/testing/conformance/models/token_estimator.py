"""Rules of every `TokenEstimator` that the engine relies on."""

from abc import abstractmethod

import pytest

from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.testing.conformance.components import AsyncSuite, check_names, running
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_TEXTS = HOSTILE_TEXTS | {
    "english": "The quick brown fox jumps over the lazy dog.",
    "korean": "다람쥐 헌 쳇바퀴에 타고파.",
    "chinese": "敏捷的棕色狐狸跳过懒狗。",
    "code": "def add(a: int, b: int) -> int:\n    return a + b\n",
    "json": '{"city": "Seoul", "degrees": [21.5, null, true]}',
    "one letter": "a",
    "special token": "<|endoftext|>",
    "a million letters": "word " * 200_000,
}
_A_LONG_TEXT = "The quick brown fox jumps over the lazy dog. " * 1_000


class TokenEstimatorConformance(AsyncSuite):
    """Inherit from it and say how your estimator is made."""

    @abstractmethod
    def make_estimator(self) -> TokenEstimator:
        """A new estimator, not started."""

    async def test_it_is_an_estimator(self) -> None:
        """It can be asked."""
        estimator = self.make_estimator()

        name = type(estimator).__name__
        assert isinstance(estimator, TokenEstimator), f"{name} lacks estimate"

    @pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
    async def test_every_text_has_a_plausible_number_of_tokens(self, text: str) -> None:
        """None for no text, else at least one, and no more than the text has bytes."""
        async with running(self.make_estimator()) as estimator:
            tokens: object = estimator.estimate(text)

        most = len(text.encode("utf-8", "surrogatepass"))
        assert type(tokens) is int, f"estimate returned {tokens!r}"
        assert min(1, len(text)) <= tokens <= most, f"{tokens} tokens for {most} bytes"

    async def test_it_works_before_its_start(self) -> None:
        """Engines in tests start nothing."""
        assert self.make_estimator().estimate("hello") >= 1

    async def test_the_same_text_costs_the_same(self) -> None:
        """Counts are kept and added up."""
        async with running(self.make_estimator()) as estimator:
            counts = {estimator.estimate(_A_LONG_TEXT) for _ in range(3)}

        check_names(estimator, TokenEstimator)
        assert len(counts) == 1, f"one text, several counts: {sorted(counts)}"

    async def test_twice_the_text_costs_about_twice(self) -> None:
        """Windows are filled piece by piece, so the whole costs what its parts do."""
        async with running(self.make_estimator()) as estimator:
            once, twice = (estimator.estimate(_A_LONG_TEXT * times) for times in (1, 2))

        assert 1.9 * once <= twice <= 2.1 * once, f"{once} tokens, and {twice} for twice the text"
