"""Terms of passages and queries."""

from arc_core.retrieval.passages import Passage
from arc_plugins.retrieval.pgvector.terms import (
    TermStatistics,
    encode_filter,
    encode_passage,
    plan_search,
)

STATISTICS = TermStatistics(passages=100_000, shares={"the": 0.6, "value": 0.2, "cache": 0.03})


def test_headings_weigh_more() -> None:
    """Their words have the label A, and each word its places."""
    encoded = encode_passage(Passage("Cache", "The cache of the values"), {})

    assert encoded.startswith("'cache':1A,3 'the':2,5 'of':4 'value':6 '=")


def test_korean_is_in_pairs() -> None:
    """A word is found with whatever is attached to it."""
    assert encode_passage(Passage("", "날씨를"), {}).startswith("'날씨':1 '씨를':2 ")


def test_what_has_no_tenant_is_for_all() -> None:
    """A tenant's filter names the term of its own passages, and that of the others."""
    own = encode_passage(Passage("", "tea"), {"tenant": "acme"}).split(" ")[1]
    untagged = encode_passage(Passage("", "tea"), {}).split(" ")[1]

    assert encode_filter({"tenant": "acme"}) == f"({own} | {untagged})"
    assert own != untagged


def test_all_conditions_of_a_filter_count() -> None:
    """Keys and values are not taken apart, so they cannot be taken for other ones."""
    assert encode_filter({}) == ""
    assert encode_filter({"a": "b", "c": "d"}).count(" & ") == 1
    assert encode_filter({"a": "b=c"}) != encode_filter({"a=b": "c"})


def test_rare_words_choose_the_candidates() -> None:
    """The rarest in any case, and others as long as there are few passages to look at."""
    search = plan_search("the value of the Cache", {}, STATISTICS)

    assert list(search.words) == ["'of'", "'cache'", "'value'", "'the'"]
    assert [limit > 0 for limit in search.limits] == [True, True, False, False]
    assert list(search.shares) == [None, 0.03, 0.2, 0.6]
    assert not search.is_whole


def test_a_common_word_alone_is_looked_for() -> None:
    """In all passages: there is nothing better."""
    assert plan_search("the", {}, STATISTICS).is_whole


def test_common_words_fill_what_rare_ones_leave() -> None:
    """Some passages of each."""
    search = plan_search("the cache", {}, STATISTICS, filling=70)

    assert list(search.limits)[1:] == [70]


def test_a_small_tenant_needs_no_choice() -> None:
    """The passages that its filter leaves are few, whatever the words."""
    search = plan_search("the value of the cache", {"tenant": "acme"}, STATISTICS)

    assert search.is_whole
    assert all(encode_filter({"tenant": "acme"}) in query for query in search.filtered)
