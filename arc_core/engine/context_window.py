"""What of a conversation fits into the model's window.

Two phases, both from the oldest on: first whole turns of history, then tool exchanges behind the
current user message, which itself is never removed. An assistant message with tool calls and its
results are one unit. The messages are only viewed, never removed, so that a later and smaller
request sees them again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arc_core.engine.token_costs import TokenCosts
from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage

__all__ = ["Conversation", "View"]


@dataclass(frozen=True, slots=True)
class View:
    """Messages of one request.

    Attributes:
        messages: Oldest first.
        dropped: How many messages of the conversation are not among them.
    """

    messages: tuple[Message, ...]
    dropped: int


class _Units:
    """Messages in units that stay or go together, with the tokens of each."""

    def __init__(self) -> None:
        self.units: list[tuple[tuple[Message, ...], int]] = []
        self.tokens = 0

    def add(self, messages: tuple[Message, ...], tokens: int) -> None:
        self.units.append((messages, tokens))
        self.tokens += tokens

    def first_fitting(self, budget: int) -> int:
        """Index of the oldest unit that still fits, with all after it, into a budget."""
        index, tokens = 0, self.tokens
        while index < len(self.units) and tokens > budget:
            tokens -= self.units[index][1]
            index += 1
        return index


class Conversation:
    """History, the current user message, and the tool exchanges behind it.

    Args:
        history: Oldest first; calls without results and results without calls are left out.
        user_message: The current question.
        costs: Counts tokens.
    """

    def __init__(
        self, history: Sequence[Message], user_message: UserMessage, *, costs: TokenCosts
    ) -> None:
        self._costs = costs
        self._user_message = user_message
        self._history, self._exchanges = _Units(), _Units()
        for turn in _turns(_paired(history)):
            self._history.add(turn, sum(map(costs.of_message, turn)))

    def add_exchange(self, assistant: AssistantMessage, results: ToolResultMessage) -> None:
        """Append a turn's tool calls together with their results."""
        costs = self._costs.of_message
        self._exchanges.add((assistant, results), costs(assistant) + costs(results))

    def view(self, budget: int) -> View:
        """The messages that fit into a budget of tokens; at least the current user message."""
        budget -= self._costs.of_message(self._user_message)
        first_turn = self._history.first_fitting(budget - self._exchanges.tokens)
        first_exchange = self._exchanges.first_fitting(budget)
        if first_turn < len(self._history.units):
            first_exchange = 0
        dropped = (*self._history.units[:first_turn], *self._exchanges.units[:first_exchange])
        messages = (
            *_flat(self._history.units[first_turn:]),
            self._user_message,
            *_flat(self._exchanges.units[first_exchange:]),
        )
        return View(messages, dropped=sum(len(unit) for unit, _ in dropped))


def _flat(units: list[tuple[tuple[Message, ...], int]]) -> Iterator[Message]:
    return (message for unit, _ in units for message in unit)


def _paired(history: Sequence[Message]) -> Iterator[Message]:
    """The history without calls that have no results, and results that have no calls."""
    awaited: AssistantMessage | None = None
    for message in history:
        if awaited is not None:
            if isinstance(message, ToolResultMessage) and _answers(message, awaited):
                yield awaited
                yield message
                awaited = None
                continue
            if awaited.content:
                yield AssistantMessage(awaited.content)
            awaited = None
        if isinstance(message, AssistantMessage) and message.tool_calls:
            awaited = message
        elif not isinstance(message, ToolResultMessage):
            yield message
    if awaited is not None and awaited.content:
        yield AssistantMessage(awaited.content)


def _answers(results: ToolResultMessage, assistant: AssistantMessage) -> bool:
    return len(results.results) == len(assistant.tool_calls)


def _turns(messages: Iterator[Message]) -> Iterator[tuple[Message, ...]]:
    """The messages cut before every user message."""
    turn: list[Message] = []
    for message in messages:
        if isinstance(message, UserMessage) and turn:
            yield tuple(turn)
            turn = []
        turn.append(message)
    if turn:
        yield tuple(turn)
