"""Rules of every `OutputGuard` that the engine relies on."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from arc_core.interfaces.guards.guard import GuardResult, Rejected
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.guards.any_guard import AnyGuardConformance
from arc_core.testing.conformance.guards.streamed_answers import (
    RejectedError,
    get_window,
    leave,
    stream,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

__all__ = ["OutputGuardConformance"]

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
                once = await _leave(guard, text)
                if once is not None:
                    assert await _leave(guard, once) == once, "it replaces its own replacement"

    async def test_a_split_changes_nothing(self) -> None:
        """However a stream is split, what leaves of it is what would leave of the whole text."""
        async with running(self.make_guard()) as guard:
            for text in (*_ANSWERS, *self.answers):
                if guard.window_chars == 0:
                    continue  # such a guard decides on each piece by itself
                whole = await _leave(guard, text)
                for chars in _PIECE_CHARS:
                    split = await _stream(guard, text, chars=chars)
                    assert split == whole, f"in pieces of {chars} characters, something else leaves"

    async def test_what_has_left_stays(self) -> None:
        """The end of what was said before a tool call is shown again, and cannot be replaced."""
        async with running(self.make_guard()) as guard:
            for text in (*_ANSWERS, *self.answers):
                await _leave(guard, text, before="Let me see. ")

    async def test_it_decides_while_a_stream_goes_on_as_at_its_end(self) -> None:
        """Text that has left is not called back: a mask at the end comes too late."""
        async with running(self.make_guard()) as guard:
            window = get_window(guard)
            for text in (*_ANSWERS[:-1], *self.answers):
                if window == 0:
                    await self._check_piece(guard, text)
                elif window is not None:
                    longer = f"{text} " + _NOTHING * (window // len(_NOTHING) + 8)
                    split = await _stream(guard, longer, chars=_LATER_PIECE_CHARS)
                    assert split == await _leave(guard, longer), (
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

    def _make_request(
        self, text: str, *, user_id: str = "ann", metadata: Mapping[str, object] | None = None
    ) -> OutputGuardRequest:
        return OutputGuardRequest(
            text=text, is_final=True, user_id=user_id, metadata=metadata or {}
        )


def _effect(decision: GuardResult, text: str) -> str | None:
    """Return the text that leaves; None if it is rejected."""
    if isinstance(decision, Rejected):
        return None
    return text if decision.text is None else decision.text


async def _leave(guard: OutputGuard, text: str, *, before: str = "") -> str | None:
    """Return the text that leaves of a whole answer; None if it is rejected."""
    try:
        return await leave(guard, text, before=before)
    except RejectedError:
        return None


async def _stream(guard: OutputGuard, text: str, *, chars: int) -> str | None:
    """The text that leaves of an answer in pieces of so many characters; None if rejected."""
    pieces = [text[place : place + chars] for place in range(0, len(text), chars)]
    try:
        return await stream(guard, pieces)
    except RejectedError:
        return None
