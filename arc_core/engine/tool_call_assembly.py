"""Puts the fragments of streamed tool calls together."""

from collections.abc import Iterable

from arc_core.interfaces.chat_model import ToolCallDelta
from arc_core.messages import ToolCall

__all__ = ["ToolCallAssembly"]


class ToolCallAssembly:
    """Collects fragments by index; the calls come out sorted by it."""

    def __init__(self) -> None:
        self._fragments: dict[int, list[ToolCallDelta]] = {}

    def add(self, fragments: Iterable[ToolCallDelta]) -> None:
        """Take the fragments of one delta."""
        for fragment in fragments:
            self._fragments.setdefault(fragment.index, []).append(fragment)

    def build(self) -> tuple[ToolCall, ...]:
        """The calls so far."""
        return tuple(
            ToolCall(
                id=next((f.id for f in reversed(fragments) if f.id), ""),
                name="".join(f.name or "" for f in fragments),
                arguments="".join(f.arguments or "" for f in fragments),
            )
            for _, fragments in sorted(self._fragments.items())
        )
