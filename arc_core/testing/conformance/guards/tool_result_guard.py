"""Rules of every `ToolResultGuard` that the engine relies on."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core.interfaces.guards.tool_result_guard import ToolResultGuard, ToolResultRequest
from arc_core.testing.conformance.guards.any_guard import ORDINARY_TEXTS, AnyGuardConformance

_RESULTS = (
    "It is 21 degrees in Seoul.",
    '{"city": "Seoul", "degrees": [21, 22.5, null]}',
    "<p>Menu</p><!-- a comment -->",
    *ORDINARY_TEXTS,
    "word " * 10_000,
)


class ToolResultGuardConformance(AnyGuardConformance[ToolResultGuard]):
    """Inherit from it and say in `make_guard` how your guard is made.

    Attributes:
        results: Results on which the guard decides differently, beside those of the suite.
        source: Where the tool comes from whose results are checked; None for one of the
            application's own.
    """

    results: Sequence[str] = ()
    _texts, _own_texts_in = _RESULTS, "results"

    source: str | None = "mcp:shop"
    _long_text = _RESULTS[-1]

    async def test_it_is_a_tool_result_guard(self) -> None:
        """It has an order and can be asked."""
        self._check_kind(ToolResultGuard, members="order or check")

    def _make_request_of(self, shared: Mapping[str, Any]) -> ToolResultRequest:
        return ToolResultRequest(
            tool_name="find",
            arguments={"city": "Seoul", "units": ["C"]},
            call_id="c-1",
            source=self.source,
            **shared,
        )
