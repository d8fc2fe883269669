"""Deltas that do not fit, and what can be done after one."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from arc_core.assembly import (
    AssemblyError,
    ReflectiveAssembler,
    StreamAppend,
    StreamIndex,
    StreamIndexedList,
    StreamMerge,
)


@dataclass(frozen=True)
class Call:
    """An item; nothing keeps its values from being of another type."""

    index: Annotated[Any, StreamIndex()]
    arguments: Annotated[str | None, StreamAppend()] = None


@dataclass(frozen=True)
class Message:
    """A message; nothing keeps its values from being of another type."""

    content: Annotated[str | None, StreamAppend()] = None
    raw: Annotated[bytes | None, StreamAppend()] = None
    tags: Annotated[list[str] | None, StreamAppend()] = None
    calls: Annotated[list[Call] | None, StreamIndexedList()] = None
    inner: Annotated[Call | None, StreamAppend()] = None
    score: Annotated[int | None, StreamMerge(lambda known, new: known + new)] = None


def get_failure(delta: Any) -> AssemblyError:
    """The error of a delta that comes after a good one."""
    assembler = ReflectiveAssembler.of(Message)
    assembler.apply_delta(Message(content="good", score=1))
    with pytest.raises(AssemblyError) as caught:
        assembler.apply_delta(delta)
    return caught.value


MISFITS: list[tuple[dict[str, Any], str, str, str]] = [
    ({"content": 5}, "Message", "content", "int"),
    ({"content": ["a"]}, "Message", "content", "list"),
    ({"raw": "text"}, "Message", "raw", "str"),
    ({"tags": "text"}, "Message", "tags", "str"),
    ({"calls": "text"}, "Message", "calls", "str"),
    ({"calls": {"index": 0}}, "Message", "calls", "dict"),
    ({"calls": [None]}, "Message", "calls", "NoneType"),
    ({"calls": [{"index": 0}]}, "Message", "calls", "dict"),
    ({"calls": [Call(0, 5)]}, "Call", "calls.arguments", "int"),  # type: ignore[arg-type]
    ({"inner": "text"}, "Message", "inner", "str"),
    ({"inner": Call(0, b"x")}, "Call", "inner.arguments", "bytes"),  # type: ignore[arg-type]
    ({"score": "text"}, "Message", "score", "str"),
]


@pytest.mark.parametrize(("values", "class_name", "path", "value_type"), MISFITS)
def test_a_value_of_another_type_is_named(
    values: dict[str, Any], class_name: str, path: str, value_type: str
) -> None:
    """The error has the class, the field's path, the type of the value and a remedy."""
    error = get_failure(Message(**values))

    assert (error.class_name, error.path, error.value_type) == (class_name, path, value_type)
    assert error.remedy
    assert all(fact in str(error) for fact in (class_name, path, value_type, error.remedy))


@pytest.mark.parametrize("index", [None, "0", 0.5, float("inf"), [0]])
def test_an_index_that_is_none_is_refused(index: object) -> None:
    """An index is a whole number; the error names the index field."""
    error = get_failure(Message(calls=[Call(index, "x")]))

    assert (error.class_name, error.field, error.path) == ("Call", "index", "calls.index")
    assert error.value_type == type(index).__name__


def test_a_missing_index_has_a_remedy() -> None:
    """The error of an item without an index says how to take such items."""
    error = get_failure(Message(calls=[Call(None)]))

    assert 'missing="append"' in str(error)


@pytest.mark.parametrize("delta", [None, "text", {"content": "x"}, Call(0), object()])
def test_a_delta_of_another_class_is_refused(delta: object) -> None:
    """The error names the class that was expected and the one that came."""
    error = get_failure(delta)

    assert error.class_name == "Message"
    assert error.value_type == type(delta).__name__


def test_what_a_merge_function_raises_is_the_cause() -> None:
    """The error of a rule of the user's own keeps what went wrong."""
    error = get_failure(Message(score="text"))  # type: ignore[arg-type]

    assert isinstance(error.__cause__, TypeError)
    assert "TypeError" in str(error)


class Broken(Message):
    """A delta that cannot be read."""

    def __getattribute__(self, name: str) -> Any:
        if name == "content":
            raise OSError("gone")
        return super().__getattribute__(name)


def test_a_delta_that_cannot_be_read_is_an_assembly_error() -> None:
    """Whatever reading a delta raises arrives as the one class of errors."""
    error = get_failure(Broken())

    assert isinstance(error.__cause__, OSError)


def test_an_assembler_takes_nothing_after_an_error() -> None:
    """Where a piece is missing, the next one has no place."""
    assembler = ReflectiveAssembler.of(Message)
    with pytest.raises(AssemblyError):
        assembler.apply_delta(Message(content=5))  # type: ignore[arg-type]

    with pytest.raises(AssemblyError, match="new assembler"):
        assembler.apply_delta(Message(content="good"))


@pytest.mark.parametrize("values", [values for values, *_ in MISFITS])
def test_what_was_good_can_be_built_after_an_error(values: dict[str, Any]) -> None:
    """A delta with one bad field leaves no trace in the result."""
    assembler = ReflectiveAssembler.of(Message)
    good = Message(content="good", calls=[Call(0, "x")], score=1)
    assembler.apply_delta(good)

    with pytest.raises(AssemblyError):
        assembler.apply_delta(Message(**values))

    assert assembler.build() == good


def test_a_first_delta_that_fails_leaves_nothing() -> None:
    """The result of an assembler whose first delta failed is that of no delta."""
    assembler = ReflectiveAssembler.of(Message)
    with pytest.raises(AssemblyError):
        assembler.apply_delta(Message(content="x", calls=[Call(None)]))

    assert assembler.build() == Message()


def test_an_interrupt_leaves_as_it_is() -> None:
    """What is not an ordinary exception, such as Ctrl-C, is not wrapped."""

    def interrupt(_known: int, _new: int) -> int:
        raise KeyboardInterrupt

    assembler = ReflectiveAssembler.of(Message, rules={"score": StreamMerge(interrupt)})
    assembler.apply_delta(Message(score=1))

    with pytest.raises(KeyboardInterrupt):
        assembler.apply_delta(Message(score=2))


@dataclass(frozen=True)
class Strict:
    """A class without defaults whose constructor refuses some values."""

    content: Annotated[str, StreamAppend()]

    def __post_init__(self) -> None:
        if len(self.content) > 3:
            raise ValueError("too long")


def test_nothing_cannot_be_built_without_defaults() -> None:
    """Before any delta, a field without a default is named."""
    with pytest.raises(AssemblyError, match="content") as caught:
        ReflectiveAssembler.of(Strict).build()

    assert (caught.value.class_name, caught.value.field) == ("Strict", "content")


def test_a_constructor_that_refuses_is_an_assembly_error() -> None:
    """What a constructor raises is the cause of an error that names its class."""
    assembler = ReflectiveAssembler.of(Strict)
    assembler.apply_delta(Strict("abc"))
    assembler.apply_delta(Strict("d"))

    with pytest.raises(AssemblyError, match="Strict") as caught:
        assembler.build()

    assert isinstance(caught.value.__cause__, ValueError)
