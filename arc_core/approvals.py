"""What a person is asked before a tool is called, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

__all__ = ["ApprovalRequest", "Approve", "Decision", "Deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """A tool call that waits for a person.

    Attributes:
        run_id: Of the run that waits; the one that a program has started, also if an agent below it
            calls the tool.
        key: Names the call within the run, as `approve/4`.
        tool: The name of the tool.
        arguments: What the model wants to call it with, with secrets masked.
        agent: Who calls it.
        user_id: For whom the agent works.
        tenant_id: The user's company or team, if any.
        summary: What it is about, in words for people; empty if there are none.
        since: When it was asked first, in UTC.
        until: When it is denied by itself; None if it waits for ever.
        arguments_hash: SHA-256 of the arguments as the model wrote them, in hexadecimal digits; a
            decision is bound to it.
    """

    run_id: str
    key: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    agent: str = "default"
    user_id: str = ""
    tenant_id: str | None = None
    summary: str = ""
    since: datetime
    until: datetime | None = None
    arguments_hash: str = ""


@dataclass(frozen=True, slots=True)
class Approve:
    """The tool is called.

    Attributes:
        arguments: In the place of those that the model wrote, validated again; None keeps these.
    """

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Deny:
    """The tool is not called; the model is told so.

    Attributes:
        reason: What the model and people read.
    """

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was said to a request, and by whom.

    Attributes:
        answer: Whether the tool is called.
        by: Who decided; `expiry` if the time was over first.
        at: When, in UTC.
        arguments_hash: Of the request that was decided; empty takes the request as it is.
    """

    answer: Approve | Deny
    by: str
    at: datetime
    arguments_hash: str = ""
