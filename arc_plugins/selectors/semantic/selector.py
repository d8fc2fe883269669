"""Offers the tools whose descriptions mean what the prompt means, whatever words are used.

Pick it for many tools and prompts in any language. Costs a request to the embedder per run, before
the chat model is asked. When that fails or is slow, all tools are offered, and it is left alone for
a while. Settings: `tools.max_selected`, `embedder.*`.
"""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from operator import mul

from arc_core import ConfigurationError, Embedder, Logger, Tool, ToolSelector
from arc_plugins.selectors.settings import SelectionSettings

Vector = Sequence[float]

_PAUSE_S = 30.0
_MAX_KNOWN = 10_000


class SemanticToolSelector(ToolSelector):
    """Selects at most `tools.max_selected` tools by the angle between vectors; fails open."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        settings: SelectionSettings,
        logger: Logger,
        timeout_s: float = 3.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder, self._logger = embedder, logger
        self._max_selected = settings.max_selected
        self._timeout_s, self._clock = timeout_s, clock
        self._paused_until = -math.inf
        self._known: dict[str, Vector] = {}
        self._learning: asyncio.Task[None] | None = None

    async def aclose(self) -> None:
        """Stop learning; the embedder is not the selector's to close."""
        learning, self._learning = self._learning, None
        if learning is not None:
            learning.cancel()
            await asyncio.wait([learning])

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The nearest tools first; all in the given order, if there are not too many."""
        if len(tools) <= self._max_selected or self._clock() < self._paused_until:
            return tools
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._nearest(user_prompt, tools)
        except Exception:  # too many tools are better than none
            self._paused_until = self._clock() + _PAUSE_S
            self._logger.warning(
                "embedding failed, all tools are offered", pause_s=_PAUSE_S, exc_info=True
            )
            return tools

    async def _nearest(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        vectors = await self._find_vectors(
            [f"{tool.name.replace('_', ' ')}: {tool.description}" for tool in tools]
        )
        [vector] = await self._embedder.embed([user_prompt], kind="query")
        prompt = _unit(vector)
        nearness = [_dot(prompt, vector) for vector in vectors]
        best = sorted(range(len(tools)), key=lambda number: -nearness[number])
        return [tools[number] for number in best[: self._max_selected]]

    async def _find_vectors(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Known vectors, once they are known.

        They are learnt once for all runs that wait, and on when a run has given up waiting: a slow
        model would never come to an end otherwise.
        """
        while unknown := [text for text in dict.fromkeys(texts) if text not in self._known]:
            if self._learning is None or self._learning.done():
                self._learning = asyncio.create_task(self._learn(unknown), name="arc-learn-tools")
                self._learning.add_done_callback(_retrieve)
            await asyncio.shield(self._learning)
        return [self._known[text] for text in texts]

    async def _learn(self, texts: Sequence[str]) -> None:
        vectors = await self._embedder.embed(texts, kind="document")
        if len(self._known) > _MAX_KNOWN:
            self._known.clear()
        self._known.update(zip(texts, map(_unit, vectors), strict=True))


def _retrieve(task: asyncio.Task[None]) -> None:
    """Look at a failure that perhaps no run is waiting for any more."""
    if not task.cancelled():
        task.exception()


def _unit(vector: Vector) -> Vector:
    """The vector with the length 1."""
    length = math.sqrt(_dot(vector, vector))
    return [number / length for number in vector] if length else vector


def _dot(one: Vector, other: Vector) -> float:
    if len(one) != len(other):
        raise ValueError(f"vectors of {len(one)} and of {len(other)} numbers")
    total: float = sum(map(mul, one, other))
    return total


def make_semantic_selector(
    *, embedder: Embedder | None, settings: SelectionSettings, logger: Logger
) -> SemanticToolSelector:
    """The selector of `tools.selector = "semantic"`."""
    if embedder is None:
        raise ConfigurationError(
            "tools.selector is 'semantic', and there is no embedder",
            evidence=["embedder.provider is not set"],
            remedy='set embedder.provider, to "openai" for instance, or tools.selector to '
            '"lexical", which needs no embedder',
        )
    return SemanticToolSelector(embedder=embedder, settings=settings, logger=logger)
