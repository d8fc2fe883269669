"""Rules from outside, for classes that carry no markers."""

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel

from arc_core.assembly import (
    AssemblyError,
    Marker,
    ReflectiveAssembler,
    StreamAppend,
    StreamIndex,
    StreamIndexedList,
    StreamMerge,
)


@dataclass(frozen=True)
class Function:
    """Foreign."""

    name: str | None = None
    arguments: str | None = None


@dataclass(frozen=True)
class Call:
    """Foreign."""

    index: int
    id: str | None = None
    function: Function | None = None


@dataclass(frozen=True)
class Message:
    """Foreign."""

    role: str | None = None
    content: str | None = None
    calls: list[Call] | None = None


RULES: dict[str, Marker] = {
    "content": StreamAppend(),
    "calls": StreamIndexedList(by="index"),
    "calls.function": StreamAppend(),
    "calls.function.arguments": StreamAppend(),
}


def assembled(*deltas: Any, rules: dict[str, Marker]) -> Any:
    """What deltas of one class become by rules."""
    assembler = ReflectiveAssembler.of(type(deltas[0]), rules=rules)
    for delta in deltas:
        assembler.apply_delta(delta)
    return assembler.build()


def test_dotted_paths_mark_fields() -> None:
    """A path leads through lists to the fields of their items."""
    built = assembled(
        Message("assistant", "He", [Call(0, "a", Function("f", "{"))]),
        Message(content="llo", calls=[Call(0, function=Function(arguments="}"))]),
        rules=RULES,
    )

    assert built == Message("assistant", "Hello", [Call(0, "a", Function("f", "{}"))])


def test_an_index_can_be_a_rule() -> None:
    """`StreamIndex` may be given by a path instead of `by`."""
    rules: dict[str, Marker] = {"calls": StreamIndexedList(), "calls.index": StreamIndex()}

    built = assembled(Message(calls=[Call(1)]), Message(calls=[Call(0)]), rules=rules)

    assert built.calls == [Call(0), Call(1)]


def test_classes_without_rules_stay_as_they_are() -> None:
    """Rules belong to the assembler they were given to."""
    assembled(Message(content="a"), rules=RULES)

    assert assembled(Message(content="a"), Message(content="b"), rules={}) == Message(content="b")


@dataclass(frozen=True)
class Marked:
    """Own, with a marker."""

    text: Annotated[str | None, StreamAppend()] = None


def test_a_rule_goes_before_an_annotation() -> None:
    """A field's rule replaces its marker."""
    rules: dict[str, Marker] = {"text": StreamMerge(lambda known, new: f"{known}|{new}")}

    assert assembled(Marked("a"), Marked("b"), rules=rules) == Marked("a|b")


@pytest.mark.parametrize(
    ("path", "class_name", "known"),
    [
        ("contents", "Message", "role, content, calls"),
        ("calls.functions", "Call", "index, id, function"),
        ("calls.function.argument", "Function", "name, arguments"),
        ("", "Message", "role, content, calls"),
    ],
)
def test_an_unknown_path_is_an_error(path: str, class_name: str, known: str) -> None:
    """The error names the class where the path ends, and its fields."""
    with pytest.raises(AssemblyError) as caught:
        ReflectiveAssembler.of(Message, rules={**RULES, path: StreamAppend()})

    assert (caught.value.class_name, caught.value.path) == (class_name, path)
    assert known in caught.value.remedy


@pytest.mark.parametrize("path", ["content.length", "calls.function.arguments.x"])
def test_a_path_through_a_text_is_an_error(path: str) -> None:
    """A text has no fields."""
    with pytest.raises(AssemblyError, match="has no effect"):
        ReflectiveAssembler.of(Message, rules={**RULES, path: StreamAppend()})


def test_a_rule_below_a_replaced_object_is_an_error() -> None:
    """A rule that could do nothing is found, with the rule that is missing above it."""
    rules: dict[str, Marker] = {
        "calls": StreamIndexedList(by="index"),
        "calls.function.arguments": StreamAppend(),
    }

    with pytest.raises(AssemblyError) as caught:
        ReflectiveAssembler.of(Message, rules=rules)

    assert (caught.value.class_name, caught.value.field) == ("Call", "function")
    assert "StreamAppend()" in caught.value.remedy


@pytest.mark.parametrize("marker", [StreamAppend, "append", None, 5])
def test_a_rule_is_a_marker(marker: Any) -> None:
    """Anything else is found, with what to write."""
    with pytest.raises(AssemblyError, match=r"Message\.content.*StreamAppend\(\)"):
        ReflectiveAssembler.of(Message, rules={"content": marker})


class Open(BaseModel, extra="allow"):
    """A model that takes values it does not declare."""

    text: str | None = None


class OpenDict(TypedDict, total=False):
    """A dictionary, which may have any key."""

    text: str


EXTRA: dict[str, Marker] = {
    "reasoning": StreamAppend(extra=True),
    "score": StreamMerge(max, extra=True),
}


def test_a_rule_may_name_an_undeclared_field() -> None:
    """Extra values of a model are assembled where a rule says so, the others are left out."""
    deltas = [
        Open.model_validate({"reasoning": "a", "score": 2, "other": 1}),
        Open.model_validate({"text": "x", "reasoning": "b", "score": 1}),
    ]

    built = assembled(*deltas, rules=EXTRA)

    assert built == Open.model_validate({"text": "x", "reasoning": "ab", "score": 2})


def test_a_rule_may_name_an_undeclared_key() -> None:
    """The same holds for the keys of a typed dictionary."""
    assembler = ReflectiveAssembler.of(OpenDict, rules=EXTRA)
    for delta in ({"reasoning": "a", "score": 2, "other": 1}, {"text": "x", "reasoning": "b"}):
        assembler.apply_delta(delta)  # type: ignore[arg-type]

    built: Any = assembler.build()

    assert built == {"text": "x", "reasoning": "ab", "score": 2}


def test_an_undeclared_field_has_to_be_meant() -> None:
    """Without `extra=True`, a name the class does not declare is a typing error."""
    with pytest.raises(AssemblyError, match="extra=True"):
        ReflectiveAssembler.of(Open, rules={"reasoning": StreamAppend()})


def test_a_closed_class_has_no_extra_values() -> None:
    """`extra=True` does not help where there is nowhere to put the value."""
    with pytest.raises(AssemblyError, match="names no field"):
        ReflectiveAssembler.of(Message, rules={"reasoning": StreamAppend(extra=True)})


def test_a_declared_field_may_be_extra_too() -> None:
    """A rule survives that the class declares the field one day."""
    rules: dict[str, Marker] = {"text": StreamAppend(extra=True)}

    assert assembled(Open(text="a"), Open(text="b"), rules=rules) == Open(text="ab")


def test_coerce_makes_text_of_other_values() -> None:
    """A vendor's other form of a value is appended as text."""
    rules: dict[str, Marker] = {"content": StreamAppend(coerce="".join)}
    second: Any = Message(content=["l", "lo"])  # type: ignore[arg-type]

    assert assembled(Message(content="He"), second, rules=rules) == Message(content="Hello")


@pytest.mark.parametrize(("coerce", "problem"), [(str.upper, "upper raised"), (len, "return str")])
def test_a_coerce_that_fails_is_an_assembly_error(coerce: Any, problem: str) -> None:
    """Both an exception and something that is not a text are named with the field."""
    odd: Any = Message(content=["a"])  # type: ignore[arg-type]

    with pytest.raises(AssemblyError, match=rf"Message\.content: .*{problem}"):
        assembled(odd, rules={"content": StreamAppend(coerce=coerce)})
