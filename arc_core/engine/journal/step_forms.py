"""The JSON form of each kind of step; `docs/durable-runs.md` describes it for operators."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar, cast

from arc_core.engine.journal.metadata import Change
from arc_core.engine.journal.records import (
    AgentStep,
    ApprovalStep,
    AttemptStart,
    CachedStep,
    CompactionStep,
    EntryStep,
    HandoverStep,
    HiddenPart,
    ModelStep,
    QuestionStep,
    Record,
    RequestPart,
    RequestParts,
    StopStep,
    ToolAttempt,
    ToolNote,
    ToolStep,
)
from arc_core.errors import FormError
from arc_core.forms.json_text import check_json, dump, load, name_place
from arc_core.forms.kinds import JSON_OBJECT, TIME_TEXT, Kind, many, misfit, optional
from arc_core.forms.table import FORMS, ClassForm
from arc_core.interfaces.models.chat_model import ChatResponse
from arc_core.result import AgentResult

T = TypeVar("T")


def _nest(tag: str, cls: type, **exceptions: Kind) -> Kind:
    form = ClassForm(tag, cls, is_whole=False, **exceptions)
    return Kind(form.write, form.read)


def _pass_json(value: Any) -> Any:
    check_json(value)
    return value


_EACH_CHANGE = many(_nest("change", Change, value=Kind(_pass_json, _pass_json)))


def _write_changes(changes: Sequence[Change]) -> Any:
    for change in changes:
        value = change.value
        for key in reversed(change.path):  # so that a flaw has the place that callers know
            value = {key: value}
        check_json(value)
    return _EACH_CHANGE.write(changes)


class RecordForm(Generic[T]):
    """The form of the steps of one kind.

    Attributes:
        pack: Makes the record of what the work of a step gives; None records that itself.
        restore: Makes of the record what the work would give, in a later life.
        plain: The same without these two.
    """

    pack: Callable[[Any], Any] | None = None
    restore: Callable[[Any], Awaitable[Any]] | None = None

    def __init__(self, value: ClassForm) -> None:
        self.plain = self
        self._record = ClassForm(
            "step",
            Record,
            {"last_seq": "told"},
            value=_either(value, ClassForm("stopped", StopStep)),
            attempt=optional(_nest("attempt", AttemptStart)),
            changes=Kind(_write_changes, _EACH_CHANGE.read),
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
        """The record of a text, or a `FormError`."""
        with name_place():
            found = load(text)
            if type(found) is not dict:
                raise misfit(found, "an object")
            return cast("Record[T]", self._record.read(found))


@dataclass(eq=False)
class PackedForm(RecordForm[T]):
    """The form of one step whose work gives something else than what is recorded."""

    plain: RecordForm[T]
    pack: Callable[[Any], Any] | None = None
    restore: Callable[[Any], Awaitable[Any]] | None = None

    @property
    def _record(self) -> ClassForm:  # type: ignore[override]
        return self.plain._record  # noqa: SLF001 -- of a class above


def _either(*forms: ClassForm) -> Kind:
    by_class = {form.cls: form for form in forms}
    by_tag = {form.tag: form for form in forms}

    def read(found: Any) -> Any:
        form = by_tag.get(str(found.get("type"))) if type(found) is dict else None
        if form is None:
            raise misfit(found, f"of the type {' or '.join(by_tag)}")
        return form.read(found)

    return Kind(write=lambda value: by_class[type(value)].write(value), read=read)


def _make_form(
    tag: str, cls: type[T], keys: Mapping[str, str] = MappingProxyType({}), /, **exceptions: Kind
) -> RecordForm[T]:
    return RecordForm(ClassForm(tag, cls, keys, is_whole=False, **exceptions))


IN_CHARGE = _make_form("in_charge", AgentStep, earlier_handoffs=Kind(dict, JSON_OBJECT.read))
ENTERED = _make_form("entered", EntryStep)
_REQUEST = _nest("request", RequestParts, parts=many(_nest("part", RequestPart)))
_RESPONSE = _either(ClassForm("chat_response", ChatResponse))
ASKED = _make_form("asked", ModelStep, response=_RESPONSE, request=optional(_REQUEST))
JUDGED = _make_form("judged", ApprovalStep, since=TIME_TEXT, until=TIME_TEXT)
QUESTIONED = _make_form("questioned", QuestionStep, since=TIME_TEXT, until=TIME_TEXT)
BEGUN = _make_form("begun", ToolAttempt, {"attempt_id": "life"})
NOTED = _make_form("noted", ToolNote)
CALLED = _make_form("called", ToolStep, hidden=optional(_nest("hidden", HiddenPart)))
COMPACTED = _make_form("compacted", CompactionStep)
HANDED_OVER = _make_form("handed_over", HandoverStep)
ANSWERED = _make_form("answered", CachedStep)
FINISHED: RecordForm[AgentResult] = RecordForm(FORMS["agent_result"])

STEP_FORMS: Mapping[str, RecordForm[Any]] = {
    "begin": IN_CHARGE,
    "admit": ENTERED,
    "enter": ENTERED,
    "model": ASKED,
    "compact": COMPACTED,
    "approve": JUDGED,
    "ask": QUESTIONED,
    "login": QUESTIONED,
    "asked": BEGUN,
    "begun": BEGUN,
    "note": NOTED,
    "tool": CALLED,
    "hand_over": HANDED_OVER,
    "answer": ANSWERED,
    "finish": FINISHED,
}
"""The form of each kind of step, by what its key begins with, without the place of its run."""
