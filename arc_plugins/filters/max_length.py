"""Cuts answers that are too long, for callers with room for so much only.

Off by default, costs nothing if the answer is short enough. Setting: `response.max_length`,
characters; 0 is unlimited.
"""

from wcwidth import grapheme_boundary_before

from arc_core import (
    ConfigurationError,
    InvalidResponseError,
    ResponseFilter,
    ResponseFilterContext,
    ResponseFormat,
)
from arc_plugins.filters import LengthFilterSettings

_NOTICE = "[Response truncated]"


class MaxLengthResponseFilter(ResponseFilter):
    """Keeps the start of an answer and says on a last line that it was cut, within the limit.

    Letters with their accents, syllables, flags and families stay whole. JSON and YAML are not cut,
    since half a document is of no use.

    Args:
        max_length: Characters (code points); 0 is unlimited.

    Raises:
        ConfigurationError: The limit is negative, or has no room for the notice.
    """

    order = 10

    def __init__(self, *, max_length: int) -> None:
        if max_length < 0 or 0 < max_length < len(_NOTICE):
            raise ConfigurationError(
                f"response.max_length is {max_length}, which no answer can be cut to",
                evidence=[f"{_NOTICE!r} alone has {len(_NOTICE)} characters"],
                remedy=f"set it to {len(_NOTICE)} or more, or to 0 for no limit",
            )
        self._max_length = max_length

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        """The content, cut if it is too long.

        Raises:
            InvalidResponseError: It is too long, and JSON or YAML.
        """
        if not self._max_length or len(content) <= self._max_length:
            return content
        if context.command.response_format is not ResponseFormat.TEXT:
            raise InvalidResponseError(
                f"the answer has {len(content)} characters, more than response.max_length "
                f"({self._max_length}); raise the limit, or ask for less"
            )
        room = max(0, self._max_length - len(_NOTICE) - 1)
        start = content[: grapheme_boundary_before(content, room + 1)].rstrip()
        return f"{start}\n{_NOTICE}" if start else _NOTICE


def max_length_filter(settings: LengthFilterSettings) -> MaxLengthResponseFilter:
    """The filter for the limit of the settings."""
    return MaxLengthResponseFilter(max_length=settings.max_length)
