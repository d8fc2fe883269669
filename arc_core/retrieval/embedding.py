"""Texts as vectors that can be kept and compared, from any embedder."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from inspect import isawaitable
from typing import Any

from arc_core.errors import ArcError, InvalidResponseError, ModelUnavailableError
from arc_core.interfaces.models.embedder import EmbeddedKind, Embedder
from arc_core.log import get_logger
from arc_core.retrieval.index import Vector, VectorSpace

logger = get_logger("retrieval")

_PAUSE_S = 30.0


def get_space(embedder: Embedder) -> VectorSpace:
    """Return the space of an embedder's vectors."""
    return VectorSpace(name=embedder.name, dimensions=embedder.dimensions)


async def embed(embedder: Embedder, texts: Sequence[str], *, kind: EmbeddedKind) -> list[Vector]:
    """Return a vector of length one for each text.

    Raises:
        ModelError: The embedder failed, or what it returned is not a vector for each text.
    """
    try:
        vectors = await embedder.embed(texts, kind=kind)
    except ArcError:
        raise
    except Exception as error:  # a stranger's embedder may raise anything; its text is not shown
        raise ModelUnavailableError(
            f"the embedder {embedder.name} failed with {type(error).__name__}"
        ) from error
    return await asyncio.to_thread(_check, vectors, len(texts), get_space(embedder))


def _check(vectors: Sequence[Vector], count: int, space: VectorSpace) -> list[Vector]:
    try:
        if len(vectors) != count:
            raise InvalidResponseError(
                f"the embedder {space.name} returned {len(vectors)} vectors for {count} texts"
            )
        return [_normalize(vector, space) for vector in vectors]
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidResponseError(
            f"the embedder {space.name} returned what is not a list of vectors"
        ) from error


def _normalize(vector: Vector, space: VectorSpace) -> Vector:
    if len(vector) != space.dimensions:
        raise InvalidResponseError(
            f"the embedder {space.name} returned a vector of {len(vector)} numbers, "
            f"and its vectors have {space.dimensions}"
        )
    numbers = [float(number) for number in vector]
    length = math.hypot(*numbers)
    if not (math.isfinite(length) and length):
        raise InvalidResponseError(
            f"the embedder {space.name} returned a vector without a direction: "
            "all of its numbers are zero, or one is not finite"
        )
    return [number / length for number in numbers]


@asynccontextmanager
async def open_embedder(embedder: Embedder) -> AsyncIterator[None]:
    """Start an embedder that is not started, if it wants that, and close it afterwards."""
    lively: Any = embedder
    if hasattr(lively, "start"):
        await _settle(lively.start())
    try:
        yield
    finally:
        if hasattr(lively, "aclose"):
            await _settle(lively.aclose())


async def _settle(value: object) -> None:
    if isawaitable(value):
        await value


class QueryEmbedding:
    """The vectors of queries; an embedder that fails or is slow is left alone for a while."""

    def __init__(
        self, embedder: Embedder, *, timeout_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._embedder, self._timeout_s, self._clock = embedder, timeout_s, clock
        self._paused_until = -math.inf

    @property
    def space(self) -> VectorSpace:
        """That of the vectors."""
        return get_space(self._embedder)

    async def get_vector(self, query: str) -> Vector | None:
        """Return the vector of a query; None if there is none to be had."""
        if not query.strip() or self._clock() < self._paused_until:
            return None
        try:
            async with asyncio.timeout(self._timeout_s):
                [vector] = await embed(self._embedder, [query], kind="query")
        except (ArcError, TimeoutError):
            self._paused_until = self._clock() + _PAUSE_S
            logger.warning(
                "embedding failed, documents are found by words alone",
                embedder=self._embedder.name,
                pause_s=_PAUSE_S,
                exc_info=True,
            )
            return None
        return vector
