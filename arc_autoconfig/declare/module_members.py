"""The components of a module that does not register them itself."""

import ast
import inspect
from collections.abc import Sequence
from types import ModuleType

from arc_autoconfig.declare.component_fit import inherited_places
from arc_autoconfig.declare.interface_members import is_protocol
from arc_core.components.extension_points import Place
from arc_core.components.registration import marks_of

__all__ = ["components_of_module", "marked_in_module"]


def marked_in_module(module: ModuleType) -> list[object]:
    """The module's own classes and functions with a mark: `service`, `provides`, `decorates`."""
    own = (value for value in vars(module).values() if inspect.getmodule(value) is module)
    return [value for value in own if marks_of(value)]


def components_of_module(module: ModuleType, places: Sequence[Place]) -> list[object]:
    """All that a module marks, in the order in which it is written.

    Beside what is marked with `service`, `provides` and `decorates`: tools, agents, and the classes
    and instances that inherit from an interface. An abstract class, a class of which the module
    holds an instance, a name with a leading `_`, and whatever the module imports are left out.

    Args:
        module: Imported.
        places: The declared ones.
    """
    marked = {id(each) for each in marked_in_module(module)}
    imported = _imported_names(module)
    public = {
        id(value): value
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in imported and not isinstance(value, ModuleType)
    }
    instances = {id(each): each for each in public.values() if _is_instance(each, places)}
    held = {type(each) for each in instances.values()}
    own = {id(each): each for each in public.values() if _is_class_of(module, each, places)}
    unmarked = {
        **{key: each for key, each in own.items() if each not in held},
        **{key: each for key, each in instances.items() if not marks_of(type(each))},
    }
    wanted = marked | unmarked.keys()
    return list({id(each): each for each in vars(module).values() if id(each) in wanted}.values())


def _is_instance(value: object, places: Sequence[Place]) -> bool:
    return not isinstance(value, type) and bool(marks_of(value) or inherited_places(value, places))


def _is_class_of(module: ModuleType, value: object, places: Sequence[Place]) -> bool:
    """Whether a value is a class of the module's own that is a component and can be made."""
    return (
        isinstance(value, type)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
        and not is_protocol(value)
        and bool(inherited_places(value, places))
    )


def _imported_names(module: ModuleType) -> frozenset[str]:
    """The names that a module imports from others; without its source, none are known.

    Instances do not know by which module they were made, as functions and classes do.
    """
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return frozenset()
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(name.asname or name.name for node in imports for name in node.names)
