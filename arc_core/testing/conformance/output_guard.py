"""What the engine relies on in every `OutputGuard`."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy

import pytest

from arc_core.interfaces.guard import Allowed, Rejected, RejectionCategory
from arc_core.interfaces.output_guard import OutputGuard, OutputGuardRequest
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.lifecycle import running
from arc_core.testing.conformance.loop_time import check_loop_is_free
from arc_core.testing.conformance.near_misses import check_names

__all__ = ["OutputGuardConformance"]

_CONTEXT_CHARS = 128

_PIECE_CHARS = (1, 3, 7, 64)
_ANSWERS = (
    "It is 21 degrees in Seoul.",
    "서울은 지금 21도입니다. 우산은 필요 없어요. 👩‍👩‍👧",
    "```python\ntoken = next(stream)\nprint(f'{token!r}')\n```",
    "See https://example.com/a?b=c and ![a plan](https://example.com/plan.png).",
    "Write to ann@example.com, or call +1 202 555 0123 " * 8,
    "a secret password",
    "",
    "word " * 2_000,
)


@pytest.mark.asyncio
class OutputGuardConformance(ABC):
    """Inherit from it and say how your guard is made.

    Attributes:
        answers: Texts on which the guard decides differently, beside those of the suite.
    """

    answers: Sequence[str] = ()

    @abstractmethod
    def make_guard(self) -> OutputGuard:
        """A new guard, not started."""

    def make_failing_guard(self) -> OutputGuard | None:
        """A guard that cannot do its work, its server down; None if nothing can fail."""
        return None

    async def test_it_is_an_output_guard(self) -> None:
        """It has an order and a window, and can be asked."""
        guard = self.make_guard()

        check_names(guard, OutputGuard)
        name = type(guard).__name__
        assert isinstance(guard, OutputGuard), f"{name} lacks order, window_chars or check"
        assert type(guard.order) is int, "order is a whole number"
        window: object = guard.window_chars
        assert window is None or (type(window) is int and window >= 0), (
            f"window_chars is None or a number of characters, not {window!r}"
        )

    @pytest.mark.parametrize("is_final", [True, False], ids=["final", "going on"])
    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_it_decides_on_any_text(self, text: str, is_final: bool) -> None:  # noqa: FBT001
        """Every text leaves or is rejected, with a reason and a category; none makes it raise."""
        async with running(self.make_guard()) as guard:
            result: object = await guard.check(_request(text, is_final=is_final))

        assert isinstance(result, Allowed | Rejected), f"check returned {result!r}"
        if isinstance(result, Rejected):
            assert result.reason.strip(), "a rejection has a reason for the person who asked"
            assert isinstance(result.category, RejectionCategory)
        else:
            assert result.text is None or isinstance(result.text, str)

    async def test_a_second_pass_changes_nothing(self) -> None:
        """What has left is looked at again with what follows: a mask must not be masked."""
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

    async def test_it_leaves_the_request_alone(self) -> None:
        """The metadata belongs to the command, and other guards see it, too."""
        metadata = {"plan": "free", "tags": ["a"]}
        request = _request(_ANSWERS[0], metadata=deepcopy(metadata))

        async with running(self.make_guard()) as guard:
            await guard.check(request)

        assert request.metadata == metadata, "the guard has changed the request's metadata"

    async def test_answers_do_not_mix(self) -> None:
        """Runs share their guards: many at once are decided on as each is alone."""
        answers = [*_ANSWERS, *self.answers] * 5
        async with running(self.make_guard()) as guard:
            alone = [await _leave(guard, text) for text in answers]
            async with asyncio.TaskGroup() as group:
                together = [group.create_task(_leave(guard, text)) for text in answers]
            backwards = [await _leave(guard, text) for text in reversed(answers)]

        assert [task.result() for task in together] == alone, "answers of different runs mix"
        assert backwards[::-1] == alone, "a decision depends on what was asked before"

    @pytest.mark.parametrize("text", [_ANSWERS[0], _ANSWERS[-1]], ids=["short", "long"])
    async def test_it_leaves_the_loop_to_others(self, text: str) -> None:
        """Every run waits while a guard blocks the event loop."""
        async with running(self.make_guard()) as guard:
            await check_loop_is_free(lambda: guard.check(_request(text)))

    async def test_a_cancelled_check_decides_nothing(self) -> None:
        """A cancellation leaves the guard; it does not become a decision."""
        async with running(self.make_guard()) as guard:
            check = asyncio.ensure_future(guard.check(_request(_ANSWERS[0])))
            await asyncio.sleep(0)
            was_cancelled = check.cancel()
            await asyncio.wait([check])

        assert check.cancelled() or not was_cancelled, "the guard has swallowed a cancellation"

    async def test_it_fails_closed(self) -> None:
        """A guard that cannot do its work raises or rejects, and lets nothing leave."""
        failing = self.make_failing_guard()
        if failing is None:
            pytest.skip("nothing in this guard can fail: make_failing_guard gives None")

        try:
            async with running(failing) as guard:
                result: object = await guard.check(_request(_ANSWERS[0]))
        except Exception:  # noqa: BLE001 -- whatever it raises keeps the answer in
            return

        assert isinstance(result, Rejected), "the guard lets leave what it could not check"


async def _leave(guard: OutputGuard, text: str) -> str | None:
    """What leaves of a whole text; None if it is rejected."""
    return await _ask(guard, text, released="", is_final=True)


async def _stream(guard: OutputGuard, text: str, *, chars: int) -> str | None:
    """What leaves of a text that comes in pieces, by the rules of the engine; None if rejected."""
    window = guard.window_chars
    left, held, ask_from = "", "", 0
    for place in range(0, len(text) if window is not None else 0, chars):
        held += text[place : place + chars]
        if window is None or len(held) <= window or len(held) < ask_from:
            continue
        before = left[-_CONTEXT_CHARS:] if window else ""
        checked = await _ask(guard, before + held, released=before, is_final=False)
        if checked is None:
            return None
        body, tail = checked[len(before) :], held[len(held) - window :]
        if body.endswith(tail):
            left, held, ask_from = left + body[: len(body) - len(tail)], tail, 0
        else:
            kept = min(len(held) - window, _common_chars(held, body))
            left, held = left + held[:kept], held[kept:]
            ask_from = len(held) + max(1, len(held) // 8)
    return await _ask(guard, left + held if window is not None else text, released=left)


async def _ask(
    guard: OutputGuard, text: str, *, released: str, is_final: bool = True
) -> str | None:
    request = _request(text, is_final=is_final, released_chars=len(released))
    result = await guard.check(request)
    if isinstance(result, Rejected):
        return None
    if result.text is None:
        return text
    assert result.text.startswith(released), "it replaces what has left already"
    return result.text


def _common_chars(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _request(
    text: str,
    *,
    is_final: bool = True,
    released_chars: int = 0,
    metadata: Mapping[str, object] | None = None,
) -> OutputGuardRequest:
    return OutputGuardRequest(
        text=text,
        is_final=is_final,
        user_id="ann",
        released_chars=released_chars,
        metadata=metadata or {},
    )
