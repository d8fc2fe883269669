"""Rules of every `Embedder` that retrievers and the semantic tool selector rely on."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from operator import mul

import pytest

from arc_core.interfaces.models.embedder import Embedder
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_AT_ONCE = 8
_ALIKE = 0.999
_TEXTS = {name: text for name, text in HOSTILE_TEXTS.items() if text.strip()}


class EmbedderConformance(AsyncSuite):
    """Inherit from it and say how your embedder is made."""

    @abstractmethod
    def make_embedder(self) -> Embedder:
        """A new embedder, not started."""

    async def test_it_is_an_embedder(self) -> None:
        """It can be asked, and says before its start what its vectors are."""
        embedder = self.make_embedder()

        check_interface(embedder, Embedder)
        assert embedder.dimensions > 0, "vectors need a length"
        assert embedder.name.strip(), "vectors are told apart by the name"

    @pytest.mark.parametrize("text", _TEXTS.values(), ids=_TEXTS)
    async def test_any_text_becomes_a_vector(self, text: str) -> None:
        """Of the length that it says, of finite numbers, not all of them zero."""
        async with running(self.make_embedder()) as embedder:
            found = await embedder.embed([text], kind="document")

        _check(embedder, found, 1)

    async def test_there_is_a_vector_for_each_text_in_their_order(self) -> None:
        """However many there are, and equal texts too; what is sent in parts comes together."""
        texts = [f"text {number % 150}" for number in range(300)]
        async with running(self.make_embedder()) as embedder:
            together = await embedder.embed(texts, kind="document")
            [alone] = await embedder.embed(["text 149"], kind="document")

        _check(embedder, together, 300)
        for vector in (together[149], together[299]):
            assert _cosine(vector, alone) > _ALIKE, "a vector stands in another one's place"

    async def test_no_texts_have_no_vectors(self) -> None:
        """An empty list does not raise."""
        async with running(self.make_embedder()) as embedder:
            assert list(await embedder.embed([], kind="document")) == []

    async def test_queries_and_documents_can_be_compared(self) -> None:
        """Their vectors are of one length."""
        async with running(self.make_embedder()) as embedder:
            query = await embedder.embed(["tea"], kind="query")
            document = await embedder.embed(["tea"], kind="document")

        _check(embedder, query, 1)
        assert len(query[0]) == len(document[0])

    async def test_many_embed_at_once(self) -> None:
        """Each gets the vectors of its own texts."""
        async with running(self.make_embedder()) as embedder:
            alone = [(await _embed(embedder, number))[0] for number in range(_AT_ONCE)]
            together = await call_together(_embed(embedder, each) for each in range(_AT_ONCE))

        for [vector], expected in zip(together, alone, strict=True):
            assert _cosine(vector, expected) > _ALIKE, "vectors are mixed up"

    async def test_a_cancelled_embedding_leaves_it_usable(self) -> None:
        """A cancelled call has no vectors, and the next one works."""
        async with running(self.make_embedder()) as embedder:
            await check_cancellation_leaves(_embed(embedder, 1))

            _check(embedder, await _embed(embedder, 1), 1)


async def _embed(embedder: Embedder, number: int) -> Sequence[Sequence[float]]:
    return await embedder.embed([f"{'tea ' * number}and number {number}"], kind="query")


def _check(embedder: Embedder, vectors: Sequence[Sequence[float]], count: int) -> None:
    assert len(vectors) == count, f"{len(vectors)} vectors for {count} texts"
    for vector in vectors:
        length = len(vector)
        assert length == embedder.dimensions, f"{length} numbers, not {embedder.dimensions}"
        assert all(map(math.isfinite, vector)), "a number that is not finite"
        assert any(vector), "a vector without a direction"


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product: float = sum(map(mul, one, other))
    return product / math.hypot(*one) / math.hypot(*other)
