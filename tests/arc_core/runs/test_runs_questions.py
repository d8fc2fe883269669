"""Questions to users through the runs of an application: rights, answers, logins, agents below."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AgentResult,
    Answer,
    Approve,
    Caller,
    Credential,
    DecisionError,
    DecisionRightError,
    Deny,
    InvalidDecisionError,
    LoginRequest,
    Owner,
    QuestionRequest,
    Request,
    RequestKind,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import DictCredentials

ANN = frozenset({"ann"})
SCHEMA = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


@tool
async def order(context: ToolContext) -> str:
    """Order a shirt."""
    answer = await context.ask("Which size?", SCHEMA)
    return f"ordered size {answer['size']}"


@asynccontextmanager
async def waiting(*parts: Any, says: tuple[Any, ...]) -> AsyncIterator[tuple[Application, Request]]:
    """An application in which ann of acme has asked for what a tool asks about."""
    model = ScriptedChatModel(says)
    settings = ArcSettings(_isolated=True)
    async with Application(settings, register=[model, order, *parts], plugins=False) as app:
        result = await app.execute("Order", user_id="ann", tenant_id="acme")
        yield app, result.waiting[0]


ASKS = ([ToolCall("1", "order", "{}")], "Done.")


async def finish(app: Application, request: Request) -> AgentResult:
    """Read a run to its end."""
    async with app.attach(request.run_id) as run:
        return await run.result()


@pytest.mark.parametrize(
    "by",
    [
        "carol",
        Caller(name="ann", user_ids=ANN, tenant_id="acme"),
        Caller(name="ann", user_ids=ANN, decide=False),
    ],
)
async def test_the_user_answers_without_a_right_to_decide(by: str | Caller) -> None:
    """It is their own question; a name without a key is an operator."""
    async with waiting(says=ASKS) as (app, request):
        await app.decide(request.run_id, request.key, Answer({"size": 40}), by=by)
        result = await finish(app, request)

    assert result.content == "Done."
    assert result.tools_used == ("order",)


@pytest.mark.parametrize(
    "by",
    [
        Caller(name="bob", user_ids=frozenset({"bob"}), decide=True),
        Caller(name="globex", tenant_id="globex", decide=True),
    ],
)
@pytest.mark.parametrize("answer", [Answer({"size": 40}), Deny()])
async def test_a_caller_answers_for_no_other_user(by: Caller, answer: Answer | Deny) -> None:
    """A right to decide about tool calls is none to speak for people."""
    async with waiting(says=ASKS) as (app, request):
        with pytest.raises(DecisionRightError, match="put to the user 'ann'"):
            await app.decide(request.run_id, request.key, answer, by=by)
        left = await app.waiting()

    assert list(left) == [request]


async def test_a_key_that_decides_does_not_see_questions_to_others() -> None:
    """It sees the approvals of its tenant."""
    async with waiting(says=ASKS) as (app, request):
        runs = app.runs
        decider = Caller(name="desk", user_ids=frozenset({"bob"}), tenant_id="acme", decide=True)
        seen = await runs.for_caller(decider).waiting()
        own = await runs.for_caller(Caller(name="ann", user_ids=ANN)).waiting()

    assert list(seen) == []
    assert [each.key for each in own] == [request.key]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer({}), "'size' is a required property"),
        (Answer({"size": "XL"}), "is not of type 'integer'"),
        (Answer({"size": object()}), "JSON cannot carry"),
        (Approve(), "it takes Answer or Deny, and not Approve"),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused(
    answer: Answer | Approve, problem: str
) -> None:
    """Before it is taken; the question stays open."""
    async with waiting(says=ASKS) as (app, request):
        with pytest.raises(InvalidDecisionError, match=problem) as refused:
            await app.decide(request.run_id, request.key, answer, by="ann")
        await app.decide(request.run_id, request.key, Answer({"size": 40}), by="ann")
        result = await finish(app, request)

    assert result.success
    assert refused.value.request.kind is RequestKind.QUESTION
    assert "XL" not in str(refused.value)


async def test_an_agent_below_asks_the_user_of_the_whole_run() -> None:
    """Its question is one of the run that the program has started, and it goes on below."""
    tailor = Agent(name="tailor", description="Sells.", instructions="Sell.", tools=(order,))
    front = Agent(name="front", description="Asks.", instructions="Ask.", delegates=("tailor",))
    says = (
        [ToolCall("1", "ask_tailor", '{"task": "Order a shirt."}')],
        [ToolCall("2", "order", "{}")],
        "It is ordered.",
        "Done.",
    )
    model = ScriptedChatModel(says)
    settings = ArcSettings(_isolated=True)
    async with Application(settings, register=[model, tailor, front], plugins=False) as app:
        result = await app.execute("Order", agent="front", user_id="ann")
        [request] = result.waiting
        await app.decide(result.run_id, request.key, Answer({"size": 40}), by="ann")
        ended = await finish(app, request)

    assert isinstance(request, QuestionRequest)
    assert (request.key, request.agent) == ("tool/0/ask/0/1", "tailor")
    assert ended.content == "Done."
    assert len(model.requests) == 4


@tool
async def list_issues(context: ToolContext) -> str:
    """List the issues of the user."""
    found = await context.credential("github")
    return found.token.get_secret_value()


@asynccontextmanager
async def logging_in() -> AsyncIterator[tuple[Application, DictCredentials, list[str]]]:
    """An application in which ann twice, and bob once, have to log in."""
    kept = DictCredentials()
    model = ScriptedChatModel([[ToolCall("1", "list_issues", "{}")]] * 3 + ["Done."] * 3)
    settings = ArcSettings(_isolated=True)
    parts = [model, list_issues, kept]
    async with Application(settings, register=parts, plugins=False) as app:
        runs = [await app.execute("List", user_id=name) for name in ("ann", "ann", "bob")]
        yield app, kept, [each.run_id for each in runs]


async def test_a_login_lets_all_runs_of_its_user_go_on() -> None:
    """Those of others wait on."""
    async with logging_in() as (app, kept, [first, second, other]):
        await kept.put(Owner(user_id="ann"), "github", Credential(token=SecretStr("t")))
        ended = await app.runs.end_logins("github", user_id="ann", tenant_id=None)
        for run_id in (first, second):
            async with app.attach(run_id) as run:
                assert (await run.result()).content == "Done."
        left = await app.waiting()

    assert ended == 2
    assert [(each.run_id, each.tool) for each in left] == [(other, "list_issues")]


async def test_a_login_of_another_service_ends_nothing() -> None:
    """Nor does one of the same user in another tenant."""
    async with logging_in() as (app, _, _):
        ended = [
            await app.runs.end_logins("gitlab", user_id="ann", tenant_id=None),
            await app.runs.end_logins("github", user_id="ann", tenant_id="acme"),
        ]
        left = await app.waiting()

    assert ended == [0, 0]
    assert len(left) == 3


async def test_a_login_ends_the_runs_of_its_tenant_however_that_is_written() -> None:
    """Blanks around a name make no other owner of the credential, and no other run."""
    model = ScriptedChatModel([[ToolCall("1", "list_issues", "{}")], "Done."])
    owner, found = Owner(user_id="ann", tenant_id="acme"), Credential(token=SecretStr("t"))
    parts = [model, list_issues, DictCredentials()]
    async with Application(ArcSettings(_isolated=True), register=parts, plugins=False) as app:
        await app.execute("List", user_id=" ann ", tenant_id=" acme ")
        [waiting] = await app.waiting()
        await app.credentials.put(owner, "github", found)
        left = await app.waiting()

    assert isinstance(waiting, LoginRequest)
    assert list(left) == []


async def test_a_login_cannot_be_claimed() -> None:
    """A person can deny it, and else only logs in."""
    async with logging_in() as (app, _, [run_id, *_]):
        with pytest.raises(DecisionError, match="waits for a login"):
            await app.decide(run_id, "login/0/1", Answer(), by="ann")
        await app.decide(run_id, "login/0/1", Deny(), by="ann")
        left = await app.waiting()

    assert len(left) == 2
