"""Credentials of users in tool calls: the run waits for a login, and goes on with it."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from arc_core import (
    AgentCommand,
    Answer,
    Credential,
    CredentialError,
    Credentials,
    Decision,
    Deny,
    LoginNeeded,
    LoginRequest,
    Owner,
    RunSuspended,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResultMessage,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import DictCredentials
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="List my issues.", user_id="ann", tenant_id="acme")
ANN = Owner(user_id="ann", tenant_id="acme")
OLD, NEW = (Credential(token=SecretStr(each)) for each in ("old-token", "new-token"))


class World:
    """A run whose tool acts for ann at a service that takes one token."""

    def __init__(self, credentials: Credentials | None = None) -> None:
        self.kept = DictCredentials()
        self.journals, self.used = DictRunJournals(), list[str]()
        self.agent = scripted_agent(
            ScriptedChatModel([[ToolCall("c1", "list_issues", "{}")], "Done."]),
            tools=(tool(name="list_issues")(self._list_issues),),
            run_journals=self.journals,
            credentials=self.kept if credentials is None else credentials,
        )

    async def _list_issues(self, context: ToolContext) -> str:
        """List the issues of the user."""
        found = await context.credential("github", rejected=None)
        self.used.append(found.token.get_secret_value())
        if found == OLD:
            found = await context.credential("github", rejected=found)
            self.used.append(found.token.get_secret_value())
        return "no issues"

    async def run(self) -> Any:
        """Run until it waits or ends."""
        await self.agent.start()
        return await self.agent.execute(COMMAND)

    async def decide(self, run_id: str, answer: Answer | Deny, *, login: int = 1) -> Any:
        """End a login, and take the run up."""
        decision = Decision(answer=answer, by="ann", at=datetime.now(UTC))
        await self.journals.decide(run_id, f"login/0/{login}", decision)
        return await self.journals.take_up(run_id)


def outcomes(result: Any) -> list[tuple[ToolOutcome, str]]:
    """How the calls of a run have ended."""
    told = (each for each in result.messages if isinstance(each, ToolResultMessage))
    return [(each.outcome, each.text) for message in told for each in message.results]


async def test_a_credential_is_that_of_the_user() -> None:
    """The user is not asked if there is one."""
    world = World()
    await world.kept.put(ANN, "github", NEW)
    await world.kept.put(Owner(user_id="ann"), "github", OLD)

    result = await world.run()

    assert result.success
    assert world.used == ["new-token"]


async def test_a_run_waits_for_a_login() -> None:
    """The request has the address at which the user logs in."""
    world = World()

    result = await world.run()

    [request] = result.waiting
    assert isinstance(request, LoginRequest)
    assert (request.key, request.service) == ("login/0/1", "github")
    assert request.url == "https://arc.example/oauth/login/1"
    assert (request.user_id, request.tenant_id) == ("ann", "acme")
    assert world.used == []


async def test_a_run_goes_on_with_the_credential_of_a_login() -> None:
    """The tool is called again, and gets it at once."""
    world = World()
    waiting = await world.run()
    await world.kept.put(ANN, "github", NEW)

    result = await world.decide(waiting.run_id, Answer())

    assert result.content == "Done."
    assert world.used == ["new-token"]


async def test_a_rejected_credential_needs_another_login() -> None:
    """The tool tells what the service has refused."""
    world = World()
    await world.kept.put(ANN, "github", OLD)

    waiting = await world.run()
    await world.kept.put(ANN, "github", NEW)
    result = await world.decide(waiting.run_id, Answer())

    assert [each.service for each in waiting.waiting] == ["github"]
    assert world.used == ["old-token", "new-token"]
    assert result.success


class RefusingWorld(World):
    """At a service that refuses all tokens."""

    async def _list_issues(self, context: ToolContext) -> str:
        """List the issues of the user."""
        found = await context.credential("github")
        while True:
            found = await context.credential("github", rejected=found)


async def test_a_call_waits_for_five_logins_at_most() -> None:
    """The user is not sent again and again to a service that refuses what it has given."""
    world = RefusingWorld()
    run_id = (await world.run()).run_id

    for login in range(1, 6):
        await world.kept.put(ANN, "github", Credential(token=SecretStr(f"token-{login}")))
        with suppress(RunSuspended):
            await world.decide(run_id, Answer(), login=login)

    [(outcome, _)] = outcomes(world.journals.results[run_id])
    assert outcome is ToolOutcome.FAILED


class LateCredentials(DictCredentials):
    """Have a credential from the second question on."""

    async def get(self, owner: Owner, service: str, **options: Any) -> Credential | LoginNeeded:
        """As for a user who logs in for another run at the same time."""
        found = await super().get(owner, service, **options)
        await self.put(owner, service, NEW)
        return found


async def test_a_login_that_ends_while_it_is_asked_for_is_found() -> None:
    """Nothing else would end the request of this run."""
    world = World(LateCredentials())

    result = await world.run()

    assert result.content == "Done."
    assert world.used == ["new-token"]


async def test_a_denied_login_is_told_to_the_model() -> None:
    """It goes on without the service."""
    world = World()
    waiting = await world.run()

    result = await world.decide(waiting.run_id, Deny("not with my account"))

    [(outcome, text)] = outcomes(result)
    assert outcome is ToolOutcome.FAILED
    assert text == "Error: The login at github was denied: not with my account"


class BrokenCredentials(DictCredentials):
    """Fail with an error, known or not."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def get(self, owner: Owner, service: str, **options: Any) -> Credential | LoginNeeded:
        """Raise it."""
        raise self.error


@pytest.mark.parametrize(
    "error", [CredentialError("it does not answer", service="github"), OSError("s3cret-token")]
)
async def test_without_a_credential_nothing_is_done(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """The call fails closed, and the model reads nothing of the error."""
    world = World(BrokenCredentials(error))

    result = await world.run()

    assert outcomes(result) == [(ToolOutcome.FAILED, "Error: Tool 'list_issues' failed")]
    assert world.used == []
    assert "credential" in caplog.text


async def test_tokens_are_in_no_record() -> None:
    """A journal keeps that a login was needed, and not what it gave."""
    world = World()
    await world.kept.put(ANN, "github", OLD)
    waiting = await world.run()
    await world.kept.put(ANN, "github", NEW)

    result = await world.decide(waiting.run_id, Answer())

    texts = [*world.journals.records[result.run_id].texts.values(), repr(result)]
    assert [text for text in texts if "-token" in text] == []
