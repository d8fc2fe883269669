"""The facts of a component that the record of a run has, with digests of its settings and code."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import CodeType

from arc_core.components.wiring_record import ComponentRecord
from arc_core.interfaces.optional import DeclaresPurity


def describe_component(
    component: ComponentRecord, digest: Callable[[str], str]
) -> Mapping[str, object]:
    """Return the facts of a component, of a guard also those of its code, as JSON has them."""
    settings = component.settings
    described: dict[str, object] = {
        "place": component.place,
        "name": component.name,
        "type": component.type,
        "package": component.package,
        "version": component.version,
        "settings": digest(settings) if settings else "",
    }
    if component.place.endswith("guards"):
        members = component.members
        is_pure = all(isinstance(each, DeclaresPurity) and each.pure for each in members)
        code = chain.from_iterable(_list_class(type(each)) for each in members)
        described |= {"pure": is_pure, "code": digest("\n".join(code))}
    return described


def _list_class(cls: type) -> Iterable[str]:
    """Return what the methods of a class do, without names of locals, comments and docstrings."""
    for base in cls.__mro__[:-1]:
        for name, member in sorted(vars(base).items()):
            code = getattr(getattr(member, "__wrapped__", member), "__code__", None)
            if isinstance(code, CodeType):
                yield f"{name} {_list_code(code)}"


def _list_code(code: CodeType) -> str:
    is_named = not code.co_name.startswith("<")  # the first constant is the docstring, or None
    constants = code.co_consts[1:] if is_named else code.co_consts
    texts = [_write_constant(each) for each in constants]
    return f"{code.co_code.hex()} {code.co_names} {texts}"


def _write_constant(value: object) -> str:
    if isinstance(value, CodeType):
        return _list_code(value)
    return str(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)
