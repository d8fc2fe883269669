"""The part of a conversation that a request has: all that fits into the model's window.

A request is the one before with something behind it, until a compaction leaves something out for
good. If that is not enough, a view has two phases, both from the oldest on: first whole turns of
history, then tool exchanges behind the current user message, which itself is never removed. An
assistant message with tool calls and its results are one unit. A session's history is cut in steps
of half the budget, so that what is sent of it begins with the same turn for many requests; any
other one turn by turn.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise

from arc_core.components.prefix_cache import PrefixCache
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.interfaces.conversations.compactor import ClearableResult, Exchange
from arc_core.messages import AssistantMessage, Message, ToolResult, ToolResultMessage, UserMessage

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

    def count_from(self, first: int) -> int:
        """Return the tokens from a message on."""
        kept = len(self.messages) - first
        if kept <= len(self._newest):
            return self._newest[kept - 1] if kept else 0
        sums = self._histories.count(self.messages)
        return sums[-1] - (sums[first - 1] if first else 0)

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


@dataclass(frozen=True, slots=True)
class View:
    """Messages of one request.

    Attributes:
        messages: Oldest first.
        dropped: How many messages of the conversation are not among them.
        history: How many of them stand before the current user message.
        tokens: Of all of them.
        is_cut: Whether messages are missing that were not left out before.
    """

    messages: tuple[Message, ...]
    dropped: int
    history: int
    tokens: int
    is_cut: bool = False


@dataclass(slots=True)
class _Calls:
    """The messages of the model behind the question, with the results of its calls.

    Attributes:
        first_key: The number of its first call in the run; None if it has called nothing.
    """

    assistant: AssistantMessage
    reply: Message
    tokens: int
    first_key: int | None

    def list_results(self) -> Sequence[tuple[str, ToolResult]]:
        """The results, by the keys of their steps."""
        if self.first_key is None or not isinstance(self.reply, ToolResultMessage):
            return ()
        return [
            (f"tool/{number}", result)
            for number, result in enumerate(self.reply.results, self.first_key)
        ]


LineFor = Callable[[str, ToolResult], str]
"""Gives the line that stands for a result of a key once it is cleared."""


class ConversationWindow:
    """History, the current user message, and the tool exchanges behind it.

    Args:
        in_steps: Whether the history is cut in steps, as one is that grows from run to run.

    Attributes:
        left_out: The exchanges that compactions have left out, oldest first.
    """

    def __init__(
        self,
        history: History,
        user_message: UserMessage,
        *,
        costs: TokenCosts,
        in_steps: bool = False,
    ) -> None:
        self._in_steps = in_steps
        self._costs = costs
        self._user_message = user_message
        self._history = history
        self._calls: list[_Calls] = []
        self._pairs: list[tuple[Message, Message]] = []  # of the calls
        self._tokens = 0  # of the calls that are not left out
        self._first_message, self._first_call = 0, 0  # that are not left out
        self._texts: tuple[UserMessage, ...] = ()  # none, or the one of compactions
        self.left_out: list[Exchange] = []

    @property
    def text(self) -> str:
        """The text in the place of what compactions have left out."""
        return self._texts[0].text if self._texts else ""

    @property
    def begins_exactly(self) -> bool:
        """True if its first request leaves out no more of the history than it must."""
        return (self._history.is_long or not self._in_steps) and not self._calls

    def add_exchange(
        self, assistant: AssistantMessage, reply: Message, *, first_key: int | None = None
    ) -> None:
        """Append what the model said, with the results of its calls or what is asked.

        The first call is known by its number among all calls of the run.
        """
        tokens = self._costs.of_messages((assistant, reply))
        self._calls.append(_Calls(assistant, reply, tokens=tokens, first_key=first_key))
        self._pairs.append((assistant, reply))
        self._tokens += tokens

    def view(self, budget: int) -> View:
        """The messages that fit into a budget of tokens; at least the current user message."""
        step, history = budget // 2, self._history
        fixed = self._costs.of_messages((*self._texts, self._user_message))
        budget -= fixed
        tokens, room = self._tokens, budget - self._tokens
        first = history.first_fitting(room)
        if first <= self._first_message:
            first = self._first_message
        elif self._in_steps:
            first = history.first_in_steps(room, step=step)
        first_call = self._first_call
        while first_call < len(self._calls) and tokens > budget:
            tokens -= self._calls[first_call].tokens
            first_call += 1
        before, behind = ((), self._texts) if self._first_call else (self._texts, ())
        messages = (
            *before,
            *history.messages[first:],
            self._user_message,
            *behind,
            *chain.from_iterable(self._pairs[first_call:]),
        )
        return View(
            messages,
            dropped=first + 2 * first_call,
            history=len(before) + len(history.messages) - first,
            tokens=fixed + history.count_from(first) + tokens,
            is_cut=first > self._first_message or first_call > self._first_call,
        )

    def begin_with(self, view: View) -> None:
        """Leave out of the history what a view does, for good."""
        missing = len(self._history.messages) - view.history
        self._first_message = max(self._first_message, missing)

    def can_be_cut(self, line_for: LineFor) -> bool:
        """Return True if a compaction can leave out anything, or clear it."""
        has_older = self._first_message < len(self._history.messages)
        has_older = has_older or self._first_call < len(self._calls) - 1
        return has_older or bool(self.list_last_results(line_for))

    def count_tokens(self) -> int:
        """Return the tokens of all messages that are not left out."""
        fixed = self._costs.of_messages((*self._texts, self._user_message))
        return fixed + self._history.count_from(self._first_message) + self._tokens

    def list_exchanges(self, line_for: LineFor) -> tuple[Exchange, ...]:
        """The turns of history and the calls that may be left out, oldest first."""
        plain = [*map(self._describe_turn, self._list_turns())]
        calls = self._calls[self._first_call : -1]
        described = (
            replace(_describe(each), results=self._list_clearable(each, line_for)) for each in calls
        )
        return (*plain, *described)

    def list_last_results(self, line_for: LineFor) -> tuple[ClearableResult, ...]:
        """The results of the last exchange that can be cleared if nothing else is left."""
        return self._list_clearable(self._calls[-1], line_for) if self._calls else ()

    def find_results(
        self, keys: Collection[str], *, of_oldest: int
    ) -> Iterator[tuple[str, ToolResult]]:
        """The results of some keys, and of some of the oldest of `list_exchanges`."""
        oldest = self._first_call + max(0, of_oldest - len([*self._list_turns()]))
        for number, calls in enumerate(self._calls[self._first_call :], self._first_call):
            for key, result in calls.list_results():
                if number < oldest or key in keys:
                    yield key, result

    def clear(self, keys: Collection[str], line_for: LineFor) -> None:
        """Put a line in the place of each of some results."""
        for number, calls in enumerate(self._calls[self._first_call :], self._first_call):
            found = calls.list_results()
            if not any(key in keys for key, _ in found):
                continue
            results = tuple(
                replace(result, content=line_for(key, result)) if key in keys else result
                for key, result in found
            )
            self._tokens -= calls.tokens
            calls.reply = ToolResultMessage(results)
            self._pairs[number] = (calls.assistant, calls.reply)
            calls.tokens = self._costs.of_messages((calls.assistant, calls.reply))
            self._tokens += calls.tokens

    def leave_out(self, count: int, *, text: str) -> None:
        """Leave out some of the oldest of `list_exchanges`; the text stands for all left out."""
        if count == 0:
            return
        turns = [*self._list_turns()][:count]
        self._first_message += sum(map(len, turns))
        self.left_out += map(self._describe_turn, turns)
        calls = self._calls[self._first_call : self._first_call + count - len(turns)]
        self._first_call += len(calls)
        self._tokens -= sum(each.tokens for each in calls)
        self.left_out += map(_describe, calls)
        self._texts = (UserMessage(text),) if text else ()

    def _list_turns(self) -> Iterator[tuple[Message, ...]]:
        messages, first = self._history.messages, self._first_message
        borders = [first, *(turn for turn in self._history.turns if turn > first), len(messages)]
        for begin, end in pairwise(borders):
            if begin < end:
                yield tuple(messages[begin:end])

    def _describe_turn(self, turn: tuple[Message, ...]) -> Exchange:
        return Exchange(messages=turn, tokens=self._costs.of_messages(turn))

    def _list_clearable(self, calls: _Calls, line_for: LineFor) -> tuple[ClearableResult, ...]:
        count = self._costs.of_content
        gains = (
            (key, count(result.content) - count(line_for(key, result)))
            for key, result in calls.list_results()
        )
        return tuple(ClearableResult(key=key, gain=gain) for key, gain in gains if gain > 0)


def _describe(calls: _Calls) -> Exchange:
    return Exchange(
        messages=(calls.assistant, calls.reply),
        tokens=calls.tokens,
        keys=tuple(key for key, _ in calls.list_results()),
    )
