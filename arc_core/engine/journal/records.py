"""The values of the steps of a run: all that the rest of the run needs of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Generic, TypeVar

from arc_core.engine.journal.metadata_changes import Change
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryStep:
    """`enter`: the run was let in, and the model can be asked.

    Attributes:
        prompt: As the guards have left it.
        system_prompt: As it is sent.
        context: What documents say, as far as it stands in the system prompt.
        beside: What documents say, as far as it stands before the question.
        history: Earlier messages, oldest first.
        history_available: Whether the conversation so far could be loaded.
        tools: Names of those that are offered.
        attachment_bytes: Of all that the model is sent with the messages.
        started_at: When the run was accepted, in UTC.
        attachments: Those of the command as the guards have left them; None if that is the same.
    """

    prompt: str
    system_prompt: str
    started_at: datetime
    context: str = ""
    beside: str = ""
    history: tuple[Message, ...] = ()
    history_available: bool = True
    tools: tuple[str, ...] = ()
    attachment_bytes: int = 0
    attachments: tuple[Attachment, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """

    response: ChatResponse
    shown: AssistantMessage | None = None
    checked: str | None = None
    model: str | None = None
    vendor_model: str | None = None
    provider: str | None = None
    cost: Decimal | None = None
    repeatable: bool = True


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
class ToolAttempt:
    """`tool/…/begun`: a tool is called that must not be called twice.

    Attributes:
        life: The attempt at the run that calls it.
    """

    life: str


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverStep:
    """`hand_over/…`: another agent goes on with the run.

    Attributes:
        system_prompt: As it is sent from now on.
        tools: Names of those that are offered from now on.
    """

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
class Record(Generic[T]):
    """The record of a step: the value that it gave, and its changes of the run.

    Attributes:
        value: What it gave.
        active_s: How long the run has been active by its end, waiting for people left out.
        told: The `seq` of the last event by its end.
        changes: Of the metadata of the run, in their order.
        changed: In records of earlier versions: what of the metadata had another value at its end
            than at its begin.
        removed: In records of earlier versions: what was not there any more.
    """

    value: T | StopStep
    active_s: float = 0.0
    told: int = 0
    changes: tuple[Change, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
