"""Plays the engine's part: a text comes in pieces, and what guards let leave, leaves."""

from collections.abc import Iterable, Sequence

from arc_core import Allowed, OutputGuard, OutputGuardRequest, Rejected

__all__ = ["RejectedError", "cut", "mask", "stream"]

CONTEXT_CHARS = 128


class RejectedError(Exception):
    """A guard rejects; `left` is what has left before."""

    def __init__(self, rejection: Rejected, left: str) -> None:
        super().__init__(rejection.reason)
        self.rejection, self.left = rejection, left


async def mask(guard: OutputGuard, text: str) -> str:
    """What leaves of a text that comes whole."""
    return await _ask(guard, text, released="", is_final=True)


async def stream(guard: OutputGuard, pieces: Iterable[str]) -> str:
    """What leaves of a text that comes in pieces, all together."""
    window = guard.window_chars
    assert window is not None
    left, held, ask_from = "", "", 0
    for piece in pieces:
        held += piece
        if len(held) <= window or len(held) < ask_from:
            continue
        context = left[-CONTEXT_CHARS:] if window else ""
        body = await _ask(guard, context + held, released=context, is_final=False)
        body, tail = body[len(context) :], held[len(held) - window :]
        if body.endswith(tail):
            left, held, ask_from = left + body[: len(body) - len(tail)], tail, 0
        else:
            kept = min(len(held) - window, _common_chars(held, body))
            left, held = left + held[:kept], held[kept:]
            ask_from = len(held) + max(1, len(held) // 8)
    return await _ask(guard, left + held, released=left, is_final=True)


def cut(text: str, places: Iterable[int]) -> Sequence[str]:
    """A text in pieces, cut at some places."""
    ends = [*sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


async def _ask(guard: OutputGuard, text: str, *, released: str, is_final: bool) -> str:
    request = OutputGuardRequest(text=text, is_final=is_final, released_chars=len(released))
    match await guard.check(request):
        case Rejected() as rejection:
            raise RejectedError(rejection, released)
        case Allowed(str(replacement)):
            assert replacement.startswith(released), "it replaces what has left already"
            return replacement
    return text


def _common_chars(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
