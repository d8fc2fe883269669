"""Building what was decided, through the container."""

from collections.abc import Mapping, Sequence

import pytest
from dependency_injector import providers

from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.registration import provides, read_candidates
from arc_autoconfig.errors import (
    ComponentError,
    DependencyCycleError,
    MissingDependencyError,
    WiringFrozenError,
)
from arc_core import (
    ChatModel,
    ConversationStore,
    Document,
    Hook,
    ResponseCache,
    Retriever,
    TokenEstimator,
    tool,
)
from arc_core.conditions import on_env
from arc_core.testing import CharacterEstimator, DictResponseCache
from tests.arc_autoconfig.building import container_of, container_of_candidates
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import PLACES, EmptyRetriever, UpperCaseFilter, facts


class CachingRetriever:
    """Needs a cache, and an estimator if there is one."""

    def __init__(self, *, cache: ResponseCache, estimator: TokenEstimator | None) -> None:
        self.cache, self.estimator = cache, estimator

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[Document]:
        return ()


class Numbers:
    """Two tools."""

    @tool
    def add(self, a: int, b: int) -> int:
        """Add."""
        return a + b

    @tool
    def double(self, a: int) -> int:
        """Double."""
        return 2 * a


def test_a_component_gets_what_it_asks_for() -> None:
    """The same instances that the container gives; None if there is none."""
    container, _ = container_of(CachingRetriever, DictResponseCache)

    retriever = container.retriever()

    assert retriever.cache is container.response_cache()
    assert retriever.estimator is None


def test_an_override_is_what_others_get() -> None:
    """Also one by a provider of dependency-injector."""
    container, _ = container_of(CachingRetriever, DictResponseCache)
    container.response_cache.override(providers.Singleton(DictResponseCache))
    estimator = CharacterEstimator()
    container.token_estimator.override(estimator)

    retriever = container.retriever()

    assert retriever.cache is container.response_cache()
    assert retriever.estimator is estimator


def test_an_override_may_wrap_what_it_replaces() -> None:
    """Taking a component from the container does not fix it unless a component was given it."""

    class Wrapper(DictResponseCache):
        def __init__(self, inner: ResponseCache) -> None:
            super().__init__()
            self.inner = inner

    container, _ = container_of(CachingRetriever, DictResponseCache)
    inner = container.response_cache()

    container.response_cache.override(Wrapper(inner))

    assert container.retriever().cache.inner is inner


@pytest.mark.parametrize(
    ("place", "override", "misfit"),
    [
        ("response_cache", EmptyRetriever(), "EmptyRetriever is not a ResponseCache: it lacks"),
        ("hooks", EmptyRetriever(), "EmptyRetriever is neither list nor tuple"),
        ("hooks", [EmptyRetriever()], "EmptyRetriever does not inherit from Hook"),
    ],
    ids=["slot", "no list", "in a list"],
)
def test_an_override_of_a_wrong_type_is_told(place: str, override: object, misfit: str) -> None:
    """It would fail in the middle of a run otherwise."""
    container, _ = container_of()

    with pytest.raises(ComponentError, match=f"the override of {place}") as raised:
        container.providers[place].override(override)

    assert raised.value.evidence[0].startswith(misfit)
    assert container.providers[place].last_overriding is None


def test_what_a_component_was_built_with_cannot_be_overridden_any_more() -> None:
    """The error names who would go on using the old one."""
    container, _ = container_of(CachingRetriever, DictResponseCache)
    container.retriever()

    with pytest.raises(WiringFrozenError) as raised:
        container.response_cache.override(DictResponseCache())

    assert raised.value.evidence == (
        "retriever: CachingRetriever (registered in code) has been built with it",
    )


def test_settings_are_given_and_cannot_be_overridden() -> None:
    """Decisions have been taken from them."""
    container, _ = container_of(llm={"model": "m"})

    assert container.settings().llm.model == "m"
    with pytest.raises(WiringFrozenError, match="settings can no longer be overridden"):
        container.settings.override(None)


def test_a_frozen_container_refuses_everything_until_it_is_forgotten() -> None:
    """After the close the wiring is open again."""
    container, builder = container_of()
    builder.freeze()

    with pytest.raises(WiringFrozenError) as raised:
        container.retriever.override(EmptyRetriever())

    assert raised.value.evidence == ("the application has started",)
    builder.forget()
    container.retriever.override(EmptyRetriever())


def test_everything_is_built_after_what_it_needs() -> None:
    """Overrides and parts of contributions included, each once."""
    container, builder = container_of(CachingRetriever, DictResponseCache, UpperCaseFilter)
    estimator = CharacterEstimator()
    container.token_estimator.override(estimator)

    builder.build_all()

    built = [each.component for each in builder.built]
    assert built.index(container.response_cache()) < built.index(container.retriever())
    assert built.index(estimator) < built.index(container.retriever())
    assert container.response_filters()[0] in built
    assert len(built) == 4


def test_contributions_are_in_order_and_known_in_it() -> None:
    """By `order` of the built component, before and after its name."""

    class Late(Hook):
        order = 200

    class Early(Hook):
        order = 1

    @provides(Hook, before=["Early"])
    class First(Hook): ...

    container, builder = container_of(Late, Early, First)

    hooks = container.hooks()

    assert [type(hook) for hook in hooks] == [First, Early, Late]
    assert [each.name for each in builder.arranged["hooks"]] == ["First", "Early", "Late"]


def test_methods_become_tools_in_the_order_of_registration() -> None:
    """A class of tools brings them as written, between the user's others."""

    @tool
    def zero() -> int:
        """Nothing."""
        return 0

    container, _ = container_of(zero, Numbers)

    assert [each.name for each in container.tools()] == ["zero", "add", "double"]


def test_an_order_that_is_not_a_number_is_told() -> None:
    """It could not be compared with others."""

    class Odd(Hook):
        def __init__(self) -> None:
            self.order = "first"  # type: ignore[assignment]

    container, _ = container_of(Odd)

    with pytest.raises(ComponentError, match="hooks: Odd") as raised:
        container.hooks()
    assert "order is of the type str, not int" in raised.value.evidence[0]


def test_a_missing_dependency_names_the_candidates_that_do_not_apply() -> None:
    """With the conditions that removed them."""

    @provides(ResponseCache, name="redis", condition=on_env("REDIS_URL"))
    class Redis(DictResponseCache): ...

    container, _ = container_of(CachingRetriever, Redis)

    with pytest.raises(
        MissingDependencyError, match=r"CachingRetriever.* needs a ResponseC"
    ) as raised:
        container.retriever()

    assert raised.value.evidence == (
        "redis (registered in code): condition not met: environment variable REDIS_URL is set",
    )


def test_a_missing_dependency_names_plugins_that_are_left_out(packages: PackageIndex) -> None:
    """One of them may have brought it."""
    packages.install("acme-arc", modules={"acme": "import nowhere"}, arc={"acme": "acme"})
    known = facts()
    found = discover(known.settings.plugins, third_party=True)
    registered = read_candidates([CachingRetriever], PLACES)
    container, _ = container_of_candidates(registered, known, plugins=found.plugins)

    with pytest.raises(MissingDependencyError) as raised:
        container.retriever()

    assert raised.value.evidence[0].startswith("the plugin acme (acme-arc 1.0) is left out: Mod")


def test_components_that_need_each_other_are_told_in_a_circle() -> None:
    """Instead of a recursion error; the container works for others afterwards."""

    @provides(ChatModel)
    def make_model(store: ConversationStore) -> object:
        return store

    @provides(ConversationStore)
    def make_store(retriever: Retriever) -> object:
        return retriever

    @provides(Retriever)
    def make_retriever(model: ChatModel) -> object:
        return model

    container, _ = container_of(make_model, make_store, make_retriever, DictResponseCache)

    with pytest.raises(DependencyCycleError) as raised:
        container.conversation_store()

    circle, *members = raised.value.evidence
    assert circle == "conversation_store needs retriever needs chat_model needs conversation_store"
    assert members[0].startswith("retriever: make_retriever (registered in code), ")
    assert len(members) == 3
    assert container.response_cache() is not None


def test_settings_that_no_component_reads_are_told(caplog: pytest.LogCaptureFixture) -> None:
    """A plugin's section without a reader is most likely a mistake."""
    _, builder = container_of(plugins={"settings": {"acme": {"x": 1}}})

    builder.build_all()

    (record,) = caplog.records
    assert "plugins.settings.acme" in record.getMessage()
