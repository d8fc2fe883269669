"""The history of a conversation: its messages, where its turns begin, and what fits of it.

Of a session, which grows from run to run, only what is new is looked at.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from arc_core.components.prefix_cache import PrefixCache
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage

_MAX_IN_STEPS = 10_000  # messages; more of them are not counted only to be left out

Numbers = tuple[int, ...]


class Histories:
    """Reads the histories of runs."""

    def __init__(self, costs: TokenCosts) -> None:
        self._costs = costs
        self._turns: PrefixCache[Message, Numbers | None] = PrefixCache()
        self._sums: PrefixCache[Message, Numbers] = PrefixCache()
        self._empty = History((), (), self)

    def read(self, history: Sequence[Message]) -> "History":
        """Return a history, oldest first; calls and results that lack the other are left out."""
        if not history:
            return self._empty
        messages = tuple(history)
        turns = self._turns.get(messages, _find_turns)
        if turns is None:
            cleaned, found = _clean(messages)
            return History(tuple(cleaned), tuple(found), self)
        return History(messages, turns, self)

    def count_from_newest(self, messages: Sequence[Message]) -> Iterator[int]:
        """Yield the tokens of the newest message, of the two newest, and so on."""
        return accumulate(map(self._costs.of_message, reversed(messages)))

    def holds(self, messages: tuple[Message, ...]) -> bool:
        """Return whether `count` would count no more than the newest messages."""
        return self._sums.has_beginning(messages)

    def count(self, messages: tuple[Message, ...]) -> Numbers:
        """Return the tokens up to the end of each message."""
        return self._sums.get(messages, self._add_sums)

    def _add_sums(self, begun: Numbers | None, new: tuple[Message, ...], _: int) -> Numbers:
        known = begun or ()
        sums = accumulate(map(self._costs.of_message, new), initial=known[-1] if known else 0)
        next(sums)
        return (*known, *sums)


class History:
    """Messages before the current question.

    Args:
        messages: Oldest first, each call with its result.
        turns: The indexes of those that begin a turn.
    """

    __slots__ = ("_histories", "_newest", "_uncounted", "messages", "turns")

    def __init__(self, messages: tuple[Message, ...], turns: Numbers, histories: Histories) -> None:
        self.messages, self.turns, self._histories = messages, turns, histories
        self._newest: list[int] = []  # tokens of the newest messages, by their number
        self._uncounted = histories.count_from_newest(messages)

    @property
    def is_long(self) -> bool:
        """True if there are too many messages to count them all."""
        return len(self.messages) > _MAX_IN_STEPS

    def first_fitting(self, budget: int) -> int:
        """Index of the message that begins the oldest turn which fits, with all after it.

        What will never fit is never counted: a history may be longer than any window.
        """
        if not self.messages:
            return 0
        if not self._histories.holds(self.messages):
            newest = self._newest
            if not newest or newest[-1] <= budget:
                for tokens in self._uncounted:
                    newest.append(tokens)
                    if tokens > budget:
                        break
            if newest and newest[-1] > budget:
                return self._first_turn(len(self.messages) - bisect_right(newest, budget))
        sums = self._histories.count(self.messages)
        excess = sums[-1] - budget
        return self._first_turn(bisect_left(sums, excess) + 1 if excess > 0 else 0)

    def first_in_steps(self, budget: int, *, step: int) -> int:
        """Index of the message that begins a turn which fits, with all after it.

        The tokens before it are what is too much, rounded up to a multiple of a step, which is
        halved as long as nothing would be left; so the index stays while the history grows.
        """
        first = self.first_fitting(budget)
        if first == 0 or self.is_long:
            return first
        sums = self._histories.count(self.messages)
        excess = sums[-1] - budget
        while step > 1:
            before = -(-excess // step) * step
            turn = bisect_left(self.turns, before, key=lambda turn: sums[turn - 1] if turn else 0)
            if turn < len(self.turns):
                return self.turns[turn]
            step //= 2
        return first

    def _first_turn(self, message: int) -> int:
        """Return the index of the first message from a number on that begins a turn."""
        turn = bisect_left(self.turns, message)
        return self.turns[turn] if turn < len(self.turns) else len(self.messages)


def _find_turns(begun: Numbers | None, new: tuple[Message, ...], place: int) -> Numbers | None:
    """Return the indexes of the messages that begin a turn; None if some are to be left out."""
    if place and (begun is None or not isinstance(new[0], UserMessage)):
        return None
    cleaned, turns = _clean(new)
    if len(cleaned) < len(new) or tuple(cleaned) != new:
        return None
    return (*(begun or ()), *(place + turn for turn in turns))


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
