"""Finds passages of files in PostgreSQL with the extension pgvector 0.8 or newer.

Pick it for several machines, for tenants of their own, or for more passages than a file of SQLite's
is good for. `arc docs add` fills it. By words and by meaning it costs some milliseconds a run, the
latter also a request to the embedder. Settings: `rag.url`, `rag.mode`. Needs the extra `pgvector`.
"""

from pathlib import Path

from arc_core import ConfigurationError, Embedder
from arc_core.retrieval.retriever import IndexRetriever
from arc_plugins.retrieval.pgvector import PgvectorRagSettings
from arc_plugins.retrieval.pgvector.database import documents_address
from arc_plugins.retrieval.pgvector.index import PgvectorPassageIndex


class PgvectorRetriever(IndexRetriever):
    """Asks and fills the index at `rag.url`; sources are seen from the current folder.

    Raises:
        ConfigurationError: `rag.url` is not set or cannot be used, or `rag.mode` asks for an
            embedder and there is none.
    """

    def __init__(self, *, settings: PgvectorRagSettings, embedder: Embedder | None = None) -> None:
        if settings.url is None:
            raise ConfigurationError(
                "rag.url is not set",
                remedy="set it to a database, as in rag.url = 'postgresql://user@host/database'",
            )
        index = PgvectorPassageIndex(documents_address(settings.url.get_secret_value()))
        super().__init__(index, settings=settings, embedder=embedder, folder=Path.cwd())
