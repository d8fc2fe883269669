"""What a run remembers of its conversation, and what is kept of the run.

The engine loads once per run before the model is asked and saves once after it. Fails open both
ways: a failure is logged and counted, the run goes on without history, and a good answer stays
good.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.messages import Message
from arc_core.places import slot
from arc_core.result import AgentResult

__all__ = ["ConversationManager"]


@slot("conversation_manager", group="arc.conversation_managers")
@runtime_checkable
class ConversationManager(Protocol):
    """Loads and saves history; a command without `session_id` has none."""

    @abstractmethod
    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """Earlier messages, oldest first; none of another user's session."""
        ...

    @abstractmethod
    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Keep an answer of `execute()`, or, by `conversation.on_failure`, a failed run.

        A run may be saved again, after a crash for one; `result.run_id` tells it from others.
        """
        ...

    @abstractmethod
    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Keep a streamed answer; `content` is the text of its last turn.

        `result` tells the rest of the run, `run_id` and `messages` for two. A manager whose method
        does not take it is called without it.
        """
        ...
