"""There are no documents."""

from arc_core.interfaces.optional import HealthStatus
from arc_plugins.retrieval.no_retriever import NoRetriever


async def test_nothing_is_retrieved() -> None:
    """Whatever is asked, there is no document."""
    assert list(await NoRetriever().retrieve("anything", limit=5)) == []


async def test_there_is_nothing_to_check() -> None:
    """Its health says so."""
    health = await NoRetriever().check_health()

    assert (health.status, health.summary) == (HealthStatus.SKIPPED, "no documents are retrieved")
