"""The components that the user puts in the place of others, and the container for it.

The container is made when it is first asked for: dependency-injector imports the web frameworks
that are installed, and most programs override nothing.
"""

import sys
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

import arc_autoconfig
from arc_autoconfig.container.scope import Builder, check_override
from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import ComponentError, describe_cause, locate_source
from arc_core.components.extension_points import Contribution, ExtensionPoint
from arc_core.errors import ConfigurationError

_MODULE = "arc_autoconfig.container.container"


class ContainerOverrides:
    """The components that the user has put in the place of others, in a container."""

    def __init__(
        self, container: "arc_autoconfig.ArcContainer | None", places: Iterable[ExtensionPoint]
    ) -> None:
        self._container = container
        self._places = {place.name: place for place in places}
        self._builder: Builder | None = None
        self._making = Lock()

    def bind(self, builder: Builder) -> None:
        """Make the container ask this builder."""
        self._builder = builder
        # The providers of the class itself may be overridden as soon as it is imported.
        if self._container is not None or _MODULE in sys.modules:
            self._container = self._bound(self._container, builder)

    @property
    def container(self) -> "arc_autoconfig.ArcContainer":
        """The container of the application."""
        with self._making:
            if self._container is None:
                assert self._builder is not None, "an application has called `bind`"
                self._container = self._bound(None, self._builder)
            return self._container

    def _bound(
        self, container: "arc_autoconfig.ArcContainer | None", builder: Builder
    ) -> "arc_autoconfig.ArcContainer":
        # Here, since it is slow to import: see above.
        from arc_autoconfig.container.container import ArcContainer, bind  # noqa: PLC0415

        bound = ArcContainer() if container is None else container
        bind(bound, builder, tuple(self._places.values()))
        return bound

    def reset_singletons(self) -> None:
        """Have the user's own providers make their components anew."""
        if self._container is not None:
            self._container.reset_singletons()

    def current(self) -> Mapping[str, object]:
        """The instances, or the classes or functions that will make them."""
        found = {name: self.of(name) for name in self._places}
        return {name: override for name, override in found.items() if override is not None}

    def of(self, name: str) -> object | None:
        """The one of a place; None if it is not overridden."""
        if self._container is None:
            return None
        override = self._provider(name).last_overriding
        return None if override is None else getattr(override, "provides", override)

    def make(self, name: str) -> Any:
        """Make what stands in an overridden place; for a contribution it is several components."""
        made: Any = None
        with Contained(passing=(ConfigurationError,)) as attempt:
            made = self._provider(name).last_overriding()
        if attempt.error is not None:
            raise ComponentError(
                f"the override of {name} cannot be built",
                evidence=[
                    describe_cause(attempt.error),
                    f"its place: {locate_source(self.of(name))}",
                ],
                remedy="correct what it complains about, or put another component there",
            ) from attempt.error
        check_override(self._places[name], made)
        return made

    def is_plain(self, name: str) -> bool:
        """Return True for an override that is used as it is, without its wrappers."""
        return bool(self._provider(name).is_plain)

    def components(self) -> dict[str, tuple[object, ...]]:
        """The components of each overridden place: one of a slot, all of a contribution."""
        found = {name: self._provider(name)() for name in self.current()}
        return {
            name: tuple(each) if isinstance(self._places[name], Contribution) else (each,)
            for name, each in found.items()
        }

    def _provider(self, name: str) -> Any:
        return self.container.providers[name]
