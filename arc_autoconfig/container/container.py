"""The container: a provider per slot, contribution and service, open to overrides until the freeze.

The only user of dependency-injector. A provider decides nothing: it asks the builder, which builds
what was decided, on first use.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from dependency_injector import containers, providers

from arc_autoconfig.container.scope import Builder
from arc_autoconfig.declare.interfaces import declared_in
from arc_autoconfig.errors import ComponentError, UnknownNameError, WiringFrozenError
from arc_autoconfig.settings import ArcSettings
from arc_core.components.extension_points import ExtensionPoint, get_place

T = TypeVar("T")


def _ask(builder: Builder, name: str) -> Any:
    return builder.component(name)


def _refuse_if_too_late(builder: Builder | None, name: str) -> None:
    reason = builder.reason_against_override(name) if builder is not None else None
    if reason is not None:
        raise WiringFrozenError(
            f"{name} can no longer be overridden",
            evidence=[reason],
            remedy="override it right after Application(…), before the start and before other "
            "components are taken from the container",
        )


def _check_value(builder: Builder, name: str, override: object) -> None:
    """Check a component that is there already; what other providers make is checked later."""
    if not isinstance(override, providers.Provider):
        builder.check_override(name, override)
    elif isinstance(override, providers.Object):
        builder.check_override(name, override())


class ComponentProvider(providers.Singleton[T]):
    """Asks the builder, and refuses an override that would have no effect."""

    is_plain = False

    def override(self, provider: providers.Provider[T] | T, *, plain: bool = False) -> Any:
        """Put another provider, or a component, in the place of this one.

        Args:
            provider: An instance, or a provider such as `providers.Singleton(MyCache)`.
            plain: Whether to use it as it is, without what wraps the components of this place.

        Raises:
            WiringFrozenError: Something is built that would go on using the old one.
            ComponentError: It cannot stand there.
        """
        builder, name = self._builder_and_name()
        _refuse_if_too_late(builder, name)
        if builder is not None:
            _check_value(builder, name, provider)
        self.is_plain = plain
        return super().override(provider)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The component.

        Raises:
            DependencyCycleError: An override asks for itself.
        """
        builder, name = self._builder_and_name()
        if builder is None:
            return super().__call__(*args, **kwargs)
        return builder.component(name)

    def _builder_and_name(self) -> tuple[Builder | None, str]:
        source, name = cast("tuple[providers.Provider[Builder | None], str]", self.args)
        return source(), name


class _Instance(containers.DynamicContainer):
    """The container of an application, an instance of `ArcContainer` or a subclass."""

    def __setattr__(self, name: str, value: Any) -> None:
        known = self.providers.get(name) if isinstance(value, providers.Provider) else None
        if isinstance(known, ComponentProvider) and not isinstance(value, ComponentProvider):
            known.override(value)
        else:
            super().__setattr__(name, value)

    def of(self, interface: type[T] | Callable[..., T]) -> ComponentProvider[T]:
        """The provider of an interface, or of the type of a service.

        Raises:
            UnknownNameError: Nothing of the application declares or provides it.
        """
        # Annotated as a callable, too, since mypy refuses protocols as a `type[T]`.
        name = get_place(interface).name
        provider = self.providers.get(name)
        if isinstance(provider, ComponentProvider):
            return provider
        known = [each for each, one in self.providers.items() if isinstance(one, ComponentProvider)]
        raise UnknownNameError(setting="container.of", name=name, known=known)


_DeclarativeType: Any = type(containers.DeclarativeContainer)


class _ContainerType(_DeclarativeType):  # type: ignore[misc]
    """Has a provider for each place; the places say so themselves, so type checkers do not know."""

    def __getattr__(self, name: str) -> ComponentProvider[Any]:
        raise AttributeError(f"{self.__name__} has no provider {name!r}")


class ArcContainer(containers.DeclarativeContainer, metaclass=_ContainerType):
    """One provider per slot, contribution and service.

    Override them before the application starts, `app.container.response_cache.override(cache)`, or
    redefine them in a subclass and pass `Application(container=MyContainer())`. The providers have
    the names of the slots and contributions; those of services are had by type, `container.of(T)`.
    """

    instance_type = _Instance

    builder: providers.Provider[Builder | None] = providers.Object(None)
    settings: providers.Provider[ArcSettings] = ComponentProvider(_ask, builder, "settings")

    def of(self, interface: type[T] | Callable[..., T]) -> ComponentProvider[T]:
        """The provider of an interface, or of the type of a service; see `_Instance.of`."""
        raise NotImplementedError(interface)

    def __getattr__(self, name: str) -> ComponentProvider[Any]:
        raise AttributeError(name)


for _place in declared_in("arc_core"):
    setattr(ArcContainer, _place.name, ComponentProvider(_ask, ArcContainer.builder, _place.name))


def bind(container: ArcContainer, builder: Builder, places: Sequence[ExtensionPoint]) -> None:
    """Make a container ask this builder, for each of the places."""
    _check_container(container, places)
    if container.builder() is not None:
        raise WiringFrozenError(
            "the container belongs to another application", remedy="make one container for each"
        )
    for place in places:
        _add_provider(container, place.name)
        override = container.providers[place.name].last_overriding
        if override is not None:
            _check_value(builder, place.name, override)
    container.builder.override(builder)


def _add_provider(container: ArcContainer, name: str) -> None:
    """Have a provider that asks the builder; one that a subclass redefined overrides it."""
    redefined = container.providers.get(name)
    if isinstance(redefined, ComponentProvider):
        return
    provider: ComponentProvider[Any] = ComponentProvider(_ask, container.builder, name)
    if redefined is not None:
        provider.override(redefined)
    container.set_provider(name, provider)


def _check_container(container: object, places: Sequence[ExtensionPoint]) -> None:
    if not isinstance(container, _Instance):
        is_class = isinstance(container, type)
        name = container.__name__ if isinstance(container, type) else "ArcContainer"
        raise ComponentError(
            f"container={getattr(container, '__name__', repr(container))} is not a container",
            evidence=["it is a class, which all applications of the process would share"]
            if is_class
            else [f"it is of the type {type(container).__qualname__}"],
            remedy=f"write container={name}()",
        )
    parent: Any = container.declarative_parent
    for cls in parent.__mro__:
        for place in places:
            redefined = vars(cls).get(place.name)
            if redefined is not None and not isinstance(redefined, providers.Provider):
                raise ComponentError(
                    f"{cls.__name__}.{place.name} is not a provider, and would have no effect",
                    evidence=[f"it is of the type {type(redefined).__qualname__}"],
                    remedy=f"write {place.name} = providers.Object(…) for an instance, "
                    "or providers.Singleton(…) for a class",
                )
