"""Rare shared terms rank a text first."""

from arc_plugins.selectors.lexical.selector import Bm25Index


def rank(query: str, *texts: str) -> list[int]:
    """The ranking of some texts."""
    return Bm25Index([text.split() for text in texts]).rank(query.split())


def test_only_texts_that_share_a_term_are_ranked() -> None:
    """The others do not appear at all."""
    assert rank("b", "a", "b", "c b") == [1, 2]


def test_a_rare_term_counts_more_than_a_common_one() -> None:
    """What every text has tells nothing."""
    assert rank("get weather", "get order", "get weather", "get ticket")[0] == 1
    assert rank("get weather", "get get get", "weather x x", "get x x")[0] == 1


def test_more_shared_terms_rank_higher() -> None:
    """Two terms of the query are better than one."""
    assert rank("a b", "a x", "b x", "a b")[0] == 2


def test_a_term_that_occurs_again_counts_less_and_less() -> None:
    """Saying a word a hundred times does not beat having both."""
    assert rank("a b", " ".join(["a"] * 100), "a b")[0] == 1


def test_equally_good_texts_keep_their_order() -> None:
    """Ties are decided by place, so that nothing depends on chance."""
    assert rank("a", "a x", "a y", "a z") == [0, 1, 2]


def test_nothing_is_ranked_where_there_is_nothing() -> None:
    """No texts, and texts without terms, are not errors."""
    assert rank("a") == []
    assert rank("a", "", "") == []
