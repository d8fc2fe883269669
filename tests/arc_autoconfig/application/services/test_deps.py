"""What a caller hands to a run, through a whole application."""

import logging
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import InjectionError
from arc_autoconfig.testing import ApplicationRunner
from arc_core import (
    AgentErrorCode,
    AgentMode,
    Allowed,
    ConfigurationError,
    Guard,
    GuardRequest,
    GuardResult,
    Inject,
    RunContext,
    RunFinished,
    Tool,
    ToolCall,
    ToolContext,
    decorates,
    service,
    tool,
)
from arc_core.settings import LlmSettings
from arc_core.testing import RecordingHook, ScriptedChatModel
from tests.arc_autoconfig.run_scopes import SEEN, calling


@dataclass(frozen=True)
class CurrentUser:
    """Of the caller's own."""

    name: str


@dataclass(frozen=True)
class Administrator(CurrentUser):
    """A user, too."""


class Customer(BaseModel):
    """Of another kind."""

    number: int


class Basket(NamedTuple):
    """Values, too."""

    size: int


class Account:
    """A class that says nothing of itself."""


ANN = CurrentUser("ann")


@tool
async def look(user: Inject[CurrentUser]) -> str:
    """Looks."""
    SEEN.append(user)
    return "seen"


def application(*register: object, **options: Any) -> Application:
    """An application with what is registered."""
    settings = ArcSettings(_isolated=True)
    return Application(settings, register=register, plugins=False, **options)


async def test_a_tool_gets_it_by_its_type() -> None:
    """In every way to run."""
    async with application(look, *[calling("look")]) as app:
        await app.execute("Hi", deps=ANN)
    for name in ("execute_stream", "stream_events"):
        async with application(look, calling("look")) as app:
            [_ async for _ in getattr(app, name)("Hi", deps=ANN)]
    async with application(look, calling("look")) as app, app.stream("Hi", deps=ANN) as run:
        await run.result()

    assert [ANN] * 4 == SEEN


def test_it_goes_to_runs_without_a_loop() -> None:
    """By `run` and `blocking`."""
    application(look, calling("look")).run("Hi", deps=ANN)
    with application(look, calling("look")).blocking() as blocking:
        blocking.execute("Hi", deps=ANN)
    with application(look, calling("look")).blocking() as blocking:
        list(blocking.stream_events("Hi", deps=ANN))

    assert [ANN] * 3 == SEEN


async def test_the_value_of_a_subclass_fits() -> None:
    """It is what is asked for, and more."""
    root = Administrator("root")
    async with application(look, calling("look")) as app:
        await app.execute("Hi", deps=root)

    assert [root] == SEEN


@pytest.mark.parametrize("value", [Customer(number=1), Basket(2), ANN])
async def test_classes_of_values_need_no_declaration(value: Any) -> None:
    """They are not taken for forgotten components."""

    @tool
    async def ask(wanted: Inject[type(value)]) -> str:  # type: ignore[valid-type]
        """Asks."""
        SEEN.append(wanted)
        return "asked"

    async with application(ask, calling("ask")) as app:
        await app.execute("Hi", deps=value)

    assert [value] == SEEN


async def test_each_run_gets_its_own() -> None:
    """None is left over for the next."""
    async with application(
        look, ScriptedChatModel([[ToolCall("1", "look", "{}")], "."] * 2)
    ) as app:
        await app.execute("Hi", deps=ANN)
        await app.execute("Hi", deps=CurrentUser("bob"))

    assert [ANN, CurrentUser("bob")] == SEEN


async def test_a_run_without_it_ends_before_the_model_is_asked() -> None:
    """With tool, parameter and type."""
    model = calling("look")
    async with application(look, model) as app:
        result = await app.execute("Hi")

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert result.error_message == (
        "The tool 'look' needs a CurrentUser for its parameter 'user', and the run was given none: "
        "call execute(…, deps=CurrentUser(…))."
    )
    assert model.requests == []


async def test_a_stream_without_it_ends_in_the_same_way() -> None:
    """One way of running."""
    async with application(look, calling("look")) as app:
        (text,) = [text async for text in app.execute_stream("Hi")]
        (event,) = [event async for event in app.stream_events("Hi")]

    assert "'look' needs a CurrentUser" in text
    assert isinstance(event, RunFinished)
    assert event.result.error_code is AgentErrorCode.INVALID_INPUT


async def test_a_value_of_another_type_is_told_apart() -> None:
    """By its type; the value is not told."""
    async with application(look, calling("look")) as app:
        result = await app.execute("Hi", deps=Customer(number=4711))

    assert "'look' needs a CurrentUser" in str(result.error_message)
    assert "deps is a Customer" in str(result.error_message)
    assert "4711" not in str(result.error_message)


@pytest.mark.parametrize("options", [{"mode": AgentMode.STANDARD}, {"max_tool_calls": 0}])
async def test_a_run_that_offers_no_tools_needs_nothing(options: Any) -> None:
    """Only what is on offer counts."""
    async with application(look, ScriptedChatModel(["Hello."])) as app:
        result = await app.execute("Hi", **options)

    assert result.unwrap() == "Hello."


async def test_a_parameter_may_do_without_it() -> None:
    """By None, or by its default."""

    @tool
    async def perhaps(user: Inject[CurrentUser | None], other: Inject[CurrentUser] = ANN) -> str:
        """Looks."""
        SEEN.extend([user, other])
        return "seen"

    async with application(perhaps, calling("perhaps")) as app:
        await app.execute("Hi")

    assert [None, ANN] == SEEN


async def test_a_component_of_the_run_gets_it_and_makes_its_tools_need_it() -> None:
    """By the type of a parameter, and in the context."""

    @service(scope="run")
    def open_account(user: CurrentUser, run: RunContext) -> Account:
        SEEN.extend([user, run.deps])
        return Account()

    @tool
    async def pay(account: Inject[Account]) -> str:
        """Pays."""
        return "paid"

    script: list[Any] = [[ToolCall("1", "pay", "{}")], "Done."]
    async with application(pay, open_account, ScriptedChatModel(script)) as app:
        refused = await app.execute("Hi")
        await app.execute("Hi", deps=ANN)

    assert "'pay' needs a CurrentUser for its parameter 'account'" in str(refused.error_message)
    assert [ANN, ANN] == SEEN


async def test_a_context_has_it() -> None:
    """Of a guard, a tool, whatever the class."""
    account = Account()

    class Asking(Guard):
        async def check(self, request: GuardRequest) -> GuardResult:
            SEEN.append(await request.get(Account))
            return Allowed()

    @tool
    async def ask(context: ToolContext) -> str:
        """Asks."""
        SEEN.append(await context.get(Account))
        return "asked"

    async with application(ask, Asking, calling("ask")) as app:
        await app.execute("Hi", deps=account)

    assert [account, account] == SEEN


async def test_a_declared_class_may_be_any() -> None:
    """It is not taken for a forgotten component then; a base of it fits, too."""

    class Person:
        """A base."""

    class User(Person):
        """Anything."""

    @tool
    async def ask(user: Inject[User], person: Inject[Person]) -> str:
        """Asks."""
        SEEN.extend([user, person])
        return "asked"

    user = User()
    async with application(ask, calling("ask"), deps=User) as app:
        await app.execute("Hi", deps=user)

    assert [user, user] == SEEN


@pytest.mark.parametrize(
    ("asked", "declared"), [(Account, ()), (Account, CurrentUser), (Customer, CurrentUser)]
)
async def test_a_component_that_was_forgotten_stops_the_start(asked: Any, declared: Any) -> None:
    """What nothing provides is not taken for deps, unless it was declared or holds values."""

    @tool
    async def ask(wanted: Inject[asked]) -> str:
        """Asks."""
        return "asked"

    app = application(ask, calling("ask"), deps=declared)

    with pytest.raises(ConfigurationError, match="ask, parameter 'wanted'"):
        await app.start()


def test_only_a_class_of_the_programs_own_can_be_declared() -> None:
    """Not what Arc wires."""
    for wrong in (Guard, object, Any, RunContext, LlmSettings):
        with pytest.raises(ConfigurationError, match="cannot be the type of deps"):
            application(deps=wrong)


async def test_a_component_of_the_application_cannot_have_it() -> None:
    """There is none before the first run."""

    @service
    def connect(user: CurrentUser) -> Account:
        return Account()

    app = application(connect, deps=CurrentUser)

    with pytest.raises(InjectionError, match="lives as long as the application"):
        await app.start()


async def test_it_reaches_neither_the_model_nor_result_history_and_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is the caller's and the components' alone."""
    caplog.set_level(logging.DEBUG, logger="arc")
    model, hook = calling("look"), RecordingHook()
    secret = CurrentUser("swordfish")
    async with application(look, model, hook) as app:
        result = await app.execute("Hi", deps=secret, session_id="s")

    assert [secret] == SEEN
    assert "swordfish" not in f"{model.requests} {result} {hook.calls} {caplog.text}"
    assert "swordfish" not in repr(RunContext(run_id="1", deps=secret))


async def test_it_may_be_given_where_nothing_needs_it(caplog: pytest.LogCaptureFixture) -> None:
    """Callers need not know which tools there are; a debug line says so."""
    caplog.set_level(logging.DEBUG, logger="arc")
    async with application(ScriptedChatModel(["Hello."])) as app:
        result = await app.execute("Hi", deps=ANN)

    assert result.unwrap() == "Hello."
    assert "no tool on offer asks for deps" in caplog.text


async def test_the_tool_in_a_wrapper_is_checked_too() -> None:
    """By its name, which a wrapper keeps."""

    @decorates(Tool)
    class Wrapped(Tool):
        def __init__(self, inner: Tool) -> None:
            self.name, self.description = inner.name, inner.description
            self.parameters, self.timeout_s = inner.parameters, inner.timeout_s
            self._inner = inner

        async def call(self, arguments: Any, context: ToolContext) -> object:
            return await self._inner.call(arguments, context)

    async with application(look, Wrapped, calling("look")) as app:
        result = await app.execute("Hi")

    assert "'look' needs a CurrentUser" in str(result.error_message)


def test_a_test_hands_over_its_own() -> None:
    """With the runner."""
    runner = ApplicationRunner().with_deps(Account).with_components(look, calling("look"))

    with pytest.raises(ConfigurationError, match="parameter 'user'"):
        runner.run(lambda app: app.execute("Hi"))
