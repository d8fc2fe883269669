"""Checks that what is put into the container can stand in its place."""

from collections.abc import Iterator
from typing import Any, Protocol

from arc_autoconfig.declare.component_fit import find_problem, is_built
from arc_autoconfig.errors import ComponentError
from arc_core.components.extension_points import Contribution, ExtensionPoint
from arc_core.text.articles import with_article

__all__ = ["Builder", "check_override"]


class Builder(Protocol):
    """Builds what was decided, for the container; see `application_scope`."""

    def component(self, name: str) -> Any:
        """Return what the provider of this name gives."""

    def reason_against_override(self, name: str) -> str | None:
        """Return why an override would have no effect; None if it would have one."""

    def check_override(self, name: str, override: object) -> None:
        """Refuse a component that cannot stand in the place of this provider's."""


def check_override(place: ExtensionPoint, override: object) -> None:
    """Check an override of a place."""
    for each in _components(place, override):
        makes = callable(each) and not is_built(each, place.interface)
        name = getattr(each, "__name__", type(each).__name__)
        if makes:
            wanted = f"providers.Singleton({name})"
            wanted = f"providers.List({wanted})" if isinstance(place, Contribution) else wanted
            raise ComponentError(
                f"the override of {place.name} is of a wrong type",
                evidence=[f"{name} makes a component, and is none itself"],
                remedy=f"write container.{place.name}.override({wanted}), "
                "with `from dependency_injector import providers`",
            )
        problem = find_problem(each, place.interface)
        if problem is not None:
            raise _problem_error(place, problem)


def _components(place: ExtensionPoint, override: object) -> Iterator[object]:
    if not isinstance(place, Contribution):
        yield override
    elif isinstance(override, tuple | list):
        yield from override
    else:
        raise _problem_error(place, f"{type(override).__qualname__} is neither list nor tuple")


def _problem_error(place: ExtensionPoint, problem: str) -> ComponentError:
    return ComponentError(
        f"the override of {place.name} is of a wrong type",
        evidence=[problem],
        remedy=f"put {with_article(place.interface.__name__)} there, for guards, hooks, tools, "
        "filters a list",
    )
