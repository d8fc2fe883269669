"""The conversation so far, the part of it that fits into the model's window, and documents.

A window has two phases, both from the oldest on: first whole turns of history, then tool exchanges
behind the current user message, which itself is never removed. An assistant message with tool calls
and its results are one unit. The messages are only viewed, never removed, so that a later and
smaller request sees them again. A session's history is cut in steps of half the budget, so that
what is sent of it begins with the same turn for many requests; any other one turn by turn.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, chain

from arc_core.command import AgentCommand
from arc_core.components.signatures import takes_parameter
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_state import ActiveRun
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.conversations.conversation_manager import (
    ConversationManager,
    RefusedHistory,
)
from arc_core.interfaces.conversations.retriever import Document, Retriever
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.result import AgentResult
from arc_core.settings import OnFailure, RagSettings

_MESSAGES = (UserMessage, AssistantMessage, ToolResultMessage, SystemMessage)


class ConversationHistory:
    """Loads and saves through the conversation manager; fails open."""

    def __init__(
        self,
        manager: ConversationManager,
        *,
        boundary: Boundary,
        on_failure: OnFailure,
    ) -> None:
        self._manager = manager
        self._boundary = boundary
        self._on_failure = on_failure
        self._takes_result = takes_parameter(manager.save_streaming_history, "result")

    async def load(self, run: ActiveRun) -> Sequence[Message]:
        """Earlier messages, oldest first; those of the command win over the store's."""
        command = run.command
        if command.conversation_history:
            return command.conversation_history
        messages = await self._boundary.call(
            policies.HISTORY_LOAD, self._manager, partial(self._load, command)
        )
        if isinstance(messages, Failed):
            run.history_available = False
            return ()
        run.history_available = not isinstance(messages, RefusedHistory)
        return messages

    async def save(self, run: ActiveRun, result: AgentResult) -> None:
        """Keep an answer; of a failure what `conversation.on_failure` says.

        Of a run that an output guard has ended, nothing is kept.
        """
        if not run.passed_hooks or result.error_code is AgentErrorCode.OUTPUT_REJECTED:
            return
        if not result.success and self._on_failure is OnFailure.NOTHING:
            return
        await self._boundary.call(
            policies.HISTORY_SAVE, self._manager, partial(self._save, run, result)
        )

    async def _load(self, command: AgentCommand) -> Sequence[Message]:
        loaded = await self._manager.load_history(command)
        messages = loaded if isinstance(loaded, RefusedHistory) else tuple(loaded)
        for cls in set(map(type, messages)):  # of a long history, quicker than each message
            if not issubclass(cls, _MESSAGES):
                raise TypeError(f"load_history returned a {cls.__name__} as a message")
        return messages

    async def _save(self, run: ActiveRun, result: AgentResult) -> None:
        manager, command, content = self._manager, run.command, result.content or ""
        if not (result.success and run.streaming):
            await manager.save_history(command, result)
        elif self._takes_result:
            await manager.save_streaming_history(command, content, result=result)
        else:
            await manager.save_streaming_history(command, content)


class DocumentRetrieval:
    """Asks the retriever within its time-out; fails open."""

    def __init__(self, retriever: Retriever, *, boundary: Boundary, settings: RagSettings) -> None:
        self._retriever = retriever
        self._boundary = boundary
        self._settings = settings

    async def retrieve(self, query: str) -> Sequence[Document]:
        """Documents for a prompt, best first."""
        found = await self._boundary.call(
            policies.RETRIEVAL, self._retriever, lambda: self._ask(query)
        )
        return () if isinstance(found, Failed) else found

    async def _ask(self, query: str) -> Sequence[Document]:
        found = tuple(await self._retriever.retrieve(query, limit=self._settings.top_k))
        for document in found:
            if not isinstance(document, Document):
                raise TypeError(f"retrieve returned a {type(document).__name__} as a Document")
        return found


_MAX_IN_STEPS = 10_000  # messages; more of them are not counted only to be left out


@dataclass(frozen=True, slots=True)
class View:
    """Messages of one request.

    Attributes:
        messages: Oldest first.
        dropped: How many messages of the conversation are not among them.
        history: How many of them stand before the current user message.
    """

    messages: tuple[Message, ...]
    dropped: int
    history: int


class _History:
    """Messages of history, counted from the newest on and no further than needed.

    What will never fit is never counted: a history may be longer than any window.
    """

    def __init__(self, history: Sequence[Message], costs: TokenCosts) -> None:
        self.messages, self._turns = _clean(history)
        self._costs = costs
        self._uncounted = accumulate(map(costs.of_message, reversed(self.messages)))
        self._tokens: list[int] = []  # of the newest messages, by their number

    def first_fitting(self, budget: int) -> int:
        """Index of the message that begins the oldest turn which fits, with all after it."""
        if not self._tokens or self._tokens[-1] <= budget:
            for tokens in self._uncounted:
                self._tokens.append(tokens)
                if tokens > budget:
                    break
        oldest = len(self.messages) - bisect_right(self._tokens, budget)
        turn = bisect_left(self._turns, oldest)
        return self._turns[turn] if turn < len(self._turns) else len(self.messages)

    def first_in_steps(self, budget: int, *, step: int) -> int:
        """Index of the message that begins a turn which fits, with all after it.

        The tokens before it are what is too much, rounded up to a multiple of a step, which is
        halved as long as nothing would be left; so the index stays while the history grows.
        """
        first = self.first_fitting(budget)
        if first == 0 or len(self.messages) > _MAX_IN_STEPS:
            return first
        before = self._before
        excess = before[-1] - budget
        while step > 1:
            turn = bisect_left(before, -(-excess // step) * step)
            if turn < len(self._turns):
                return self._turns[turn]
            step //= 2
        return first

    @cached_property
    def _before(self) -> list[int]:
        """The tokens before each turn, and at last those of all messages."""
        counted = [0, *accumulate(map(self._costs.of_message, self.messages))]
        return [counted[turn] for turn in (*self._turns, len(self.messages))]


class ConversationWindow:
    """History, the current user message, and the tool exchanges behind it.

    Args:
        history: Oldest first; calls without results and results without calls are left out.
        in_steps: Whether the history is cut in steps, as one is that grows from run to run.
    """

    def __init__(
        self,
        history: Sequence[Message],
        user_message: UserMessage,
        *,
        costs: TokenCosts,
        in_steps: bool = False,
    ) -> None:
        self._in_steps = in_steps
        self._costs = costs
        self._user_message = user_message
        self._history = _History(history, costs)
        self._exchanges: list[tuple[Message, Message]] = []
        self._tokens: list[int] = []  # of each exchange

    def add_exchange(self, assistant: AssistantMessage, reply: Message) -> None:
        """Append what the model said, together with the results of its calls or what is asked."""
        self._exchanges.append((assistant, reply))
        self._tokens.append(self._costs.of_messages((assistant, reply)))

    def view(self, budget: int) -> View:
        """The messages that fit into a budget of tokens; at least the current user message."""
        step = budget // 2
        budget -= self._costs.of_message(self._user_message)
        history, tokens = self._history, sum(self._tokens)
        room = budget - tokens
        if self._in_steps:
            first = history.first_in_steps(room, step=step)
        else:
            first = history.first_fitting(room)
        first_exchange = 0
        while first_exchange < len(self._exchanges) and tokens > budget:
            tokens -= self._tokens[first_exchange]
            first_exchange += 1
        messages = (
            *history.messages[first:],
            self._user_message,
            *chain.from_iterable(self._exchanges[first_exchange:]),
        )
        dropped = first + 2 * first_exchange
        return View(messages, dropped=dropped, history=len(history.messages) - first)


def _clean(history: Sequence[Message]) -> tuple[list[Message], list[int]]:
    """The history without calls or results that lack the other, and where its turns begin."""
    messages: list[Message] = []
    turns = [0]
    for index, message in enumerate(history):
        if isinstance(message, UserMessage):
            if messages:
                turns.append(len(messages))
            messages.append(message)
        elif isinstance(message, AssistantMessage) and message.tool_calls:
            messages += _exchange(message, history[index + 1 : index + 2])
        elif not isinstance(message, ToolResultMessage):  # these are taken with their calls
            messages.append(message)
    return messages, turns


def _exchange(assistant: AssistantMessage, following: Sequence[Message]) -> Sequence[Message]:
    """Calls with the results that follow them; without these, what else the assistant said."""
    match following:
        case (ToolResultMessage() as answer,) if _answers(answer, assistant):
            return assistant, answer
    return (AssistantMessage(assistant.content),) if assistant.content else ()


def _answers(answer: ToolResultMessage, assistant: AssistantMessage) -> bool:
    answered = sorted(result.call_id for result in answer.results)
    return answered == sorted(call.id for call in assistant.tool_calls)
