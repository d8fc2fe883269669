"""The conversation as a run remembers it, and the messages that are kept of the run.

The engine loads once per run before the model is asked and saves once after it. Fails open both
ways: a failure is logged and counted, the run goes on without history, and a good answer stays
good.
"""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.components.extension_points import slot
from arc_core.messages import Message
from arc_core.result import AgentResult


class RefusedHistory(tuple[Message, ...]):
    """The history of a session that is another user's: it is empty, and says why.

    The engine then tells the caller that the conversation so far was not available
    (`AgentResult.history_available`), which an empty history of a new session is not.
    """

    __slots__ = ()


@slot("conversation_manager", group="arc.conversation_managers")
@runtime_checkable
class ConversationManager(Protocol):
    """Loads and saves history; a command without `session_id` has none."""

    @abstractmethod
    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        """Earlier messages, oldest first; a `RefusedHistory` of another user's session."""

    @abstractmethod
    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        """Keep an answer of `execute()`, or, by `conversation.on_failure`, a failed run.

        A run may be saved again, after a crash for one; `result.run_id` tells it from others.
        """

    @abstractmethod
    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        """Keep a streamed answer; `content` is the text of its last turn.

        `result` tells the rest of the run, `run_id` and `messages` for two. A manager whose method
        does not take it is called without it.
        """


@runtime_checkable
class RemembersOfferedTools(Protocol):
    """A conversation manager that remembers which tools a session's requests have offered.

    The engine asks it in place of its own memory, which ends with the process: once before a run
    whose tools were selected, and once after it has been saved, if it has offered others.

    Attributes:
        remembers_offered_tools: Whether it can; that may depend on its store.
    """

    remembers_offered_tools: bool

    @abstractmethod
    async def load_offered_tools(self, command: AgentCommand) -> Collection[str]:
        """Names of the tools that the command's agent was offered in its session.

        None of another user's session.
        """

    @abstractmethod
    async def save_offered_tools(self, command: AgentCommand, tools: Collection[str]) -> None:
        """Replace those of the command's agent in its session."""
