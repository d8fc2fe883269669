"""How a model is asked, by the command, the agent or the settings."""

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, ConfigurationError, ReasoningEffort, ToolCall
from arc_core.testing import ScriptedChatModel

CAREFUL = Agent("careful", temperature=0.1, reasoning="high", max_output_tokens=500)


async def test_a_command_wins_over_its_agent_and_that_over_the_settings() -> None:
    """For each of them on its own."""
    model = ScriptedChatModel(["1", "2", "3"])
    settings = ArcSettings(_isolated=True, llm={"temperature": 0.7, "max_output_tokens": 900})
    async with Application(settings, register=[model, CAREFUL], plugins=False) as app:
        await app.execute("Hi")
        await app.agent("careful").execute("Hi")
        await app.agent("careful").execute("Hi", reasoning=ReasoningEffort.LOW, temperature=1)

    asked = [(each.temperature, each.reasoning, each.max_output_tokens) for each in model.requests]
    assert asked == [(0.7, None, 900), (0.1, "high", 500), (1, "low", 500)]


async def test_who_takes_over_asks_in_its_own_way() -> None:
    """What the first agent said holds for its own turns."""
    hand_over = [ToolCall("1", "transfer_to_careful", "{}")]
    model = ScriptedChatModel([hand_over, "Yes?"])
    quick = Agent("quick", temperature=0.9, reasoning="low", handoffs=["careful"])
    async with Application(register=[model, quick, CAREFUL], plugins=False) as app:
        await app.agent("quick").execute("Hi")

    asked = [(each.temperature, each.reasoning) for each in model.requests]
    assert asked == [(0.9, "low"), (0.1, "high")]


async def test_an_agent_of_the_settings_is_tuned_as_well() -> None:
    """By the keys of its table."""
    table = {"temperature": 0.1, "reasoning": "high", "max_output_tokens": 500}
    model = ScriptedChatModel(["Hi."])
    settings = ArcSettings(_isolated=True, agents={"careful": table})
    async with Application(settings, register=[model], plugins=False) as app:
        await app.agent("careful").execute("Hi")

    [asked] = model.requests
    assert (asked.temperature, asked.reasoning, asked.max_output_tokens) == (0.1, "high", 500)


@pytest.mark.parametrize(
    "tuning", [{"temperature": -1}, {"reasoning": "deep"}, {"max_output_tokens": 0}]
)
def test_an_agent_that_cannot_be_asked_so_is_refused(tuning: dict[str, object]) -> None:
    """When it is made, by name."""
    with pytest.raises(ConfigurationError, match=next(iter(tuning))):
        Agent("careful", **tuning)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("keyword", "meant"), [("sesion_id", "session_id"), ("outpt", "output"), ("xyz", None)]
)
async def test_a_misspelt_keyword_of_a_run_names_the_nearest(
    keyword: str, meant: str | None
) -> None:
    """Before the model is asked."""
    async with Application(plugins=False, register=[ScriptedChatModel([])]) as app:
        with pytest.raises(TypeError, match=keyword) as raised:
            await app.execute("Hi", **{keyword: "x"})  # type: ignore[call-overload]

    assert ("did you mean" in str(raised.value)) == (meant is not None)
    assert meant is None or meant in str(raised.value)


def test_a_misspelt_keyword_of_an_agent_names_the_nearest() -> None:
    """Also for what it has in common with others."""
    with pytest.raises(TypeError, match="did you mean 'temperature'"):
        Agent("careful", temprature=1)  # type: ignore[call-overload]
