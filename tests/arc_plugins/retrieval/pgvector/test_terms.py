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

    words = {probe.word: probe for probe in search.probes}
    assert list(words) == ["'of'", "'cache'", "'value'", "'the'"]
    assert [probe.limit > 0 for probe in words.values()] == [True, True, False, False]
    assert [probe.share for probe in words.values()] == [None, 0.03, 0.2, 0.6]
    assert not search.is_whole


def test_common_words_choose_candidates_together() -> None:
    """The pairs that few passages have, as rare as both words together tell."""
    statistics = TermStatistics(
        passages=100_000, shares={"list": 0.2, "value": 0.25, "get": 0.3, "rare": 0.05}
    )
    search = plan_search("get rare value list", {"team": "x"}, statistics)
    whole = plan_search("get rare value list", {}, statistics)

    assert search.is_whole
    assert [probe.query for probe in whole.probes if probe.word is None] == ["'list' & 'value'"]
    assert whole.words == 4


def test_a_common_word_alone_is_looked_for() -> None:
    """In all passages: there is nothing better."""
    assert plan_search("the", {}, STATISTICS).is_whole


def test_common_words_fill_what_rare_ones_leave() -> None:
    """Some passages of each."""
    search = plan_search("the cache", {}, STATISTICS, filling=70)

    assert [probe.limit for probe in search.probes][1:] == [70]


def test_a_small_tenant_needs_no_choice() -> None:
    """The passages that its filter leaves are few, whatever the words."""
    search = plan_search("the value of the cache", {"tenant": "acme"}, STATISTICS)

    assert search.is_whole
    assert all(encode_filter({"tenant": "acme"}) in probe.query for probe in search.probes)
