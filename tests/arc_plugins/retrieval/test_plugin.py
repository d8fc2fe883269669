"""Documents are retrieved once there is an index."""

from arc_core import Retriever
from arc_plugins.retrieval import plugin
from arc_plugins.retrieval.no_retriever import NoRetriever
from arc_plugins.retrieval.sqlite.retriever import SqliteRetriever
from tests.arc_plugins.registrations import RecordingRegistry


def test_the_setting_decides() -> None:
    """With `rag.path` its index, without it nothing."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    sqlite, none = registry.registrations["sqlite"], registry.registrations["none"]
    assert (sqlite.interface, none.interface) == (Retriever, Retriever)
    assert (sqlite.imported(), none.imported()) == (SqliteRetriever, NoRetriever)
    assert str(sqlite.condition) == "setting rag.path is set"
    assert none.condition == ~sqlite.condition if sqlite.condition is not None else False
