"""Tools are offered for the words that name them."""

import pytest

from arc_core import ToolSelector
from arc_core.testing.conformance.tools.tool_selector import ToolSelectorConformance
from arc_plugins.selectors.keyword import KeywordToolSelector
from arc_plugins.selectors.settings import SelectionSettings
from tests.arc_plugins.selectors.tools import DescribedTool

WEATHER = DescribedTool("forecast", category="weather", keywords=("날씨", "umbrella"))
MAIL = DescribedTool("send", category="e-mail", keywords=("send message",))
CLOCK = DescribedTool("clock")
TOOLS = [CLOCK, MAIL, WEATHER]


class TestConformance(ToolSelectorConformance):
    """It is a selector like any other."""

    def make_selector(self) -> ToolSelector:
        return KeywordToolSelector(settings=SelectionSettings())


async def names(prompt: str, **keywords: tuple[str, ...]) -> list[str]:
    """The selected tools, with words added by the settings."""
    selector = KeywordToolSelector(settings=SelectionSettings(keywords=keywords))
    return [tool.name for tool in await selector.select(prompt, TOOLS)]


@pytest.mark.parametrize(
    ("prompt", "selected"),
    [
        ("How is the WEATHER?", "forecast"),
        ("서울 날씨를 알려줘", "forecast"),
        ("Two umbrellas, please", "forecast"),
        ("Write an e-mail", "send"),
        ("Write an E_Mail", "send"),
        ("Please send  message", "send"),
    ],
)
async def test_a_word_asks_for_its_tool(prompt: str, selected: str) -> None:
    """Categories and keywords, in any case, in the plural, and in Korean with a particle."""
    assert await names(prompt) == [selected, "clock"]


@pytest.mark.parametrize("prompt", ["What time is it?", "weathering steel", "Please send it", ""])
async def test_no_word_offers_everything(prompt: str) -> None:
    """Part of a word or of a phrase is not a match, and without a match nothing is withheld."""
    assert await names(prompt) == ["clock", "send", "forecast"]


async def test_several_words_ask_for_several_tools() -> None:
    """Matches come first, in their order; tools without a group follow."""
    assert await names("Mail me the weather by e-mail") == ["send", "forecast", "clock"]


async def test_settings_add_words_to_a_category_or_a_tool() -> None:
    """So operators can teach it the words of their users."""
    added = {"weather": ("sunshine",), "clock": ("시간",)}

    assert await names("Is there sunshine?", **added) == ["forecast"]
    assert await names("몇 시간 남았어?", **added) == ["clock"]
