"""Loads plugins: calls their hooks, and registers the components of modules."""

import ast
import inspect
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pluggy

from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.declare.component_fit import inherited_places, is_protocol
from arc_autoconfig.declare.registration import register
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import PluginError, locate_source
from arc_core.components.extension_points import ExtensionPoint, Slot
from arc_core.components.registration import Verb, get_marks
from arc_core.hookspecs import PROJECT_NAME, ArcSpecs


def marked_in_module(module: ModuleType) -> list[object]:
    """The module's own classes and functions with a mark: `service`, `provides`, `decorates`."""
    values = vars(module).values()
    own = (value for value in values if getattr(value, "__module__", None) == module.__name__)
    return [value for value in own if get_marks(value)]


def components_of_module(module: ModuleType, places: Sequence[ExtensionPoint]) -> list[object]:
    """All that a module marks, in the order in which it is written.

    Beside what is marked with `service`, `provides` and `decorates`: tools, agents, and the classes
    and instances that inherit from an interface. An abstract class, a class of which the module
    holds an instance, a name with a leading `_`, and whatever the module imports are left out.
    """
    marked = {id(each) for each in marked_in_module(module)}
    imported = _imported_names(module)
    public = {
        id(value): value
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in imported and not isinstance(value, ModuleType)
    }
    instances = {
        id(each): each
        for each in public.values()
        if not isinstance(each, type) and (get_marks(each) or inherited_places(each, places))
    }
    held = {type(each) for each in instances.values()}
    own = {id(each): each for each in public.values() if _is_own_class(module, each, places)}
    unmarked = {
        **{key: each for key, each in own.items() if each not in held},
        **{key: each for key, each in instances.items() if not get_marks(type(each))},
    }
    wanted = marked | unmarked.keys()
    return list({id(each): each for each in vars(module).values() if id(each) in wanted}.values())


def _is_own_class(module: ModuleType, value: object, places: Sequence[ExtensionPoint]) -> bool:
    """Return True if a value is a class of the module's own that is a component and can be made."""
    return (
        isinstance(value, type)
        and value.__module__ == module.__name__
        and not inspect.isabstract(value)
        and not is_protocol(value)
        and bool(inherited_places(value, places))
    )


def _imported_names(module: ModuleType) -> frozenset[str]:
    """The names that a module imports; instances do not know by which they were made."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return frozenset()
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(name.asname or name.name for node in imports for name in node.names)


_AS_PLAIN_FUNCTION = "write it as a plain `def` that calls the registry directly"


class _PluginManager(pluggy.PluginManager):
    """Looks at functions alone, since most names of a module are of others, and pluggy is slow."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if isinstance(plugin, ModuleType) and not inspect.isroutine(vars(plugin).get(name)):
            return None
        return super().parse_hookimpl_opts(plugin, name)

    def parse_hookspec_opts(self, module_or_class: Any, name: str) -> pluggy.HookspecOpts | None:
        return None if name.startswith("__") else super().parse_hookspec_opts(module_or_class, name)


def register_plugin(
    text: str, registry: CandidateRegistry, places: Sequence[ExtensionPoint]
) -> None:
    """Import a plugin and take what it brings.

    What has hookimpls registers itself; a module may also bring marked classes and functions; one
    without hookimpls brings all its components. Anything else is a component by itself.
    """
    plugin = Reference.parse(text).load() if ":" in text else import_module(text)
    register_loaded(plugin, registry, places)


def register_loaded(
    plugin: object, registry: CandidateRegistry, places: Sequence[ExtensionPoint]
) -> None:
    """Take what an imported plugin brings; see `register_plugin`."""
    manager = _PluginManager(PROJECT_NAME)  # one per plugin: none can harm another
    each_options = ((name, manager.parse_hookimpl_opts(plugin, name)) for name in dir(plugin))
    hooks = {name: options for name, options in each_options if options is not None}
    components = _find_components(plugin, places, has_hooks=bool(hooks))
    for each in components:
        marked = [mark.interface for mark in get_marks(each)]
        for interface in marked or [one.interface for one in inherited_places(each, places)]:
            registry.announce(interface)
    for name, options in hooks.items():
        _check_hook(getattr(plugin, name), options["specname"] or name, options)
    if hooks:
        manager.add_hookspecs(ArcSpecs)
        manager.register(plugin() if isinstance(plugin, type) else plugin)
        for returned in manager.hook.arc_register(registry=registry):
            _check_returned(returned)
    for component in components:
        register(registry, component, places)
    if not hooks and not components:
        raise PluginError(
            f"{getattr(plugin, '__name__', plugin)} registers nothing",
            remedy="write a component into it, such as a function with @tool or @service, an "
            "Agent, or a class that inherits from an interface; or decorate its function "
            "arc_register(registry) with @hookimpl",
        )


def _check_hook(function: Any, name: str, options: pluggy.HookimplOpts) -> None:
    if not hasattr(ArcSpecs, name):
        raise PluginError(
            f"there is no hook {name} ({locate_source(function)})", remedy="write arc_register"
        )
    kind = _find_deferral(function)
    is_wrapper = options["wrapper"] or options["hookwrapper"]
    if kind is not None and not (is_wrapper and inspect.isgeneratorfunction(function)):
        raise PluginError(
            f"{name} is {kind}, so that calling it registers nothing ({locate_source(function)})",
            remedy=_AS_PLAIN_FUNCTION,
        )


def _find_deferral(function: object) -> str | None:
    """Name the kind of a function whose call does not run its body; None for a plain one."""
    if inspect.iscoroutinefunction(function):
        return "an asynchronous function"
    if inspect.isasyncgenfunction(function):
        return "an asynchronous generator function"
    return "a generator function" if inspect.isgeneratorfunction(function) else None


def _check_returned(returned: object) -> None:
    if inspect.isawaitable(returned) or inspect.isgenerator(returned):
        close = getattr(returned, "close", None)
        if close is not None:
            close()  # or Python warns of a coroutine that was never awaited
        raise PluginError(
            f"arc_register returned a {type(returned).__name__}, which is never run",
            remedy=_AS_PLAIN_FUNCTION,
        )


def _find_components(
    plugin: object, places: Sequence[ExtensionPoint], *, has_hooks: bool
) -> list[object]:
    """Return what a plugin brings beside what its hooks register."""
    if not isinstance(plugin, ModuleType):
        return [] if has_hooks else [plugin]
    return marked_in_module(plugin) if has_hooks else components_of_module(plugin, places)


def register_component(
    text: str, place: ExtensionPoint, *, name: str, registry: CandidateRegistry
) -> None:
    """Note a single component for its place; nothing is imported."""
    if isinstance(place, Slot):
        registry.provide(place.interface, text, name=name)
    else:
        registry.contribute(place.interface, text, name=name)


def register_decorator(text: str, *, name: str, registry: CandidateRegistry) -> None:
    """Import a class that says by `decorates` what it wraps, and note it."""
    loaded = Reference.parse(text).load()
    marks = [mark for mark in get_marks(loaded) if mark.verb is Verb.DECORATE]
    for mark in marks:
        assert mark.interface is not None, "`decorates` demands one"
        registry.decorate(mark.interface, loaded, **{**mark.options, "name": name})
    if not marks:
        raise PluginError(
            f"{text} does not say what it wraps ({locate_source(loaded)})",
            remedy="decorate it with @decorates(Interface)",
        )
