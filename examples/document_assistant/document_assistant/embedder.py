"""Stands in for an embedding model as long as none is set: it knows a dozen themes, and no more."""

import re
from collections.abc import Sequence

from arc_autoconfig import on_missing, provides
from arc_core import Embedder
from arc_core.interfaces.models.embedder import EmbeddedKind

THEMES = (
    "leave holiday holidays vacation days off annual",
    "ill illness sick sickness doctor certificate",
    "train trains railway plane planes flight fly travel journey",
    "hotel hotels night sleep stay room",
    "laptop laptops computer notebook broken replaced",
    "home remote desk chair furniture",
)
_WORD = re.compile(r"\w+")


@provides(Embedder, name="themes", condition=on_missing(Embedder))
class ThemeEmbedder(Embedder):
    """A vector has the share of each theme in a text; the last number is never 0."""

    name = "themes-1"
    dimensions = len(THEMES) + 1

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        """Count words."""
        return [self._count(_WORD.findall(text.lower())) for text in texts]

    def _count(self, words: Sequence[str]) -> list[float]:
        found = [float(sum(word in theme.split() for word in words)) for theme in THEMES]
        return [*found, 0.01]
