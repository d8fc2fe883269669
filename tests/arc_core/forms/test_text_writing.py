"""What is written is read as it was."""

import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from arc_core import (
    AgentCommand,
    AgentHandedOff,
    AgentResult,
    ApprovalRequest,
    Approve,
    AssistantMessage,
    Attachment,
    Decision,
    Limits,
    Message,
    Reasoning,
    ReasoningDelta,
    ResponseFormat,
    RunFinished,
    TextDelta,
    UserMessage,
)
from arc_core.events import ApprovalRequested, TurnRestarted
from arc_core.forms import FormError, from_json, to_json
from arc_core.forms.json_text import Flaw, dump
from arc_core.forms.table import find_form
from tests.arc_core.forms.values import ANY, COMMANDS, TEXTS, Invoice


@pytest.mark.slow
@given(ANY)
def test_any_value_comes_back_as_it_was(value: Any) -> None:
    """Of every class that has a form, with any text in it."""
    back = from_json(to_json(value), type(value))

    assert type(back) is type(value)
    assert back == value


@pytest.mark.slow
@given(ANY)
def test_a_form_is_one_line_that_databases_take(value: Any) -> None:
    """UTF-8 without line breaks, and without the null character, which PostgreSQL refuses."""
    written = to_json(value).encode()

    assert b"\x00" not in written
    assert b"\n" not in written


@pytest.mark.slow
@given(ANY)
def test_every_object_has_a_type_and_the_outermost_a_version(value: Any) -> None:
    """A reader knows from the first keys what it reads."""
    assert list(json.loads(to_json(value)))[:2] == ["v", "type"]


@given(
    st.sampled_from([TextDelta, ReasoningDelta]),
    TEXTS | st.sampled_from([ResponseFormat.JSON]),
    st.sampled_from(["", "run-1"]) | TEXTS,
    st.integers() | st.booleans(),
)
def test_a_piece_of_text_is_written_as_the_table_says(
    made: Any, text: str, run_id: str, seq: int
) -> None:
    """Its short way gives the same text as the way of all other values, whatever is in it."""
    piece = made(text, run_id=run_id, seq=seq)
    try:
        expected = dump({"v": 1, **find_form(piece).write(piece)})
    except Flaw:
        with pytest.raises(FormError):
            to_json(piece)
        return

    assert to_json(piece) == expected


@given(TEXTS)
def test_halves_of_surrogate_pairs_survive(text: str) -> None:
    """Also two that JSON would join to one character."""
    assert from_json(to_json(UserMessage(text)), Message) == UserMessage(text)


def test_two_halves_are_not_the_character_they_would_be() -> None:
    """The two stay two."""
    message = UserMessage("\ud83d\ude00")

    assert from_json(to_json(message), Message) == message != UserMessage("\U0001f600")


def test_readable_text_stays_readable() -> None:
    """Korean is not escaped: it would take twice the place."""
    assert to_json(UserMessage("안녕")) == '{"v":1,"type":"user_message","content":"안녕"}'


def test_what_a_vendor_signed_is_written_byte_for_byte() -> None:
    """The order of keys, the numbers and the escapes of a block are the vendor's."""
    block = {"type": "thinking", "signature": "Er4B+/=\u2028", "b": 1, "a": [1.0, 10**30, -0.0]}
    message = AssistantMessage("", (), (Reasoning("", "Er4B+/=", redacted=True),), [block])

    back = from_json(to_json(message), AssistantMessage)

    assert json.dumps(back.vendor_content) == json.dumps([block])
    assert back.reasoning == message.reasoning


def test_bytes_are_base64() -> None:
    """As RFC 4648 has it."""
    form = json.loads(to_json(Attachment("image/png", data=b"\x00\xff\xfe")))

    assert form == {"v": 1, "type": "attachment", "media_type": "image/png", "data": "AP/+"}


@pytest.mark.parametrize("opaque", [object(), {"a": (1, 2)}, {1: "a"}, {"a": float("nan")}, {"x"}])
def test_vendor_content_that_json_would_change_is_left_out(opaque: object) -> None:
    """Half right would be sent back to a vendor as if it were its own."""
    text = to_json(AssistantMessage("answer", vendor_content=opaque))

    assert from_json(text, Message) == AssistantMessage("answer")


@pytest.mark.parametrize(("levels", "is_kept"), [(64, True), (65, False)])
def test_what_is_written_can_be_read_however_deep_it_is(levels: int, *, is_kept: bool) -> None:
    """Up to 64 levels, also of a message that stands deep in an event."""
    deep: object = 1
    for _ in range(levels):
        deep = {"a": deep}
    message = AssistantMessage("answer", vendor_content=deep)
    event = RunFinished(AgentResult(success=True, messages=(message,)))

    [back] = from_json(to_json(event), RunFinished).result.messages

    assert back == (message if is_kept else AssistantMessage("answer"))


@pytest.mark.parametrize(
    "value",
    [(1, 2), float("inf"), {1: 2}, object(), "\ud83d\ude00", ResponseFormat.JSON, 9**9999],
    ids=range(7),
)
def test_metadata_of_a_command_that_json_would_change_is_refused(value: object) -> None:
    """A command that has lost something is another command."""
    command = AgentCommand(user_prompt="hi", metadata={"a": [value]})

    with pytest.raises(FormError) as caught:
        to_json(command)

    assert caught.value.place.startswith("$.metadata.a[0]")


def test_metadata_of_a_result_that_json_would_change_is_left_out() -> None:
    """The rest of the result is more than that entry."""
    metadata: dict[Any, object] = {"when": object(), 1: 2, "what": "x"}
    result = AgentResult(success=True, metadata=metadata)

    assert from_json(to_json(result), AgentResult).metadata == {"what": "x"}


def test_an_answer_is_read_as_what_was_asked_for() -> None:
    """The class is named, since the text names none; without it there is plain JSON."""
    text = to_json(AgentResult(success=True, output=Invoice(total=3)))

    assert from_json(text, AgentResult[Invoice]).output == Invoice(total=3)
    assert from_json(text, AgentResult).output == {"total": 3}


def test_an_answer_that_cannot_be_written_is_left_out() -> None:
    """Its text is there nevertheless."""
    text = to_json(AgentResult(success=True, content="x", output=object()))

    assert from_json(text, AgentResult) == AgentResult(success=True, content="x")


def test_values_without_a_form_are_named() -> None:
    """With the classes that have one."""
    with pytest.raises(FormError, match=r"\$: dict has no JSON form; use one of: Text,"):
        to_json({"role": "user"})


@given(COMMANDS, st.data())
def test_a_cut_off_form_is_refused(value: AgentCommand, data: st.DataObject) -> None:
    """At any place."""
    text = to_json(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]

    with pytest.raises(FormError, match="is cut off"):
        from_json(cut, AgentCommand)


@dataclass
class Pair:
    """A dataclass with an import path."""

    first: int


class Colour(Enum):
    """An enum with one."""

    RED = "red"


def command_with(schema: Any) -> str:
    """The form of a command whose answer is to satisfy a class."""
    return to_json(
        AgentCommand(user_prompt="hi", response_format=ResponseFormat.JSON, response_schema=schema)
    )


def test_a_class_of_a_module_that_is_not_imported_is_its_schema() -> None:
    """A text must not have modules imported."""
    text = command_with(Invoice).replace("tests.arc_core.forms.values:", "antigravity:")

    assert from_json(text, AgentCommand).response_schema == Invoice.model_json_schema()
    assert "antigravity" not in sys.modules


def test_a_class_without_an_import_path_is_its_schema() -> None:
    """One that a function has made."""

    class Local(BaseModel):
        total: int

    text = command_with(Local)

    assert from_json(text, AgentCommand).response_schema == Local.model_json_schema()


@pytest.mark.parametrize("declared", [Pair, Colour])
def test_every_kind_of_class_has_an_import_path(declared: type) -> None:
    """Dataclasses and enums are read back as themselves, as pydantic classes are."""
    assert from_json(command_with(declared), AgentCommand).response_schema is declared


@pytest.mark.parametrize("declared", [list[Invoice], int | None])
def test_a_type_without_a_name_is_its_schema(declared: Any) -> None:
    """A list and a union have no import path."""
    command = from_json(command_with(declared), AgentCommand)

    assert command.response_schema == TypeAdapter(declared).json_schema()


@pytest.mark.parametrize("name", ["sys:modules", "os:system", "pydantic:BaseModel.model_validate"])
def test_a_path_to_something_else_is_not_followed(name: str) -> None:
    """Functions and plain classes are not response schemas."""
    text = command_with(Invoice).replace("tests.arc_core.forms.values:Invoice", name)

    assert from_json(text, AgentCommand).response_schema == Invoice.model_json_schema()


def test_modules_that_are_listed_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller says which ones, the text does not."""
    text = command_with(Invoice)
    own = sys.modules[Invoice.__module__]
    monkeypatch.setitem(sys.modules, Invoice.__module__, ModuleType("empty"))

    monkeypatch.delitem(sys.modules, Invoice.__module__)
    command = from_json(text, AgentCommand, modules=[Invoice.__module__])

    assert isinstance(command.response_schema, type)
    assert command.response_schema is not own.Invoice


def test_an_event_keeps_its_run_and_its_place() -> None:
    """Equality does not see them."""
    back = from_json(to_json(TextDelta("One", "a-run", 7)), TextDelta)

    assert (back.run_id, back.seq) == ("a-run", 7)


_REQUEST = ApprovalRequest(
    run_id="r", key="k", tool="t", arguments={"a": 1}, agent="d", user_id="u",
    since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(2026, 1, 2, tzinfo=UTC),
    arguments_hash="h", deciders=("x",), people=2,
    approvals=(
        Decision(answer=Approve(arguments={"b": 2}), by="me", at=datetime(2026, 1, 1, tzinfo=UTC)),
    ),
)  # fmt: skip
_WRITTEN_REQUEST = (
    '"run_id":"r","key":"k","tool":"t","arguments":{"a":1},"agent":"d","user_id":"u",'
    '"since":"2026-01-01T00:00:00+00:00","until":"2026-01-02T00:00:00+00:00","arguments_hash":"h",'
    '"deciders":["x"],"people":2,"approvals":[{"type":"decision","answer":{"type":"approve",'
    '"arguments":{"b":2}},"by":"me","at":"2026-01-01T00:00:00+00:00"}]'
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (_REQUEST, f'{{"v":1,"type":"approval_request",{_WRITTEN_REQUEST}}}'),
        (
            ApprovalRequested(_REQUEST, run_id="r", seq=1),
            (
                '{"v":1,"type":"approval_requested","request":{"type":"approval_request",'
                f'{_WRITTEN_REQUEST}}},"run_id":"r","seq":1}}'
            ),
        ),
        (Limits(max_cost=Decimal("1.50")), '{"v":1,"type":"limits","max_cost":"1.50"}'),
        (
            AgentHandedOff("b", run_id="r", seq=2),
            '{"v":1,"type":"agent_handed_off","agent":"b","run_id":"r","seq":2}',
        ),
        (
            TurnRestarted(3, run_id="r", seq=3),
            '{"v":1,"type":"turn_restarted","turn":3,"run_id":"r","seq":3}',
        ),
    ],
)
def test_a_form_stays_byte_for_byte(value: object, text: str) -> None:
    """As earlier versions have written it into databases, with the order of its keys."""
    assert to_json(value) == text
    assert from_json(text, type(value)) == value
