"""Rules of every `TextMask` that exports of recordings rely on."""

from abc import abstractmethod
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any

import pytest

from arc_core.interfaces.guards.text_mask import TextMask
from arc_core.testing.conformance.components import call_together, check_interface, require, running
from arc_core.testing.conformance.guards.any_guard import TextConformance
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.measurements import UNITS

_TEXTS = (
    "Where is my order 7?",
    "서울은 지금 21도입니다.",
    '{"order_id": "7", "to": ["ann@example.com", "+1 202 555 0123"]}',
    "def price(order: int) -> float:\n    return 21.5\n",
)
_AT_ONCE = 20


class TextMaskConformance(TextConformance):
    """Inherit from it and say how your mask is made.

    Attributes:
        texts: Texts in which the mask finds something to replace.
    """

    texts: Sequence[str] = ()
    _own_texts_in = "texts"

    @abstractmethod
    def make_mask(self) -> TextMask:
        """A new mask, not started."""

    def make_failing_mask(self) -> TextMask | None:
        """A mask that cannot do its work, its list of names gone; None if nothing can fail."""
        return None

    async def test_it_is_a_mask(self) -> None:
        """It has an order and can be asked."""
        mask = self.make_mask()

        check_interface(mask, TextMask)
        assert type(mask.order) is int, f"order is a whole number, not {mask.order!r}"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_text_stays_a_text(self, text: str) -> None:
        """A run may have any, and one that makes a mask raise cannot be exported."""
        async with running(self.make_mask()) as mask:
            await _mask(mask, text)

    async def test_own_texts_are_masked(self) -> None:
        """By themselves, as values of JSON are, and within a document."""
        if not self.texts:
            pytest.skip("there are no texts in which it finds something: `texts` is empty")
        async with running(self.make_mask()) as mask:
            for text in self.texts:
                document = f"Dear all,\n\n{text}\n\nKind regards\n"
                assert await _mask(mask, text) != text, "a text leaves as it is"
                assert text not in await _mask(mask, document), "a document keeps a text"

    async def test_a_second_pass_masks_nothing_more(self) -> None:
        """Values of JSON are masked before the text around them, and a replay masks again."""
        async with running(self.make_mask()) as mask:
            for text in self._list_texts():
                once = await _mask(mask, text)
                assert await _mask(mask, once) == once, "it masks its own replacement"

    async def test_equal_texts_are_masked_alike(self) -> None:
        """In any run and process: a replay compares what it masks with what an export masked."""
        texts = self._list_texts()
        async with running(self.make_mask()) as mask:
            first = [await _mask(mask, text) for text in texts]
            again = [await _mask(mask, text) for text in reversed(texts)]
        async with running(self.make_mask()) as other:
            elsewhere = [await _mask(other, text) for text in texts]

        assert again[::-1] == first, "a text is masked in another way the second time"
        assert elsewhere == first, "another mask of this kind masks a text in another way"

    async def test_masked_texts_do_not_mix(self) -> None:
        """Exports may go on side by side."""
        texts = self._list_texts()
        async with running(self.make_mask()) as mask:
            alone = [await _mask(mask, text) for text in texts]
            together = await call_together(_mask(mask, text) for text in texts * _AT_ONCE)

        assert together == alone * _AT_ONCE, "texts mix"

    async def test_a_mask_fails_closed(self) -> None:
        """A mask that cannot do its work raises, and nothing is exported."""
        failing = require(self.make_failing_mask(), "make_failing_mask")

        try:
            async with running(failing) as mask:
                await mask.mask(_TEXTS[0])
        except Exception:  # noqa: BLE001 -- whatever it raises keeps the text here
            return

        pytest.fail("the mask lets out what it could not look at")

    def _make(self) -> TextMask:
        return self.make_mask()

    def _pass(self, component: TextMask, text: str) -> Coroutine[Any, Any, object]:
        return component.mask(text)

    def _list_units(self) -> Iterable[str]:
        return dict.fromkeys([*UNITS, *(f"{text} " for text in self.texts)])

    def _list_texts(self) -> list[str]:
        return [*_TEXTS, *self.texts]


async def _mask(mask: TextMask, text: str) -> str:
    masked: object = await mask.mask(text)
    assert isinstance(masked, str), f"mask returned {masked!r}"
    return masked
