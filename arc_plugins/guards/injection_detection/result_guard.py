"""Withholds what tools return if it tells the model what to do.

On for the tools of MCP servers unless `guard.check_tool_results` is `off`, and for all tools if it
is `all`; costs about two milliseconds for ten thousand characters of an ordinary result, and time
that grows with the length only. It reads pieces, with the event loop's other work in between. It
knows what instructions to a model are dressed in, ways of saying them, and a few things that no
result should ask for unless the user did. It knows no intentions: a text that quotes an attack may
be withheld, and an attack in words of its own comes through. So it is one line of defence; tools
still need permissions and approvals. Settings: `guard.check_tool_results`,
`guard.tool_result_threshold`, `guard.injection_mode`.
"""

import asyncio
from collections.abc import Iterator

from arc_core import (
    Allowed,
    GuardResult,
    Logger,
    Rejected,
    RejectionCategory,
    ToolResultGuard,
    ToolResultRequest,
)
from arc_plugins.guards.injection_detection.settings import (
    CheckedResults,
    InjectionMode,
    InjectionSettings,
)

_MCP = "mcp:"
_SCORE_OF_A_REQUEST = 0.5
"""A weak sign: a threshold above the default leaves it out."""
_LONG_CHARS = 20_000
"""Of a text that is spelled without disguises in a thread, so that other work goes on."""
_SHORT_CHARS = 2_500
"""Of a text that is read in one go."""
_ALLOWED = Allowed()
_REJECTED = Rejected(
    "The result of a tool looks like an attempt to instruct the assistant.",
    RejectionCategory.PROMPT_INJECTION,
)


class InjectionToolResultGuard(ToolResultGuard):
    """Scores a result by its words in many languages; names of attached files count, too.

    In `monitor` mode a suspicious result is logged and let through.
    """

    order = 10
    pure = True

    def __init__(self, *, settings: InjectionSettings, logger: Logger) -> None:
        self._threshold = settings.tool_result_threshold
        self._checked = settings.check_tool_results
        self._lets_through = settings.injection_mode is not InjectionMode.ENFORCE
        self._logger = logger
        self._has_read = False  # the first result loads tables, in a thread

    async def check(self, request: ToolResultRequest) -> GuardResult:
        """Withhold a result whose score reaches the threshold; the log tells the score."""
        is_all = self._checked is CheckedResults.ALL
        is_remote = request.source is not None and request.source.startswith(_MCP)
        if self._checked is CheckedResults.OFF or not (is_all or is_remote):
            return _ALLOWED
        names = [each.name for each in request.attachments if each.name]
        score = await self._score("\n".join([request.text, *names]), request.user_prompt)
        if score < self._threshold:
            return _ALLOWED
        self._logger.warning(
            "tool result looks like an injection",
            score=round(score, 2),
            tool=request.tool_name,
            source=request.source,
            let_through=self._lets_through,
        )
        return _ALLOWED if self._lets_through else _REJECTED

    async def _score(self, text: str, user_prompt: str) -> float:
        scores = _score_parts(text, user_prompt, least=self._threshold)
        if self._has_read and len(text) <= _LONG_CHARS:
            most = next(scores)
        else:
            most = await asyncio.to_thread(next, scores)
            self._has_read = True
        for score in scores:
            if most >= self._threshold:
                break
            most = max(most, score)
            if len(text) > _SHORT_CHARS:
                await asyncio.sleep(0)  # other runs have their turn
        return most


def _score_parts(text: str, user_prompt: str, *, least: float) -> Iterator[float]:
    """The likelihoods of an injection in the parts of a text, at least one.

    Before the first, all of the text is spelled without disguises; each of the others takes at most
    a few milliseconds. A score below `least` may be 0.
    """
    # They compile many patterns, and most programs never see a result that is checked.
    from arc_plugins.guards.injection_detection import results  # noqa: PLC0415 -- see above

    reader = results.result_reader()
    for piece in reader.split_pieces(text):
        yield from reader.score_piece(piece, least=least)
        if user_prompt and results.asks_for_more(piece, user_prompt):
            yield _SCORE_OF_A_REQUEST
