"""Questions of tools to the user: the run waits for the answer, and the tool begins anew."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Answer,
    AnswerRequested,
    Decision,
    Deny,
    QuestionRequest,
    RunFinished,
    RunSuspended,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResultMessage,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings, ApprovalsSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="Pay.", user_id="ann", tenant_id="acme")
SCHEMA = {"type": "object", "properties": {"account": {"type": "string"}}, "required": ["account"]}


class Shop:
    """Tools that ask, and what they have done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.keys: list[str] = []
        self.look = tool(name="look")(self._look)
        self.pay = tool(name="pay")(self._pay)

    async def _look(self) -> str:
        """Look."""
        self.done.append("look")
        return "seen"

    async def _pay(self, amount: int, context: ToolContext) -> str:
        """Pay."""
        self.keys.append(context.idempotency_key)
        answer = await context.ask("Which account?", SCHEMA)
        self.done.append(f"pay {amount} from {answer['account']}")
        return "paid"


async def begin(
    *turns: Any, tools: tuple[Any, ...], **parts: Any
) -> tuple[DictRunJournals, AgentResult]:
    """Run an agent whose model says these, until it waits."""
    journals = DictRunJournals()
    agent = scripted_agent(ScriptedChatModel(turns), tools=tools, run_journals=journals, **parts)
    await agent.start()
    return journals, await agent.execute(COMMAND)


async def decide(
    journals: DictRunJournals, result: AgentResult, answer: Answer | Deny, *, key: str = "ask/0/1"
) -> AgentResult:
    """Decide one of the requests, and take the run up to its end."""
    decision = Decision(answer=answer, by="ann", at=datetime.now(UTC))
    await journals.decide(result.run_id, key, decision)
    return await journals.take_up(result.run_id)


async def decide_first(
    journals: DictRunJournals, result: AgentResult, answer: Answer, *, key: str = "ask/0/1"
) -> list[str]:
    """Decide one of several requests; return the keys of those for which the run waits now."""
    with pytest.raises(RunSuspended) as suspended:
        await decide(journals, result, answer, key=key)
    return [each.key for each in suspended.value.requests]


def results_of(result: AgentResult) -> Mapping[str, tuple[ToolOutcome, str]]:
    """How the calls of a run have ended."""
    told = (each for each in result.messages if isinstance(each, ToolResultMessage))
    return {each.name: (each.outcome, each.text) for message in told for each in message.results}


PAY = ToolCall("c1", "pay", '{"amount": 3}')


async def test_a_run_waits_for_the_answer_of_the_user() -> None:
    """The request names the run, the call and the question; other calls of the turn are made."""
    shop = Shop()

    _, result = await begin([PAY, ToolCall("c2", "look", "{}")], tools=(shop.pay, shop.look))

    [request] = result.waiting
    assert isinstance(request, QuestionRequest)
    assert (request.run_id, request.key, request.tool) == (result.run_id, "ask/0/1", "pay")
    assert (request.text, request.schema) == ("Which account?", SCHEMA)
    assert (request.user_id, request.tenant_id) == ("ann", "acme")
    assert request.arguments == {"amount": 3}
    assert shop.done == ["look"]


async def test_the_tool_begins_anew_with_the_answer() -> None:
    """With the same key, and what was done before is not done again."""
    shop = Shop()
    calls = [PAY, ToolCall("c2", "look", "{}")]
    journals, result = await begin(calls, "Done.", tools=(shop.pay, shop.look))

    ended = await decide(journals, result, Answer({"account": "A1"}))

    assert ended.content == "Done."
    assert shop.done == ["look", "pay 3 from A1"]
    assert len(shop.keys) == 2
    assert len(set(shop.keys)) == 1


async def test_a_denied_question_is_told_to_the_model() -> None:
    """In words that say who denied what, and why."""
    shop = Shop()
    journals, result = await begin([PAY], "Done.", tools=(shop.pay,))

    ended = await decide(journals, result, Deny("ask my bank"))

    outcome, text = results_of(ended)["pay"]
    assert outcome is ToolOutcome.FAILED
    assert text == "Error: The question to the user was denied: ask my bank"
    assert shop.done == []


async def test_questions_are_asked_in_their_order_and_once() -> None:
    """Each answer is given to its own question in every later attempt at the call."""
    answers: list[list[str]] = []

    @tool
    async def travel(context: ToolContext) -> str:
        """Travel."""
        answers.append([])
        for question in ("Where from?", "Where to?"):
            answers[-1].append((await context.ask(question))["answer"])
        return "booked"

    journals, result = await begin([ToolCall("c1", "travel", "{}")], "Done.", tools=(travel,))
    waiting = await decide_first(journals, result, Answer({"answer": "Rome"}))
    ended = await decide(journals, result, Answer({"answer": "Oslo"}), key="ask/0/2")

    assert waiting == ["ask/0/2"]
    assert answers == [[], ["Rome"], ["Rome", "Oslo"]]
    assert ended.content == "Done."


async def test_calls_of_a_turn_ask_at_once() -> None:
    """The user can answer them in any order."""
    shop = Shop()
    calls = [PAY, ToolCall("c2", "pay", '{"amount": 5}')]
    journals, result = await begin(calls, "Done.", tools=(shop.pay,))

    waiting = await decide_first(journals, result, Answer({"account": "B"}), key="ask/1/1")
    ended = await decide(journals, result, Answer({"account": "A"}))

    assert [each.key for each in result.waiting] == ["ask/0/1", "ask/1/1"]
    assert waiting == ["ask/0/1"]
    assert shop.done == ["pay 5 from B", "pay 3 from A"]
    assert ended.success


async def test_a_tool_that_is_called_once_may_ask_before_its_effect() -> None:
    """What has ended with a question was not interrupted."""
    shop = Shop()
    pay = tool(name="pay", once=True)(shop._pay)
    journals, result = await begin([PAY], "Done.", tools=(pay,))

    ended = await decide(journals, result, Answer({"account": "A1"}))

    assert results_of(ended)["pay"] == (ToolOutcome.SUCCESS, "paid")


async def test_an_effect_that_has_begun_is_not_repeated() -> None:
    """A process that ends after `begin` leaves a call of which the outcome is not known."""
    effects: list[str] = []

    @tool
    async def send(context: ToolContext) -> str:
        """Send."""
        await context.ask("Sure?")
        await context.begin()
        effects.append("sent")
        return "sent"

    journals, result = await begin([ToolCall("c1", "send", "{}")], "Done.", tools=(send,))
    record = journals.records[result.run_id]
    record.texts["tool/0/begun/2"] = '{"type":"step","value":{"type":"begun","life":"dead"}}'

    ended = await decide(journals, result, Answer({"answer": "yes"}))

    outcome, _ = results_of(ended)["send"]
    assert outcome is ToolOutcome.INTERRUPTED
    assert effects == []


async def test_a_tool_asks_nothing_after_its_effect_has_begun() -> None:
    """It would be repeated when the run goes on."""

    @tool
    async def send(context: ToolContext) -> str:
        """Send."""
        await context.begin()
        return str(await context.ask("Sure?"))

    _, result = await begin([ToolCall("c1", "send", "{}")], "Done.", tools=(send,))

    assert result.waiting == ()
    assert results_of(result)["send"] == (ToolOutcome.FAILED, "Error: Tool 'send' failed")


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        (" ", None),
        ("x" * 5000, None),
        ("Where?", {"type": "objekt"}),
        ("Where?", {"type": "string"}),
        ("Where?", {"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}),
    ],
)
async def test_a_question_that_cannot_be_put_fails_the_call(
    text: str, schema: Mapping[str, Any] | None
) -> None:
    """The author of the tool reads why in the log; the run goes on."""

    @tool
    async def lookup(context: ToolContext) -> str:
        """Look up."""
        with pytest.raises(ValueError, match=r"question has|schema"):
            await context.ask(text, schema)
        return "refused"

    _, result = await begin([ToolCall("c1", "lookup", "{}")], "Done.", tools=(lookup,))

    assert results_of(result)["lookup"] == (ToolOutcome.SUCCESS, "refused")


async def test_a_question_that_is_not_answered_in_time_is_denied() -> None:
    """After `approvals.expire_s`, as every request."""
    shop = Shop()
    settings = AgentSettings(approvals=ApprovalsSettings(expire_s=60))

    _, result = await begin([PAY], tools=(shop.pay,), settings=settings)

    [request] = result.waiting
    assert request.until is not None
    assert (request.until - request.since).total_seconds() == 60


async def test_readers_are_told_of_a_question() -> None:
    """Before the end of the run, with the request."""
    journals = DictRunJournals()
    agent: ReActAgentExecutor = scripted_agent(
        ScriptedChatModel([[PAY]]), tools=(Shop().pay,), run_journals=journals
    )
    await agent.start()

    events = [event async for event in agent.stream_events(COMMAND)]

    [told] = [each for each in events if isinstance(each, AnswerRequested)]
    assert told.request.text == "Which account?"


async def test_a_suspension_that_a_tool_swallows_leaves_the_run_all_the_same() -> None:
    """A tool cannot go on without the answer, whatever it catches."""

    @tool
    async def stubborn(context: ToolContext) -> str:
        """Ask."""
        try:
            await context.ask("Well?")
        except BaseException:  # noqa: BLE001 -- that is the case
            return "went on"
        return "answered"

    _, result = await begin([ToolCall("c1", "stubborn", "{}")], "Done.", tools=(stubborn,))

    assert [each.key for each in result.waiting] == ["ask/0/1"]


async def test_an_answer_is_not_taken_for_another_question() -> None:
    """A tool that asks otherwise when it is called again, as one of another program may, fails."""
    names = iter(("account", "password"))

    @tool
    async def pay(context: ToolContext) -> str:
        """Pay."""
        answer = await context.ask("Which?", {"type": "object", "title": next(names)})
        return str(answer)

    journals, waiting = await begin([ToolCall("c-1", "pay", "{}")], "Done.", tools=(pay,))
    result = await decide(journals, waiting, Answer({"account": "7"}))

    [message] = [each for each in result.messages if isinstance(each, ToolResultMessage)]
    assert message.results[0].outcome is ToolOutcome.FAILED
    assert "another question" in message.results[0].text


async def test_a_question_holds_the_call_for_who_answers_at_once() -> None:
    """The tool goes on in the same call, and is not called again."""
    shop, journals = Shop(), DictRunJournals()

    @tool
    async def pay(context: ToolContext) -> str:
        """Pay."""
        shop.done.append("asked")
        return str((await context.ask("Which account?", SCHEMA, hold_s=60))["account"])

    model = ScriptedChatModel([[ToolCall("c1", "pay", "{}")], "Done."])
    agent = scripted_agent(model, tools=(pay,), run_journals=journals)
    await agent.start()
    async for event in agent.stream_events(COMMAND):
        if isinstance(event, AnswerRequested):
            decision = Decision(answer=Answer({"account": "A1"}), by="ann", at=datetime.now(UTC))
            await journals.decide(event.request.run_id, "ask/0/1", decision)

    assert isinstance(event, RunFinished)
    assert results_of(event.result)["pay"][1] == "A1"
    assert shop.done == ["asked"]


async def test_a_time_limit_that_ends_while_a_call_is_held_lets_the_run_wait() -> None:
    """The question is not lost, and the call has no result."""
    journals = DictRunJournals()

    @tool(timeout_s=0.01)
    async def pay(context: ToolContext) -> str:
        """Pay."""
        return str((await context.ask("Which account?", SCHEMA, hold_s=60))["account"])

    model = ScriptedChatModel([[ToolCall("c1", "pay", "{}")]])
    agent = scripted_agent(model, tools=(pay,), run_journals=journals)
    await agent.start()
    events = [event async for event in agent.stream_events(COMMAND)]

    assert isinstance(events[-1], RunFinished)
    assert [each.key for each in events[-1].result.waiting] == ["ask/0/1"]
