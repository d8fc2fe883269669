"""Clears the oldest tool results of a conversation first, and lists the calls of what is left out.

The compactor of `context.compaction = "clearing"`, and what stands in for any other that fails.
"""

from collections.abc import Callable, Iterator, Sequence

from arc_core.interfaces.conversations.compactor import Compaction, CompactionView, Exchange
from arc_core.messages import AssistantMessage, UserMessage

_MAX_ARGUMENT_CHARS = 120
_MAX_QUESTION_CHARS = 160
_HEADING = "[Left out to make room, oldest first: what was asked, and the calls with their keys]"


def clear_oldest(view: CompactionView) -> Compaction:
    """Choose the oldest results until enough is free, then the oldest exchanges."""
    cleared: list[str] = []
    gains = [0] * len(view.exchanges)
    free = 0
    for place, exchange in enumerate(view.exchanges):
        for result in exchange.results:
            if free >= view.to_free:
                return Compaction(cleared=tuple(cleared))
            cleared.append(result.key)
            gains[place] += result.gain
            free += result.gain
    dropped = 0
    for exchange, gain in zip(view.exchanges, gains, strict=True):
        if free >= view.to_free:
            break
        free += exchange.tokens - gain
        dropped += 1
    left_out = {key for each in view.exchanges[:dropped] for key in each.keys}
    return Compaction(
        cleared=tuple(key for key in cleared if key not in left_out),
        dropped=dropped,
        text=list_calls(view, dropped=dropped) if dropped else "",
    )


def list_calls(view: CompactionView, *, dropped: int) -> str:
    """Return a line for each call that is left out, with its key; without the oldest if need be.

    Args:
        view: Has the exchanges that are left out already.
        dropped: How many of its other exchanges are left out now.
    """
    exchanges = (*view.left_out, *view.exchanges[:dropped])
    lines = [line for each in exchanges for line in _list_lines(each)]
    return _fit(lines, max_tokens=view.text_tokens, count=view.count_tokens)


def _list_lines(exchange: Exchange) -> Iterator[str]:
    keys = iter(exchange.keys)
    for message in exchange.messages:
        if isinstance(message, UserMessage):
            yield f"user: {_shorten(message.text, _MAX_QUESTION_CHARS)}"
        elif isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                key = next(keys, "")
                arguments = _shorten(call.arguments, _MAX_ARGUMENT_CHARS)
                yield f"{key or 'call'}: {call.name} {arguments}".rstrip()


def _fit(lines: Sequence[str], *, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the newest lines that fit, and how many are missing; empty if none fits."""
    room = max_tokens - count(f"{_HEADING}\n[{len(lines)} older lines are not listed]\n")
    first = len(lines)
    while first > 0 and room >= (tokens := count(f"{lines[first - 1]}\n")):
        room -= tokens
        first -= 1
    if room < 0 and first == len(lines):
        return ""
    missing = (f"[{first} older lines are not listed]",) if first else ()
    return "\n".join((_HEADING, *missing, *lines[first:]))


def _shorten(text: str, most: int) -> str:
    plain = " ".join(text[: 2 * most].split())
    return plain if len(plain) <= most and len(text) <= 2 * most else f"{plain[: most - 1]}…"
