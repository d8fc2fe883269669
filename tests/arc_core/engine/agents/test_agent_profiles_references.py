"""Whether the agents exist that agents name."""

from collections.abc import Sequence

import pytest

from arc_core import Agent, ConfigurationError
from arc_core.engine.agents.agent_profiles import check_models, check_references, every_agent
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.engine.asking_agents import agent_of, asking, engine_of


def test_an_agent_that_does_not_exist_is_an_error() -> None:
    """The one that was meant is in it."""
    with pytest.raises(ConfigurationError, match="names the agent 'refund'") as raised:
        check_references([agent_of("boss", "refund"), agent_of("refunds")])

    assert "write 'refunds'" in f"{raised.value}"


@pytest.mark.parametrize(
    ("names", "drawn"), [({"a": "a"}, "a → a"), ({"a": "b", "b": "c", "c": "a"}, "a → b → c → a")]
)
def test_a_circle_of_delegates_is_an_error(names: dict[str, str], drawn: str) -> None:
    """It is drawn."""
    with pytest.raises(ConfigurationError, match=drawn):
        check_references([agent_of(name, asked) for name, asked in names.items()])


def test_a_circle_through_a_tool_is_an_error() -> None:
    """An agent may name one that has it among its tools."""
    one = agent_of("one", "boss")
    boss = Agent("boss", tools=[one.as_tool()])

    with pytest.raises(ConfigurationError, match="boss → one → boss"):
        check_references([boss, one])


async def test_an_engine_does_not_start_with_wrong_names() -> None:
    """Nothing is asked before."""
    with pytest.raises(ConfigurationError, match="does not exist"):
        await engine_of(asking({}), agent_of("boss", "refunds")).start()


def test_many_may_ask_the_same() -> None:
    """Only a way back is a circle; `default` needs no wiring."""
    check_references([agent_of("a", "b", "c", "default"), agent_of("b", "c"), agent_of("c")])


def test_agents_that_stand_in_tools_are_found() -> None:
    """At any depth, and each once."""
    deep = agent_of("deep")
    middle = Agent("middle", tools=[deep.as_tool()])
    boss = Agent("boss", tools=[middle.as_tool(), deep.as_tool()])

    assert every_agent([boss], [deep.as_tool()]) == (boss, deep, middle)


def test_an_agent_in_a_tool_shares_its_name_with_no_other() -> None:
    """Else a call would ask another one than was meant."""
    with pytest.raises(ConfigurationError, match="two agents are called 'one'"):
        every_agent([agent_of("one")], [agent_of("one", description="Other.").as_tool()])


def check_model(model: str | None, *known: str) -> None:
    """Check an agent of a model, beside `default`, which asks its vendor for `large-4`."""
    agent = agent_of("boss", model=model)
    check_models([agent], known=("default", *known), vendor_model="large-4")


def test_a_model_that_does_not_exist_is_an_error() -> None:
    """The one that was meant is in it, and what would make the name right."""
    with pytest.raises(ConfigurationError, match="'boss' names the model 'carefull'") as raised:
        check_model("carefull", "careful", "quick")

    assert raised.value.evidence == ("known models: default, careful, quick",)
    assert raised.value.remedy.startswith("write 'careful'; ")
    assert '[llm.models."carefull"]' in raised.value.remedy


def test_a_model_that_is_near_to_none_is_an_error_all_the_same() -> None:
    """Whether a name is that of a vendor's model would else depend on how others are called."""
    with pytest.raises(ConfigurationError) as raised:
        check_model("gpt-5.4", "careful")

    assert raised.value.remedy.startswith("if the vendor has it")


@pytest.mark.parametrize("model", [None, "default", "careful", "large-4"])
def test_models_of_the_settings_may_be_named(model: str | None) -> None:
    """Those of `llm.models`, and that of `llm` by either name."""
    check_model(model, "careful")


def test_with_one_model_any_name_is_the_vendors() -> None:
    """Only the vendor knows whether there is one."""
    check_model("gpt-5.4")


class ByClock(DictRunJournals):
    """Begins runs of an agent by itself."""

    def scheduled_agents(self) -> Sequence[str]:
        return ["brieffing"]


async def test_a_schedule_for_an_agent_that_does_not_exist_is_refused_at_the_start() -> None:
    """Its runs would fail at each tick; the message has the name that was meant."""
    agents = (Agent("briefing", instructions="Brief."),)
    executor = scripted_agent(ScriptedChatModel([]), agents=agents, run_journals=ByClock())

    with pytest.raises(ConfigurationError, match="write 'briefing'") as raised:
        await executor.start()

    assert "no agent 'brieffing'" in f"{raised.value}"
