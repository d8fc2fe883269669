"""What the user put in the place of components, and the container by which that is done.

The container is made when it is first asked for: dependency-injector imports the web frameworks
that are installed, and most programs override nothing.
"""

import sys
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

import arc_autoconfig
from arc_autoconfig.container.application_scope import ApplicationScope
from arc_core.components.extension_points import Contribution, Place

__all__ = ["ContainerOverrides"]

_MODULE = "arc_autoconfig.container.container"


class ContainerOverrides:
    """What the user put in the place of the providers of a container.

    Args:
        container: The application's; None makes one when it is asked for.
        places: Those that can be overridden.
    """

    def __init__(
        self, container: "arc_autoconfig.ArcContainer | None", places: Iterable[Place]
    ) -> None:
        self._container = container
        self._places = tuple(places)
        self._builder: ApplicationScope | None = None
        self._making = Lock()

    def bind(self, builder: ApplicationScope) -> None:
        """Make the container ask this builder.

        Raises:
            WiringFrozenError: It belongs to another application.
            ComponentError: It is not a container, or what it is to give cannot be used.
        """
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
        self, container: "arc_autoconfig.ArcContainer | None", builder: ApplicationScope
    ) -> "arc_autoconfig.ArcContainer":
        # Here, since it is slow to import: see above.
        from arc_autoconfig.container.container import ArcContainer, bind  # noqa: PLC0415

        bound = ArcContainer() if container is None else container
        bind(bound, builder, self._places)
        return bound

    def reset_singletons(self) -> None:
        """Have the user's own providers make their components anew."""
        if self._container is not None:
            self._container.reset_singletons()

    def current(self) -> Mapping[str, object]:
        """The instances, or the classes or functions that will make them."""
        found = ((place.name, self.of(place.name)) for place in self._places)
        return {name: override for name, override in found if override is not None}

    def of(self, name: str) -> object | None:
        """The one of a place; None if it is not overridden."""
        if self._container is None:
            return None
        override = self._provider(name).last_overriding
        return None if override is None else getattr(override, "provides", override)

    def make(self, name: str) -> Any:
        """The component of an overridden place."""
        return self._provider(name).last_overriding()

    def is_plain(self, name: str) -> bool:
        """Whether an override is to be used as it is, without its wrappers."""
        return bool(self._provider(name).is_plain)

    def components(self) -> dict[str, tuple[object, ...]]:
        """The components of each overridden place: one of a slot, all of a contribution."""
        places = {place.name: place for place in self._places}
        found = {name: self._provider(name)() for name in self.current()}
        return {
            name: tuple(each) if isinstance(places[name], Contribution) else (each,)
            for name, each in found.items()
        }

    def _provider(self, name: str) -> Any:
        return self.container.providers[name]
