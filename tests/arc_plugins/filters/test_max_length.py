"""Answers that are too long are cut where it does no harm, or refused."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arc_core import (
    AgentCommand,
    ConfigurationError,
    InvalidResponseError,
    ResponseFilter,
    ResponseFilterContext,
    ResponseFormat,
)
from arc_core.testing.conformance.guards.response_filter import ResponseFilterConformance
from arc_plugins.filters.max_length import MaxLengthResponseFilter

NOTICE = "[Response truncated]"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1f0\U0001f1f7"


def context(response_format: ResponseFormat = ResponseFormat.TEXT) -> ResponseFilterContext:
    """A run that asked for this form of answer."""
    return ResponseFilterContext(
        command=AgentCommand(user_prompt="Hello", response_format=response_format)
    )


async def cut(text: str, max_length: int) -> str:
    """A text after the filter."""
    return await MaxLengthResponseFilter(max_length=max_length).filter(text, context())


class TestConformance(ResponseFilterConformance):
    """It is a filter like any other."""

    def make_filter(self) -> ResponseFilter:
        return MaxLengthResponseFilter(max_length=50)


@pytest.mark.parametrize("text", ["", "short", "x" * 30])
async def test_what_fits_stays_as_it_is(text: str) -> None:
    """An answer up to the limit, and including it, is not touched."""
    assert await cut(text, 30) == text


async def test_nothing_is_cut_without_a_limit() -> None:
    """0 is unlimited."""
    assert await cut("x" * 1_000_000, 0) == "x" * 1_000_000


async def test_the_notice_stands_on_a_line_of_its_own_within_the_limit() -> None:
    """The start of the answer and the notice together are as long as allowed."""
    assert await cut("x" * 31, 30) == "x" * 9 + "\n" + NOTICE


@pytest.mark.parametrize("limit", [20, 21])
async def test_a_limit_with_room_for_the_notice_only_gives_the_notice(limit: int) -> None:
    """The smallest limits leave nothing of the answer, and no blank line."""
    assert await cut("x" * 31, limit) == NOTICE


@pytest.mark.parametrize("limit", [-1, 1, 19])
def test_a_limit_without_room_for_the_notice_is_refused(limit: int) -> None:
    """Start-up fails with the setting and the smallest limit there is."""
    with pytest.raises(ConfigurationError, match=rf"max_length is {limit}(.|\n)*20 or more"):
        MaxLengthResponseFilter(max_length=limit)


@pytest.mark.parametrize(
    "cluster", ["e\u0301", FAMILY, FLAG, "\u1112\u1161\u11ab", "\u0915\u094d\u0937", "\r\n"]
)
async def test_clusters_stay_whole(cluster: str) -> None:
    """Accents, families, flags, syllables and conjuncts are kept or dropped, never torn."""
    for before in range(len(cluster) + 1):
        text = "x" * before + cluster * 30

        kept = (await cut(text, 40)).removesuffix(NOTICE).rstrip("\n")

        rest = kept.removeprefix("x" * before)
        assert rest.replace(cluster, "").strip() == ""


@example(text="x" * 10 + FLAG * 20, limit=31)
@example(text="\n" * 50, limit=25)
@given(text=st.text(max_size=200), limit=st.integers(min_value=20, max_value=120))
async def test_cutting_keeps_the_rules_for_any_text(text: str, limit: int) -> None:
    """The result fits, starts as the answer does, does not tear marks off, and stays."""
    result = await cut(text, limit)

    assert len(result) <= limit
    assert await cut(result, limit) == result
    if result != text:
        kept = result.removesuffix(NOTICE).rstrip("\n")
        assert text.startswith(kept)
        following = text[len(kept) :][:1]
        assert not kept or unicodedata.category(following) not in {"Mn", "Me"}


@pytest.mark.parametrize("response_format", [ResponseFormat.JSON, ResponseFormat.YAML])
async def test_documents_are_not_cut(response_format: ResponseFormat) -> None:
    """A document over the limit is refused, with both lengths and the setting for the log."""
    limited = MaxLengthResponseFilter(max_length=30)

    with pytest.raises(InvalidResponseError, match=r"31 characters.*response.max_length \(30\)"):
        await limited.filter("x" * 31, context(response_format))


@pytest.mark.parametrize("response_format", [ResponseFormat.JSON, ResponseFormat.YAML])
async def test_documents_that_fit_pass(response_format: ResponseFormat) -> None:
    """A document up to the limit is not touched."""
    limited = MaxLengthResponseFilter(max_length=30)

    assert await limited.filter("[1, 2]", context(response_format)) == "[1, 2]"
