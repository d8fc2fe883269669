"""Guards: in order, on normalised texts, fail-closed, and never skipped."""

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Allowed,
    FaultSource,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
    UserMessage,
)
from arc_core.settings import AgentSettings, GuardSettings, LlmSettings
from arc_core.testing import (
    FixedRetriever,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)

SECRET = "password=hunter2"


class Answering(Guard):
    """Gives one answer, and remembers what it was asked."""

    def __init__(self, answer: Any = None) -> None:
        self._answer = answer or Allowed()
        self.requests: list[GuardRequest] = []

    async def check(self, request: GuardRequest) -> GuardResult:
        self.requests.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        answer: GuardResult = self._answer
        return answer


async def guarded(*guards: Guard, prompt: str = "Hello", **command: Any) -> AgentResult:
    """The result of a run behind guards."""
    agent = scripted_agent(ScriptedChatModel(["Hello!"]), guards=guards)
    return await agent.execute(AgentCommand(user_prompt=prompt, **command))


async def test_guards_are_asked_in_order_on_the_normalised_text() -> None:
    """Each guard sees what the one before it made of the prompt."""
    first, second, third = Answering(Allowed("hello")), Answering(), Answering()

    await guarded(first, second, third, prompt="H e l l o")

    texts = [guard.requests[0].text for guard in (first, second, third)]
    assert texts == ["H e l l o", "hello", "hello"]


async def test_the_first_rejection_ends_the_run() -> None:
    """Later guards are not asked, the model neither; the reason is for the person who asked."""
    never = Answering()

    result = await guarded(
        Answering(Rejected("Not about that.", RejectionCategory.OFF_TOPIC)), never
    )

    assert result.error_code is AgentErrorCode.GUARD_REJECTED
    assert result.error_message == "Not about that."
    assert never.requests == []


@pytest.mark.parametrize("category", RejectionCategory)
async def test_the_category_decides_about_the_code(category: RejectionCategory) -> None:
    """A limit and a guard whose own means are away have codes; all else is GUARD_REJECTED."""
    result = await guarded(Answering(Rejected("No.", category)))

    codes = {
        RejectionCategory.RATE_LIMITED: AgentErrorCode.RATE_LIMITED,
        RejectionCategory.SYSTEM_ERROR: AgentErrorCode.UNAVAILABLE,
    }
    assert result.error_code is codes.get(category, AgentErrorCode.GUARD_REJECTED)


async def test_an_unavailable_guard_says_so_in_words_for_people() -> None:
    """Without a reason of its own, the text is that of UNAVAILABLE, not of a bad prompt."""
    result = await guarded(Answering(Rejected("", RejectionCategory.SYSTEM_ERROR)))

    assert result.error_message == "It ended with UNAVAILABLE."


async def test_an_unavailable_guard_counts_as_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    """It rejects without having looked: it is counted, and a warning names it."""
    metrics = RecordingMetrics()
    guard = Answering(Rejected("", RejectionCategory.SYSTEM_ERROR))
    agent = scripted_agent(ScriptedChatModel([]), guards=(guard,), agent_metrics=metrics)

    await agent.execute(AgentCommand(user_prompt="Hello"))

    assert metrics.faults == [FaultSource.GUARD]
    warnings = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert [vars(each)["guard"] for each in warnings] == ["Answering"]


async def test_a_rejection_is_not_a_fault() -> None:
    """A guard that looked and said no has done its work."""
    metrics = RecordingMetrics()
    guard = Answering(Rejected("No.", RejectionCategory.OFF_TOPIC))
    agent = scripted_agent(ScriptedChatModel([]), guards=(guard,), agent_metrics=metrics)

    await agent.execute(AgentCommand(user_prompt="Hello"))

    assert metrics.faults == []


async def test_a_rejection_without_a_reason_has_a_message() -> None:
    """Where a guard says nothing, the resolver does."""
    result = await guarded(Answering(Rejected("", RejectionCategory.INVALID_INPUT)))

    assert result.error_message == "It ended with GUARD_REJECTED."


@pytest.mark.parametrize("answer", [RuntimeError(SECRET), TimeoutError(SECRET), True, "yes"])
async def test_a_guard_that_does_not_work_rejects(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    """Raising and answering with anything but the two results keeps out, with a generic text."""
    metrics = RecordingMetrics()
    agent = scripted_agent(
        ScriptedChatModel([]), guards=(Answering(answer),), agent_metrics=metrics
    )

    result = await agent.execute(AgentCommand(user_prompt="Hello"))

    assert result.error_code is AgentErrorCode.GUARD_REJECTED
    assert result.error_message == "It ended with GUARD_REJECTED."
    assert metrics.faults == [FaultSource.GUARD]
    assert {record.levelno for record in caplog.records if record.name == "arc.guards"} == {
        logging.ERROR
    }


@pytest.mark.parametrize("user_id", [None, "", " ", "\t\n"])
async def test_a_run_without_a_user_is_anonymous_and_guarded(user_id: str | None) -> None:
    """A missing or blank user id is one bucket, and no guard is skipped for it."""
    guard = Answering()

    await guarded(guard, user_id=user_id)

    assert guard.requests[0].user_id == "anonymous"


async def test_a_guard_sees_who_asks() -> None:
    """The request carries the command's fields and the system prompt."""
    guard = Answering()

    await guarded(
        guard,
        user_id=" ann ",
        session_id=7,
        tenant_id="acme",
        metadata={"channel": "web"},
        system_prompt="Be brief.",
    )

    assert guard.requests == [
        GuardRequest(
            text="Hello",
            user_id="ann",
            session_id="7",
            tenant_id="acme",
            metadata={"channel": "web"},
            system_prompt="Be brief.",
        )
    ]


async def test_a_guard_sees_the_configured_system_prompt() -> None:
    """A command without instructions has those of the settings."""
    guard = Answering()
    settings = AgentSettings(llm=LlmSettings(system_prompt="You are Ann's."))
    agent = scripted_agent(ScriptedChatModel(["Hi."]), settings, guards=(guard,))

    await agent.execute(AgentCommand(user_prompt="Hello"))

    assert guard.requests[0].system_prompt == "You are Ann's."


@pytest.mark.parametrize(("forwards", "seen"), [(True, "hello"), (False, "H e l l o")])
async def test_the_normalised_text_goes_on_if_the_settings_say_so(
    *, forwards: bool, seen: str
) -> None:
    """With `guard.forward_normalized` hooks, retrieval, model and history have the new text."""
    model, hook, retriever = ScriptedChatModel(["Hi."]), RecordingHook(), _Listening()
    agent = scripted_agent(
        model,
        AgentSettings(guard=GuardSettings(forward_normalized=forwards)),
        guards=(Answering(Allowed("hello")),),
        hooks=(hook,),
        retriever=retriever,
    )

    await agent.execute(AgentCommand(user_prompt="H e l l o"))

    assert model.requests[0].messages == (UserMessage(seen),)
    assert retriever.queries == [seen]
    assert getattr(hook.calls[0][1], "user_prompt", None) == seen


class _Listening(FixedRetriever):
    """Remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.queries: list[str] = []

    async def retrieve(self, query: str, *, limit: int, filter: Mapping[str, str] = {}) -> Any:
        self.queries.append(query)
        return await super().retrieve(query, limit=limit)
