"""Events of a run, which its caller gets while it goes on.

Every event has the id of the run that tells it, `run_id`, and its place among the events of that
run, `seq`: 1, 2, 3 and so on, without a gap. The events of a run that another one has started stand
among those of that other one. Two events that say the same are equal, also those of two runs; one
that a program makes itself has the `run_id` "" and the `seq` 0.
"""

from dataclasses import dataclass, field

from arc_core.messages import ToolCall, ToolResult
from arc_core.requests import ApprovalRequest, LoginRequest, QuestionRequest
from arc_core.result import AgentResult


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """A run of an agent begins; the first of its events.

    The run of the `default` agent, as the settings describe it, has none: nothing is to be told of
    it that is not known.

    Attributes:
        agent: Its name.
        run_id: The id of the run that begins.
        parent_run_id: The id of the run that has started it; None for one that a program started.
        seq: Its place among the events of the run, 1.
    """

    agent: str
    run_id: str = ""
    parent_run_id: str | None = None
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AgentHandedOff:
    """Another agent goes on with the run; what follows is its.

    Attributes:
        agent: Its name.
    """

    agent: str
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the model's text, never empty."""

    text: str
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of what the model thinks aloud, never empty; not part of its text."""

    text: str
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool call begins; `ToolCallFinished` follows, unless the run is cancelled or timed out."""

    call: ToolCall
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCallProgress:
    """The progress of a tool call, as its tool says; comes between its start and its end.

    Attributes:
        call_id: Of the `ToolCall`.
        message: For people, with secrets masked; at most 500 characters.
        fraction: What part is done, from 0 to 1; None if the tool does not know.
    """

    call_id: str
    message: str
    fraction: float | None = None
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A tool call ended, at the moment it did; calls of one turn end in any order."""

    result: ToolResult
    duration_ms: float
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """Room was made, since the next request would not have fit into the window of the model.

    Attributes:
        cleared: Tool results in whose place a line stands now; `read_result` reads them.
        dropped: Exchanges that are left out now: calls with their results, and turns of history.
        tokens_before: Of all messages of the request.
        tokens_after: Of the messages that are left.
    """

    cleared: int
    dropped: int
    tokens_before: int
    tokens_after: int
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TurnRestarted:
    """A turn begins again, since the process has ended in which it was begun.

    What came of the turn before does not count: a reader drops its text and reasoning.

    Attributes:
        turn: Of the model calls of the run, from 1.
    """

    turn: int
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A person is asked whether a tool may be called; the run waits, and its process need not."""

    request: ApprovalRequest
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class AnswerRequested:
    """A tool asks the user a question; the run waits, and its process need not."""

    request: QuestionRequest
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LoginRequested:
    """A tool needs a login of the user; the run waits, and its process need not."""

    request: LoginRequest
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over; always the last event of the run and always sent once.

    That of the run that was asked is the last of all. A run that another one has started has none
    if it is cancelled with that.
    """

    result: AgentResult
    run_id: str = field(default="", compare=False)
    seq: int = field(default=0, compare=False)


AgentEvent = (
    AgentStarted
    | AgentHandedOff
    | TextDelta
    | ReasoningDelta
    | ToolCallStarted
    | ToolCallProgress
    | ToolCallFinished
    | ContextCompacted
    | TurnRestarted
    | ApprovalRequested
    | AnswerRequested
    | LoginRequested
    | RunFinished
)
"""An event that a run sends its caller while it goes on."""
