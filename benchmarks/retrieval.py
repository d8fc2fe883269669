"""How well passages are found by words, by meaning and by both, and how fast.

`python -m benchmarks.retrieval` needs the extra `vectors` and `pip install wordllama`, an embedder
that brings its weights. The passages and the 1 000 questions are made of the docstrings of
installed packages, by the rules of `benchmarks.retrieval_questions`. The tables have

- recall@5 by mode: the share of questions whose passage is among the first five;
- milliseconds of a query by both among 100 000 passages, the embedding of the question included:
  the median, what 95 % of the queries take at most, and the time of processors;
- of 10 000 documents that were found for runs of a tenant, those of another one.

`--index pgvector` measures PostgreSQL, at the address in ARC_TEST_PGVECTOR_URL, with the extras
`pgvector` and `psycopg`.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from arc_core import EmbeddedKind, Embedder
from arc_core.retrieval.index import PassageIndex, SourceDocument
from arc_core.retrieval.passages import Passage
from arc_core.retrieval.retriever import IndexRetriever
from arc_core.settings import RagMode, RagSettings
from arc_plugins.retrieval.sqlite.index import SqlitePassageIndex
from arc_plugins.retrieval.sqlite.vectors import VectorScan
from benchmarks.retrieval_questions import Question, make_passages, make_questions

MakeIndex = Callable[[Path], PassageIndex]
"""Makes an index that is not there yet; a server has no use for the folder."""


def make_in_postgresql(_: Path) -> PassageIndex:
    """Make one in a schema of its own, which is emptied, at ARC_TEST_PGVECTOR_URL."""
    import psycopg  # noqa: PLC0415 -- of extras that the other index does without

    from arc_plugins.retrieval.pgvector.database import documents_address  # noqa: PLC0415
    from arc_plugins.retrieval.pgvector.index import PgvectorPassageIndex  # noqa: PLC0415

    url = os.environ["ARC_TEST_PGVECTOR_URL"]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS arc_benchmark CASCADE")
        connection.execute("CREATE SCHEMA arc_benchmark")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return PgvectorPassageIndex(documents_address(f"{url}?search_path=arc_benchmark,public"))


INDEXES: Mapping[str, MakeIndex] = {
    "sqlite": lambda folder: SqlitePassageIndex(folder / "index.db", scan=VectorScan()),
    "pgvector": make_in_postgresql,
}
TOP = 5
_PER_DOCUMENT = 100


class WordLlamaEmbedder(Embedder):
    """Averages the vectors of words; its weights are in its package."""

    name = "wordllama-l2-supercat"
    dimensions = 256

    def __init__(self) -> None:
        import wordllama  # noqa: PLC0415 -- of this benchmark alone

        folder = Path(wordllama.__file__).parent
        self._model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    async def embed(self, texts: Sequence[str], *, kind: EmbeddedKind) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = self._model.embed(list(texts), norm=True).tolist()
        return vectors


async def fill(
    index: PassageIndex,
    embedder: Embedder,
    passages: Sequence[Passage],
    *,
    per_document: int = _PER_DOCUMENT,
    tenants: Sequence[str] = ("",),
) -> None:
    """Put passages into an index, so many to a document, the documents to tenants in turns."""
    await index.start(create=True)
    for number, begin in enumerate(range(0, len(passages), per_document)):
        tenant = tenants[number % len(tenants)]
        await index.replace(
            SourceDocument(
                source=f"{number}",
                title="",
                passages=passages[begin : begin + per_document],
                metadata={"tenant": tenant} if tenant else {},
            )
        )
    await index.aclose()
    await make_retriever(index, embedder).embed_passages()


def make_retriever(
    index: PassageIndex, embedder: Embedder, mode: RagMode = RagMode.BOTH
) -> IndexRetriever:
    """One that waits for as long as it takes."""
    settings = RagSettings(mode=mode, retrieval_timeout_s=60)
    return IndexRetriever(index, settings=settings, embedder=embedder, folder=Path())


async def measure_recall(
    index: PassageIndex,
    embedder: Embedder,
    *,
    passages: Sequence[Passage],
    questions: Sequence[Question],
) -> dict[RagMode, tuple[float, float]]:
    """Return recall@5 of rare words and of paraphrases, by mode; the index is filled."""
    recall = {}
    for mode in RagMode:
        retriever = make_retriever(index, embedder, mode)
        await retriever.start()
        hits = {False: list[bool](), True: list[bool]()}
        for question in questions:
            found = await retriever.retrieve(question.text, limit=TOP)
            wanted = passages[question.answer].with_heading
            hits[question.is_paraphrase].append(wanted in {each.text for each in found})
        await retriever.aclose()
        names, paraphrases = (sum(each) / max(len(each), 1) for each in hits.values())
        recall[mode] = (names, paraphrases)
    return recall


async def measure_times(
    index: PassageIndex, embedder: Embedder, questions: Sequence[Question]
) -> tuple[float, float, float]:
    """Return milliseconds of a query: the median, the 95th percentile, and of processors."""
    retriever = make_retriever(index, embedder)
    await retriever.start()
    times, processors = [], time.process_time()
    for question in questions:
        began = time.perf_counter()
        await retriever.retrieve(question.text, limit=TOP, filter={"tenant": ""})
        times.append(1e3 * (time.perf_counter() - began))
    used = 1e3 * (time.process_time() - processors) / len(times)
    await retriever.aclose()
    return median(times), quantiles(times, n=20)[-1], used


async def count_foreign_documents(
    index: PassageIndex, embedder: Embedder, questions: Sequence[Question], *, documents: int
) -> tuple[int, int]:
    """Return how many documents a tenant's runs were given, and those of another one."""
    retriever, seen, foreign = make_retriever(index, embedder), 0, 0
    await retriever.start()
    while seen < documents:
        for question in questions:
            found = await retriever.retrieve(question.text, limit=10, filter={"tenant": "acme"})
            seen += len(found)
            foreign += sum(each.metadata.get("tenant", "acme") != "acme" for each in found)
    await retriever.aclose()
    return seen, foreign


def shuffle_sentences(passages: Sequence[Passage], count: int) -> list[Passage]:
    """Return so many passages of four sentences each, which are drawn from all of them."""
    draw = Random(7)
    sentences = [each for passage in passages for each in passage.text.split("\n\n")]
    return [Passage("", "\n\n".join(draw.choices(sentences, k=4))[:1_200]) for _ in range(count)]


async def run(make_index: MakeIndex, embedder: Embedder, *, questions: int, passages: int) -> None:
    """Print the tables."""
    known = make_passages()
    asked = make_questions(known, questions)
    print(f"{len(known)} passages, {len(asked)} questions\n\nrecall@5   rare word  paraphrase  all")
    with TemporaryDirectory() as folder:
        index = make_index(Path(folder))
        await fill(index, embedder, known)
        recall = await measure_recall(index, embedder, passages=known, questions=asked)
    for mode, (names, paraphrases) in recall.items():
        print(f"{mode.value:10} {names:9.3f} {paraphrases:11.3f} {(names + paraphrases) / 2:5.3f}")
    with TemporaryDirectory() as folder:
        index = make_index(Path(folder))
        many = shuffle_sentences(known, passages)
        await fill(index, embedder, many, tenants=("", "", "acme"))
        middle, most, used = await measure_times(index, embedder, asked[:200])
    print(f"\n{passages} passages: {middle:.0f} ms a query, 95 % within {most:.0f} ms")
    print(f"{used:.0f} ms a query of processor time, which other work does not change")
    with TemporaryDirectory() as folder:
        index = make_index(Path(folder))
        tenants = ("acme", "globex", "")
        await fill(index, embedder, many[:10_000], per_document=1, tenants=tenants)
        seen, foreign = await count_foreign_documents(index, embedder, asked, documents=10_000)
    print(f"\n{foreign} of {seen} documents are another tenant's")


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__)
    parser.add_argument("--index", choices=INDEXES, default="sqlite")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--passages", type=int, default=100_000, help="whose queries are timed")
    options = parser.parse_args()
    asyncio.run(
        run(
            INDEXES[options.index],
            WordLlamaEmbedder(),
            questions=options.questions,
            passages=options.passages,
        )
    )


if __name__ == "__main__":
    main()
