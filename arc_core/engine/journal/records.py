"""The values of the steps of a run: all that the rest of the run needs of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Generic, TypeVar

from arc_core.engine.journal.metadata import Change
from arc_core.error_base import AgentErrorCode
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.messages import AssistantMessage, Message, ToolResult
from arc_core.messages.content import Attachment
from arc_core.usage import TokenUsage

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """`begin`: who answers, of agents that packages or the program have brought.

    Attributes:
        agent: Its name.
        earlier_handoffs: Who answers for whom in the session, from runs before.
    """

    agent: str
    earlier_handoffs: Mapping[str, str] = field(default_factory=dict)


class PartKind(StrEnum):
    """The parts of a request, in their order."""

    SYSTEM_PROMPT = "system_prompt"

    TOOLS = "tools"
    """All that are offered; its text has the name, the package and the digest of each."""

    HISTORY = "history"
    """The messages before the question, all of them together."""

    MESSAGE = "message"
    """The question, what a model said or what tools gave; its text stands in a step."""

    NOTE = "note"
    """A message behind the question that the engine has written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPart:
    """A part of a request, with its digest under the key of the store."""

    kind: PartKind = PartKind.MESSAGE
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestParts:
    """The parts of a request, told from those of the request before it in its run.

    Attributes:
        kept: With how many parts of that one it begins, in their order.
        beginning: The digest of these together; empty without any.
        parts: All behind them.
        options: The digest of what stands beside the parts: the model, the form of the answer, how
            the model is asked.
        body: The digest of the bytes by which the model would send the parts that are new; empty if
            it cannot tell them, and in records of earlier versions.
    """

    kept: int = 0
    beginning: str = ""
    parts: tuple[RequestPart, ...] = ()
    options: str = ""
    body: str = ""


@dataclass(slots=True, kw_only=True)  # most runs make one: frozen takes five times as long
class EntryStep:
    """`enter`: the run was let in, and the model can be asked.

    `admit`: it was let in, and may have to wait for a login; all that is prepared is empty.

    Attributes:
        prompt: As the guards have left it.
        system_prompt: As it is sent.
        context: What documents say, as far as it stands in the system prompt.
        beside: What documents say, as far as it stands before the question.
        history: Earlier messages, oldest first.
        history_available: Whether the conversation so far could be loaded.
        tools: Names of those that are offered.
        attachment_bytes: Of all that the model is sent with the messages.
        attachments: Those of the command as the guards have left them; None if that is the same.
        started_at: When the run was accepted, in UTC.
        wiring: The digest of the components that take part; empty if the store keeps no digests.
    """

    prompt: str
    system_prompt: str
    context: str = ""
    beside: str = ""
    history: tuple[Message, ...] = ()
    history_available: bool = True
    tools: tuple[str, ...] = ()
    attachment_bytes: int = 0
    attachments: tuple[Attachment, ...] | None = None
    started_at: datetime
    wiring: str = ""


@dataclass(slots=True, kw_only=True)  # most runs make one: frozen takes five times as long
class ModelStep:
    """`model/…`: the model has answered, or calls tools.

    Attributes:
        response: What it said.
        shown: Its message as everyone else may see it; None if that is the same.
        checked: The text that output guards have let leave; None if they were not asked.
        model: The name in `llm.models` of the model; None for that of `llm` itself.
        vendor_model: The vendor's name of it, if it is known.
        provider: The vendor, if it is known.
        cost: Of the call; None if it is not known.
        repeatable: Whether an identical run would ask the same model.
        attempts: How often models were asked, until one of them has answered.
        request: What was asked; None if the store keeps no digests.
    """

    response: ChatResponse
    shown: AssistantMessage | None = None
    checked: str | None = None
    model: str | None = None
    vendor_model: str | None = None
    provider: str | None = None
    cost: Decimal | None = None
    repeatable: bool = True
    attempts: int = 1
    request: RequestParts | None = None


class Verdict(StrEnum):
    """The verdict about a tool call before it is made."""

    RUN = "run"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalStep:
    """`approve/…`: whether a person is asked about a tool call.

    Attributes:
        verdict: What becomes of the call.
        text: What the person reads, or why the call is denied.
        since: When the person was asked, as an ISO date in UTC; empty if none is.
        until: When the call is denied by itself; empty if never.
        deciders: The names of the groups, keys and people that may decide; empty if all may.
        people: How many different ones have to approve.
        fits: Whether the tool could be called with what the model wrote when the person was asked.
    """

    verdict: Verdict
    text: str = ""
    since: str = ""
    until: str = ""
    deciders: tuple[str, ...] = ()
    people: int = 1
    fits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionStep:
    """`ask/…`, `login/…`: a tool, or the start, has asked the user a question, or for a login.

    Attributes:
        attempt: At the call; after the answer another one begins.
        since: When it was asked first, in UTC.
        until: When it is denied by itself; empty if it waits for ever.
        text: The question; empty for a login.
        schema: Of the answer.
        url: The address at which the user answers or logs in; None if there is none.
        service: At which the user has to log in; empty for a question.
        scopes: The rights that the login is to give.
    """

    attempt: int
    since: str
    until: str = ""
    text: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    url: str | None = None
    service: str = ""
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAttempt:
    """`tool/…/begun`: a tool is called that must not be called twice."""

    attempt_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNote:
    """`tool/…/note/…`: a tool has remembered a text before its call has ended.

    Attributes:
        text: For later attempts at the call.
        questions: How many the attempt had asked by then; the next one does not ask them again.
        logins: For how many it had waited by then.
    """

    text: str
    questions: int = 0
    logins: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenPart:
    """The middle of a tool result, which the model is not shown.

    Attributes:
        text: Of the middle.
        head_chars: How much of the result is shown before it.
        tail_chars: How much of the result is shown behind it.
        is_cut: Whether the tool gave more than is kept.
    """

    text: str
    head_chars: int
    tail_chars: int
    is_cut: bool = False

    def parts(self, visible: str) -> tuple[str, str, str]:
        """Return the whole result in three parts, of what is visible of it."""
        end = len(visible) - self.tail_chars
        return visible[: self.head_chars], self.text, visible[end:]

    def put_into(self, visible: str) -> str:
        """Return the whole result, of what is visible of it."""
        return "".join(self.parts(visible))


@dataclass(slots=True, kw_only=True)  # most runs make one: frozen takes five times as long
class ToolStep:
    """`tool/…`: a call has ended, and the hooks have been told.

    Attributes:
        result: What the model reads.
        duration_ms: Of the tool alone.
        found: Whether its tool was on offer.
        passed_hooks: Whether no hook with `fail_on_error` failed after it.
        repeatable: Whether an identical call would end the same.
        hands_over_to: The agent that takes over after this turn, if any.
        usage: Of the runs of agents that it has started; None if there is none.
        cost: Of these runs; None if it is not known, or if no model was asked.
        is_cost_known: Whether that of each of their calls is known.
        model_calls: Turns of the model in these runs.
        tool_calls: Tool calls of these runs.
        estimated_tokens: What these runs have used that no vendor has counted.
        hidden: What of the result the model is not shown; None if it is shown whole.
    """

    result: ToolResult
    duration_ms: float = 0.0
    found: bool = False
    passed_hooks: bool = True
    repeatable: bool = True
    hands_over_to: str | None = None
    usage: TokenUsage | None = None
    cost: Decimal | None = None
    is_cost_known: bool = True
    model_calls: int = 0
    tool_calls: int = 0
    estimated_tokens: int = 0
    hidden: HiddenPart | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionStep:
    """`compact/…`: what of the conversation is not sent any more, or in another form.

    Attributes:
        turn: Before which question to the model, from 1.
        cleared: The keys of tool results in whose place a line stands.
        dropped: How many of the oldest exchanges are left out that were sent until then.
        text: What stands in the place of all exchanges left out so far; empty for nothing.
        tokens_before: Of all messages.
        tokens_after: Of the messages that are left.
        usage: Of the model that was asked for the text; None if none was.
        cost: Of that; None if it is not known.
        is_cost_known: Whether it is known.
        estimated_tokens: What that has used and no vendor has counted.
    """

    turn: int
    cleared: tuple[str, ...] = ()
    dropped: int = 0
    text: str = ""
    tokens_before: int = 0
    tokens_after: int = 0
    usage: TokenUsage | None = None
    cost: Decimal | None = None
    is_cost_known: bool = True
    estimated_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverStep:
    """`hand_over/…`: another agent goes on, with this prompt and tools of these names."""

    system_prompt: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedStep:
    """`answer`: what the response cache had.

    Attributes:
        content: The answer; None if there was none.
        tools_used: Names, in first-call order.
    """

    content: str | None = None
    tools_used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopStep:
    """In the place of what a step gives: it has ended the run without an answer.

    Attributes:
        code: Why.
        message: For people; None is the text for the code.
        retry_after_s: After how many seconds the same may succeed; None if that is not known.
    """

    code: AgentErrorCode
    message: str | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStart:
    """The beginning of an attempt at a run, which stands in the first step that it has recorded.

    Attributes:
        attempt_id: Of the attempt.
        worker: The process that makes it; empty if its store names none.
        deaths: How many processes had died before at the step at which the run was.
    """

    attempt_id: str
    worker: str = ""
    deaths: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Generic[T]):
    """The record of a step: the value that it gave, and its changes of the run.

    Attributes:
        value: What it gave.
        started_at: When it was begun, in UTC; None in records of earlier versions.
        ended_at: When it has ended.
        attempt: The attempt that begins with it; None of any other step.
        active_s: How long the run has been active by its end, waiting for people left out.
        last_seq: The `seq` of the last event by its end.
        changes: Of the metadata of the run, in their order.
        changed: In records of earlier versions: what of the metadata had another value at its end
            than at its begin.
        removed: In records of earlier versions: what was not there any more.
    """

    value: T | StopStep
    started_at: datetime | None = None
    ended_at: datetime | None = None
    attempt: AttemptStart | None = None
    active_s: float = 0.0
    last_seq: int = 0
    changes: tuple[Change, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
