"""The container as users of dependency-injector know it, open until it is too late."""

from collections.abc import Mapping
from typing import Any

import pytest
from dependency_injector import providers

from arc_autoconfig import ArcContainer
from arc_autoconfig.container.container import bind
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.errors import WiringFrozenError
from arc_core.testing import DictResponseCache
from tests.arc_autoconfig.offers import PLACES


class EchoBuilder:
    """Builds a list with the name in it, and refuses overrides for one reason."""

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason

    def component(self, name: str) -> list[str]:
        return [name]

    def reason_against_override(self, name: str) -> str | None:
        return self.reason

    def check_override(self, name: str, override: object) -> None:
        """Takes anything."""


class Mine(ArcContainer):
    response_cache = providers.Singleton(DictResponseCache)
    conversation_manager: providers.Provider[Any] = providers.Singleton(
        dict, store=ArcContainer.conversation_store
    )


def _bound(container: ArcContainer, reason: str | None = None) -> ArcContainer:
    bind(container, EchoBuilder(reason), PLACES)
    return container


def _overrides(container: ArcContainer) -> Mapping[str, object]:
    return ContainerOverrides(container, PLACES).current()


def test_a_provider_asks_the_builder() -> None:
    """The builder keeps what is built."""
    container = _bound(ArcContainer())

    assert container.chat_model() == ["chat_model"]
    assert container.guards() == ["guards"]


def test_overrides_and_redefinitions_are_found() -> None:
    """Whatever way the user took, what stands in the place is known without being built."""
    container = _bound(Mine())
    cache = DictResponseCache()

    assert set(_overrides(container)) == {"response_cache", "conversation_manager"}
    container.tool_selector.override(providers.Factory(DictResponseCache))
    container.retriever.override(cache)
    found = _overrides(container)
    assert found["tool_selector"] is DictResponseCache
    assert found["retriever"] is cache


def test_providers_of_a_subclass_may_use_arcs_own() -> None:
    """References between providers keep working in the copy that an application gets."""
    provider = _bound(Mine()).providers["conversation_manager"].last_overriding

    assert provider is not None
    assert provider() == {"store": ["conversation_store"]}


def test_two_containers_share_nothing() -> None:
    """An override in one is not seen in the other."""
    one, other = _bound(ArcContainer()), _bound(ArcContainer())

    one.retriever.override("mine")

    assert other.retriever() == ["retriever"]


def test_a_container_serves_one_application() -> None:
    """A second one would silently take it over."""
    container = _bound(ArcContainer())

    with pytest.raises(WiringFrozenError, match="belongs to another application"):
        bind(container, EchoBuilder(), PLACES)


def test_a_late_override_says_what_is_too_late_about_it() -> None:
    """Instead of being without effect."""
    container = _bound(ArcContainer(), reason="the application has started")

    with pytest.raises(WiringFrozenError, match="retriever can no longer") as raised:
        container.retriever.override("mine")
    with pytest.raises(WiringFrozenError):
        container.set_provider("retriever", providers.Object("mine"))

    assert raised.value.evidence == ("the application has started",)
    assert container.retriever() == ["retriever"]


def test_a_late_override_of_a_redefined_provider_is_refused_too() -> None:
    """A subclass's own providers become as strict as Arc's when the wiring freezes."""
    builder = EchoBuilder()
    container = Mine()
    bind(container, builder, PLACES)
    builder.reason = "the application has started"

    with pytest.raises(WiringFrozenError, match="response_cache"):
        container.response_cache.override(DictResponseCache())
    assert set(_overrides(container)) == {"response_cache", "conversation_manager"}
