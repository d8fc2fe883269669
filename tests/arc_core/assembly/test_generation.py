"""The generated code: what it may contain, and how deep it goes."""

import ast
import dataclasses
import gc
import keyword
import linecache
import re
import traceback
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_core import assembly
from tests.arc_core.assembly.chat_records import Chunk, MessageDelta


@dataclass(frozen=True)
class Node:
    """A class that contains itself, directly and in a list."""

    index: Annotated[int, assembly.StreamIndex()] = 0
    text: Annotated[str | None, assembly.StreamAppend()] = None
    child: Annotated["Node | None", assembly.StreamAppend()] = None
    children: Annotated["list[Node] | None", assembly.StreamIndexedList()] = None


def chain(length: int, text: str = "a") -> Node:
    """Nodes inside each other, `length` of them."""
    node = Node(text=text)
    for i in range(length - 1):
        node = Node(child=node) if i % 2 else Node(children=[node])
    return node


@pytest.mark.parametrize("max_depth", [1, 2, 3, 64, 128])
def test_data_may_be_as_deep_as_allowed(max_depth: int) -> None:
    """`max_depth` objects may lie inside each other."""
    assembler = assembly.ReflectiveAssembler.of(Node, max_depth=max_depth)

    assembler.apply_delta(chain(max_depth, "a"))
    assembler.apply_delta(chain(max_depth, "b"))

    assert assembler.build() == chain(max_depth, "ab")


@pytest.mark.parametrize("max_depth", [1, 2, 3, 64, 128])
def test_deeper_data_is_refused(max_depth: int) -> None:
    """One object more is an error that names the way down and the bound."""
    assembler = assembly.ReflectiveAssembler.of(Node, max_depth=max_depth)

    with pytest.raises(assembly.AssemblyError, match=f"max_depth={max_depth}") as caught:
        assembler.apply_delta(chain(max_depth + 1))

    assert len((caught.value.path or "").split(".")) == max_depth


DEEP_CHUNK = Chunk.model_validate_json(
    '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}'
)


def test_plain_classes_may_be_as_deep_as_allowed() -> None:
    """A class that cannot recur has a depth all the same."""
    assembler = assembly.ReflectiveAssembler.of(Chunk, max_depth=5)
    assembler.apply_delta(DEEP_CHUNK)

    assert assembler.build() == DEEP_CHUNK


def test_deeper_plain_classes_are_refused() -> None:
    """What lies beyond the bound is an error once it is there."""
    assembler = assembly.ReflectiveAssembler.of(Chunk, max_depth=4)
    assembler.apply_delta(Chunk(id="x"))

    with pytest.raises(assembly.AssemblyError, match="max_depth=4") as caught:
        assembler.apply_delta(DEEP_CHUNK)

    assert caught.value.path == "choices.delta.tool_calls.function"


def test_an_error_in_a_recursion_has_its_whole_path() -> None:
    """Each level of the data puts its field in front."""
    bad: Any = Node(child=Node(children=[Node(text=5)]))  # type: ignore[arg-type]

    with pytest.raises(assembly.AssemblyError) as caught:
        assembly.ReflectiveAssembler.of(Node).apply_delta(bad)

    assert (caught.value.class_name, caught.value.path) == ("Node", "child.children.text")


def nested_lists(levels: int) -> Any:
    """A class with a list of objects with a list of objects, and so on, and a maker of deltas."""
    cls = dataclasses.make_dataclass("Leaf", [
        ("index", Annotated[int, assembly.StreamIndex()], 0),
        ("inner", Annotated[str | None, assembly.StreamAppend()], None),
    ])  # fmt: skip

    def leaf(text: str) -> Any:
        return cls(inner=text)

    made: Any = cls
    make = leaf
    for _ in range(levels):
        made = dataclasses.make_dataclass("Level", [
            ("index", Annotated[int, assembly.StreamIndex()], 0),
            ("inner", Annotated[list[made] | None, assembly.StreamIndexedList()], None),
        ])  # fmt: skip
        make = _around(made, make)
    return made, make


def _around(cls: Any, inner: Any) -> Any:
    return lambda text: cls(inner=[inner(text)])


def test_lists_may_be_nested_deeper_than_python_nests_loops() -> None:
    """What lies too deep for one function gets one of its own."""
    cls, make = nested_lists(30)
    assembler = assembly.ReflectiveAssembler.of(cls)

    for text in ("a", "b"):
        assembler.apply_delta(make(text))

    assert assembler.build() == make("ab")
    assert assembler.source.count("\ndef ") > 1


def test_the_source_grows_with_the_classes_not_with_their_paths() -> None:
    """Eight fields of a class with eight fields of a class, and so on, are eight fields each."""
    cls: Any = dataclasses.make_dataclass(
        "Leaf", [("a", Annotated[str, assembly.StreamAppend()], "x")]
    )
    delta = cls()
    for _ in range(6):
        annotation = Annotated[cls | None, assembly.StreamAppend()]
        fields = [(name, annotation, None) for name in "abcdefgh"]
        cls = dataclasses.make_dataclass("Level", fields)
        delta = cls(a=delta, h=delta)

    assembler = assembly.ReflectiveAssembler.of(cls)
    assembler.apply_delta(delta)

    assert assembler.build() == delta
    assert len(assembler.source.splitlines()) < 5_000


@pytest.mark.parametrize("cls", [MessageDelta, Chunk, Node])
def test_the_source_can_be_read(cls: Any) -> None:
    """It is Python, of lines that fit on a screen, without anything that is not used."""
    source = assembly.ReflectiveAssembler.of(cls).source

    tree = ast.parse(source)

    assert isinstance(tree.body[0], ast.FunctionDef)
    assert tree.body[0].name == "apply_delta"
    assert max(map(len, source.splitlines())) < 120


def test_tracebacks_show_the_generated_line() -> None:
    """A user who debugs a rule of their own sees where it was called from."""

    def fail(_known: int, _new: int) -> int:
        raise ValueError("mine")

    @dataclass
    class Record:
        number: Annotated[int | None, assembly.StreamMerge(fail)] = None

    assembler = assembly.ReflectiveAssembler.of(Record)
    assembler.apply_delta(Record(1))
    with pytest.raises(assembly.AssemblyError) as caught:
        assembler.apply_delta(Record(2))

    assert "= merge_value(state1.number" in "".join(traceback.format_exception(caught.value))


def generated_files() -> set[str]:
    """The names of all generated sources that tracebacks can show."""
    gc.collect()
    return {name for name in linecache.cache if name.startswith("<assembly of")}


def assembler_of_its_own(cls: Any = MessageDelta) -> assembly.ReflectiveAssembler[Any]:
    """An assembler with a generated function that is not cached for the next one."""
    return assembly.ReflectiveAssembler.of(cls, namespace={"Unused": int})


def assemble_once(cls: Any) -> None:
    """Make an assembler, use it and drop it."""
    assembler_of_its_own(cls).apply_delta(cls("a"))


def test_equal_sources_are_kept_once() -> None:
    """However many functions have the same source, its lines are kept for all of them together."""
    before = generated_files()

    assemblers = [assembler_of_its_own() for _ in range(50)]

    assert len({type(assembler) for assembler in assemblers}) == 50
    assert len({assembler.source for assembler in assemblers}) == 1
    assert len(generated_files() - before) <= 1


def test_lines_go_with_the_last_function_that_needs_them() -> None:
    """Memory does not grow with the assemblers that have been made and dropped."""
    before = generated_files()

    for number in range(50):
        assemble_once(dataclasses.make_dataclass(f"Record{number}", [("text", str | None, None)]))

    assert generated_files() - before == set()


def test_an_error_keeps_the_lines_it_shows() -> None:
    """A traceback is complete even after the assembler has gone."""
    before = generated_files()

    with pytest.raises(assembly.AssemblyError) as caught:
        assembler_of_its_own().apply_delta("no delta")

    assert len(generated_files() - before) <= 1
    assert "check_instance(delta1" in "".join(traceback.format_exception(caught.value))


HOSTILE = ["a'", '"', "a\nb", "__import__('os')", "x); raise SystemExit", "\\", "{0}", "é", "ﬁ"]
names = (
    st.sampled_from([*HOSTILE, *keyword.kwlist, "self", "delta1", "state1", "error", "_1", "__x"])
    | st.sampled_from(["type", "str", "list", "map", "KeyError", "check_instance", "IndexedItems"])
    | st.from_regex(re.compile(r"[a-z_]+(_\d)?|(state|delta|items|values)\d"), fullmatch=True)
    | st.text(min_size=1, max_size=5).filter(lambda name: "." not in name)
)


@pytest.mark.slow
@given(st.lists(names, min_size=1, max_size=6, unique=True))
@settings(deadline=None)
def test_no_name_means_anything_in_the_source(fields: list[str]) -> None:
    """Fields may be called like variables, builtins, helpers or code."""
    make: Any = TypedDict
    inner = make(
        "Inner", dict.fromkeys(fields, Annotated[str, assembly.StreamAppend()]), total=False
    )
    outer = make(
        "Outer", dict.fromkeys(fields, Annotated[inner, assembly.StreamAppend()]), total=False
    )
    assembler = assembly.ReflectiveAssembler.of(outer)

    for text in ("a", "b"):
        assembler.apply_delta({name: dict.fromkeys(fields, text) for name in fields})

    assert assembler.build() == {name: dict.fromkeys(fields, "ab") for name in fields}


@pytest.mark.parametrize("name", ["x): pass", "Ünïcode", "class", "", "a" * 300])
def test_no_class_name_means_anything_in_the_source(name: str) -> None:
    """Classes may be called anything, too."""
    cls: Any = dataclasses.make_dataclass("Record", [("text", str | None, None)])
    cls.__name__ = name

    assert assembly.ReflectiveAssembler.of(cls).build() == cls()


def test_a_class_without_fields_is_assembled() -> None:
    """There is nothing to fold, and an instance to build."""

    @dataclass(frozen=True)
    class Empty:
        pass

    assembler = assembly.ReflectiveAssembler.of(Empty)
    assembler.apply_delta(Empty())

    assert assembler.build() == Empty()
