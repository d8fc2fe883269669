"""Whether what is put into the container can stand in its place."""

from collections.abc import Iterator
from typing import Any

from arc_autoconfig.container.build_path import Overrides
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.component_fit import find_problem, is_built
from arc_autoconfig.errors import ComponentError, cause_of, source_of
from arc_core.components.extension_points import Contribution, Place
from arc_core.errors import ConfigurationError
from arc_core.text.articles import with_article

__all__ = ["check_override", "make_override"]


def check_override(place: Place, override: object) -> None:
    """Check an override of a place.

    Args:
        place: The slot or contribution.
        override: The component; for a contribution, a list or tuple of components.

    Raises:
        ComponentError: It would fail in every run.
    """
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
        misfit = find_problem(each, place.interface)
        if misfit is not None:
            raise _misfit_error(place, misfit)


def make_override(place: Place, overrides: Overrides) -> Any:
    """Make what stands in a place by an override; for a contribution it is several components.

    Raises:
        ConfigurationError: It cannot be made, or cannot stand there.
    """
    made: Any = None
    with Contained() as attempt:
        made = overrides.make(place.name)
    if attempt.error is not None:
        raise _failed_override(place, overrides.current()[place.name], attempt.error)
    check_override(place, made)
    return made


def _failed_override(place: Place, override: object, error: BaseException) -> BaseException:
    """The error of an override that could not be built."""
    if isinstance(error, ConfigurationError):
        return error
    failed = ComponentError(
        f"the override of {place.name} cannot be built",
        evidence=[cause_of(error), f"its place: {source_of(override)}"],
        remedy="correct what it complains about, or put another component there",
    )
    failed.__cause__ = error
    return failed


def _components(place: Place, override: object) -> Iterator[object]:
    if not isinstance(place, Contribution):
        yield override
    elif isinstance(override, tuple | list):
        yield from override
    else:
        raise _misfit_error(place, f"{type(override).__qualname__} is neither list nor tuple")


def _misfit_error(place: Place, misfit: str) -> ComponentError:
    return ComponentError(
        f"the override of {place.name} is of a wrong type",
        evidence=[misfit],
        remedy=f"put {with_article(place.interface.__name__)} there, for guards, hooks, tools, "
        "filters a list",
    )
