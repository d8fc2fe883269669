"""The annotations of a class, without the wrappers around the types."""

import inspect
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import ReadOnly

from arc_core.assembly.errors import AssemblyError

_WRAPPERS = (typing.Required, typing.NotRequired, ReadOnly, typing.Final, typing.ClassVar)
_UNIONS = (typing.Union, types.UnionType)
_LISTS = (list, Sequence, MutableSequence, Collection, Iterable)

TypeArguments = Mapping[Any, Any]
"""From type variables to what they stand for."""


@dataclass(frozen=True, slots=True)
class Described:
    """An annotation taken apart."""

    options: tuple[Any, ...]
    nullable: bool
    metadata: tuple[Any, ...]


def describe(annotation: object) -> Described:
    """Take off `Annotated`, `Optional`, `Required`, aliases, new types and type variables."""
    metadata: list[Any] = []
    options = tuple(dict.fromkeys(_options(annotation, metadata)))
    return Described(
        options=tuple(option for option in options if option is not types.NoneType),
        nullable=types.NoneType in options,
        metadata=tuple(metadata),
    )


def _options(annotation: Any, metadata: list[Any]) -> Iterator[Any]:
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        metadata.extend(annotation.__metadata__)
        yield from _options(annotation.__origin__, metadata)
    elif origin in _WRAPPERS:
        yield from _options(typing.get_args(annotation)[0], metadata)
    elif origin in _UNIONS:
        for option in typing.get_args(annotation):
            yield from _options(option, metadata)
    elif (meant := _meant_by(annotation, origin)) is not annotation:
        yield from _options(meant, metadata)
    else:
        yield types.NoneType if annotation is None else annotation


def _meant_by(annotation: Any, origin: Any) -> Any:
    """Resolve an alias, a new type or a type variable; anything else stands for itself."""
    if isinstance(annotation, typing.TypeVar):
        return annotation.__bound__ or Any
    if isinstance(annotation, typing.NewType):
        return annotation.__supertype__
    if hasattr(origin, "__value__"):  # type X[T] = ..., with arguments
        return origin.__value__[typing.get_args(annotation)]
    return getattr(annotation, "__value__", annotation)


def field_annotations(cls: Any, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The annotation of each field of `cls`, inherited ones included, type variables replaced."""
    origin = typing.get_origin(cls) or cls
    names = {origin.__name__: origin, **namespace}
    try:
        hints = typing.get_type_hints(origin, localns=names, include_extras=True)
    except NameError as error:
        raise AssemblyError(
            class_name=get_name(cls),
            problem=f"the forward reference {error.name!r} names nothing",
            remedy=f"Define it at module level, or pass namespace={{{error.name!r}: …}}.",
        ) from error
    arguments = dict(_type_arguments(cls, {}))
    return {name: _replace(hint, arguments[_owner(origin, name)]) for name, hint in hints.items()}


def _owner(cls: type, name: str) -> type:
    """The class in the inheritance of `cls` that annotates `name`."""
    return next((base for base in cls.__mro__ if name in inspect.get_annotations(base)), cls)


def _type_arguments(cls: Any, known: TypeArguments) -> Iterator[tuple[type, TypeArguments]]:
    """Resolve the type variables of `cls` and of each of its bases."""
    origin = typing.get_origin(cls) or cls
    parameters = getattr(origin, "__parameters__", ())
    own = dict(zip(parameters, (_replace(a, known) for a in typing.get_args(cls)), strict=False))
    inherited: dict[type, TypeArguments] = {}
    for base in vars(origin).get("__orig_bases__", origin.__bases__):
        if isinstance(typing.get_origin(base) or base, type):  # NamedTuple is a function
            inherited.update(_type_arguments(base, own))
    if typing.is_typeddict(origin):  # its annotations include those of its bases
        own = {key: value for base in inherited.values() for key, value in base.items()} | own
    yield from inherited.items()
    yield origin, own


def _replace(annotation: Any, arguments: TypeArguments) -> Any:
    if isinstance(annotation, typing.TypeVar):
        return arguments.get(annotation, annotation)
    parameters = getattr(annotation, "__parameters__", ())
    if typing.get_origin(annotation) is None or not any(p in arguments for p in parameters):
        return annotation
    return annotation[tuple(arguments.get(p, p) for p in parameters)]


def get_name(cls: Any) -> str:
    """The name of a class or type for people, with its arguments, without its modules."""
    origin = typing.get_origin(cls)
    if origin is None:
        return getattr(cls, "__name__", None) or str(cls)
    arguments = ", ".join(get_name(argument) for argument in typing.get_args(cls))
    return f"{get_name(origin)}[{arguments}]"


def get_item(option: Any) -> tuple[type[list[Any]] | type[tuple[Any, ...]], Any] | None:
    """The container that is built and the items' annotation; None for what is not a list.

    Tuples of any length count; so do the abstract sequences, for which a list is built.
    """
    origin = typing.get_origin(option) or option
    arguments = typing.get_args(option)
    if origin in _LISTS:
        return list, arguments[0] if arguments else Any
    if origin is tuple and (not arguments or arguments[1:] == (...,)):
        return tuple, arguments[0] if arguments else Any
    return None
