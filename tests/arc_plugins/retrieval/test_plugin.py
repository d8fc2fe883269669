"""Documents are retrieved once there is an index."""

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core import Retriever
from arc_plugins.retrieval import plugin
from arc_plugins.retrieval.no_retriever import NoRetriever
from arc_plugins.retrieval.sqlite.retriever import SqliteRetriever
from tests.arc_plugins.registrations import RecordingRegistry
from tests.arc_plugins.wired import wired

_URL = "postgresql://arc:hunter2@127.0.0.1/arc"


def test_the_setting_decides() -> None:
    """With `rag.path` or `rag.url` an index, without them nothing."""
    registry = RecordingRegistry()

    plugin.arc_register(registry)

    sqlite, none = registry.registrations["sqlite"], registry.registrations["none"]
    assert (sqlite.interface, none.interface) == (Retriever, Retriever)
    assert (sqlite.imported(), none.imported()) == (SqliteRetriever, NoRetriever)
    assert str(sqlite.condition) == "setting rag.path is set"
    assert str(none.condition) == "setting rag.path is not set and setting rag.url is not set"


def test_an_address_chooses_postgresql() -> None:
    """What is said of the others names the settings, and repeats no password."""
    pytest.importorskip("asyncpg", reason="needs the extra pgvector")

    decision = wired(Retriever, rag={"url": _URL})

    assert decision.winners == ["pgvector"]
    assert set(decision.reasons) == {"sqlite", "none"}
    assert "hunter2" not in str(decision.reasons)


def test_a_file_and_an_address_are_one_too_many() -> None:
    """Neither is better; both are named."""
    application = Application(ArcSettings(rag={"url": _URL, "path": "documents.db"}))

    with pytest.raises(AmbiguousComponentError, match="pgvector") as caught:
        application.container.retriever()

    assert "sqlite" in str(caught.value)
    assert "hunter2" not in str(caught.value)
