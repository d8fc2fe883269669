"""Whether a component is what an interface asks for, judged before anything is built."""

import inspect

from arc_autoconfig.slots import PLACES, Place
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_source import ToolSource
from arc_core.tools import FunctionTool

__all__ = [
    "fitting_places",
    "has_tool_methods",
    "is_built",
    "is_maker",
    "kind_of_deferred",
    "misfit_of",
    "misfit_offered",
]


def has_tool_methods(component: object) -> bool:
    """Whether a class, or the class of an instance, has methods decorated with `@tool`."""
    mro = _class_of(component).__mro__
    return any(isinstance(value, FunctionTool) for cls in mro for value in vars(cls).values())


def misfit_of(component: object, interface: type) -> str | None:
    """Why a class or an instance is not what an interface asks for; None if it is.

    Args:
        component: Judged by its base classes, else by the interface's methods; an instance by the
            interface's fields too, which a class may still set when it is built.
        interface: The interface of a slot or contribution. A source of tools is fit for a tool.
    """
    cls = _class_of(component)
    if interface in cls.__mro__ or (interface is Tool and _brings_tools(cls)):
        return None
    if not getattr(interface, "_is_protocol", False):
        return f"{cls.__qualname__} does not inherit from {interface.__name__}"
    members = _methods_of(interface)
    if not isinstance(component, type):
        members += _fields_of(interface)
    missing = [name for name in members if not hasattr(component, name)]
    if missing:
        return f"{cls.__qualname__} is no {interface.__name__}: it lacks {', '.join(missing)}"
    return None


def is_maker(component: object) -> bool:
    """Whether a component is a function or method that makes the one that is meant."""
    return inspect.isroutine(component) and not isinstance(component, FunctionTool)


def kind_of_deferred(function: object) -> str | None:
    """What a function is whose call does not run its body, in words; None for a plain one."""
    if inspect.iscoroutinefunction(function):
        return "an asynchronous function"
    if inspect.isasyncgenfunction(function):
        return "an asynchronous generator function"
    return "a generator function" if inspect.isgeneratorfunction(function) else None


def is_built(component: object, interface: type) -> bool:
    """Whether a component is used as it is; any other is called, with its parameters injected."""
    if isinstance(component, type) or is_maker(component):
        return False
    return not callable(component) or misfit_of(component, interface) is None


def misfit_offered(component: object, interface: type) -> str | None:
    """Why a component cannot be offered for an interface; None if it can.

    What a function or another callable makes shows only when it is built.
    """
    is_judged = isinstance(component, type) or is_built(component, interface)
    return misfit_of(component, interface) if is_judged else None


def fitting_places(component: object) -> tuple[Place, ...]:
    """The places a class or instance may take: those it inherits from, else all it looks like.

    Methods decorated with `@tool` make it a source of tools, whatever else it inherits from.
    """
    mro = _class_of(component).__mro__
    if has_tool_methods(component):
        return tuple(place for place in PLACES if place.interface in (*mro, Tool))
    inherited = tuple(place for place in PLACES if place.interface in mro)
    return inherited or tuple(
        place for place in PLACES if misfit_of(component, place.interface) is None
    )


def _brings_tools(cls: type) -> bool:
    return has_tool_methods(cls) or misfit_of(cls, ToolSource) is None


def _class_of(component: object) -> type:
    return component if isinstance(component, type) else type(component)


def _methods_of(interface: type) -> list[str]:
    members = vars(interface).items()
    return [name for name, value in members if inspect.isfunction(value) and name[0] != "_"]


def _fields_of(interface: type) -> list[str]:
    return [name for name in inspect.get_annotations(interface) if name[0] != "_"]
