"""A streamed answer between the model and the reader: output guards see it before it leaves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from unicodedata import category

from arc_core.command import ResponseFormat
from arc_core.engine.boundary.boundary import contain
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.guards.output_guards import OutputGuards, Unescaper
from arc_core.engine.model_calls.stream_assembly import DELTAS_AT_ONCE, StreamAssembly
from arc_core.engine.run_state import ActiveRun
from arc_core.events import ReasoningDelta
from arc_core.interfaces.models.chat_model import ChatDelta, ChatResponse
from arc_core.text.cleaning import MOST_PER_CHARACTER, end_to_show, is_shown_as_it_is, show
from arc_core.timing.cancellation import wait_despite_cancellation

_MAX_MARKS = 32
_GROWS_BY = 8


class HeldText:
    """A text that comes in pieces and leaves in pieces, `window_chars` characters behind.

    Those are characters that a reader sees: invisible and escaped ones hide nothing from guards.

    If what guards replace reaches into the characters that are held back, the text from where they
    begin to replace is held back, too. Guards are then asked again only after it has grown by an
    eighth, so that a long one costs time with its length and not with the square of it.

    Args:
        window_chars: How many characters at the end are held back; None is all of them.
        context: The text that had left before this one.
        context_chars: How much of that guards see, in characters that a reader sees.

    Attributes:
        before: The end of what had left before this text, as much as guards see.
        end: The same of what has left by now.
    """

    def __init__(self, window_chars: int | None, *, context: str = "", context_chars: int) -> None:
        self._window_chars = window_chars
        self.before = self.end = end_to_show(context, context_chars)
        self._recent = context
        self._context_chars = context_chars
        self._pieces: list[str] = []
        self._length = 0
        self._left: list[str] = []
        self._ask_from = 0

    @property
    def left(self) -> str:
        """All that has left."""
        return "".join(self._left)

    @property
    def is_due(self) -> bool:
        """True if something could leave, so that guards are to be asked."""
        window, length = self._window_chars, self._length
        return window is not None and length > window and length >= self._ask_from

    @property
    def has_left(self) -> bool:
        """True if any of it has left."""
        return bool(self._left)

    @property
    def is_empty(self) -> bool:
        """True if nothing has come."""
        return not self._length and not self._left

    def add(self, piece: str) -> None:
        """Hold a piece."""
        self._pieces.append(piece)
        self._length += len(piece)

    def to_check(self, *, is_final: bool) -> tuple[str, int]:
        """Return the text for the guards, and how many characters of its beginning have left.

        At the end that is all of the text.
        """
        left = self.before + self.left if is_final else self.end
        return left + self._held, len(left)

    def release(self, checked: str) -> str:
        """Return the part that leaves of a text that goes on."""
        held, window = self._held, self._window_chars
        assert window is not None
        body = checked[len(self.end) :]
        cut = _cut_at(held, _begin_of_window(held, window))
        tail = held[cut:]
        self._ask_from = 0
        if body.endswith(tail):
            return self._let_leave(body[: len(body) - len(tail)], rest=tail)
        kept = _cut_at(held, min(cut, _common_chars(held, body)))
        self._ask_from = len(held) - kept + max(1, (len(held) - kept) // _GROWS_BY)
        return self._let_leave(held[:kept], rest=held[kept:])

    def finish(self, checked: str) -> str:
        """Return the part that leaves at the end, of what guards have made of the whole text."""
        return self._let_leave(checked[len(self.before + self.left) :], rest="")

    @property
    def _held(self) -> str:
        if len(self._pieces) != 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def _let_leave(self, text: str, *, rest: str) -> str:
        self._pieces, self._length = [rest], len(rest)
        if text:
            self._left.append(text)
            if self._context_chars:
                self._recent = end_to_show(
                    self._recent + text, self._context_chars, is_longest=True
                )
                self.end = end_to_show(self._recent, self._context_chars)
        return text


def _begin_of_window(text: str, chars: int) -> int:
    """Return the index of the last characters that a reader sees; escapes take more room."""
    if chars == 0 or is_shown_as_it_is(text):
        return len(text) - chars
    shown = show(text, is_final=False)
    begin, _ = shown.span(max(0, len(shown.text) - chars), len(shown.text))
    return min(begin, len(text) - chars)


def _common_chars(one: str, other: str) -> int:
    least, most = 0, min(len(one), len(other))
    while least < most:  # halves, since a comparison of slices takes less than one of characters
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _cut_at(text: str, place: int) -> int:
    """The last place up to this one at which no character is parted from its marks."""
    first = max(0, place - _MAX_MARKS)
    for each in range(max(0, place), first, -1):
        if each >= len(text) or not _belong_together(text[each - 1], text[each]):
            return each
    return first


def _belong_together(one: str, other: str) -> bool:
    if one.isascii() and other.isascii():
        return False
    if one == "\u200d" or other == "\u200d" or "\U0001f3fb" <= other <= "\U0001f3ff":
        return True
    if "\ud800" <= one <= "\udbff" or "\udc00" <= other <= "\udfff":
        return True  # halves of a pair, as a vendor may send them apart
    return category(other).startswith("M")


_TOGETHER_S = 0.001


class GuardedStream:
    """Hands out text and reasoning of one model call as far as the guards let them leave.

    The guards are asked beside the model, about all that has come since they were asked last:
    however fast the pieces come, none of them waits for anything but the window.
    """

    def __init__(self, run: ActiveRun, guards: OutputGuards) -> None:
        self._run, self._guards = run, guards
        is_document = run.command.response_format is not ResponseFormat.TEXT
        self._unescaper = Unescaper() if is_document else None
        self._pieces = EventChannel()
        self._text = self._hold(self._join_end(run.handed_out))
        self._thought = self._hold(self._join_end(run.thoughts))

    @property
    def left(self) -> str:
        """The text that has left."""
        return self._text.left

    async def hand_out(self, read: Callable[[], Awaitable[ChatResponse]]) -> ChatResponse:
        """Hand out a stream; what the model has sent, put together.

        Raises:
            RunStoppedError: A guard rejects; what was held back is gone.
            Exception: What the stream raises; then as well.
        """
        # In a task of its own, so that a rejection need not wait for the model.
        reading = asyncio.create_task(self._read(read), name="arc-model-stream")
        try:
            await self._pass_on()
            response = await reading
            await self._end_thought()
            if self._unescaper is not None:
                self._text.add(self._unescaper.finish())
            await self._end(self._text, self._hand_out_text)
        finally:
            reading.cancel()
            await wait_despite_cancellation(reading)
        return response

    async def take(self, stream: AsyncIterator[ChatDelta]) -> ChatResponse:
        """Take all that a model streams."""
        assembly = StreamAssembly(max_calls=self._run.max_calls_of_turn)
        texts, pieces = list[str](), self._pieces
        task = asyncio.current_task()
        assert task is not None
        async for delta in stream:
            if task.cancelling():  # and the stream goes on as if nothing had happened
                raise asyncio.CancelledError
            if thought := assembly.add(delta):
                await pieces.put(ReasoningDelta(thought))
            if text := delta.text:
                texts.append(text)
                if not pieces.offer(text):
                    await pieces.put(text)
            if not assembly.deltas % DELTAS_AT_ONCE:
                await asyncio.sleep(0)
        return assembly.build(texts)

    async def _read(self, read: Callable[[], Awaitable[ChatResponse]]) -> ChatResponse:
        try:
            with contain():
                return await read()
        finally:
            self._pieces.close()

    async def _pass_on(self) -> None:
        """Hand out what the guards let leave, until the model ends."""
        while await self._pieces.wait_for_event():
            await self._take_pieces()
            if self._text.has_left or self._thought.has_left:  # the first piece waits for nothing
                await self._take_what_follows()
            await self._flush(self._thought, self._run.hand_out_thought)
            await self._flush(self._text, self._hand_out_text)

    async def _take_what_follows(self) -> None:
        """Take the pieces that come in the next turns of the loop, so that one look is enough.

        A slow stream is held up by one turn, a fast one by a moment that no reader sees.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + _TOGETHER_S
        while self._guards.window_chars and loop.time() < until:
            await asyncio.sleep(0)
            if not await self._take_pieces():
                return

    async def _take_pieces(self) -> bool:
        """Hold what has come; whether there was anything."""
        pieces, is_single = self._pieces, self._guards.window_chars == 0
        piece = pieces.poll()
        has_come = piece is not None
        while piece is not None:
            if isinstance(piece, str):
                if not self._thought.is_empty:
                    await self._end_thought()
                unescaper = self._unescaper
                self._text.add(piece if unescaper is None else unescaper.add(piece))
                if is_single:
                    await self._flush(self._text, self._hand_out_text)
            elif isinstance(piece, ReasoningDelta):
                self._thought.add(piece.text)
                if is_single:
                    await self._flush(self._thought, self._run.hand_out_thought)
            piece = pieces.poll()
        return has_come

    async def _flush(self, held: HeldText, hand_out: Callable[[str], Awaitable[None]]) -> None:
        if held.is_due:
            text, released = held.to_check(is_final=False)
            checked = await self._guards.check(
                self._run, text, is_final=False, released_chars=released
            )
            if leaving := held.release(checked):
                await hand_out(leaving)

    async def _end(self, held: HeldText, hand_out: Callable[[str], Awaitable[None]]) -> None:
        if held.is_empty:
            return
        text, released = held.to_check(is_final=True)
        checked = await self._guards.check_end(
            self._run, text, context_chars=len(held.before), released_chars=released
        )
        if leaving := held.finish(checked):
            await hand_out(leaving)

    async def _end_thought(self) -> None:
        """End a thought once the model speaks; it may think again."""
        thought = self._thought
        await self._end(thought, self._run.hand_out_thought)
        self._thought = self._hold(thought.end)

    async def _hand_out_text(self, text: str) -> None:
        if (waiting := self._run.hand_out(text)) is not None:
            await waiting

    def _join_end(self, texts: Sequence[str]) -> str:
        """Return the end of texts that guards may have to see; none of the texts is empty."""
        chars = self._guards.context_chars
        return end_to_show("".join(texts[-1 - chars * MOST_PER_CHARACTER :]), chars)

    def _hold(self, context: str) -> HeldText:
        guards = self._guards
        return HeldText(guards.window_chars, context=context, context_chars=guards.context_chars)
