"""There are no documents."""

from arc_plugins.retrieval.no_retriever import NoRetriever


async def test_nothing_is_retrieved() -> None:
    """Whatever is asked, there is no document."""
    assert list(await NoRetriever().retrieve("anything", limit=5)) == []
