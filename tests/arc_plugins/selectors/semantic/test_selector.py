"""Tools are offered by meaning; an embedding model that fails costs no run anything."""

import asyncio
from collections.abc import Sequence

import pytest
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import EmbeddedKind, Embedder, ToolSelector
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.tools.tool_selector import ToolSelectorConformance
from arc_plugins.selectors.semantic.selector import SemanticToolSelector, Vector
from arc_plugins.selectors.settings import SelectionSettings
from tests.arc_plugins.selectors.tools import WEATHER, catalogue

MEANINGS = {"weather": 0, "climat": 0, "날씨": 0, "invoice": 1, "printer": 2}


class MeaningEmbedder(Embedder):
    """Knows what a few words mean, in several languages."""

    name, dimensions = "meaning", 4

    def __init__(self) -> None:
        self.requests: list[list[str]] = []
        self.kinds: list[EmbeddedKind] = []

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Vector]:
        await asyncio.sleep(0)
        self.requests.append(list(texts))
        self.kinds.append(kind)
        return [self.vector_of(text.lower()) for text in texts]

    def vector_of(self, text: str) -> Vector:
        """One dimension per meaning, and one for everything else, of any length."""
        vector = [0.0, 0.0, 0.0, 0.1]
        for word, meaning in MEANINGS.items():
            vector[meaning] += 5.0 * (word in text)
        return vector


class DeadEmbedder(Embedder):
    """Fails, and counts how often it is asked."""

    name, dimensions = "dead", 4

    def __init__(self) -> None:
        self.asked = 0

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Vector]:
        self.asked += 1
        raise ConnectionError


class SlowEmbedder(MeaningEmbedder):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let, self.answered = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Vector]:
        await self.let.wait()
        vectors = await super().embed(texts, kind=kind)
        self.answered.set()
        return vectors


class ShortEmbedder(MeaningEmbedder):
    """Loses a vector."""

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Vector]:
        return (await super().embed(texts, kind=kind))[:-1]


class Clock:
    """Shows what the test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def log() -> CapturingLogger:
    """What is logged."""
    return CapturingLogger()


def selector_with(
    embedder: Embedder, log: CapturingLogger, *, clock: Clock | None = None, timeout_s: float = 5.0
) -> SemanticToolSelector:
    """A selector that offers three tools."""
    return SemanticToolSelector(
        embedder=embedder,
        settings=SelectionSettings(max_selected=3),
        logger=BoundLogger(log, [], {}),
        timeout_s=timeout_s,
        clock=clock or Clock(),
    )


class TestConformance(ToolSelectorConformance):
    """It is a selector like any other."""

    def make_selector(self) -> ToolSelector:
        return selector_with(MeaningEmbedder(), CapturingLogger())

    def make_failing_selector(self) -> ToolSelector:
        return selector_with(DeadEmbedder(), CapturingLogger())


@pytest.mark.parametrize("prompt", ["Quel climat à Lyon ?", "서울 날씨", "the weather"])
async def test_meaning_counts_in_any_language(prompt: str, log: CapturingLogger) -> None:
    """The English tool is found by a French and by a Korean prompt."""
    selected = await selector_with(MeaningEmbedder(), log).select(prompt, catalogue())

    assert selected[0] is WEATHER
    assert len(selected) == 3
    assert log.calls == []


async def test_tools_are_documents_and_prompts_are_queries(log: CapturingLogger) -> None:
    """Some models embed what is searched in another way than what is searched for."""
    embedder = MeaningEmbedder()

    await selector_with(embedder, log).select("weather", catalogue())

    assert embedder.kinds == ["document", "query"]


async def test_tools_are_embedded_once(log: CapturingLogger) -> None:
    """Later prompts cost one text each, at any number of runs at once."""
    embedder = MeaningEmbedder()
    selector, tools = selector_with(embedder, log), catalogue()

    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(selector.select("weather", tools))
    await selector.select("printer", tools)

    sizes = sorted(len(request) for request in embedder.requests)
    assert sizes == [1] * 11 + [200]


async def test_new_tools_are_embedded_when_they_come(log: CapturingLogger) -> None:
    """Only what is new is asked for."""
    embedder = MeaningEmbedder()
    selector, tools = selector_with(embedder, log), catalogue()
    await selector.select("weather", tools[:150])

    await selector.select("weather", tools)

    assert sorted(len(request) for request in embedder.requests) == [1, 1, 50, 150]


async def test_a_few_tools_need_no_embedding(log: CapturingLogger) -> None:
    """If nothing needs to be left out, no model is asked."""
    embedder, tools = MeaningEmbedder(), catalogue()[:3]

    assert await selector_with(embedder, log).select("weather", tools) is tools
    assert embedder.requests == []


async def test_a_dead_model_is_left_alone_for_a_while(log: CapturingLogger) -> None:
    """All tools are offered; after half a minute it is tried again."""
    embedder, clock, tools = DeadEmbedder(), Clock(), catalogue()
    selector = selector_with(embedder, log, clock=clock)

    for clock.now in (0, 10, 29, 31, 40):
        assert await selector.select("weather", tools) is tools

    assert embedder.asked == 2
    assert len(log.calls) == 2


async def test_a_slow_model_holds_up_no_run_and_is_ready_later(log: CapturingLogger) -> None:
    """A run gives up waiting; what is learnt meanwhile serves the next."""
    embedder, clock, tools = SlowEmbedder(), Clock(), catalogue()
    async with running(selector_with(embedder, log, clock=clock, timeout_s=0.01)) as selector:
        assert await selector.select("weather", tools) is tools

        embedder.let.set()
        await embedder.answered.wait()
        clock.now += 31
        assert (await selector.select("weather", tools))[0] is WEATHER

    assert [len(request) for request in embedder.requests] == [200, 1]


async def test_closing_does_not_wait_for_a_slow_model(log: CapturingLogger) -> None:
    """What is being learnt is given up."""
    selector = selector_with(SlowEmbedder(), log, timeout_s=0.01)
    async with running(selector):
        await selector.select("weather", catalogue())

    assert not any(task.get_name() == "arc-learn-tools" for task in asyncio.all_tasks())


async def test_a_wrong_number_of_vectors_offers_everything(log: CapturingLogger) -> None:
    """Vectors are never given to the wrong tool."""
    tools = catalogue()

    assert await selector_with(ShortEmbedder(), log).select("weather", tools) is tools
    assert len(log.calls) == 1
