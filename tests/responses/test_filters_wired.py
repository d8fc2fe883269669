"""Response filters in an application: registered, contributed, replaced, switched off."""

import pytest

from arc_core import ArcError, ResponseFilter, ResponseFilterChain, ResponseFilterContext
from arc_plugins.filters.max_length import MaxLengthResponseFilter
from tests.responses.applications import QUESTION, application

NOTICE = "\n[Response truncated]"


class KeywordRedactionFilter(ResponseFilter):
    """Takes keywords out."""

    order = 110

    def __init__(self, keywords: set[str]) -> None:
        self._keywords = keywords

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        for keyword in self._keywords:
            content = content.replace(keyword, "[REDACTED]")
        return content


class Footer(ResponseFilter):
    """Appends a line, once."""

    order = 5

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content if content.endswith("\n-- Arc") else content + "\n-- Arc"


@pytest.mark.slow
async def test_a_filter_registered_in_code_takes_effect() -> None:
    """One line of registration, and no answer has the word any more."""
    app, _ = application("secret-project runs", KeywordRedactionFilter({"secret-project"}))

    async with app:
        result = await app.execute(QUESTION)

    assert result.content == "[REDACTED] runs"


async def test_streams_stay_as_they_are() -> None:
    """A filter that is wired is not asked for a stream."""
    app, _ = application("secret-project runs", KeywordRedactionFilter({"secret-project"}))

    async with app:
        pieces = [piece async for piece in app.execute_stream(QUESTION)]

    assert "".join(pieces) == "secret-project runs"


async def test_adding_a_filter_leaves_the_built_in_one() -> None:
    """The limit of the settings holds beside the user's filter, in the order of both."""
    app, _ = application(
        "secret-project" + "." * 100,
        Footer,
        KeywordRedactionFilter({"secret"}),
        response={"max_length": 40},
    )

    async with app:
        result = await app.execute(QUESTION)
        wired = [candidate.name for candidate in app.report.winners(ResponseFilter)]

    assert result.content == "[REDACTED]-project" + "." * 5 + NOTICE
    assert wired == ["Footer", "max_length", "KeywordRedactionFilter"]


async def test_replacing_the_chain_replaces_all_filters() -> None:
    """Neither contributed nor built-in filters run in a chain of the user's own."""
    chain = ResponseFilterChain(
        [MaxLengthResponseFilter(max_length=30), KeywordRedactionFilter({"secret"})]
    )
    app, _ = application("secret" + "." * 100, Footer, chain, response={"max_length": 50})

    async with app:
        result = await app.execute(QUESTION)
        report = str(app.report)

    assert result.content == "[REDACTED]..." + NOTICE
    assert "response_filter_chain: ResponseFilterChain" in report
    assert "ordered" in report


async def test_the_master_switch_leaves_out_all_filters() -> None:
    """`response.filters_enabled = false`: nothing is filtered, and the report says why."""
    app, _ = application(
        "secret" + "." * 100,
        KeywordRedactionFilter({"secret"}),
        response={"max_length": 50, "filters_enabled": False},
    )

    async with app:
        result = await app.execute(QUESTION)
        report = str(app.report)

    assert result.content == "secret" + "." * 100
    assert "response.filters_enabled is false" in report


async def test_a_limit_without_room_for_its_notice_stops_the_start() -> None:
    """The error names the setting, and the smallest limit."""
    app, _ = application("answer", response={"max_length": 10})

    with pytest.raises(ArcError, match=r"max_length is 10(.|\n)*20 or more"):
        await app.__aenter__()
