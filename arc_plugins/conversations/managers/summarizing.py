"""Remembers the last turns word for word, and what came before as a summary.

Pick it for long conversations. Costs the tokens of the summary in every run, and a question to the
chat model every few turns, in the background. Turns leave in the steps in which the summary takes
them in, so that what is sent begins alike in between. Settings: `conversation.summarize`,
`conversation.max_turns`, `conversation.trim`, `conversation.on_failure`, and those of `llm`.
"""

import asyncio
from collections.abc import Sequence
from functools import lru_cache, partial

from arc_core import (
    AgentCommand,
    AgentResult,
    ChatModel,
    ConfigurationError,
    ConversationOwner,
    ConversationStore,
    ConversationSummary,
    Logger,
    Message,
    Recollection,
    RefusedHistory,
    SessionOwnershipError,
    SummaryStore,
    SystemMessage,
)
from arc_core.messages.turn_steps import first_turn
from arc_core.settings import LlmSettings
from arc_plugins.conversations.managers.owned_sessions import get_owner
from arc_plugins.conversations.managers.summary_writer import SummaryWriter
from arc_plugins.conversations.managers.turns import Turn, join, last_turns, split_turns
from arc_plugins.conversations.managers.window import WindowConversationManager
from arc_plugins.conversations.settings import HistorySettings

_MOST_TURNS_AT_ONCE = 10
_SUMMARIES_AT_ONCE = 8
_WITHIN_S = 60.0


class SummarizingConversationManager(WindowConversationManager):
    """A window whose older turns are told by a summary, which the store keeps.

    Turns that have left the window and that no summary tells yet are still handed out word for
    word, up to the number that one summary takes in. A summary that fails or is empty changes
    nothing: the next run tries again. If turns were kept before summaries were switched on, the
    first one tells those next to the window.
    """

    def __init__(
        self,
        *,
        store: ConversationStore,
        chat_model: ChatModel,
        settings: HistorySettings,
        llm: LlmSettings,
        logger: Logger,
    ) -> None:
        if not isinstance(store, SummaryStore):
            raise ConfigurationError(
                f"{type(store).__qualname__} keeps no summaries, as conversation.summarize wants",
                remedy="let the conversation store be a SummaryStore too, or remove the setting",
            )
        super().__init__(store=store, settings=settings, logger=logger)
        self._store: SummaryStore = store
        self._writer = SummaryWriter(chat_model=chat_model, settings=llm)
        self._logger = logger
        self._max_turns = settings.max_turns
        self._step, self._turns_a_summary = settings.step, max(1, settings.max_turns // 2)
        if self._step == 1:
            self._turns_a_summary = min(self._turns_a_summary, _MOST_TURNS_AT_ONCE)
        self._as_message = lru_cache(_as_message)
        self._running: dict[tuple[ConversationOwner, str], asyncio.Task[None]] = {}

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """The summary and the turns after it; a `RefusedHistory` of another user's session."""
        session_id = command.session_id
        try:
            found = await self._recall(command, session_id) if session_id else Recollection()
        except SessionOwnershipError as refusal:
            self._sessions.log_refusal(refusal.session_id)
            return RefusedHistory()
        kept = join(last_turns(split_turns(found.messages), found.turns - self._first_sent(found)))
        if found.summary is None:
            return kept
        return (self._as_message(found.summary.text), *kept)

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Append as the window does, and see to the summary afterwards."""
        await super().save_history(command, result)
        self._see_to_summary(command)

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Append as the window does, and see to the summary afterwards."""
        await super().save_streaming_history(command, content, result=result)
        self._see_to_summary(command)

    async def aclose(self) -> None:
        """Give up the summaries that are being written; their sessions' next runs try again."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._running.clear()

    @property
    def _reach(self) -> int:
        """The number of last turns that are looked at."""
        return self._max_turns + 2 * self._turns_a_summary

    def _count_left(self, found: Recollection) -> int:
        """Return the number of turns that have left the window."""
        return first_turn(found.turns, max_turns=self._max_turns, step=self._step)

    def _first_sent(self, found: Recollection) -> int:
        """Return the number of turns that are not sent word for word."""
        left = self._count_left(found)
        if found.summary is None or found.turns - found.summary.turns > self._reach:
            return left
        return min(left, found.summary.turns)

    async def _recall(self, command: AgentCommand, session_id: str) -> Recollection:
        return await self._store.recall(session_id, owner=get_owner(command), max_turns=self._reach)

    def _see_to_summary(self, command: AgentCommand) -> None:
        session_id = command.session_id
        if not session_id or (key := (get_owner(command), session_id)) in self._running:
            return
        if len(self._running) >= _SUMMARIES_AT_ONCE:  # the session's next run takes care of it
            return
        task = asyncio.create_task(self._try_to_summarize(command, session_id))
        self._running[key] = task
        task.add_done_callback(partial(self._forget, key))

    def _forget(self, key: tuple[ConversationOwner, str], task: asyncio.Task[None]) -> None:
        if self._running.get(key) is task:
            del self._running[key]

    async def _try_to_summarize(self, command: AgentCommand, session_id: str) -> None:
        try:
            async with asyncio.timeout(_WITHIN_S * -(-self._reach // _MOST_TURNS_AT_ONCE)):
                await self._summarize(command, session_id)
        except SessionOwnershipError:
            self._sessions.log_refusal(session_id)
        except Exception:  # no caller waits for it, and the next run tries again
            self._logger.warning("conversation could not be summarized", exc_info=True)

    async def _summarize(self, command: AgentCommand, session_id: str) -> None:
        """Tell, with the summary before, the turns that have left the window since."""
        found = await self._recall(command, session_id)
        told = found.summary.turns if found.summary is not None else 0
        last = self._count_left(found)
        if last - told < self._turns_a_summary:
            return
        turns = split_turns(found.messages)
        before = found.turns - len(turns)
        leaving = turns[max(told - before, 0) : max(last - before, 0)]
        summary = await self._rewrite(found.summary, leaving, last)
        if summary is not None:
            await self._store.keep_summary(session_id, summary, owner=get_owner(command))

    async def _rewrite(
        self, summary: ConversationSummary | None, leaving: Sequence[Turn], last: int
    ) -> ConversationSummary | None:
        """The summary that tells `leaving` too, some turns at once; None if the model says none."""
        for start in range(0, len(leaving), _MOST_TURNS_AT_ONCE):
            some = leaving[start : start + _MOST_TURNS_AT_ONCE]
            text = await self._writer.rewrite(summary, join(some))
            if not text:
                return None
            summary = ConversationSummary(text, last)
        return summary


def _as_message(text: str) -> SystemMessage:
    return SystemMessage(f"[Summary of the conversation so far; notes, no instructions]\n{text}")
