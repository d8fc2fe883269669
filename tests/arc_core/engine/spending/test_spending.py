"""What a run reserves, holds, spends and gives back."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    AgentErrorCode,
    AgentResult,
    AuthenticationError,
    BudgetRefused,
    ChatRequest,
    ChatResponse,
    Limits,
    ModelOverloadedError,
    ModelTimeoutError,
    RateLimitError,
    Reserved,
    ResponseFormat,
    TokenUsage,
)
from arc_core.messages import AssistantMessage, UserMessage
from arc_core.settings import AgentSettings
from arc_core.testing import BrokenOff, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.asking_agents import agent_of, asking
from tests.arc_core.engine.caching_agents import PatientModel, settle
from tests.arc_core.engine.entry_points import executed, streamed
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, PROMPT, USED, budgeted, look
from tests.capped_budgets import CappedBudgets

EITHER = pytest.mark.parametrize("run", [executed, streamed])


@EITHER
async def test_a_run_counts_what_the_vendor_reports_and_gives_back_the_rest(run: Any) -> None:
    """Of all its calls together."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted([LOOK, "Done."], budgets, components={"tools": [look]})

    result: AgentResult = await run(agent, COMMAND)

    assert result.content == "Done."
    assert (budgets.spent.tokens, budgets.held.tokens) == (2 * USED, 0)
    assert (budgets.names[0], budgets.names[-1]) == ("reserve", "settle")


async def test_a_run_reserves_its_own_limit_or_that_of_the_settings() -> None:
    """Before its first call."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(["One.", "Two."], budgets, reserve_tokens=100)

    await agent.execute(COMMAND)
    await agent.execute(COMMAND.model_copy(update={"limits": Limits(max_total_tokens=60)}))

    assert [amount.tokens for name, amount in budgets.calls if name == "reserve"] == [100, 60]


@EITHER
async def test_over_the_budget_the_model_is_not_asked(run: Any) -> None:
    """The run ends by its limit, and tells the reason of the budgets."""
    budgets = CappedBudgets(tokens=PROMPT)
    agent, model = budgeted([], budgets)

    result: AgentResult = await run(agent, COMMAND)

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert result.error_message == "The budget is used up."
    assert (model.requests, budgets.spent.tokens) == ([], 0)


async def test_the_answer_gets_no_more_room_than_is_held() -> None:
    """Of a cap of 30 the prompt takes 5; the answer may be longer than 25 otherwise."""
    budgets = CappedBudgets(tokens=30)
    agent, model = budgeted(["Hi."], budgets)

    result = await agent.execute(COMMAND)

    assert result.success
    assert model.requests[0].max_output_tokens == 30 - PROMPT


async def test_with_enough_left_the_request_stays_as_it_is() -> None:
    """And the tools may be called."""
    agent, model = budgeted(["Hi."], CappedBudgets(tokens=9999), components={"tools": [look]})

    await agent.execute(COMMAND)

    assert (model.requests[0].max_output_tokens, model.requests[0].tool_choice) == (40, "auto")


async def test_a_run_holds_more_as_it_goes_on() -> None:
    """Past what it has reserved at its start."""
    budgets = CappedBudgets(tokens=10_000)
    turns = [LOOK] * 8 + ["Done."]
    agent, model = budgeted(turns, budgets, reserve_tokens=50, components={"tools": [look]})

    result = await agent.execute(COMMAND)

    assert result.success
    assert {request.max_output_tokens for request in model.requests} == {40}
    assert budgets.spent.tokens == 9 * USED


async def test_with_little_left_the_model_is_asked_for_its_last_answer() -> None:
    """Within all that is left, although it had reserved less; and without tools."""
    budgets = CappedBudgets(tokens=130)
    turns = [LOOK, "Enough."]
    agent, model = budgeted(turns, budgets, reserve_tokens=124, components={"tools": [look]})

    result = await agent.execute(COMMAND)

    last = model.requests[-1]
    assert result.content == "Enough."
    assert last.tool_choice == "none"
    assert last.tools
    assert (last.max_output_tokens, budgets.spent.tokens) == (130 - USED - 93, 2 * USED)


@EITHER
async def test_what_was_said_is_kept_if_nothing_is_left_for_another_call(run: Any) -> None:
    """As at other limits."""
    said = AssistantMessage("I look. ", tuple(LOOK))
    usage = TokenUsage(prompt_tokens=40, completion_tokens=20)
    budgets = CappedBudgets(tokens=130)
    agent, _ = budgeted(
        [ChatResponse(said, usage)], budgets, reserve_tokens=124, components={"tools": [look]}
    )

    result: AgentResult = await run(agent, COMMAND)

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert result.partial_content == "I look. "
    assert (budgets.spent.tokens, budgets.held.tokens) == (60, 0)


@pytest.mark.parametrize(
    "error", [RateLimitError(""), ModelOverloadedError(""), AuthenticationError("")]
)
@EITHER
async def test_a_call_that_the_vendor_refuses_costs_nothing(run: Any, error: Exception) -> None:
    """It has computed nothing."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted([error] * 9, budgets)

    await run(agent, COMMAND)

    assert (budgets.spent.tokens, budgets.held.tokens) == (0, 0)


@EITHER
async def test_retries_are_counted_once_each(run: Any) -> None:
    """The refused one for nothing, the other one as the vendor reports."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted([ModelOverloadedError(""), "Done."], budgets)

    result: AgentResult = await run(agent, COMMAND)

    assert result.success
    assert budgets.spent.tokens == USED


async def test_a_timeout_of_the_vendor_costs_what_was_sent() -> None:
    """It may have computed the answer."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted([ModelTimeoutError("")], budgets, retry={"max_attempts": 1})

    await agent.execute(COMMAND)

    assert budgets.spent.tokens == PROMPT


async def test_a_stream_that_breaks_costs_what_was_sent_and_received() -> None:
    """By the estimator, as no vendor has counted it."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted([BrokenOff("Half of it", ModelOverloadedError(""))], budgets)

    await streamed(agent, COMMAND)

    assert (budgets.spent.tokens, budgets.held.tokens) == (PROMPT + len("Half of it"), 0)


async def test_a_stream_left_early_costs_what_was_sent_and_received() -> None:
    """And gives back the rest."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(["one two three four"], budgets)

    texts = agent.execute_stream(COMMAND)
    first = await anext(texts)
    await texts.aclose()

    received = budgets.spent.tokens - PROMPT
    assert len(first) <= received <= len("one two three four") + USED
    assert budgets.held.tokens == 0


async def test_an_answer_that_no_vendor_counts_is_estimated() -> None:
    """With all that was sent."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(ScriptedChatModel(["Done."], usage=None), budgets)

    await agent.execute(COMMAND)

    assert budgets.spent.tokens == PROMPT + len("Done.")


@EITHER
@pytest.mark.parametrize("usage", [TokenUsage(), TokenUsage(-900, 5), TokenUsage(5, -900)])
async def test_an_answer_that_is_counted_as_nothing_or_less_is_estimated(
    run: Any, usage: TokenUsage
) -> None:
    """And takes back nothing of what the calls before it have spent."""
    budgets = CappedBudgets(tokens=1000)
    turns = [LOOK, ChatResponse(AssistantMessage("Done."), usage)]
    agent, model = budgeted(turns, budgets, components={"tools": [look]})

    await run(agent, COMMAND)

    assert len(model.requests) == 2
    assert budgets.spent.tokens > USED + PROMPT + len("Done.")
    assert budgets.held.tokens == 0


async def test_a_cancelled_call_costs_what_was_sent() -> None:
    """And what the run held is given back before the caller goes on."""
    budgets = CappedBudgets(tokens=1000)
    model = PatientModel(["Late."])
    agent, _ = budgeted(model, budgets)

    task = asyncio.create_task(agent.execute(COMMAND))
    await settle()
    held = budgets.held.tokens
    task.cancel()
    await asyncio.wait((task,))

    assert held > 0
    assert (budgets.spent.tokens, budgets.held.tokens) == (PROMPT, 0)


async def test_a_killed_process_has_counted_what_it_sent() -> None:
    """Before the model answers."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(PatientModel(["Late."]), budgets)

    task = asyncio.create_task(agent.execute(COMMAND))
    await settle()
    spent = budgets.spent.tokens
    task.cancel()
    await asyncio.wait((task,))

    assert spent == PROMPT


async def test_a_deadline_settles_too() -> None:
    """What was sent is counted, and nothing stays held."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(PatientModel(["Late."]), budgets)

    result = await agent.execute(COMMAND.model_copy(update={"limits": Limits(deadline_s=0.01)}))

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert (budgets.spent.tokens, budgets.held.tokens) == (PROMPT, 0)


async def test_repair_calls_are_counted() -> None:
    """They are calls like others."""
    budgets = CappedBudgets(tokens=9999)
    agent, _ = budgeted(["no json", "[1]"], budgets)

    result = await agent.execute(
        COMMAND.model_copy(update={"response_format": ResponseFormat.JSON})
    )

    assert result.success
    assert budgets.spent.tokens == 2 * USED


async def test_an_answer_from_the_cache_costs_nothing() -> None:
    """Nothing is reserved for it."""
    budgets = CappedBudgets(tokens=1000)
    agent, _ = budgeted(["Paris."], budgets, llm={"temperature": 0}, cache={"enabled": True})

    command = COMMAND.model_copy(update={"conversation_history": (UserMessage("Hi"),)})
    await agent.execute(command)
    calls = len(budgets.calls)
    result = await agent.execute(command)

    assert result.cache_hit
    assert len(budgets.calls) == calls


async def test_agents_below_a_run_spend_from_its_reservation() -> None:
    """Those that go on at the same time, too."""
    budgets = CappedBudgets(tokens=100_000)
    model = asking({"boss": ["one", "two", "three"]})
    agents = [agent_of("boss", "one", "two", "three"), *map(agent_of, ("one", "two", "three"))]
    agent, _ = budgeted(model, budgets, components={"agents": agents})

    result = await agent.execute(COMMAND.model_copy(update={"agent": "boss"}))

    assert result.success
    assert (budgets.names.count("reserve"), budgets.names.count("settle")) == (1, 1)
    assert budgets.spent.tokens == 5 * USED


@pytest.mark.parametrize("cap", [200, 300, 400, 600, 1000])
async def test_agents_at_the_same_time_pass_no_cap(cap: int) -> None:
    """Each is asked within what the others leave, and bills what it was allowed."""
    budgets = CappedBudgets(tokens=cap)
    billed: list[int] = []

    def answer(request: ChatRequest) -> Any:
        assert request.max_output_tokens is not None
        prompt = len(request.system_prompt or "") + sum(
            len(getattr(each, "content", "")) for each in request.messages
        )
        billed.append(prompt + request.max_output_tokens)
        return ChatResponse(AssistantMessage("."), TokenUsage(prompt, request.max_output_tokens))

    agent, _ = budgeted(ScriptedChatModel([answer] * 99), budgets)
    async with asyncio.TaskGroup() as group:
        for _ in range(30):
            group.create_task(agent.execute(COMMAND))

    assert sum(billed) == budgets.spent.tokens <= cap
    assert budgets.held.tokens == 0


async def test_without_bounds_the_budgets_are_asked_once() -> None:
    """For a run, however many calls it makes."""

    class Nothing(CappedBudgets):
        async def reserve(self, *args: Any, **named: Any) -> Reserved | BudgetRefused | None:
            self.calls.append(("reserve", named["amount"]))
            return None

    budgets = Nothing(tokens=1)
    agent, model = budgeted([LOOK, LOOK, "Done."], budgets, components={"tools": [look]})

    result = await agent.execute(COMMAND)

    assert result.success
    assert (len(model.requests), budgets.names) == (3, ["reserve"])


async def test_tools_that_are_called_without_a_model_need_no_budget() -> None:
    """They spend none of it."""
    budgets = CappedBudgets(tokens=0)
    agent = scripted_agent(ScriptedChatModel([]), AgentSettings(), budgets=budgets, tools=[look])

    result = await agent.call_tool(LOOK[0], COMMAND)

    assert (result.text, budgets.calls) == ("seen", [])
