"""How well passages are found by words, by meaning and by both."""

from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="needs the extra vectors")

from arc_core.settings import RagMode
from arc_core.text.terms import split_terms
from benchmarks.retrieval import (
    INDEXES,
    WordLlamaEmbedder,
    count_foreign_documents,
    fill,
    measure_recall,
    measure_times,
)
from benchmarks.retrieval_questions import make_passages, make_questions
from tests.arc_core.retrieval.embedders import ConceptEmbedder

PACKAGES = ("click", "rich", "starlette")


def test_questions_are_the_same_each_time() -> None:
    """So that figures can be compared, and half of them share no telling word with their answer."""
    passages = make_passages(("click",))
    questions = make_questions(passages, 20)

    assert questions == make_questions(make_passages(("click",)), 20)
    assert sum(each.is_paraphrase for each in questions) == 10
    terms = [set(split_terms(passage.with_heading)) for passage in passages]
    for question in questions:
        shared = set(split_terms(question.text)) & terms[question.answer]
        rarest = min(sum(term in each for each in terms) for term in shared)
        assert (rarest > 0.1 * len(passages)) == question.is_paraphrase


async def test_another_tenants_documents_are_never_found(tmp_path: Path) -> None:
    """By both, with documents of two tenants and of none."""
    passages = make_passages(("click",))
    index, embedder = INDEXES["sqlite"](tmp_path), ConceptEmbedder()
    await fill(index, embedder, passages, per_document=1, tenants=("acme", "globex", ""))
    questions = make_questions(passages, 10)

    seen, foreign = await count_foreign_documents(index, embedder, questions, documents=100)
    middle, most, used = await measure_times(index, embedder, questions)

    assert (seen, foreign) == (100, 0)
    assert 0 < middle <= most
    assert used > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_both_find_more_than_words_or_meaning_alone(tmp_path: Path) -> None:
    """With an embedder that brings its weights."""
    pytest.importorskip("wordllama", reason="needs the package wordllama")
    passages = make_passages(("numpy", "sqlalchemy"))
    index, embedder = INDEXES["sqlite"](tmp_path), WordLlamaEmbedder()
    await fill(index, embedder, passages)
    questions = make_questions(passages, 200)

    recall = await measure_recall(index, embedder, passages=passages, questions=questions)

    by_mode = {mode: sum(each) / 2 for mode, each in recall.items()}
    assert by_mode[RagMode.BOTH] > max(by_mode[RagMode.WORDS], by_mode[RagMode.MEANING])
