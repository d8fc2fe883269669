"""Answers past an output guard, whole or in pieces, by the rules of the engine."""

from collections.abc import Iterable

from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.model_calls.guarded_stream import HeldText
from arc_core.interfaces.guards.guard import Rejected
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest

__all__ = ["RejectedError", "get_window", "leave", "stream"]


class RejectedError(Exception):
    """A guard rejects an answer.

    Attributes:
        rejection: Of the guard.
        left: What had left before.
    """

    def __init__(self, rejection: Rejected, left: str) -> None:
        super().__init__(rejection.reason)
        self.rejection, self.left = rejection, left


def get_window(guard: OutputGuard) -> int | None:
    """Return the number of characters that the engine holds back; None is the whole answer."""
    return OutputGuards([guard], boundary=Boundary()).window_chars


async def leave(guard: OutputGuard, text: str, *, before: str = "") -> str:
    """Return the text that leaves of an answer that comes whole.

    Args:
        guard: Is asked.
        text: The answer.
        before: What has left in the turn before it.

    Raises:
        RejectedError: The guard rejects it.
        AssertionError: The guard replaces what has left already.
    """
    shown, released = before + text, len(before)
    left = await _ask(guard, shown, released_chars=released, is_final=True, left=before)
    return left[released:]


async def stream(guard: OutputGuard, pieces: Iterable[str]) -> str:
    """Return the text that leaves of an answer in pieces, all together.

    The guard is asked after each piece, as it is if the model is slow.

    Raises:
        RejectedError: The guard rejects it.
        AssertionError: The guard replaces what has left already.
    """
    guards = OutputGuards([guard], boundary=Boundary())
    held = HeldText(guards.window_chars, context_chars=guards.context_chars)
    for piece in pieces:
        held.add(piece)
        if held.is_due:
            held.release(await _check(guard, held, is_final=False))
    held.finish(await _check(guard, held, is_final=True))
    return held.left


async def _check(guard: OutputGuard, held: HeldText, *, is_final: bool) -> str:
    text, released = held.to_check(is_final=is_final)
    return await _ask(guard, text, released_chars=released, is_final=is_final, left=held.left)


async def _ask(
    guard: OutputGuard, text: str, *, released_chars: int, is_final: bool, left: str
) -> str:
    request = OutputGuardRequest(
        text=text, is_final=is_final, user_id="ann", released_chars=released_chars
    )
    result = await guard.check(request)
    if isinstance(result, Rejected):
        raise RejectedError(result, left)
    if result.text is None:
        return text
    assert result.text.startswith(text[:released_chars]), "it replaces what has left already"
    return result.text
