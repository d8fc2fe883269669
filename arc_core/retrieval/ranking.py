"""Fuses what was found by words and what was found by meaning into one order."""

from collections import defaultdict
from collections.abc import Sequence

from arc_core.interfaces.conversations.retriever import Document
from arc_core.retrieval.index import FoundPassage

FUSED_PASSAGES = 100
"""Of each list at least: what is far down in both still counts for more than one list alone."""

_K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009)."""

_SAFE_PLACES = 5


def fuse(by_words: Sequence[FoundPassage], by_meaning: Sequence[FoundPassage]) -> list[Document]:
    """Return the passages of both lists by reciprocal rank fusion, best first.

    The first by words is among the first five, even if it is not among those by meaning: a rare
    name is often all that a question says.
    """
    passages = {each.id: each for each in (*by_meaning, *by_words)}
    scores = defaultdict[int, float](float)
    for found in (by_words, by_meaning):
        for rank, each in enumerate(found, 1):
            scores[each.id] += 1 / (_K + rank)
    ranked = sorted(scores, key=lambda id: -scores[id])
    if by_words and by_words[0].id not in {each.id for each in by_meaning}:
        _move_up(by_words[0].id, ranked, scores)
    return [passages[id].as_document(scores[id]) for id in ranked]


def _move_up(id: int, ranked: list[int], scores: dict[int, float]) -> None:
    """Give a passage the last of the safe places, with the score of the one that had it."""
    if id in ranked[:_SAFE_PLACES]:
        return
    scores[id] = scores[ranked[_SAFE_PLACES - 1]]
    ranked.remove(id)
    ranked.insert(_SAFE_PLACES - 1, id)
