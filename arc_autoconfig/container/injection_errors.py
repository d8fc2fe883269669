"""The errors about components that cannot be had."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args, get_origin

from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import (
    ApplicationStateError,
    InjectionError,
    NotOpenError,
    locate_source,
)
from arc_core.components.extension_points import Slot
from arc_core.errors import DepsNotGivenError
from arc_core.text.names import with_article


def run_component_in_application(
    slot: Slot, owner: Candidate, path: Sequence[str]
) -> InjectionError:
    """Why a component of the application cannot have one that belongs to a run."""
    name = slot.interface.__name__
    named = with_article(name)
    return InjectionError(
        f"{owner.owner} lives as long as the application, and asks for {named} of one run",
        evidence=[" needs ".join([*path, f"{slot.name} (one per run)"])],
        remedy=f"{_ask_in_run(name)}, or make the component one of the run, too",
    )


def run_component_outside_runs(slot: Slot) -> InjectionError:
    """Why the container has no component that belongs to a run."""
    name = slot.interface.__name__
    return InjectionError(
        f"the container was asked for {with_article(name)}, of which there is one for each run",
        evidence=["the container belongs to the application, and all runs would share it"],
        remedy=f"{_ask_in_run(name)}; to share one, override it or leave out scope='run'",
    )


def _ask_in_run(name: str) -> str:
    return (
        f"ask for it in the run: await context.get({name}) in a hook, guard or tool, or a "
        f"parameter `Inject[{name}]` of a tool"
    )


def run_context_in_application(owner: Candidate) -> InjectionError:
    """Why a component of the application cannot have the context of a run."""
    return InjectionError(
        f"{owner.owner} lives as long as the application, and asks for the RunContext of one",
        evidence=["there is one for each run, and none before the first"],
        remedy="make the component one of the run: scope='run'",
    )


def deps_in_application(owner: Candidate, cls: type) -> InjectionError:
    """Why a component of the application cannot have what is handed to a run."""
    return InjectionError(
        f"{owner.owner} lives as long as the application, and asks for "
        f"{with_article(cls.__name__)}",
        evidence=["callers hand one to each run, as its deps"],
        remedy="make the component one of the run: scope='run'",
    )


def deps_not_given(cls: type, deps: object) -> DepsNotGivenError:
    """Why a parameter cannot be filled: the caller has not handed over what it takes."""
    given = "nothing" if deps is None else with_article(type(deps).__qualname__)
    return DepsNotGivenError(
        f"the run needs {with_article(cls.__qualname__)} as its deps",
        evidence=[f"it was given {given}"],
        remedy=f"call execute(…, deps={cls.__name__}(…))",
    )


def instance_in_run(candidate: Candidate) -> InjectionError:
    """Why an instance cannot be a component of a run."""
    return InjectionError(
        f"{candidate.owner} is an instance, and cannot be made anew for each run",
        evidence=["it is offered with scope='run'"],
        remedy="offer the class, or a function that makes it; or leave scope out to share it",
    )


def unfillable_parameter(owner: Candidate, hint: object) -> InjectionError:
    """Why a tool cannot be offered: nothing is known by which a parameter could be filled."""
    name = _get_name(hint)
    handed = "" if hint is Any else f"; if callers hand one to each run, {declare_deps(name)}"
    return InjectionError(
        f"{owner.owner} is marked with Inject, and cannot be filled",
        evidence=[f"Arc has nothing for {name}"],
        remedy=f"{_offer(hint)}{handed}",
    )


def declare_deps(name: str) -> str:
    """Return the remedy by which a program declares that callers hand values of a class to runs."""
    return f"write Application(deps={name}), or @run_deps above the class"


def unknown_in_run(wanted: object) -> InjectionError:
    """Why `context.get` has no answer."""
    return InjectionError(
        f"a run was asked for {_get_name(wanted)}, and there is none",
        evidence=[
            "context.get finds services, interfaces, list[Guard] and the like, settings, and deps"
        ],
        remedy=_offer(wanted),
    )


def component_after_run(name: str, run_id: str) -> ApplicationStateError:
    """Why a run gives no components any more."""
    return ApplicationStateError(
        f"{name} was asked for after the end of the run {run_id}",
        evidence=["what lives as long as the run is closed"],
        remedy="ask for it while the run goes on",
    )


def component_after_close(slot: Slot, owner: Candidate) -> ApplicationStateError:
    """Why a `Lazy` gives no component any more."""
    name = slot.interface.__qualname__
    return ApplicationStateError(
        f"{name} was asked for after the application had closed",
        evidence=[f"{owner.owner} kept a Lazy[{name}] and calls its `get`"],
        remedy="ask for it before the end of `async with app:`",
    )


def not_open(owner: str, component: object) -> NotOpenError:
    """Why what has to be opened cannot be had yet."""
    return NotOpenError(
        f"{owner} is not there before the application has started",
        evidence=[f"{locate_source(component)} opens it, and that takes an event loop"],
        remedy="ask for it inside `async with app:`",
    )


def _offer(asked: object) -> str:
    if asked is Any:
        return "annotate it with the class that it takes"
    name = _get_name(asked)
    return f"offer it as a service: register=[service({name})], or registry.provide({name}, …)"


def _get_name(asked: Any) -> str:
    if get_origin(asked) is Annotated:
        asked = get_args(asked)[0]
    name: str = getattr(asked, "__qualname__", None) or str(asked)
    return str(asked) if get_args(asked) else name
