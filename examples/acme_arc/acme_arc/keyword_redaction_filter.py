"""Takes words out of answers that must not leave the company."""

import re
from collections.abc import Iterable

from arc_core import ResponseFilter, ResponseFilterContext
from arc_core.settings import Section

__all__ = ["KeywordRedactionFilter", "RedactionSettings", "keyword_redaction_filter"]

_MARK = "[REDACTED]"


class RedactionSettings(Section):
    """What stands below `plugins.settings.keyword_redaction`."""

    keywords: tuple[str, ...] = ()


class KeywordRedactionFilter(ResponseFilter):
    """Replaces keywords, in capitals or not, by a mark.

    Args:
        keywords: Of two that begin alike, the longer one is looked for first.
    """

    order = 110

    def __init__(self, keywords: Iterable[str]) -> None:
        words = sorted(filter(None, keywords), key=len, reverse=True)
        # A mark is matched, too, so that no keyword is ever found inside it.
        self._pattern = re.compile("|".join(map(re.escape, [_MARK, *words])), re.IGNORECASE)

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """The content without keywords."""
        return self._pattern.sub(_MARK, content)


def keyword_redaction_filter(settings: RedactionSettings) -> KeywordRedactionFilter:
    """The filter for the keywords of the settings."""
    return KeywordRedactionFilter(settings.keywords)
