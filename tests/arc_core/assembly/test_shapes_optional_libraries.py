"""What is special about msgspec's and attrs' classes."""

from typing import Annotated, Any

import attrs
import msgspec

from arc_core.assembly import ReflectiveAssembler, StreamAppend, StreamIndex, StreamIndexedList


def assembled(cls: Any, *deltas: Any) -> Any:
    """What deltas of a class become."""
    assembler = ReflectiveAssembler.of(cls)
    for delta in deltas:
        assembler.apply_delta(delta)
    return assembler.build()


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A struct whose absent fields are `UNSET`."""

    index: Annotated[int, StreamIndex()]
    id: str | msgspec.UnsetType = msgspec.UNSET
    arguments: Annotated[str | msgspec.UnsetType, StreamAppend()] = msgspec.UNSET


class Message(msgspec.Struct, rename="camel"):
    """A struct of structs, with other names in JSON."""

    tool_calls: Annotated[list[Call] | None, StreamIndexedList()] = None


def test_structs_are_assembled_as_they_are_decoded() -> None:
    """Structs made of JSON become a struct that makes JSON."""
    decode = msgspec.json.Decoder(Message).decode
    deltas = [
        decode('{"toolCalls":[{"index":0,"id":"a","arguments":"{"}]}'),
        decode('{"toolCalls":[{"index":0,"arguments":"}"}]}'),
    ]

    built = assembled(Message, *deltas)

    assert built.tool_calls == [Call(index=0, id="a", arguments="{}")]


def test_unset_changes_nothing() -> None:
    """A field that a struct does not have is neither value nor `None`."""
    deltas = Call(index=0, id="a"), Call(index=0, arguments="x"), Call(index=0)

    assert assembled(Call, *deltas) == Call(index=0, id="a", arguments="x")


def test_what_never_came_is_unset() -> None:
    """The result does not have a field that no delta had."""
    assert msgspec.json.encode(assembled(Call, Call(index=0))) == b'{"index":0}'


@attrs.define(frozen=True)
class Record:
    """An attrs class with a private field and a computed one."""

    _text: Annotated[str | None, StreamAppend()] = None
    count: int | None = None
    length: int = attrs.field(init=False)

    @length.default
    def _length(self) -> int:
        return len(self._text or "")


def test_attrs_classes_are_built() -> None:
    """Private fields have other names in the constructor, and computed ones are left to it."""
    built = assembled(Record, Record(text="a", count=1), Record(text="bc"))

    assert built == Record(text="abc", count=1)
    assert built.length == 3


def test_old_attrs_classes_are_assembled() -> None:
    """Classes without annotations take rules for fields of any type."""
    old: Any = attrs.make_class("Old", ["left", "right"])
    assembler = ReflectiveAssembler.of(old, rules={"right": StreamAppend()})
    for delta in (old(1, "a"), old(None, "b")):
        assembler.apply_delta(delta)

    assert assembler.build() == old(1, "ab")
