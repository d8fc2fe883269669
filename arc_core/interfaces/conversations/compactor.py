"""The choice of what a model is shown no more once a request would not fit into its window.

The engine asks before it asks the model, each time that the messages of the next request take more
tokens than there are; between two such times a request is the one before with something behind it.
What a compactor can do is put a line in the place of a tool result, and leave out the oldest
exchanges, with a text in their place. So it cannot part a call from its result, and the system
prompt, the question and the last exchange are not its to touch. Fails open: if it raises, hangs, or
answers with what does not fit, `clear_oldest` of `arc_core.defaults.clearing` stands in.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearableResult:
    """A tool result in whose place a line can stand; `read_result` finds it by its key.

    Attributes:
        key: Such as `tool/3`.
        gain: Tokens that the line takes less.
    """

    key: str
    gain: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Messages that stay or go together: calls with their results, or a turn of the history.

    Attributes:
        messages: As they are sent now, oldest first.
        tokens: Of all of them.
        keys: Of the results, in the order of the calls; empty for a turn of the history.
        results: Those that can be cleared, and are not.
    """

    messages: tuple[Message, ...]
    tokens: int
    keys: tuple[str, ...] = ()
    results: tuple[ClearableResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionView:
    """The messages of a request that does not fit.

    Attributes:
        exchanges: Those that may be touched, oldest first; turns of the history come before calls
            of the run.
        left_out: The exchanges that are not sent any more, oldest first.
        text: What stands in their place; empty if nothing does.
        tokens: Of all messages that would be sent.
        budget: Tokens that all messages may have.
        to_free: Tokens to free so that half of the budget is free afterwards, as far as it can be.
        text_tokens: Tokens that a text in the place of exchanges may have.
        count_tokens: Counts those of a text.
        ask: Asks the model of `context.summary_model`, within the deadline and the budgets of the
            run, and returns its answer; takes a system prompt, and a text. Raises what the model
            raises, or if nothing may be spent any more.
    """

    exchanges: tuple[Exchange, ...]
    tokens: int
    budget: int
    to_free: int
    text_tokens: int
    count_tokens: Callable[[str], int]
    ask: Callable[[str, str], Awaitable[str]]
    left_out: tuple[Exchange, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The decision of a compactor.

    Attributes:
        cleared: The keys of the results in whose place a line is to stand.
        dropped: How many of `CompactionView.exchanges` are left out, the oldest.
        text: What stands in the place of all exchanges that are left out, those left out before
            among them; empty for nothing. It counts only if some are left out now.
    """

    cleared: tuple[str, ...] = ()
    dropped: int = 0
    text: str = ""


@slot("compactor", group="arc.compactors")
@runtime_checkable
class Compactor(Protocol):
    """Makes room in a conversation."""

    @abstractmethod
    async def compact(self, view: CompactionView) -> Compaction:
        """Choose what is left out; afterwards the messages must fit into the budget."""
