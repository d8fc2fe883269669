"""Past the soft limit of a budget a cheaper model is asked."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    Amount,
    Attachment,
    ConfigurationError,
    ModelOverloadedError,
    Spender,
    UserMessage,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_core.engine.asking_agents import agent_of, ask
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted, look
from tests.capped_budgets import CappedBudgets

LLM: dict[str, Any] = {"model": "large", "models": {"quick": {"model": "mini"}}}
SOFT: dict[str, Any] = {"soft_model": "quick", "soft_ratio": 0.5}


def world(turns: list[Any], quick: list[Any], **options: Any) -> tuple[Any, Any, Any, Any]:
    """An agent, its own model, the cheaper one, and budgets with room for many."""
    budgets = CappedBudgets(tokens=20_000)
    cheaper = ScriptedChatModel(quick)
    components = {"models": {"quick": cheaper}, **options.pop("components", {})}
    agent, model = budgeted(
        turns, budgets, budget=SOFT, llm=LLM, components=components, reserve_tokens=200, **options
    )
    return agent, model, cheaper, budgets


async def spend(budgets: CappedBudgets, tokens: int) -> None:
    """Let another run spend so much."""
    spender = Spender(reservation_id="another", run_id="another")
    await budgets.settle(spender, spent=Amount(tokens=tokens))


async def test_past_it_the_cheaper_model_is_asked_and_the_metadata_says_so() -> None:
    """From the first call on, if it is passed already."""
    agent, model, quick, budgets = world([], ["Cheap."])
    await spend(budgets, 12_000)

    result = await agent.execute(COMMAND)

    assert (result.content, result.model, model.requests) == ("Cheap.", "quick", [])
    assert result.metadata["budget"] == {
        "limit": "tenant_tokens_per_day", "used_ratio": 0.6, "model": "quick",
    }  # fmt: skip
    assert quick.requests[0].model == "mini"


async def test_below_it_nothing_is_told() -> None:
    """And the own model answers."""
    agent, _, _, budgets = world(["Own."], [])
    await spend(budgets, 9000)

    result = await agent.execute(COMMAND)

    assert (result.content, "budget" in result.metadata) == ("Own.", False)


async def test_it_may_be_passed_within_a_run() -> None:
    """The next call asks the cheaper model."""
    agent, model, quick, budgets = world([LOOK], ["Cheap."], components={"tools": [look]})
    await spend(budgets, 10_000 - USED)

    result = await agent.execute(COMMAND)

    assert (result.content, len(model.requests), len(quick.requests)) == ("Cheap.", 1, 1)


async def test_it_holds_for_the_agents_below_too() -> None:
    """And the metadata of the run that was asked for has it."""
    agents = [agent_of("boss", "one"), agent_of("one")]
    agent, _, quick, budgets = world(
        [], [[ask("one")], "One.", "Done."], components={"agents": agents}
    )
    await spend(budgets, 12_000)

    result = await agent.execute(COMMAND.model_copy(update={"agent": "boss"}))

    assert (result.content, len(quick.requests)) == ("Done.", 3)
    assert result.metadata["budget"]["model"] == "quick"


async def test_a_cheaper_model_that_cannot_take_the_request_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The own one goes on, with one warning."""
    turns = [LOOK, "Own."]
    agent, _, quick, budgets = world(turns, [], components={"tools": [look]})
    quick.accepts = lambda _: False
    await spend(budgets, 12_000)
    command = COMMAND.model_copy(update={"attachments": (Attachment("image/png", b"PNG"),)})

    result = await agent.execute(command)

    assert (result.content, "model" in result.metadata["budget"]) == ("Own.", False)
    warned = [each for each in caplog.records if "soft limit" in each.getMessage()]
    assert len(warned) == 1


async def test_an_answer_of_the_cheaper_model_is_not_kept_for_the_other() -> None:
    """An identical run later may ask its own model again."""
    agent, _, _, budgets = world(
        ["Own."], ["Cheap."], cache={"enabled": True, "cacheable_temperature": 1}
    )
    await spend(budgets, 12_000)
    command = AgentCommand(
        user_prompt="Hi", temperature=0, conversation_history=(UserMessage("Hi"),)
    )

    await agent.execute(command)
    budgets.tokens = 100_000
    result = await agent.execute(command)

    assert (result.content, result.cache_hit) == ("Own.", False)


async def test_without_a_cheaper_model_only_the_metadata_says_so() -> None:
    """It is a warning to the caller."""
    budgets = CappedBudgets(tokens=20_000)
    agent, _ = budgeted(["Own."], budgets, budget={"soft_ratio": 0.5})
    await spend(budgets, 12_000)

    result = await agent.execute(COMMAND)

    assert result.metadata["budget"] == {"limit": "tenant_tokens_per_day", "used_ratio": 0.6}


async def test_if_the_cheaper_model_is_down_the_own_one_answers() -> None:
    """As its last fallback."""
    agent, _, _, budgets = world(["Own."], [ModelOverloadedError("")] * 9)
    await spend(budgets, 12_000)

    result = await agent.execute(COMMAND)

    assert result.content == "Own."


async def test_a_cheaper_model_that_does_not_exist_is_an_error_at_start() -> None:
    """With the name that was meant."""
    llm = {"models": {"quick": {"model": "mini"}}}
    agent, _ = budgeted([], CappedBudgets(tokens=1), budget={"soft_model": "quik"}, llm=llm)

    with pytest.raises(ConfigurationError, match="'quik', which is not in") as error:
        await agent.start()

    assert "write 'quick'" in str(error.value)
