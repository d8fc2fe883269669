"""A streamed answer between the model and the reader: output guards see it before it leaves."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from arc_core.command import ResponseFormat
from arc_core.engine.boundary.containment import contain
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.guards.escapes import Unescaper
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.model_calls.held_text import HeldText
from arc_core.engine.model_calls.stream_assembly import DELTAS_AT_ONCE, StreamAssembly
from arc_core.engine.run_state import ActiveRun
from arc_core.events import ReasoningDelta
from arc_core.interfaces.chat_model import ChatDelta, ChatResponse
from arc_core.text.cleaning import MOST_PER_CHARACTER, end_to_show
from arc_core.timing.cancellation import wait_despite_cancellation

__all__ = ["GuardedStream"]

_TOGETHER_S = 0.001


class GuardedStream:
    """Hands out text and reasoning of one model call as far as the guards let them leave.

    The guards are asked beside the model, about all that has come since they were asked last:
    however fast the pieces come, none of them waits for anything but the window.

    Args:
        run: Gets what leaves.
        guards: Say what that is.
    """

    def __init__(self, run: ActiveRun, guards: OutputGuards) -> None:
        self._run, self._guards = run, guards
        is_document = run.command.response_format is not ResponseFormat.TEXT
        self._unescaper = Unescaper() if is_document else None
        self._pieces = EventChannel()
        self._text = self._hold(self._end_of(run.handed_out))
        self._thought = self._hold(self._end_of(run.thoughts))

    @property
    def left(self) -> str:
        """The text that has left."""
        return self._text.left

    async def hand_out(self, read: Callable[[], Awaitable[ChatResponse]]) -> ChatResponse:
        """Hand out a stream; what the model has sent, put together.

        Args:
            read: Has the stream taken by `take`, and closes it.

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
                self._text.add(self._plain(piece))
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
        """What the model thought is over once it speaks; it may think again."""
        thought = self._thought
        await self._end(thought, self._run.hand_out_thought)
        self._thought = self._hold(thought.end)

    def _plain(self, piece: str) -> str:
        return piece if self._unescaper is None else self._unescaper.add(piece)

    async def _hand_out_text(self, text: str) -> None:
        if (waiting := self._run.hand_out(text)) is not None:
            await waiting

    def _end_of(self, texts: Sequence[str]) -> str:
        """What guards may have to see of texts, none of which is empty."""
        chars = self._guards.context_chars
        return end_to_show("".join(texts[-1 - chars * MOST_PER_CHARACTER :]), chars)

    def _hold(self, context: str) -> HeldText:
        guards = self._guards
        return HeldText(guards.window_chars, context=context, context_chars=guards.context_chars)
