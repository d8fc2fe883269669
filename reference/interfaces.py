"""A page for each interface: its contract, how it is wired, what a failure means, and its rules."""

import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import arc_core
from arc_autoconfig.testing import ApplicationRunner
from arc_core.components.extension_points import Contribution, ExtensionPoint, declared_place
from arc_core.engine.boundary.policies import POLICIES
from arc_core.testing import conformance
from reference.definitions import Definition, definitions
from reference.pages import entry

__all__ = ["interface_index", "interface_pages"]

_NOTE = "This page is made from the code by `make docs`: change that, not the page."
_INTRODUCTION = """\
Everything that a package can bring or replace. Exactly one component fills a slot; all components
of a contribution take part. [Writing plugins](../writing-plugins.md) says how a component is
registered, and `arc conditions` which ones an application has."""


def interface_pages() -> dict[str, str]:
    """The text of each page, by its name."""
    wired = ApplicationRunner().report().to_dict()["decisions"]
    return {
        _file_name(place): "\n".join([*_page(place, each, wired[place.name]), ""])
        for place, each in _interfaces()
    }


def interface_index() -> str:
    """The page that lists the interfaces."""
    lines = ["# Interfaces", "", _INTRODUCTION]
    for title, kind in (("Slots", False), ("Contributions", True)):
        lines += ["", f"## {title}", ""]
        for place, each in _interfaces():
            if isinstance(place, Contribution) is kind:
                first = (inspect.getdoc(place.interface) or "").partition("\n")[0]
                lines.append(f"- [`{each.name}`]({_file_name(place)}.md): {first}")
    return "\n".join([*lines, ""])


def _interfaces() -> Iterator[tuple[ExtensionPoint, Definition]]:
    for each in sorted(definitions("arc_core"), key=lambda each: each.name):
        place = declared_place(getattr(arc_core, each.name))
        if place is not None and place.interface.__name__ == each.name:
            yield place, each


def _file_name(place: ExtensionPoint) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", place.interface.__name__).lower()


def _page(place: ExtensionPoint, each: Definition, wired: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"# {each.name}", "", _NOTE, "")
    yield inspect.getdoc(sys.modules[each.module]) or ""
    contract = "\n".join(entry("arc_core", each)).splitlines()
    yield from ("", "## The contract", *contract[2:])
    yield from ("", f"What it is given and returns: [`{each.module}`](../api/{each.module}.md).")
    yield from ("", "## How it is wired", "", *_wiring(place), "", *_components(wired))
    yield from ("", "## If it fails", "", *_failures(place))
    yield from ("", "## The rules", "", *_rules(place))


def _wiring(place: ExtensionPoint) -> Iterator[str]:
    if isinstance(place, Contribution):
        yield f"- All components of `{place.name}` take part, {_order(place)}."
        if place.enabled_by:
            yield f"- `{place.enabled_by} = false` leaves all of them out."
        if place.listed_by:
            yield f"- `{place.listed_by}` lists Arc's own by name."
    else:
        yield f"- Exactly one component fills the slot; `components.{place.name}` names it."
        for setting in filter(None, (place.choice, place.preference)):
            yield f"- `{setting}` names it, too."
        if place.instances:
            yield f"- `{place.instances}` is a table of further ones, each with a name of its own."
    yield f"- Packages bring one by an entry point of the group `{place.group}`."


def _order(place: Contribution) -> str:
    if place.is_chosen_by_name:
        return "and each is asked for by its name"
    if place.is_named_by_members:
        return "in the order in which they were registered"
    return "in ascending `order`, and of equal ones in the order of registration"


def _components(wired: Mapping[str, Any]) -> Iterator[str]:
    own = [*wired["winners"], *wired["losers"]]
    rows = [
        f"| `{each['name']}` | `{each['reference']}` | {each['condition'] or 'always'} |"
        for each in sorted(own, key=lambda each: str(each["name"]))
    ]
    if rows:
        yield from ("Arc's own:", "", "| Component | Where it is | Condition |", "|---|---|---|")
        yield from rows
    else:
        yield "Arc has none of its own."


def _failures(place: ExtensionPoint) -> Iterator[str]:
    name = place.interface.__name__
    rows = [
        f"| `{call}` | {policy.fails} | {policy.stands_in} | {_timeout(policy.timeout)} |"
        for policy in POLICIES
        for call in policy.calls
        if call.partition(".")[0] == name
    ]
    if rows:
        yield from ("| Call | Fails | The run goes on with | Time-out |", "|---|---|---|---|")
        yield from rows
    else:
        yield "The engine has no rule for it: its errors are those of its caller."
    if place.fails_closed:
        yield from ("", "One that cannot be loaded stops the start.")


def _timeout(setting: str | None) -> str:
    return f"`{setting}`" if setting else "the run's deadline"


def _rules(place: ExtensionPoint) -> Iterator[str]:
    suite = _suites().get(f"{place.interface.__name__}Conformance")
    if suite is None:
        yield "There is no suite for it: what the contract says is all that is relied on."
        return
    yield from ("A test class of yours inherits from this suite, and has its rules as tests:", "")
    yield from ("```py", f"from {suite.__module__} import {suite.__name__}", "```", "")
    for test, function in inspect.getmembers(suite, inspect.isfunction):
        if test.startswith("test_"):
            title = test.removeprefix("test_").replace("_", " ").capitalize()
            yield f"- {title}. {' '.join((inspect.getdoc(function) or '').split())}"


@cache
def _suites() -> Mapping[str, type]:
    modules = pkgutil.walk_packages(conformance.__path__, f"{conformance.__name__}.")
    return {
        name: each
        for module in modules
        for name, each in inspect.getmembers(import_module(module.name), inspect.isclass)
        if name.endswith("Conformance")
    }
