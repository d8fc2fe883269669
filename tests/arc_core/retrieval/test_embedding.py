"""Vectors of any embedder are checked before they are kept or compared."""

import asyncio
import math
from typing import Any

import pytest

from arc_core import InvalidResponseError, ModelError, ModelUnavailableError
from arc_core.retrieval.embedding import QueryEmbedding, embed
from tests.arc_core.retrieval.embedders import BrokenEmbedder, ConceptEmbedder, FailingEmbedder


async def test_vectors_have_the_length_one() -> None:
    """Whatever length the embedder gives them."""
    [vector] = await embed(BrokenEmbedder([[3e200, 0, 4e200, 0]]), ["a"], kind="document")

    assert vector == pytest.approx([0.6, 0, 0.8, 0])


@pytest.mark.parametrize(
    ("vectors", "cause"),
    [
        ([], "0 vectors for 1 texts"),
        ([[1, 0, 0, 0]] * 2, "2 vectors for 1 texts"),
        ([[1, 0, 0]], "vector of 3 numbers, and its vectors have 4"),
        ([[1, 0, 0, math.nan]], "without a direction"),
        ([[1, 0, 0, -math.inf]], "without a direction"),
        ([[0, 0, 0, 0]], "without a direction"),
        ([[1, 0, 0, None]], "not a list of vectors"),
        ([[1, 0, 0, "x"]], "not a list of vectors"),
        (None, "not a list of vectors"),
    ],
)
async def test_what_is_not_a_vector_is_refused(vectors: Any, cause: str) -> None:
    """As an answer that cannot be used."""
    with pytest.raises(InvalidResponseError, match=cause):
        await embed(BrokenEmbedder(vectors), ["a"], kind="document")


async def test_a_failure_of_any_kind_is_a_model_error() -> None:
    """With the kind of a stranger's, and without its text, which may hold anything."""
    for error in (ValueError("secret"), ModelUnavailableError("down")):
        with pytest.raises(ModelError) as caught:
            await embed(FailingEmbedder(0, error), ["a"], kind="document")

        assert "secret" not in str(caught.value)


async def test_an_embedder_that_fails_is_left_alone_for_a_while() -> None:
    """Queries have no vector until then."""
    now = 0.0
    embedder = FailingEmbedder(0)
    queries = QueryEmbedding(embedder, timeout_s=30, clock=lambda: now)

    assert await queries.get_vector("rain") is None
    embedder.allow(100)
    assert await queries.get_vector("rain") is None
    now = 31.0
    assert await queries.get_vector("rain") is not None


async def test_a_query_waits_for_its_vector_only_so_long() -> None:
    """An embedder that hangs has failed."""

    class HangingEmbedder(ConceptEmbedder):
        async def embed(self, *_: object, **__: object) -> Any:
            await asyncio.Event().wait()

    assert await QueryEmbedding(HangingEmbedder(), timeout_s=0.01).get_vector("rain") is None


async def test_a_blank_query_is_not_embedded() -> None:
    """Embedders are not asked about nothing."""
    embedder = ConceptEmbedder()

    assert await QueryEmbedding(embedder, timeout_s=30).get_vector(" \n") is None
    assert embedder.texts == []
