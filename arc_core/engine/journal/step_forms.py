"""The JSON form of each kind of step; `docs/durable-runs.md` describes it for operators."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, cast

from arc_core.engine.journal.metadata_changes import Change
from arc_core.engine.journal.records import (
    AgentStep,
    ApprovalStep,
    CachedStep,
    EntryStep,
    HandoverStep,
    ModelStep,
    Record,
    StopStep,
    ToolAttempt,
    ToolStep,
    Verdict,
)
from arc_core.error_base import AgentErrorCode
from arc_core.errors import FormError
from arc_core.forms.json_text import check_json, dump, load, name_place
from arc_core.forms.kinds import (
    BOOLEAN,
    DECIMAL,
    INTEGER,
    JSON_OBJECT,
    NUMBER,
    TEXT,
    TIME,
    Kind,
    choice,
    many,
    misfit,
    optional,
)
from arc_core.forms.table import FORMS, MESSAGES, ClassForm, object_kind
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.messages import AssistantMessage, ToolResult
from arc_core.messages.content import Attachment
from arc_core.result import AgentResult
from arc_core.usage import FinishReason, TokenUsage

T = TypeVar("T")

_STOPPED = ClassForm(
    "stopped",
    StopStep,
    code=choice(AgentErrorCode),
    message=optional(TEXT),
    retry_after_s=optional(NUMBER),
)


_RESPONSE = ClassForm(
    "chat_response",
    ChatResponse,
    message=object_kind(AssistantMessage),
    usage=optional(object_kind(TokenUsage)),
    finish_reason=optional(choice(FinishReason)),
)


def _pass_json(value: Any) -> Any:
    check_json(value)
    return value


_CHANGE = ClassForm(
    "change",
    Change,
    number=INTEGER,
    path=many(TEXT),
    value=Kind(_pass_json, _pass_json),
    counted_from=optional(NUMBER),
    is_appended=BOOLEAN,
    is_removed=BOOLEAN,
)
_EACH_CHANGE = many(Kind(_CHANGE.write, _CHANGE.read))


def _write_changes(changes: Sequence[Change]) -> Any:
    for change in changes:
        value = change.value
        for key in reversed(change.path):  # so that a flaw has the place that callers know
            value = {key: value}
        check_json(value)
    return _EACH_CHANGE.write(changes)


class RecordForm(Generic[T]):
    """The form of the steps of one kind.

    Args:
        value: What they give.
    """

    def __init__(self, value: ClassForm) -> None:
        self._record = ClassForm(
            "step",
            Record,
            value=_either(value, _STOPPED),
            active_s=NUMBER,
            told=INTEGER,
            changes=Kind(_write_changes, _EACH_CHANGE.read),
            changed=JSON_OBJECT,
            removed=many(TEXT),
        )

    def write(self, value: Record[T]) -> str:
        """The text of a record.

        Raises:
            FormError: The step has changed the metadata to what JSON cannot carry; names the key.
        """
        try:
            with name_place():
                return dump(self._record.write(value))
        except FormError as error:  # callers know of metadata, and not of records
            place = error.place.replace("$.changes", "$.metadata", 1)
            raise FormError(error.problem, place=place, remedy=error.remedy) from error

    def read(self, text: str) -> Record[T]:
        """The record of a text.

        Raises:
            FormError: The text is none of a record.
        """
        with name_place():
            found = load(text)
            if type(found) is not dict:
                raise misfit(found, "an object")
            return cast("Record[T]", self._record.read(found))


def _either(*forms: ClassForm) -> Kind:
    by_class = {form.cls: form for form in forms}
    by_tag = {form.tag: form for form in forms}

    def read(found: Any) -> Any:
        form = by_tag.get(str(found.get("type"))) if type(found) is dict else None
        if form is None:
            raise misfit(found, f"of the type {' or '.join(by_tag)}")
        return form.read(found)

    return Kind(write=lambda value: by_class[type(value)].write(value), read=read)


IN_CHARGE: RecordForm[AgentStep] = RecordForm(
    ClassForm("in_charge", AgentStep, agent=TEXT, earlier_handoffs=Kind(dict, JSON_OBJECT.read))
)
ENTERED: RecordForm[EntryStep] = RecordForm(
    ClassForm(
        "entered",
        EntryStep,
        prompt=TEXT,
        system_prompt=TEXT,
        context=TEXT,
        beside=TEXT,
        history=MESSAGES,
        history_available=BOOLEAN,
        tools=many(TEXT),
        attachment_bytes=INTEGER,
        attachments=optional(many(object_kind(Attachment))),
        started_at=TIME,
    )
)
ASKED: RecordForm[ModelStep] = RecordForm(
    ClassForm(
        "asked",
        ModelStep,
        response=_either(_RESPONSE),
        shown=optional(object_kind(AssistantMessage)),
        checked=optional(TEXT),
        model=optional(TEXT),
        vendor_model=optional(TEXT),
        provider=optional(TEXT),
        cost=optional(DECIMAL),
        repeatable=BOOLEAN,
    )
)
JUDGED: RecordForm[ApprovalStep] = RecordForm(
    ClassForm(
        "judged",
        ApprovalStep,
        verdict=choice(Verdict),
        text=TEXT,
        since=TEXT,
        until=TEXT,
        deciders=many(TEXT),
        people=INTEGER,
        fits=BOOLEAN,
    )
)
BEGUN: RecordForm[ToolAttempt] = RecordForm(ClassForm("begun", ToolAttempt, life=TEXT))
CALLED: RecordForm[ToolStep] = RecordForm(
    ClassForm(
        "called",
        ToolStep,
        result=object_kind(ToolResult),
        duration_ms=NUMBER,
        found=BOOLEAN,
        passed_hooks=BOOLEAN,
        repeatable=BOOLEAN,
        hands_over_to=optional(TEXT),
        usage=optional(object_kind(TokenUsage)),
        cost=optional(DECIMAL),
        is_cost_known=BOOLEAN,
        model_calls=INTEGER,
        tool_calls=INTEGER,
        estimated_tokens=INTEGER,
    )
)
HANDED_OVER: RecordForm[HandoverStep] = RecordForm(
    ClassForm("handed_over", HandoverStep, system_prompt=TEXT, tools=many(TEXT))
)
ANSWERED: RecordForm[CachedStep] = RecordForm(
    ClassForm(
        "answered",
        CachedStep,
        content=optional(TEXT),
        tools_used=many(TEXT),
    )
)
FINISHED: RecordForm[AgentResult] = RecordForm(FORMS["agent_result"])
