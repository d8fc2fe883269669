"""Offers tools whose category or keywords the user names: predictable, and as good as its words.

Pick it if tools fall into groups that people call by name. Costs microseconds. A tool says what
it is for by the attributes `category` (a text) and `keywords` (texts), both optional; the setting
`tools.keywords` adds words to a category or to a tool, by its name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from arc_core import Tool, ToolSelector
from arc_plugins.selectors.settings import SelectionSettings

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


class KeywordToolSelector(ToolSelector):
    """Selects the tools that are asked for, then those that belong to no group.

    If no tool is asked for, all are selected. A keyword is found as a whole word, also with a
    plural `s`; a Korean, Japanese or Chinese one anywhere.
    """

    def __init__(self, *, settings: SelectionSettings) -> None:
        self._added = settings.keywords

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The tools asked for first, each group in the given order."""
        text = _normal(user_prompt)
        keywords = [_find_keywords(tool, self._added) for tool in tools]
        wanted = [
            tool
            for tool, words in zip(tools, keywords, strict=True)
            if any(_is_in(text, keyword) for keyword in words)
        ]
        if not wanted:
            return tools
        general = [tool for tool, words in zip(tools, keywords, strict=True) if not words]
        return [*wanted, *general]


def _find_keywords(tool: Tool, added: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The words that ask for a tool, normalised; none for a tool that belongs to no group."""
    category = getattr(tool, "category", None)
    keywords = [*getattr(tool, "keywords", ()), *added.get(tool.name, ())]
    if isinstance(category, str):
        keywords += [category, *added.get(category, ())]
    return frozenset(filter(None, (_normal(keyword).strip() for keyword in keywords)))


def _normal(text: str) -> str:
    """Words in lower case, with one space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_in(text: str, keyword: str) -> bool:
    if _UNSPACED.search(keyword):
        return keyword in text
    return f" {keyword} " in text or f" {keyword}s " in text
