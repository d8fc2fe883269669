"""Modules named in the settings: what they mark takes part, and what callers hand to their runs."""

from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import InjectionError, SettingsError
from arc_core import Agent, AgentErrorCode, Guard, Hook, Tool
from arc_core.interfaces.optional import HealthStatus
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.run_scopes import calling

SHOP = """
from collections.abc import Iterator
from dataclasses import dataclass
from arc_core import (
    Agent, Allowed, ChatModel, Guard, GuardRequest, GuardResult, Hook, Inject, Tool, decorates,
    run_deps, service, tool,
)
"""

EVERYTHING = f"""{SHOP}
class Database: ...

@service
def connect() -> Iterator[Database]:
    yield Database()

@tool
async def find_order(order_id: str, db: Inject[Database]) -> str:
    '''Find an order.'''
    return order_id

class Stock:
    @tool
    async def count(self, item: str) -> int:
        '''Count.'''
        return 3

class CalmGuard(Guard):
    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed()

class AuditHook(Hook): ...

refunds = Agent("refunds", instructions="Refund.", tools=[find_order])

@decorates(Database)
class Traced(Database):
    def __init__(self, inner: Database) -> None: ...
"""

USER = f"""{SHOP}
MARK
@dataclass(frozen=True)
class CurrentUser:
    name: strDEFAULT

@tool
async def greet(user: Inject[CurrentUser]) -> str:
    '''Greet.'''
    return f"hello {{user.name}}"
"""


def load(packages: PackageIndex, source: str, *register: object, **options: Any) -> Application:
    """An application whose settings name a module of this source."""
    packages.install("no-package", modules={"shop_agents": source})
    known = ArcSettings(
        _isolated=True, llm={"provider": "offline"}, plugins={"load": ["shop_agents"]}
    )
    return Application(known, register=register, **options)


def names_of(app: Application, interface: type) -> list[str]:
    """The components of the module for an interface."""
    winners = app.report.decision(interface).winners
    return [each.name for each in winners if each.origin.plugin == "shop_agents"]


async def test_a_module_brings_all_that_it_marks(packages: PackageIndex) -> None:
    """Services, tools, classes of tools, guards, hooks, agents and wrappers."""
    async with load(packages, EVERYTHING) as app:
        found = {each.__name__: names_of(app, each) for each in (Tool, Guard, Hook, Agent)}
        [wrapped] = [each for each in app.report.decisions if each.wrappers]

    assert sorted(found["Tool"]) == ["Stock", "find_order"]
    assert (found["Guard"], found["Hook"]) == (["CalmGuard"], ["AuditHook"])
    assert found["Agent"] == ["refunds"]
    assert [each.name for each in wrapped.wrappers] == ["Traced"]


async def test_a_module_brings_nothing_that_it_imports_or_hides(packages: PackageIndex) -> None:
    """Agents and tools of another module are that one's to bring, a leading `_` hides."""
    packages.install("other", modules={"shop_base": EVERYTHING})
    source = f"{SHOP}\nfrom shop_base import refunds, find_order as find, CalmGuard\n"
    source += "class _Base(Guard):\n    pass\n_own = Agent('own')\nmine = Agent('mine')\n"

    async with load(packages, source) as app:
        found = [names_of(app, each) for each in (Agent, Tool, Guard)]

    assert found == [["mine"], [], []]


async def test_a_class_of_which_the_module_holds_an_instance_is_that_instance(
    packages: PackageIndex,
) -> None:
    """Its parameters are the program's, and not to be injected."""
    source = f"{SHOP}\nclass Words(Hook):\n    def __init__(self, words: int) -> None:\n"
    source += "        self.words = words\n\nwords = Words(3)\n"

    async with load(packages, source) as app:
        assert names_of(app, Hook) == ["Words"]
        assert [each.words for each in app.container.hooks() if hasattr(each, "words")] == [3]


async def test_a_module_declares_what_callers_hand_to_runs(packages: PackageIndex) -> None:
    """No line of code is needed beside it."""
    source = USER.replace("MARK", "@run_deps").replace("DEFAULT", "")
    model = calling("greet")
    async with load(packages, source, model) as app:
        cls = __import__("shop_agents").CurrentUser
        result = await app.execute("Hi", deps=cls("ann"))
        refused = await app.execute("Hi")

    assert "hello ann" in str(result.messages[2])
    assert refused.error_code is AgentErrorCode.INVALID_INPUT


async def test_deps_that_are_not_declared_are_an_error_that_names_class_tool_and_remedy(
    packages: PackageIndex,
) -> None:
    """They were taken for settings of the module, of which a field was said to be required."""
    source = USER.replace("MARK", "").replace("DEFAULT", "")

    with pytest.raises(InjectionError) as raised:
        async with load(packages, source):
            pass

    text = str(raised.value)
    assert "greet, parameter 'user'" in text
    assert "CurrentUser" in text
    assert "Application(deps=CurrentUser), or @run_deps" in text
    assert "plugins.settings.shop_agents.name" in text


async def test_deps_are_refused_where_their_class_is_read_as_settings(
    packages: PackageIndex,
) -> None:
    """The tool would be given what the settings say in the place of the caller's value."""
    source = USER.replace("MARK", "").replace("DEFAULT", " = 'nobody'")

    async with load(packages, source, calling("greet")) as app:
        cls = __import__("shop_agents").CurrentUser
        result = await app.execute("Hi", deps=cls("ann"))

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "declare Application(deps=CurrentUser)" in str(result.error_message)


def test_a_setting_that_a_module_lacks_is_told_with_its_key(packages: PackageIndex) -> None:
    """If others of the section are set."""
    packages.install(
        "no-package",
        modules={"shop_agents": USER.replace("MARK", "").replace("DEFAULT", "\n    size: int = 3")},
    )
    table = {"shop_agents": {"size": 4}}
    known = ArcSettings(_isolated=True, plugins={"load": ["shop_agents"], "settings": table})

    with pytest.raises(SettingsError, match=r"plugins\.settings\.shop_agents\.name"):
        Application(known).run("Hi")


async def test_a_registered_class_declares_what_callers_hand_to_runs(
    packages: PackageIndex,
) -> None:
    """As the argument `deps` of the application does."""
    source = USER.replace("MARK", "@run_deps").replace("DEFAULT", "")
    packages.install("no-package", modules={"shop_agents": source})
    shop = __import__("shop_agents")
    known = ArcSettings(_isolated=True)

    async with Application(known, register=[shop.CurrentUser, shop.greet, calling("greet")]) as app:
        result = await app.execute("Hi", deps=shop.CurrentUser("ann"))

    assert result.success, result.error_message


async def test_what_a_package_declares_leaves_the_programs_own_deps_alone(
    packages: PackageIndex,
) -> None:
    """Only what the program itself declares is the whole of it."""
    source = USER.replace("MARK", "@run_deps").replace("DEFAULT", "")
    source = source[: source.index("@tool")]
    packages.install("acme", modules={"acme_plugin": source}, arc={"acme": "acme_plugin"})
    own = USER.replace("MARK", "").replace("DEFAULT", "").replace("greet", "wave")
    packages.install("no-package", modules={"own_tools": own})
    tools = __import__("own_tools")
    known = ArcSettings(_isolated=True)

    async with Application(known, register=[tools.wave, calling("wave")]) as app:
        result = await app.execute("Hi", deps=tools.CurrentUser("ann"))

    assert result.success, result.error_message


REPLACING = """
from arc_core import Hook, Registry, hookimpl

class One(Hook): ...
class Two(Hook): ...

@hookimpl
def arc_register(registry: Registry) -> None:
    registry.contribute(Hook, One, name="one")
    registry.contribute(Hook, Two, name="two", replaces="audit_of_other")
"""


async def test_a_package_whose_target_is_gone_loses_one_component(
    packages: PackageIndex, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning says so, and `arc plugins` and the health check do."""
    packages.install("acme", modules={"acme_plugin": REPLACING}, arc={"acme": "acme_plugin"})

    async with Application(ArcSettings(_isolated=True)) as app:
        names = [type(each).__name__ for each in app.container.hooks()]
        [plugin] = [each for each in app.report.plugins if each.name == "acme"]
        told = [each for each in await app.health() if each.subject.startswith("plugin acme")]

    warnings = [each.message for each in caplog.records if "audit_of_other" in each.message]
    assert ("One" in names, "Two" in names) == (True, False)
    assert (plugin.state, plugin.brought) == (PluginState.LOADED, ("hooks: one",))
    assert "replaces 'audit_of_other'" in str(plugin.cause)
    assert [each.health.status for each in told] == [HealthStatus.WARNING]
    assert len(warnings) == 1
