"""Folding deltas into a value of their own class."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from arc_core.assembly.analysis import analyse
from arc_core.assembly.annotations import get_name
from arc_core.assembly.errors import AssemblyError
from arc_core.assembly.generation import MergeProgram
from arc_core.assembly.markers import Marker

T = TypeVar("T")
M = TypeVar("M")  # of class methods: pyright does not solve the class's own there
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)

_MAX_DEPTH = 128
"""Building what lies deeper would come near to Python's own limit of nested calls."""


class Assembler(Protocol[T_contra, R_co]):
    """Folds the deltas of one stream; `StreamHandle` takes any object that can."""

    def apply_delta(self, delta: T_contra, /) -> None:
        """Fold one delta in."""
        ...

    def build(self) -> R_co:
        """The value so far; later deltas never change it."""
        ...


class ReflectiveAssembler(Generic[T]):
    """Assembles any class of objects with fields by the markers on them.

    Made by `of`, or many by the function that `factory` gives. One assembler belongs to one stream.
    A class is analysed once, and its `apply_delta` generated: making another assembler is cheap.
    """

    __slots__ = ("_failed", "_folded", "_state")
    _program: ClassVar[MergeProgram]

    def __init__(self) -> None:
        self._state: Any = None  # of all deltas; None until the first, and after a failure
        self._folded: Any = None  # what was folded before a failure
        self._failed = False

    @classmethod
    def of(
        cls,
        type_: type[M],
        *,
        rules: Mapping[str, Marker] | None = None,
        max_depth: int = 64,
        namespace: Mapping[str, Any] | None = None,
    ) -> "ReflectiveAssembler[M]":
        """An empty assembler.

        Args:
            type_: The class of the deltas and of the result.
            rules: Markers by dotted path, for classes that cannot be annotated. They take
                precedence over annotations.
            max_depth: How deep objects that are merged may lie inside each other; 1 is the delta
                itself.
            namespace: Names that forward references may use, beside those of each class's module.

        Raises:
            AssemblyError: The class cannot be assembled, or a marker or rule does not fit it.
        """
        return cls.factory(type_, rules=rules, max_depth=max_depth, namespace=namespace)()

    @classmethod
    def factory(
        cls,
        type_: type[M],
        *,
        rules: Mapping[str, Marker] | None = None,
        max_depth: int = 64,
        namespace: Mapping[str, Any] | None = None,
    ) -> "Callable[[], ReflectiveAssembler[M]]":
        """A function that makes empty assembler after empty assembler, without looking up `rules`.

        Arguments and errors are those of `of`.
        """
        key: Any = (type_, tuple(rules.items()) if rules else (), max_depth)
        if namespace or not _is_hashable(key):
            return _new_assembler_type(*key, namespace=namespace or {})
        return _assembler_type(*key)

    @property
    def source(self) -> str:
        """The generated `apply_delta` and all that was generated with it, as Python source."""
        return self._program.source

    def apply_delta(self, delta: T, /) -> None:
        """Fold one delta in.

        Raises:
            AssemblyError: The delta does not fit. What stands before the fault may have been folded
                in; `build` still works, but no further delta is taken.
        """
        raise NotImplementedError  # generated for each class

    def build(self) -> T:
        """The value of all deltas so far, as often as wanted; later deltas never change it.

        Raises:
            AssemblyError: No delta has arrived and a field has no default, or the class's
                constructor refuses what has arrived.
        """
        plan = self._program.plan
        state = self._folded if self._failed else self._state
        built: Any = plan.build_empty() if state is None else plan.build(state)
        return built  # type: ignore[no-any-return]

    def _begin(self) -> Any:
        if self._failed:
            raise AssemblyError(
                class_name=self._program.plan.shape.name,
                problem="an earlier delta did not fit, so this one has nothing to be folded into",
                remedy="Build what there is, and make a new assembler for the next stream.",
            )
        return self._program.new_state()

    def _fail(self, error: BaseException) -> None:
        self._folded, self._state, self._failed = self._state, None, True
        if isinstance(error, Exception) and not isinstance(error, AssemblyError):
            raise AssemblyError(
                class_name=self._program.plan.shape.name,
                problem=f"reading a delta raised {type(error).__name__}",
                remedy="See the cause.",
            ) from error


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


@functools.lru_cache(maxsize=1024)
def _assembler_type(
    type_: Any, rules: tuple[tuple[str, Marker], ...], max_depth: int
) -> type[ReflectiveAssembler[Any]]:
    return _new_assembler_type(type_, rules, max_depth, namespace={})


def _new_assembler_type(
    type_: Any,
    rules: tuple[tuple[str, Marker], ...],
    max_depth: int,
    *,
    namespace: Mapping[str, Any],
) -> type[ReflectiveAssembler[Any]]:
    if not 1 <= max_depth <= _MAX_DEPTH:
        raise AssemblyError(
            class_name=get_name(type_),
            problem=f"max_depth={max_depth} cannot be kept",
            remedy=f"Choose one from 1 to {_MAX_DEPTH}.",
        )
    program = MergeProgram.of(analyse(type_, dict(rules), namespace), max_depth=max_depth)
    members = {"__slots__": (), "_program": program, "apply_delta": program.apply_delta}
    return type(ReflectiveAssembler.__name__, (ReflectiveAssembler,), members)
