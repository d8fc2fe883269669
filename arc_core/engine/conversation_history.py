"""What a run remembers and what is kept of it; neither costs an answer."""

import asyncio
from collections.abc import Sequence

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.run import Run
from arc_core.interfaces.agent_metrics import AgentMetrics, FaultSource
from arc_core.interfaces.conversation_manager import ConversationManager
from arc_core.log import get_logger
from arc_core.messages import Message
from arc_core.result import AgentResult
from arc_core.settings import OnFailure

__all__ = ["ConversationHistory"]

logger = get_logger("history")


class ConversationHistory:
    """Loads and saves through the conversation manager; fails open.

    Args:
        manager: Keeps the conversations.
        metrics: Told of failures.
        on_failure: What is kept of a run that failed.
        save_timeout_s: After this a save is given up.
    """

    def __init__(
        self,
        manager: ConversationManager,
        *,
        metrics: AgentMetrics,
        on_failure: OnFailure,
        save_timeout_s: float,
    ) -> None:
        self._manager = manager
        self._metrics = metrics
        self._on_failure = on_failure
        self._save_timeout_s = save_timeout_s

    async def load(self, run: Run) -> Sequence[Message]:
        """Earlier messages, oldest first; those of the command win over the store's."""
        command = run.command
        if command.conversation_history:
            return command.conversation_history
        try:
            messages = tuple(await self._manager.load_history(command))
        except Exception:  # fail open: an answer without memory is better than none
            leave_if_cancelled()
            logger.exception("history could not be loaded, the run goes on without")
            self._metrics.record_fault(FaultSource.HISTORY_LOAD)
            run.metadata["history_unavailable"] = True
            return ()
        leave_if_cancelled()
        return messages

    async def save(self, run: Run, result: AgentResult) -> None:
        """Keep an answer; of a failure what `conversation.on_failure` says."""
        if not run.passed_hooks:
            return
        if not result.success and self._on_failure is OnFailure.NOTHING:
            return
        try:
            async with asyncio.timeout(self._save_timeout_s):
                await self._saved(run, result)
        except Exception:  # a failure to save never turns a good answer into a bad one
            logger.exception("history could not be saved")
            self._metrics.record_fault(FaultSource.HISTORY_SAVE)

    async def _saved(self, run: Run, result: AgentResult) -> None:
        if result.success and run.streaming:
            await self._manager.save_streaming_history(run.command, result.content or "")
        else:
            await self._manager.save_history(run.command, result)
