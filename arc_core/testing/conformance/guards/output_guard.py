"""Rules of every `OutputGuard` that the engine relies on."""

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.model_calls.guarded_stream import HeldText
from arc_core.interfaces.guards.guard import GuardResult, Rejected
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.guards.any_guard import AnyGuardConformance
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_PIECE_CHARS = (1, 3, 7, 64)
_LATER_PIECE_CHARS = 16
_NOTHING = "And so it goes on. "
_ANSWERS = (
    "It is 21 degrees in Seoul.",
    "Which Seoul do you mean?",
    "서울은 지금 21도입니다. 우산은 필요 없어요. 👩‍👩‍👧",
    "```python\ntoken = next(stream)\nprint(f'{token!r}')\n```",
    "See https://example.com/a?b=c and ![a plan](https://example.com/plan.png).",
    "Write to ann@example.com, or call +1 202 555 0123 " * 8,
    "a secret password",
    "",
    "word " * 2_000,
)


class OutputGuardConformance(AnyGuardConformance[OutputGuard]):
    """Inherit from it and say in `make_guard` how your guard is made.

    Attributes:
        answers: Texts on which the guard decides differently, beside those of the suite.
    """

    answers: Sequence[str] = ()
    _texts, _own_texts_in = _ANSWERS, "answers"

    async def test_it_is_an_output_guard(self) -> None:
        """It has an order and a window, and can be asked."""
        self._check_kind(OutputGuard, members="order, window_chars or check")

        window: object = self.make_guard().window_chars
        assert window is None or (type(window) is int and window >= 0), (
            f"window_chars is None or a number of characters, not {window!r}"
        )

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_it_decides_on_any_text_that_goes_on(self, text: str) -> None:
        """In a stream as at its end."""
        await self._check_decision(replace(self._make_request(text), is_final=False))

    async def test_a_second_pass_changes_nothing(self) -> None:
        """Text that has left is seen again with what follows: a mask must not be masked."""
        async with running(self.make_guard()) as guard:
            for text in (*_ANSWERS, *self.answers):
                once = await _get_text(leave(guard, text))
                if once is not None:
                    assert await _get_text(leave(guard, once)) == once, (
                        "it replaces its own replacement"
                    )

    async def test_a_split_changes_nothing(self) -> None:
        """However a stream is split, what leaves of it is what would leave of the whole text."""
        async with running(self.make_guard()) as guard:
            for text in (*_ANSWERS, *self.answers):
                if guard.window_chars == 0:
                    continue  # such a guard decides on each piece by itself
                whole = await _get_text(leave(guard, text))
                for chars in _PIECE_CHARS:
                    split = await _get_text(stream(guard, _cut(text, chars=chars)))
                    assert split == whole, f"in pieces of {chars} characters, something else leaves"

    async def test_what_has_left_stays(self) -> None:
        """The end of what was said before a tool call is shown again, and cannot be replaced."""
        async with running(self.make_guard()) as guard:
            for text in (*_ANSWERS, *self.answers):
                await _get_text(leave(guard, text, before="Let me see. "))

    async def test_it_decides_while_a_stream_goes_on_as_at_its_end(self) -> None:
        """Text that has left is not called back: a mask at the end comes too late."""
        async with running(self.make_guard()) as guard:
            window = get_window(guard)
            for text in (*_ANSWERS[:-1], *self.answers):
                if window == 0:
                    await self._check_piece(guard, text)
                elif window is not None:
                    longer = f"{text} " + _NOTHING * (window // len(_NOTHING) + 8)
                    split = await _get_text(stream(guard, _cut(longer, chars=_LATER_PIECE_CHARS)))
                    assert split == await _get_text(leave(guard, longer)), (
                        "a stream lets out what the whole answer does not"
                    )

    async def _check_piece(self, guard: OutputGuard, text: str) -> None:
        request = self._make_request(text)
        ending = await guard.check(request)
        going_on = await guard.check(replace(request, is_final=False))
        assert _effect(going_on, text) == _effect(ending, text), (
            "it decides on a piece of a stream in another way than on the end: with window_chars 0 "
            "each piece leaves at once"
        )

    def _make_run(self, number: int) -> Sequence[OutputGuardRequest]:
        [last] = super()._make_run(number)
        piece = replace(last, is_final=False)
        return [piece, last] if number % 2 else [piece]  # a reader may leave before the end

    def _make_request_of(self, shared: Mapping[str, Any]) -> OutputGuardRequest:
        return OutputGuardRequest(is_final=True, **shared)


def _effect(decision: GuardResult, text: str) -> str | None:
    """Return the text that leaves; None if it is rejected."""
    if isinstance(decision, Rejected):
        return None
    return text if decision.text is None else decision.text


async def _get_text(leaving: Awaitable[str]) -> str | None:
    """Return the text that leaves; None if it is rejected."""
    try:
        return await leaving
    except RejectedError:
        return None


def _cut(text: str, *, chars: int) -> list[str]:
    return [text[place : place + chars] for place in range(0, len(text), chars)]


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
