"""Finds passages of files in an index that is one file of SQLite's.

Pick it for up to a hundred thousand passages in any languages, Korean and English among them; by
words alone, for some more. It needs no server. `arc docs add` fills it. By words it costs some
milliseconds a run, in a thread; by meaning a request to the embedder, a scan of some ten
milliseconds for a hundred thousand passages, the extra `vectors`, and four bytes of memory for each
number of a vector. Settings: `rag.path`, `rag.mode`.
"""

from arc_core import ConfigurationError, Embedder
from arc_core.retrieval.retriever import IndexRetriever, choose_mode
from arc_core.settings import RagMode
from arc_plugins.retrieval.sqlite import SqliteRagSettings
from arc_plugins.retrieval.sqlite.index import SqlitePassageIndex, VectorSearch


class SqliteRetriever(IndexRetriever):
    """Asks and fills the index at `rag.path`; sources are seen from its folder.

    Raises:
        ConfigurationError: `rag.path` is not set, `rag.mode` asks for an embedder and there is
            none, or the extra `vectors` is not installed and there is one.
    """

    def __init__(self, *, settings: SqliteRagSettings, embedder: Embedder | None = None) -> None:
        if settings.path is None:
            raise ConfigurationError(
                "rag.path is not set", remedy="set it to a file, as in rag.path = 'documents.db'"
            )
        path = settings.path.expanduser()
        is_by_words = choose_mode(settings, embedder) is RagMode.WORDS
        index = SqlitePassageIndex(path, scan=None if is_by_words else _make_scan())
        super().__init__(index, settings=settings, embedder=embedder, folder=path.absolute().parent)


def _make_scan() -> VectorSearch:
    from arc_plugins.retrieval.sqlite.vectors import VectorScan  # noqa: PLC0415 -- of an extra

    return VectorScan()
