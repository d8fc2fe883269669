"""Several chat models in one application: `llm.models`."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

import pytest

from arc_autoconfig import Application, ArcSettings, on_setting, provides
from arc_autoconfig.errors import (
    AmbiguousComponentError,
    ComponentError,
    SettingsError,
    UnknownNameError,
)
from arc_autoconfig.testing import ApplicationRunner
from arc_core import (
    ChatModel,
    ConfigurationError,
    Inject,
    Named,
    Registry,
    decorates,
    hookimpl,
    service,
    tool,
)
from arc_core.components.injection import FromSettings
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel

LOG: list[str] = []


class AcmeModel(ScriptedChatModel):
    """A vendor's, which knows its settings."""

    def __init__(self, settings: LlmSettings) -> None:
        super().__init__([])
        self.settings = settings

    async def start(self) -> None:
        LOG.append(f"start {self.settings.model}")

    async def aclose(self) -> None:
        LOG.append(f"close {self.settings.model}")


class Local(AcmeModel):
    """The vendor's other model."""


acme = provides(ChatModel, name="acme")(AcmeModel)


class Needs:
    """Asks for models in all ways."""

    def __init__(
        self,
        default: ChatModel,
        quick: Annotated[ChatModel, Named("quick")],
        every: Mapping[str, ChatModel],
        listed: Annotated[Mapping[str, ChatModel], FromSettings()],
    ) -> None:
        self.default, self.quick, self.every, self.listed = default, quick, every, listed


class Quick:
    """Asks for one model by its name."""

    def __init__(self, model: Annotated[ChatModel, Named("quick")]) -> None:
        self.model = model


def application(*register: object, models: dict[str, Any], **llm: Any) -> Application:
    """An application with models of Acme's, and no plugins but Arc's own."""
    settings = ArcSettings(_isolated=True, llm={"provider": "acme", **llm, "models": models})
    return Application(settings, register=[acme, *register], plugins=False)


QUICK = {"quick": {"provider": "acme", "model": "acme-mini"}}


async def test_an_entry_is_a_model_of_its_own() -> None:
    """Made by its provider, with what the entry says in the place of the section."""
    app = application(service(Needs), models=QUICK, model="acme-large", temperature=0.5)

    async with app:
        needs = app.container.of(Needs)()
        quick: Any = needs.quick

        assert quick is not needs.default
        assert (quick.settings.model, quick.settings.temperature) == ("acme-mini", 0.5)


async def test_entries_are_among_all_models_and_alone_where_asked_for() -> None:
    """The mapping of a slot has them, and the marked one nothing else."""
    app = application(service(Needs), models=QUICK)

    async with app:
        needs = app.container.of(Needs)()

        assert {"acme", "quick"} <= set(needs.every)
        assert dict(needs.listed) == {"quick": needs.quick}


async def test_a_tool_may_be_given_a_model_by_name() -> None:
    """As any component."""
    asked: list[ChatModel] = []

    @tool
    async def summarize(text: str, model: Inject[Annotated[ChatModel, Named("quick")]]) -> str:
        """Shorten a text."""
        asked.append(model)
        return text

    app = application(service(Needs), summarize, models=QUICK)

    async with app:
        (filled,) = (each for each in app.container.tools() if each.name == "summarize")
        await filled.call({"text": "x"}, None)

        assert asked == [app.container.of(Needs)().quick]


async def test_entries_are_started_and_closed_with_the_rest() -> None:
    """In the order in which they are built, and back."""
    LOG.clear()
    models = {"b": {"model": "b-1"}, "a": {"model": "a-1"}}
    app = application(models=models, model="acme-large")

    async with app:
        assert LOG == ["start acme-large", "start a-1", "start b-1"]

    assert LOG[3:] == ["close b-1", "close a-1", "close acme-large"]


async def test_a_program_puts_another_model_in_the_place_of_an_entry() -> None:
    """By its name; what fills the slot stays as it is."""
    scripted = ScriptedChatModel(["from the script"])

    @provides(ChatModel, name="quick")
    def quick() -> ChatModel:
        return scripted

    app = application(service(Needs), quick, models=QUICK)

    async with app:
        needs = app.container.of(Needs)()

        assert needs.quick is scripted
        assert isinstance(needs.default, AcmeModel)


async def test_entries_are_wrapped_as_the_model_that_fills_the_slot() -> None:
    """And a wrapper gets the settings of the model that it wraps."""
    seen: list[str | None] = []

    @decorates(ChatModel)
    class Traced(ScriptedChatModel):
        def __init__(self, inner: ChatModel, settings: LlmSettings) -> None:
            super().__init__([])
            self.inner = inner
            seen.append(settings.model)

    app = application(service(Quick), Traced, models=QUICK, model="acme-large")

    async with app:
        assert isinstance(app.container.of(Quick)().model, Traced)
        assert sorted(map(str, seen)) == ["acme-large", "acme-mini"]


def test_an_unknown_provider_is_named_with_its_setting() -> None:
    """And with the nearest known one."""
    with pytest.raises(
        UnknownNameError, match=r"llm\.models\.quick\.provider names 'acne'"
    ) as raised:
        application(models={"quick": {"provider": "acne"}})

    assert "'acme'" in raised.value.remedy


def test_an_entry_may_not_have_the_name_of_another_component() -> None:
    """It could not be told which is meant."""
    with pytest.raises(
        AmbiguousComponentError, match=r"llm\.models\.openai has the name"
    ) as raised:
        application(models={"openai": {"provider": "acme"}})

    assert "another name" in raised.value.remedy


def test_several_that_could_make_an_entry_are_told_with_its_setting() -> None:
    """Two keys are set, and no provider is chosen."""
    keys = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    runner = ApplicationRunner().with_settings(llm={"models": {"quick": {}}})
    runner = runner.with_components(ScriptedChatModel([])).with_environment(**keys)

    with pytest.raises(AmbiguousComponentError) as raised:
        runner.application()

    assert raised.value.remedy == "set llm.models.quick.provider to 'anthropic' or 'openai'"


def test_what_belongs_to_a_vendor_is_not_taken_for_another_one() -> None:
    """Else a key or a model's name would be sent to whom it does not belong."""
    llm = LlmSettings.model_validate(
        {
            "provider": "acme",
            "model": "acme-large",
            "api_key": "secret",
            "temperature": 0.5,
            "models": {"other": {"provider": "apex"}, "own": {}, "here": {"base_url": "http://h"}},
        }
    )

    other, own, here = (llm.overlay(llm.models[each]) for each in ("other", "own", "here"))

    assert (other.model, other.api_key, other.temperature) == (None, None, 0.5)
    assert (own.model, own.api_key) == ("acme-large", llm.api_key)
    assert (here.model, here.api_key) == ("acme-large", None)


def test_conditions_are_those_of_the_entry() -> None:
    """Of two components of one name, that one makes it which fits what the entry says."""

    class Vendors:
        @hookimpl
        def arc_register(self, registry: Registry) -> None:
            here, there = on_setting("llm.base_url"), ~on_setting("llm.base_url")
            registry.provide(ChatModel, Local, name="vendor", condition=here)
            registry.provide(ChatModel, AcmeModel, name="vendor", condition=there)

    models = {"local": {"base_url": "http://127.0.0.1:1/v1"}}
    llm = {"provider": "vendor", "models": models}
    runner = ApplicationRunner().with_plugins(Vendors()).with_settings(llm=llm)

    decision = runner.report().decision(ChatModel)

    assert decision.winner is not None
    assert decision.winner.component is AcmeModel
    assert [each.component for each in decision.entries] == [Local]


def test_default_is_the_name_of_the_model_in_llm_itself() -> None:
    """So no entry may be called that."""
    with pytest.raises(SettingsError, match=r"models\.default"):
        application(models={"default": {}})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"modle": "x"}, r"models\.quick\.modle is not a setting of a model; known are provider"),
        ({"max_output_tokens": 500_000}, r"models\.quick.*must be larger than"),
        ({"max_output_tokens": "many"}, r"models\.quick.*valid integer"),
    ],
)
def test_what_is_wrong_in_an_entry_is_an_error_of_the_settings(
    entry: dict[str, Any], said: str
) -> None:
    """Also what is unknown, or contradicts what the entry leaves open."""
    with pytest.raises(SettingsError, match=said):
        application(models={"quick": entry})


async def test_a_missing_key_is_told_with_the_entry_and_the_remedy() -> None:
    """At the start, not in the first run that asks."""
    app = application(models={"careful": {"provider": "anthropic"}})

    with pytest.raises(ComponentError, match=r"llm\.models\.careful cannot be used") as raised:
        async with app:
            pass

    assert "ANTHROPIC_API_KEY" in raised.value.remedy
    assert "llm.models.careful" in raised.value.remedy


async def test_a_model_that_others_fall_back_on_may_lack_its_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The application starts, and a warning says what is missing."""
    models = {"careful": {"provider": "anthropic"}, "quick": {"fallbacks": ["careful"]}}

    async with application(service(Quick), models=models) as app:
        assert isinstance(app.container.of(Quick)().model, AcmeModel)

    (warning,) = (each for each in caplog.records if each.levelname == "WARNING")
    assert "llm.models.careful cannot be used" in warning.getMessage()
    assert "ANTHROPIC_API_KEY" in vars(warning)["remedy"]


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ({"a": {"fallbacks": ["b"]}, "b": {"fallbacks": ["a"]}}, "in a circle: a → b → a"),
        ({"a": {"fallbacks": ["a"]}}, "in a circle: a → a"),
        ({"a": {"fallbacks": ["default"]}}, "in a circle: default → a → default"),
        ({"a": {"fallbacks": ["c"]}}, "models.a.fallbacks names 'c'; known are default, a"),
    ],
)
def test_fallbacks_must_exist_and_end(models: dict[str, Any], said: str) -> None:
    """Or a run could be asked for ever, or nowhere."""
    with pytest.raises(SettingsError, match=re.escape(said)):
        application(models=models, fallbacks=["a"])


async def test_an_agent_of_the_settings_names_a_model_that_exists() -> None:
    """Or the application does not start, and the nearest name is told."""
    settings = ArcSettings(
        _isolated=True,
        llm={"provider": "acme", "models": QUICK},
        agents={"refunds": {"model": "qick"}},
    )
    app = Application(settings, register=[acme], plugins=False)

    with pytest.raises(ConfigurationError, match="names the model 'qick'") as raised:
        async with app:
            pass

    assert "write 'quick'" in raised.value.remedy


async def test_a_name_with_dots_may_be_that_of_a_model() -> None:
    """As vendors' names are; it stands in quotes in a file."""
    app = application(models={"gpt-5.4": {"model": "gpt-5.4"}})

    async with app:
        assert "gpt-5.4" in str(app.report)


def test_the_report_says_how_entries_are_had() -> None:
    """With who makes them."""
    report = application(models=QUICK).report

    assert "by name quick (registered in code): llm.models.quick, made by acme" in str(report)
    (entry,) = report.to_dict()["decisions"]["chat_model"]["entries"]
    assert entry["reason"] == "llm.models.quick, made by acme"


def test_built_entries_are_among_the_components() -> None:
    """With their class and their name."""
    built = application(models=QUICK).build()

    (quick,) = [each for each in built if each.name == "quick"]
    assert (quick.place, quick.type.rpartition(":")[2]) == ("chat_model", "AcmeModel")


def test_an_instance_cannot_make_an_entry() -> None:
    """It has its settings already."""
    made = provides(ChatModel, name="made")(type("Made", (ScriptedChatModel,), {}))([])

    app = application(made, models={"quick": {"provider": "made"}})

    with pytest.raises(ComponentError, match="cannot be made by made"):
        app.build()
