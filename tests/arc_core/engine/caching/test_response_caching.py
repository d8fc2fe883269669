"""Kept answers: which runs get one, and what they get."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    CachedResponse,
    CacheLookup,
    Document,
    FinishReason,
    Rejected,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
    TokenUsage,
    ToolCall,
    ToolContext,
    UserMessage,
    identity_of,
    tool,
)
from arc_core.interfaces.guards.guard import Allowed, Guard, GuardRequest
from arc_core.settings import AgentSettings, CacheSettings, LlmSettings, RagPlace, RagSettings
from arc_core.testing import (
    DictResponseCache,
    FixedRetriever,
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from tests.arc_core.engine.caching_agents import caching_agent, question


@tool
def look_up() -> str:
    """Look the city up."""
    return "Seoul"


CALL = [ToolCall("1", "look_up", "{}")]
SAME_HISTORY: dict[str, Any] = {"conversation_history": (UserMessage("Hi"),)}


async def asked_twice(
    first: AgentCommand, second: AgentCommand, **options: Any
) -> tuple[AgentResult, bool]:
    """The second result, and whether it was a hit."""
    agent, model = caching_agent(["first", "second"], **options)
    await agent.execute(first)
    result = await agent.execute(second)
    return result, len(model.requests) == 1


async def test_the_same_question_is_answered_without_the_model() -> None:
    """A hit says so, costs no tokens, and names the tools of the run that made it."""
    agent, model = caching_agent([CALL, "Seoul"], tools=(look_up,))

    first = await agent.execute(question(**SAME_HISTORY))
    second = await agent.execute(question(**SAME_HISTORY))

    assert len(model.requests) == 2
    assert (first.content, first.cache_hit) == ("Seoul", False)
    assert (second.content, second.cache_hit) == ("Seoul", True)
    assert second.token_usage == TokenUsage(0, 0)
    assert second.tools_used == ("look_up",)
    assert second.finish_reason is FinishReason.STOP
    assert second.messages[-1] == AssistantMessage("Seoul")


async def test_a_hit_is_a_run_like_any_other() -> None:
    """It is saved, told to the hooks and measured."""
    hook, history, metrics = RecordingHook(), ListConversationManager(), RecordingMetrics()
    agent, _ = caching_agent(
        ["Seoul"], hooks=(hook,), conversation_manager=history, agent_metrics=metrics
    )
    await agent.execute(question(**SAME_HISTORY))
    hook.calls.clear()
    history.messages.clear()

    await agent.execute(question(**SAME_HISTORY))

    assert hook.names == ["before_agent_start", "after_agent_complete"]
    assert hook.response.content == "Seoul"
    assert history.messages == [UserMessage("Which city?"), AssistantMessage("Seoul")]
    assert metrics.cache_lookups == [CacheLookup.MISS, CacheLookup.HIT]
    assert len(metrics.runs) == 2
    assert len(metrics.model_calls) == 1


async def test_what_is_kept_is_the_answer_before_the_filters() -> None:
    """A hit passes the filters anew, so that a changed policy holds at once."""

    class Marking(ResponseFilter):
        mark = "!"

        async def filter(self, content: str, context: ResponseFilterContext) -> str:
            return content + self.mark

    cache, marking = DictResponseCache(), Marking()
    agent, _ = caching_agent(
        [CALL, "Seoul"],
        tools=(look_up,),
        response_cache=cache,
        response_filter_chain=ResponseFilterChain([marking]),
    )
    await agent.execute(question(**SAME_HISTORY))
    marking.mark = "?"

    result = await agent.execute(question(**SAME_HISTORY))

    kept = CachedResponse(content="Seoul", tools_used=("look_up",), token_usage=TokenUsage(20, 10))
    assert list(cache.responses.values()) == [kept]
    assert result.content == "Seoul?"


@pytest.mark.parametrize(
    ("of_command", "of_settings", "allowed", "is_hit"),
    [
        (0.0, None, 0.0, True),
        (None, 0.0, 0.0, True),
        (0.3, None, 0.5, True),
        (0.5, None, 0.5, True),
        (0.8, None, 0.5, False),
        (0.1, None, 0.0, False),
        (None, None, 2.0, False),
        (0.8, 0.0, 0.5, False),
        (0.0, 0.8, 0.5, True),
    ],
)
async def test_the_temperature_decides(
    of_command: float | None, of_settings: float | None, allowed: float, *, is_hit: bool
) -> None:
    """It must be known and low enough, and the command's goes before that of the settings."""
    asked = question(temperature=of_command, **SAME_HISTORY)

    _, was_hit = await asked_twice(
        asked, asked, temperature=of_settings, cache={"cacheable_temperature": allowed}
    )

    assert was_hit is is_hit


async def test_nothing_is_kept_until_it_is_switched_on() -> None:
    """A cache that is there is not asked while `cache.enabled` is false."""
    cache = DictResponseCache()

    _, was_hit = await asked_twice(
        question(**SAME_HISTORY),
        question(**SAME_HISTORY),
        response_cache=cache,
        cache={"enabled": False},
    )

    assert (was_hit, cache.responses) == (False, {})


async def test_streams_neither_give_nor_get() -> None:
    """A stream asks the model even if an answer is kept, and keeps none."""
    cache = DictResponseCache()
    agent, model = caching_agent(["one", "two", "three"], response_cache=cache)

    pieces = [piece async for piece in agent.execute_stream(question(**SAME_HISTORY))]
    assert cache.responses == {}
    await agent.execute(question(**SAME_HISTORY))
    pieces += [piece async for piece in agent.execute_stream(question(**SAME_HISTORY))]

    assert pieces == ["one", "three"]
    assert len(model.requests) == 3


SCOPES = [
    ("user", {}, {}, True),
    ("user", {}, {"user_id": "bob"}, False),
    ("user", {}, {"tenant_id": "acme"}, False),
    ("user", {"user_id": None}, {"user_id": " "}, True),
    ("user", {"tenant_id": None}, {"tenant_id": ""}, True),
    ("user", {"tenant_id": "a", "user_id": "b c"}, {"tenant_id": "a b", "user_id": "c"}, False),
    ("tenant", {}, {"user_id": "bob"}, True),
    ("tenant", {"tenant_id": "acme"}, {"tenant_id": "emca"}, False),
    ("global", {"tenant_id": "acme"}, {"tenant_id": "emca", "user_id": "bob"}, True),
]


@pytest.mark.parametrize(("scope", "one", "other", "is_hit"), SCOPES)
async def test_the_scope_says_who_shares(
    scope: str, one: dict[str, Any], other: dict[str, Any], *, is_hit: bool
) -> None:
    """By default a user shares with no other user; all runs without a user are one user."""
    _, was_hit = await asked_twice(
        question(**SAME_HISTORY | one), question(**SAME_HISTORY | other), cache={"scope": scope}
    )

    assert was_hit is is_hit


IDS = st.none() | st.text(alphabet='ab ",\\', max_size=3)


@pytest.mark.slow
@given(st.tuples(IDS, IDS), st.tuples(IDS, IDS))
async def test_two_users_never_share_an_answer(
    one: tuple[str | None, str | None], other: tuple[str | None, str | None]
) -> None:
    """At the default scope an answer is given again to the same user of the same tenant only."""
    first, second = (
        question(tenant_id=tenant_id, user_id=user_id, **SAME_HISTORY)
        for tenant_id, user_id in (one, other)
    )

    _, was_hit = await asked_twice(first, second)

    def bucket(tenant_id: str | None, user_id: str | None) -> tuple[str, str]:
        return (tenant_id or "").strip(), identity_of(user_id)

    assert was_hit is (bucket(*one) == bucket(*other))


@pytest.mark.parametrize(
    ("change", "is_hit"),
    [
        ({"session_id": "s-2"}, True),
        ({"metadata": {"trace": 1}}, True),
        ({"text": "Which town?"}, False),
        ({"system_prompt": "Be rude."}, False),
        ({"model": "large"}, False),
        ({"conversation_history": (UserMessage("Hello"),)}, False),
        ({"max_tool_calls": 1}, False),
        ({"max_tool_calls": 10}, True),
        ({"mode": "standard"}, False),
        ({"response_format": "json"}, False),
    ],
)
async def test_what_can_change_the_answer_decides(change: dict[str, Any], *, is_hit: bool) -> None:
    """A question that differs in what the model sees is another question."""
    _, was_hit = await asked_twice(
        question(**SAME_HISTORY), question(**SAME_HISTORY | change), tools=(look_up,)
    )

    assert was_hit is is_hit


async def test_a_conversation_that_has_moved_on_is_another_question() -> None:
    """The same words mean something else after an answer."""
    _, was_hit = await asked_twice(
        question(session_id="s-1"),
        question(session_id="s-1"),
        conversation_manager=ListConversationManager(),
    )

    assert not was_hit


async def test_what_cannot_be_compared_is_not_kept() -> None:
    """A history with a vendor's opaque content that JSON cannot carry asks the model each time."""
    history = (UserMessage("Hi"), AssistantMessage("Hello.", vendor_content=object()))
    cache = DictResponseCache()

    _, was_hit = await asked_twice(
        question(conversation_history=history),
        question(conversation_history=history),
        response_cache=cache,
    )

    assert (was_hit, cache.responses) == (False, {})


@pytest.mark.parametrize("place", RagPlace)
async def test_other_documents_are_another_question(place: RagPlace) -> None:
    """What was retrieved is part of what the model sees, wherever it stands."""
    retriever = FixedRetriever([Document(text="Seoul is a city.", source="a")])
    rag = RagSettings(place=place)
    agent, model = caching_agent(["one", "two"], retriever=retriever, rag=rag)
    await agent.execute(question(**SAME_HISTORY))
    retriever.documents = [Document(text="Busan is a city.", source="a")]

    await agent.execute(question(**SAME_HISTORY))

    assert len(model.requests) == 2


async def test_the_question_counts_as_the_model_sees_it() -> None:
    """Two ways to type a question share an answer once a guard has made them one."""

    class Trimming(Guard):
        order = 1

        async def check(self, request: GuardRequest) -> Allowed | Rejected:
            return Allowed(request.text.strip())

    _, was_hit = await asked_twice(
        question("Which city?", **SAME_HISTORY),
        question(" Which city?\n", **SAME_HISTORY),
        guards=(Trimming(),),
    )

    assert was_hit


async def test_answers_can_be_forgotten() -> None:
    """After `invalidate_all` the model is asked again."""
    cache = DictResponseCache()
    agent, model = caching_agent(["one", "two"], response_cache=cache)
    await agent.execute(question(**SAME_HISTORY))

    await cache.invalidate_all()
    result = await agent.execute(question(**SAME_HISTORY))

    assert (result.content, len(model.requests)) == ("two", 2)


@pytest.mark.parametrize("name", ["options", "extra_body"])
async def test_agents_that_ask_otherwise_do_not_share(name: str) -> None:
    """What goes into every body can change the answer, too."""
    kept = DictResponseCache()
    model = ScriptedChatModel(["one", "two"])

    answers = []
    for seed in (1, 2, 2):
        llm = LlmSettings.model_validate({"temperature": 0, name: {"seed": seed}})
        settings = AgentSettings(llm=llm, cache=CacheSettings(enabled=True))
        agent = scripted_agent(model, settings, response_cache=kept)
        answers.append((await agent.execute(question())).content)

    assert answers == ["one", "two", "two"]


@tool
def sees_the_run(context: ToolContext) -> str:
    """Answers by who asks."""
    return context.run_id


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"temperature": None}, "the temperature is not set"),
        ({"temperature": 0.5}, "the temperature is above cache.cacheable_temperature"),
        ({"tools": (sees_the_run,)}, "a tool may answer by what differs between runs"),
    ],
)
async def test_one_log_line_says_why_the_cache_is_not_asked(
    options: dict[str, Any], reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Once for each reason, however many runs have it."""
    caplog.set_level(logging.INFO, "arc")

    await asked_twice(question(**SAME_HISTORY), question(**SAME_HISTORY), **options)

    reasons = [record.__dict__.get("reason") for record in caplog.records]
    assert [each for each in reasons if each] == [reason]


async def test_a_cache_that_is_off_is_not_talked_about(caplog: pytest.LogCaptureFixture) -> None:
    """Most programs have none."""
    caplog.set_level(logging.INFO, "arc")
    agent, _ = caching_agent(["Seoul"], cache={"enabled": False})

    await agent.execute(question())

    assert not [each for each in caplog.records if "cache" in each.getMessage()]
