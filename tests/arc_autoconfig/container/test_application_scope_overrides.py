"""Overrides that cannot stand in their place, or ask for themselves."""

from collections.abc import Callable
from typing import Any

import pytest
from dependency_injector import providers

from arc_autoconfig.container.container import ArcContainer
from arc_autoconfig.errors import ComponentError, DependencyCycleError
from arc_core import Guard
from arc_core.testing import DictResponseCache
from tests.arc_autoconfig.building import container_of
from tests.arc_autoconfig.offers import OpenGuard


def make_cache() -> DictResponseCache:
    return DictResponseCache()


@pytest.mark.parametrize("override", [DictResponseCache, make_cache], ids=["class", "function"])
@pytest.mark.parametrize("wrap", [lambda each: each, providers.Object], ids=["bare", "Object"])
def test_a_class_or_function_in_the_place_of_an_instance_is_refused(
    override: object, wrap: Callable[[object], object]
) -> None:
    """The error names the provider that was meant."""
    container, _ = container_of()

    with pytest.raises(ComponentError, match="the override of response_cache") as raised:
        container.response_cache.override(wrap(override))

    name = getattr(override, "__name__", "")
    assert f"providers.Singleton({name})" in raised.value.remedy


def test_a_class_in_a_list_of_contributions_is_refused() -> None:
    """For guards, too, instances are wanted."""
    container, _ = container_of()

    with pytest.raises(ComponentError, match="the override of guards") as raised:
        container.guards.override([OpenGuard])

    assert "providers.List(providers.Singleton(OpenGuard))" in raised.value.remedy


def test_what_a_provider_makes_is_checked_when_it_is_made() -> None:
    """A near miss is told with the name that was meant."""

    class Misspelt(Guard):
        async def chek(self, request: Any) -> Any: ...

    container, builder = container_of()
    container.guards.override(providers.List(providers.Singleton(Misspelt)))

    with pytest.raises(ComponentError, match="the override of guards") as raised:
        builder.build_all()

    assert "abstract" in raised.value.evidence[0]


@pytest.mark.parametrize("panic", [OSError("disk"), SystemExit(3)])
def test_an_override_that_cannot_be_made_is_told(panic: BaseException) -> None:
    """Whatever its constructor raises."""

    def make() -> object:
        raise panic

    container, builder = container_of()
    container.response_cache.override(providers.Singleton(make))

    with pytest.raises(ComponentError, match="the override of response_cache cannot be built"):
        builder.build_all()


class Wrapping(DictResponseCache):
    """Wraps another cache."""

    def __init__(self, inner: object) -> None:
        super().__init__()
        self.inner = inner


def test_an_override_that_asks_for_itself_draws_the_path() -> None:
    """It would wrap itself without end."""
    container, builder = container_of()
    container.response_cache.override(providers.Singleton(Wrapping, inner=container.response_cache))

    with pytest.raises(DependencyCycleError) as raised:
        builder.build_all()

    assert raised.value.evidence[0] == "response_cache needs response_cache"
    assert "response_cache: Wrapping (container override)" in raised.value.evidence[1]


def test_overrides_that_ask_for_each_other_draw_the_path() -> None:
    """Through functions as well as through providers."""
    container, _ = container_of()
    container.retriever.override(providers.Callable(lambda: Wrapping(container.response_cache())))
    container.response_cache.override(providers.Singleton(Wrapping, inner=container.retriever))

    with pytest.raises(DependencyCycleError) as raised:
        container.response_cache()

    assert raised.value.evidence[0] == "response_cache needs retriever needs response_cache"


def test_a_redefined_provider_that_asks_for_arcs_own_is_told() -> None:
    """What it replaces is not there any more."""

    class Own(ArcContainer):
        response_cache: providers.Provider[Any] = providers.Singleton(
            Wrapping, inner=ArcContainer.response_cache
        )

    _, builder = container_of(own=Own())

    with pytest.raises(DependencyCycleError) as raised:
        builder.build_all()

    assert raised.value.evidence[0] == "response_cache needs response_cache"
