"""Components in wrappers: what `decorates` and `Registry.decorate` put around them."""

import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from dependency_injector import providers

from arc_autoconfig import Application, ArcSettings, on_env, provides
from arc_autoconfig.errors import ComponentError, InjectionError
from arc_core import Registry, Tool, ToolContext, decorates, hookimpl, service, tool
from arc_core.interfaces.guards.guard import Allowed, Guard, GuardRequest, GuardResult
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.interfaces.optional import AcceptsAttachments, NamesModel
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex


class Calls:
    """Notes who was called, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []


class Counted:
    """A chat model that notes each call, under the name of its class."""

    def __init__(self, inner: ChatModel, calls: Calls) -> None:
        self.inner, self.calls = inner, calls

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.calls.names.append(type(self).__name__)
        return await self.inner.complete(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        return self.inner.stream(request)


class Outer(Counted): ...


class Inner(Counted): ...


class GuardCounted(Guard):
    """A guard that notes each check, under the name of what it wraps."""

    def __init__(self, inner: Guard, calls: Calls) -> None:
        self.inner, self.calls, self.order = inner, calls, inner.order

    async def check(self, request: GuardRequest) -> GuardResult:
        self.calls.names.append(type(self.inner).__name__)
        return await self.inner.check(request)


def application(*register: object, **settings: Any) -> Application:
    known = ArcSettings(_isolated=True, **settings)
    return Application(known, register=[service(Calls), *register], plugins=False)


@provides(ChatModel)
def model() -> ChatModel:
    return ScriptedChatModel(["answer"])


async def test_lower_order_is_further_out() -> None:
    """Each gets what it wraps as its one parameter of that type, and its other needs."""
    outer, inner = decorates(ChatModel, order=1)(Outer), decorates(ChatModel, order=2)(Inner)
    app = application(inner, outer, model)

    async with app:
        await app.execute("hello")
        calls = app.container.of(Calls)().names

    assert calls == ["Outer", "Inner"]


async def test_every_component_of_a_contribution_is_wrapped() -> None:
    """Each guard in a wrapper of its own, and in the order of the guards."""

    class Late(Guard):
        order = 200

        async def check(self, request: GuardRequest) -> GuardResult:
            return Allowed()

    app = application(decorates(Guard)(GuardCounted), Late, model)

    async with app:
        guards = app.container.guards()
        await app.execute("hello")
        calls = app.container.of(Calls)().names

    assert all(isinstance(each, GuardCounted) for each in guards)
    assert calls == [type(each.inner).__name__ for each in guards]
    assert calls[-1] == "Late"


class Loud(Tool):
    """A tool that says in capitals what it wraps."""

    def __init__(self, inner: Tool) -> None:
        self.inner = inner
        self.name, self.description = inner.name, inner.description
        self.parameters, self.timeout_s = inner.parameters, inner.timeout_s

    async def call(self, arguments: Any, context: ToolContext) -> object:
        return str(await self.inner.call(arguments, context)).upper()


async def test_every_tool_of_a_class_is_wrapped() -> None:
    """A wrapper is around what the model calls."""

    class Shop:
        @tool
        def open_shop(self) -> str:
            """Open."""
            return "open"

        @tool
        def close_shop(self) -> str:
            """Close."""
            return "closed"

    app = application(decorates(Tool)(Loud), Shop, model)

    async with app:
        tools = app.container.tools()

    assert {type(each) for each in tools} == {Loud}
    assert [each.name for each in tools] == ["open_shop", "close_shop"]


@pytest.mark.parametrize("plain", [False, True])
async def test_an_override_is_wrapped_too_unless_it_is_plain(plain: bool) -> None:  # noqa: FBT001
    """What a package adds, such as counting, also counts a test's model."""
    app = application(decorates(ChatModel)(Outer), model)
    scripted = ScriptedChatModel(["overridden"])
    app.container.chat_model.override(scripted, plain=plain)

    async with app:
        result = await app.execute("hello")
        calls = app.container.of(Calls)().names

    assert result.content == "overridden"
    assert calls == ([] if plain else ["Outer"])


async def test_the_components_of_an_overridden_contribution_are_wrapped() -> None:
    """Each of the list that the user puts there."""

    class Mine(Guard):
        order = 1

        async def check(self, request: GuardRequest) -> GuardResult:
            return Allowed()

    app = application(decorates(Guard)(GuardCounted), model)
    app.container.guards.override(providers.List(providers.Singleton(Mine)))

    async with app:
        await app.execute("hello")
        calls = app.container.of(Calls)().names

    assert calls == ["Mine"]


async def test_a_service_is_wrapped() -> None:
    """Any type can be."""

    class Doubled(Calls):
        def __init__(self, inner: Calls) -> None:
            super().__init__()
            self.inner = inner

    app = application(decorates(Calls)(Doubled), model)

    async with app:
        calls = app.container.of(Calls)()

    assert isinstance(calls, Doubled)
    assert type(calls.inner) is Calls


async def test_a_wrapper_may_have_a_condition() -> None:
    """The report says why it is left out."""
    wrapper = decorates(ChatModel, name="traced", condition=on_env("NO_SUCH_VARIABLE"))(Outer)
    app = application(wrapper, model)

    async with app:
        await app.execute("hello")
        calls = app.container.of(Calls)().names

    assert calls == []
    assert "not traced (registered in code): condition not met" in str(app.report)


async def test_a_wrapper_asks_exactly_once_for_what_it_wraps() -> None:
    """With two parameters of the type it could not be known which is which."""

    class Both(Counted):
        def __init__(self, one: ChatModel, two: ChatModel) -> None:
            super().__init__(one, Calls())
            self.two = two

    app = application(decorates(ChatModel)(Both), model)

    with pytest.raises(InjectionError, match="must have exactly one parameter") as raised:
        await app.__aenter__()

    assert raised.value.evidence[0] == "one, two are of the type ChatModel"


def test_a_wrapper_that_is_not_what_it_wraps_is_refused() -> None:
    """Whatever uses the component would fail."""

    class Nothing:
        def __init__(self, inner: ChatModel) -> None: ...

    with pytest.raises(ComponentError, match="offered as ChatModel") as raised:
        application(decorates(ChatModel)(Nothing), model)

    assert "lacks complete, stream" in raised.value.evidence[0]


TRACING = """
from arc_core import ChatModel, decorates, hookimpl

@decorates(ChatModel, order=5)
class Traced:
    log = []

    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    async def complete(self, request):
        self.log.append(request)
        return await self.inner.complete(request)

    def stream(self, request):
        return self.inner.stream(request)

@hookimpl
def arc_register(registry):
    registry.decorate(ChatModel, Traced, name="by-registry", order=1)
"""


@pytest.mark.parametrize(
    "entry_points",
    [{"arc__decorators": {"traced": "acme_tracing:Traced"}}, {"arc": {"traced": "acme_tracing"}}],
    ids=["group", "registry"],
)
async def test_a_package_wraps_the_chat_model(
    packages: PackageIndex, entry_points: dict[str, Any]
) -> None:
    """Nothing of the application changes."""
    packages.install("acme-tracing", modules={"acme_tracing": TRACING}, **entry_points)
    app = Application(ArcSettings(_isolated=True), register=[model])

    async with app:
        await app.execute("hello")
        traced = app.container.chat_model()

    assert type(traced).__name__ == "Traced"
    assert len(traced.log) == len(app.report.decision(ChatModel).wrappers)
    assert app.report.decision(ChatModel).wrappers[0].origin.distribution == "acme-tracing"


async def test_a_wrapper_that_cannot_be_imported_is_quarantined(packages: PackageIndex) -> None:
    """The application works without it, and the report says so."""
    packages.install("acme-x", modules={}, arc__decorators={"traced": "acme_none:Traced"})
    app = Application(ArcSettings(_isolated=True), register=[model])

    async with app:
        result = await app.execute("hello")

    assert result.content == "answer"
    broken = [each for each in app.report.plugins if each.cause is not None]
    assert [each.name for each in broken] == ["traced"]


def test_registries_have_the_verb() -> None:
    """As plugin authors see it."""

    class Plugin:
        @hookimpl
        def arc_register(self, registry: Registry) -> None:
            registry.decorate(ChatModel, Outer, name="counted", order=3)

    from arc_autoconfig.testing import ApplicationRunner  # noqa: PLC0415

    report = ApplicationRunner().with_plugins(Plugin()).report()

    assert [each.name for each in report.decision(ChatModel).wrappers] == ["counted"]


MARKED = """
from arc_core import ChatModel, Guard, Allowed, decorates
from arc_autoconfig import provides

log = []

@decorates(ChatModel)
class Traced:
    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    async def complete(self, request):
        log.append("traced")
        return await self.inner.complete(request)

    def stream(self, request):
        return self.inner.stream(request)

@provides(Guard, name="watch")
class Watch(Guard):
    async def check(self, request):
        log.append("checked")
        return Allowed()
"""

_LINES: dict[str, dict[str, Any]] = {
    "the module itself": {
        "arc__decorators": {"traced": "acme_marked:Traced"},
        "arc__guards": {"watching": "acme_marked:Watch"},
    },
    "another that imports it": {
        "arc__decorators": {"traced": "acme_face:Traced"},
        "arc__guards": {"watching": "acme_face:Watch"},
    },
}


@pytest.mark.parametrize("lines", _LINES.values(), ids=_LINES.keys())
async def test_what_a_package_names_twice_takes_part_once(
    packages: PackageIndex, lines: dict[str, Any]
) -> None:
    """A marked class in the module of a plugin, with an entry point of its own, too."""
    modules = {"acme_marked": MARKED, "acme_face": "from acme_marked import Traced, Watch"}
    packages.install("acme-marked", modules=modules, arc={"acme": "acme_marked"}, **lines)
    app = Application(ArcSettings(_isolated=True), register=[model])

    async with app:
        await app.execute("hello")
        log: list[str] = sys.modules["acme_marked"].log

    assert log == ["checked", "traced"]
    for interface in (ChatModel, Guard):
        losers = app.report.decision(interface).losers
        assert any(each.reason.startswith("takes part already as") for each in losers)


async def test_an_instance_by_reference_cannot_wrap(packages: PackageIndex) -> None:
    """What shows when it is imported quarantines its package, as any broken wrapper does."""
    source = f"{TRACING}\ntraced = Traced(None)\n".replace(
        "Traced, name=", '"acme_one:traced", name='
    )
    packages.install("acme-one", modules={"acme_one": source}, arc={"one": "acme_one"})
    app = Application(ArcSettings(_isolated=True), register=[model])

    async with app:
        result = await app.execute("hello")

    assert result.content == "answer"
    broken = [each for each in app.report.plugins if each.cause is not None]
    assert "cannot wrap" in str(broken[0].cause)


@decorates(ChatModel)
class Passing(ChatModel):
    """Passes every request on, and says nothing of attachments or vendors."""

    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Pass it on."""
        return await self.inner.complete(request)

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """Pass it on."""
        return self.inner.stream(request)


async def test_a_wrapped_model_is_known_as_before() -> None:
    """It takes the attachments, and has the vendor and the model, of what is wrapped."""
    openai = {"provider": "openai", "api_key": "sk-test", "model": "gpt-5-mini"}
    async with Application(ArcSettings(_isolated=True, llm=openai), register=[Passing]) as app:
        model = app.container.chat_model()

    assert isinstance(model, Passing)
    assert isinstance(model, NamesModel)
    assert isinstance(model, AcceptsAttachments)
    assert (model.provider_name, model.default_model) == ("openai", "gpt-5-mini")
    assert model.accepts("image/png")
