"""The suite for embedders fails for those that break their contract, and passes for good ones."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest

from arc_core import EmbeddedKind, Embedder
from arc_core.testing.conformance.models.embedder import EmbedderConformance
from tests.arc_core.testing.conformance.suites import Fault


class DigestEmbedder(Embedder):
    """Knows no meanings: equal texts have equal vectors."""

    dimensions = 8
    name = "digest"

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        digests = (sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts)
        return [[byte - 127.5 for byte in digest[:8]] for digest in digests]


class TestDigestEmbedder(EmbedderConformance):
    """A good embedder passes."""

    def make_embedder(self) -> Embedder:
        return DigestEmbedder()


class ChangedEmbedder(DigestEmbedder):
    """Does something to its vectors."""

    def change(self, vectors: list[Any]) -> list[Any]:
        raise NotImplementedError

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        return self.change(list(await super().embed(texts, kind=kind)))


class LosingEmbedder(ChangedEmbedder):
    """Answers the first part alone."""

    def change(self, vectors: list[Any]) -> list[Any]:
        return vectors[:128]


class MixingEmbedder(ChangedEmbedder):
    """Gives vectors in an order of its own."""

    def change(self, vectors: list[Any]) -> list[Any]:
        return vectors[::-1]


class ShortEmbedder(ChangedEmbedder):
    """Has other dimensions than it says."""

    def change(self, vectors: list[Any]) -> list[Any]:
        return [vector[:-1] for vector in vectors]


class UndefinedEmbedder(ChangedEmbedder):
    """Divides by zero."""

    def change(self, vectors: list[Any]) -> list[Any]:
        return [[float("nan")] * 8 for _ in vectors]


FAULTS = [
    Fault(LosingEmbedder, "there_is_a_vector_for_each_text_in_their_order", match="128 vectors"),
    Fault(MixingEmbedder, "there_is_a_vector_for_each_text_in_their_order", match="another one's"),
    Fault(ShortEmbedder, "any_text_becomes_a_vector", "tea", match="7 numbers"),
    Fault(UndefinedEmbedder, "any_text_becomes_a_vector", "tea", match="not finite"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(EmbedderConformance)
