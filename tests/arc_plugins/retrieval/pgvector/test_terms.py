"""Terms of passages and queries."""

from arc_core.retrieval.passages import Passage
from arc_plugins.retrieval.pgvector.terms import (
    MOST_PROBES,
    TermStatistics,
    encode_filter,
    encode_passage,
    plan_search,
)

STATISTICS = TermStatistics(passages=100_000, shares={"the": 0.6, "value": 0.2, "cache": 0.005})


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

    assert search.words == ["'of'", "'cache'", "'value'", "'the'"]
    assert search.shares == [None, 0.005, 0.2, 0.6]
    assert search.probes == ["('of' | 'cache')"]


def test_common_words_choose_candidates_together() -> None:
    """Pairs that few passages have, the word that is rarer once for all of its pairs."""
    shares = {"list": 0.05, "value": 0.06, "get": 0.07, "rare": 0.004}
    statistics = TermStatistics(passages=100_000, shares=shares)
    search = plan_search("get rare value list", {}, statistics)

    assert search.probes == ["('rare')", "'list' & ('value' | 'get')"]


def test_probes_are_as_many_as_the_statement_has() -> None:
    """However many words have few passages together."""
    shares = {chr(letter): 0.02 for letter in range(ord("a"), ord("z"))}
    search = plan_search(" ".join(shares), {}, TermStatistics(passages=100_000, shares=shares))

    assert len(search.probes) == MOST_PROBES


def test_a_common_word_alone_is_looked_for() -> None:
    """In all passages: there is nothing better."""
    search = plan_search("the", {}, STATISTICS)

    assert (search.probes, search.fillers) == (["('the')"], [])


def test_common_words_fill_what_rare_ones_leave() -> None:
    """The rarest of them first, then all others."""
    statistics = TermStatistics(passages=100_000, shares={**STATISTICS.shares, "a": 0.9})
    search = plan_search("the value of a cache", {}, statistics)

    assert search.fillers == ["('value')", "('the' | 'a')"]


def test_a_small_tenant_needs_no_choice() -> None:
    """The passages that its filter leaves are few, whatever the words."""
    search = plan_search("the value of the cache", {"tenant": "acme"}, STATISTICS)

    assert search.fillers == []
    assert all(encode_filter({"tenant": "acme"}) in probe for probe in search.probes)
