"""Which fields the form of each class has: a new kind of value is a new row.

A field at its default is left out, so that what is stored stays small and a class may gain a field
without a new version; results and usage are written whole, for programs that look for every key.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from arc_core.approvals import ApprovalRequest, Approve, Decision, Deny
from arc_core.command import AgentCommand, AgentMode, ReasoningEffort, ResponseFormat
from arc_core.errors import AgentErrorCode
from arc_core.events import (
    AgentHandedOff,
    AgentStarted,
    ApprovalRequested,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.forms.flaws import Flaw, show
from arc_core.forms.kinds import (
    ANSWER,
    BOOLEAN,
    DATA,
    DECIMAL,
    INTEGER,
    JSON_IF_CARRIED,
    JSON_OBJECT,
    METADATA_IF_CARRIED,
    NUMBER,
    SESSION_ID,
    TEXT,
    TIME,
    Kind,
    choice,
    describe,
    many,
    misfit,
    optional,
)
from arc_core.forms.response_schemas import RESPONSE_SCHEMA
from arc_core.limits import Limits
from arc_core.messages import (
    AssistantMessage,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Attachment, Text
from arc_core.result import AgentResult
from arc_core.usage import FinishReason, TokenUsage

__all__ = ["FORMS", "MESSAGES", "Form", "form_of", "read_object", "value_of"]

_REQUIRED = object()


class Form:
    """The form of one class.

    Args:
        tag: What stands in its `type`.
        cls: The class.
        is_whole: Whether fields at their default are written, too.
        kinds: The fields, in the order in which they are written.
    """

    def __init__(self, tag: str, cls: type, *, is_whole: bool = False, **kinds: Kind) -> None:
        self.tag, self.cls, self.kinds = tag, cls, kinds
        self._is_whole = is_whole
        self._defaults = _defaults_of(cls)
        self._required = {name for name in kinds if self._defaults[name] is _REQUIRED}

    def write(self, value: object) -> dict[str, Any]:
        """The JSON object of a value of the class.

        Raises:
            Flaw: A field has a value that JSON cannot carry.
        """
        written: dict[str, Any] = {"type": self.tag}
        for name, kind in self.kinds.items():
            item, default = getattr(value, name), self._defaults[name]
            if self._is_whole or not _is_same(item, default):
                try:
                    plain = kind.write(item)
                except Flaw as flaw:
                    raise flaw.within(name) from flaw.__cause__
                if self._is_whole or not _is_same(plain, default):
                    written[name] = plain
        return written

    def read(self, found: Mapping[str, Any]) -> Any:
        """The value of a JSON object of this type.

        Raises:
            Flaw: A key is missing or unknown, or a value is not what its field takes.
        """
        values = {}
        for name, item in found.items():
            if name == "type":
                continue
            kind = self.kinds.get(name)
            if kind is None:
                raise Flaw(
                    f"the type {self.tag!r} has no key {show(name)}",
                    remedy="remove it, or read it with the version of Arc that wrote it",
                )
            try:
                values[name] = kind.read(item)
            except Flaw as flaw:
                raise flaw.within(name) from flaw.__cause__
        if missing := sorted(self._required - values.keys()):
            raise Flaw(f"the type {self.tag!r} needs the key {missing[0]!r}", remedy="add it")
        return self._make(values)

    def _make(self, values: Mapping[str, Any]) -> Any:
        try:
            return self.cls(**values)
        except ValidationError as error:
            first = error.errors(include_input=False, include_context=False)[0]
            flaw = Flaw(f"the value is refused: {first['msg']}", remedy="correct it")
            for step in reversed(first["loc"][:1]):
                flaw.within(step)
            raise flaw from None
        except ValueError as error:
            raise Flaw(f"the value is refused: {error}", remedy="correct it") from None


def _is_same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _defaults_of(cls: type) -> dict[str, Any]:
    """The defaults of the fields of a dataclass or a pydantic class."""
    if cls is AgentCommand:
        return {
            name: _REQUIRED if field.is_required() else field.get_default(call_default_factory=True)
            for name, field in AgentCommand.model_fields.items()
        }
    return {each.name: _default_of(each) for each in fields(cls)}


def _default_of(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return _REQUIRED if field.default is MISSING else field.default


def form_of(value: object) -> Form:
    """The form of a value.

    Raises:
        Flaw: Its class has none.
    """
    form = _BY_CLASS.get(type(value))
    if form is None:
        raise Flaw(
            f"{type(value).__name__} has no JSON form",
            remedy=f"use one of: {', '.join(cls.__name__ for cls in _BY_CLASS)}",
        )
    return form


def read_object(found: object, classes: tuple[type, ...]) -> Any:
    """The value of a JSON object.

    Args:
        found: What JSON has.
        classes: Of which the value may be.

    Raises:
        Flaw: It is not an object, or is of another type, or of one that is not known.
    """
    if type(found) is not dict:
        raise misfit(found, "an object")
    tag = found.get("type")
    form = FORMS.get(tag) if isinstance(tag, str) else None
    if form is None:
        shown = show(tag) if isinstance(tag, str) else describe(tag)
        problem = f"the type {shown} is not known" if "type" in found else "it has no type"
        raise Flaw(problem, remedy="read it with the version of Arc that wrote it")
    if form.cls not in classes:
        wanted = ", ".join(_BY_CLASS[cls].tag for cls in classes)
        raise Flaw(f"its type is {form.tag!r}", remedy=f"one of these is expected: {wanted}")
    return form.read(found)


def value_of(*classes: type) -> Kind:
    """A value of one of some classes."""

    def write(value: object) -> dict[str, Any]:
        form = form_of(value)
        if form.cls not in classes:
            raise Flaw(f"the type {form.tag!r} cannot stand here", remedy="correct the value")
        return form.write(value)

    return Kind(write=write, read=lambda found: read_object(found, classes))


def _content() -> Kind:
    parts = many(value_of(Text, Attachment))
    return Kind(
        write=lambda value: TEXT.write(value) if isinstance(value, str) else parts.write(value),
        read=lambda found: parts.read(found) if isinstance(found, list) else TEXT.read(found),
    )


MESSAGES = many(value_of(SystemMessage, UserMessage, AssistantMessage, ToolResultMessage))


def _event(tag: str, cls: type, **kinds: Kind) -> Form:
    return Form(tag, cls, is_whole=False, **kinds, run_id=TEXT, seq=INTEGER)


_ROWS = (
    Form("text", Text, text=TEXT),
    Form(
        "attachment",
        Attachment,
        media_type=TEXT,
        data=optional(DATA),
        url=optional(TEXT),
        name=optional(TEXT),
    ),
    Form("tool_call", ToolCall, id=TEXT, name=TEXT, arguments=TEXT),
    Form(
        "tool_result",
        ToolResult,
        call_id=TEXT,
        name=TEXT,
        content=_content(),
        outcome=choice(ToolOutcome),
    ),
    Form("reasoning", Reasoning, text=TEXT, signature=optional(TEXT), redacted=BOOLEAN),
    Form("system_message", SystemMessage, content=TEXT),
    Form("user_message", UserMessage, content=_content()),
    Form(
        "assistant_message",
        AssistantMessage,
        content=TEXT,
        tool_calls=many(value_of(ToolCall)),
        reasoning=many(value_of(Reasoning)),
        vendor_content=JSON_IF_CARRIED,
    ),
    Form("tool_result_message", ToolResultMessage, results=many(value_of(ToolResult))),
    Form(
        "token_usage",
        TokenUsage,
        is_whole=True,
        prompt_tokens=INTEGER,
        completion_tokens=INTEGER,
        cached_tokens=INTEGER,
        cache_write_tokens=INTEGER,
        reasoning_tokens=INTEGER,
    ),
    Form(
        "limits",
        Limits,
        max_model_calls=optional(INTEGER),
        max_tool_calls=optional(INTEGER),
        max_total_tokens=optional(INTEGER),
        max_cost=optional(DECIMAL),
        deadline_s=optional(NUMBER),
    ),
    Form(
        "agent_command",
        AgentCommand,
        user_prompt=TEXT,
        attachments=many(value_of(Attachment)),
        system_prompt=optional(TEXT),
        mode=choice(AgentMode),
        model=optional(TEXT),
        conversation_history=MESSAGES,
        temperature=optional(NUMBER),
        reasoning=optional(choice(ReasoningEffort)),
        max_output_tokens=optional(INTEGER),
        tool_choice=optional(TEXT),
        max_tool_calls=optional(INTEGER),
        user_id=optional(TEXT),
        session_id=optional(SESSION_ID),
        tenant_id=optional(TEXT),
        metadata=JSON_OBJECT,
        response_format=choice(ResponseFormat),
        response_schema=optional(RESPONSE_SCHEMA),
        agent=optional(TEXT),
        limits=optional(value_of(Limits)),
    ),
    Form(
        "agent_result",
        AgentResult,
        is_whole=True,
        success=BOOLEAN,
        content=optional(TEXT),
        error_code=optional(choice(AgentErrorCode)),
        error_message=optional(TEXT),
        tools_used=many(TEXT),
        token_usage=optional(value_of(TokenUsage)),
        duration_ms=NUMBER,
        run_id=TEXT,
        metadata=METADATA_IF_CARRIED,
        output=ANSWER,
        has_output=BOOLEAN,
        partial_content=optional(TEXT),
        finish_reason=optional(choice(FinishReason)),
        cache_hit=BOOLEAN,
        dropped_messages=INTEGER,
        history_available=BOOLEAN,
        messages=MESSAGES,
        reasoning=optional(TEXT),
        agent=TEXT,
        model=optional(TEXT),
        provider=optional(TEXT),
        cost=optional(DECIMAL),
        not_closed=many(TEXT),
        waiting=many(value_of(ApprovalRequest)),
        retry_after_s=optional(NUMBER),
    ),
    Form(
        "approval_request",
        ApprovalRequest,
        run_id=TEXT,
        key=TEXT,
        tool=TEXT,
        arguments=JSON_OBJECT,
        agent=TEXT,
        user_id=TEXT,
        tenant_id=optional(TEXT),
        summary=TEXT,
        since=TIME,
        until=optional(TIME),
        arguments_hash=TEXT,
        deciders=many(TEXT),
        people=INTEGER,
        approvals=many(value_of(Decision)),
        is_checked=BOOLEAN,
    ),
    Form("approve", Approve, arguments=optional(JSON_OBJECT)),
    Form("deny", Deny, reason=TEXT),
    Form(
        "decision",
        Decision,
        answer=value_of(Approve, Deny),
        by=TEXT,
        at=TIME,
        arguments_hash=TEXT,
        approvals=many(value_of(Decision)),
    ),
    Form(
        "agent_started",
        AgentStarted,
        agent=TEXT,
        run_id=TEXT,
        parent_run_id=optional(TEXT),
        seq=INTEGER,
    ),
    _event("agent_handed_off", AgentHandedOff, agent=TEXT),
    _event("text_delta", TextDelta, text=TEXT),
    _event("reasoning_delta", ReasoningDelta, text=TEXT),
    _event("tool_call_started", ToolCallStarted, call=value_of(ToolCall)),
    _event(
        "tool_call_progress",
        ToolCallProgress,
        call_id=TEXT,
        message=TEXT,
        fraction=optional(NUMBER),
    ),
    _event(
        "tool_call_finished",
        ToolCallFinished,
        result=value_of(ToolResult),
        duration_ms=NUMBER,
    ),
    _event("turn_restarted", TurnRestarted, turn=INTEGER),
    _event("approval_requested", ApprovalRequested, request=value_of(ApprovalRequest)),
    _event("run_finished", RunFinished, result=value_of(AgentResult)),
)

_BY_CLASS: Mapping[type, Form] = MappingProxyType({form.cls: form for form in _ROWS})

FORMS: Mapping[str, Form] = MappingProxyType({form.tag: form for form in _ROWS})
"""By what stands in `type`."""
