"""Rules of every `ConversationManager` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Sequence

import pytest

from arc_core.command import AgentCommand
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.conversations.conversation_manager import ConversationManager
from arc_core.messages import AssistantMessage, Message, UserMessage
from arc_core.result import AgentResult
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.conversations.session_values import count_leaks

_ANSWER = AgentResult(success=True, content="answer")
_NOTHING_TO_KEEP = (
    AgentResult(success=True, content=""),
    AgentResult(success=True, content=" \n"),
    AgentResult(success=False, error_code=AgentErrorCode.TIMEOUT, partial_content="half"),
)
_AT_ONCE = 20


class ConversationManagerConformance(AsyncSuite):
    """Inherit from it and say how your manager is made."""

    @abstractmethod
    def make_manager(self) -> ConversationManager:
        """A new manager, not started, on a store of its own in which no session exists.

        It keeps nothing of failed runs (`conversation.on_failure = "nothing"`) and remembers at
        least two turns word for word.
        """

    async def test_it_is_a_conversation_manager(self) -> None:
        """It has the methods that the engine calls."""
        check_interface(self.make_manager(), ConversationManager)

    async def test_what_is_saved_is_loaded(self) -> None:
        """Question and answer of earlier runs, oldest first, whichever entry point they used."""
        async with running(self.make_manager()) as manager:
            await manager.save_history(_command("one"), _ANSWER)
            await manager.save_streaming_history(_command("two"), "streamed")
            loaded = await manager.load_history(_command("three"))

        assert list(loaded) == [
            UserMessage("one"), AssistantMessage("answer"),
            UserMessage("two"), AssistantMessage("streamed"),
        ], "the history is not what was said"  # fmt: skip

    async def test_a_command_without_session_has_no_history(self) -> None:
        """Nothing is loaded, nothing is kept, whichever user asks."""
        sessionless = AgentCommand(user_prompt="one", user_id="ann")
        async with running(self.make_manager()) as manager:
            await manager.save_history(sessionless, _ANSWER)
            await manager.save_streaming_history(sessionless, "answer")
            loaded = await manager.load_history(sessionless)

        assert list(loaded) == [], "commands without a session share one"

    @pytest.mark.parametrize("stranger", ["bob", None])
    async def test_a_session_is_its_owners(self, stranger: str | None) -> None:
        """Others load nothing of it and add nothing to it, and that is not an error."""
        other = _command("two", user_id=stranger)
        async with running(self.make_manager()) as manager:
            await manager.save_history(_command("one"), _ANSWER)
            await manager.save_history(other, _ANSWER)
            await manager.save_streaming_history(other, "answer")
            seen, kept = await manager.load_history(other), await manager.load_history(_command())

        assert list(seen) == [], "a stranger reads the session"
        assert list(kept) == _pair("one"), "a stranger writes into the session"

    async def test_tenants_have_histories_of_their_own(self) -> None:
        """One id is as many conversations as there are tenants."""
        tenants = [None, "acme", "globex"]
        async with running(self.make_manager()) as manager:
            for name in tenants:
                await manager.save_history(_command(f"of {name}", tenant_id=name), _ANSWER)
            loaded = [
                list(await manager.load_history(_command(tenant_id=name))) for name in tenants
            ]

        assert loaded == [_pair(f"of {name}") for name in tenants], "tenants share a session"

    async def test_a_quick_stranger_loads_nothing(self) -> None:
        """While a user's first run is kept, another user's load of the session is given nothing."""
        async with running(self.make_manager()) as manager:
            leaks = await count_leaks(
                lambda name: manager.save_history(_command(session_id=name), _ANSWER),
                lambda name: manager.load_history(_command(user_id="bob", session_id=name)),
            )

        assert leaks == 0, "a load that began before the first run was kept was given it"

    @pytest.mark.parametrize("user_id", [None, "", " ", "anonymous"])
    async def test_no_name_is_one_name(self, user_id: str | None) -> None:
        """A missing and a blank user id are the same user."""
        async with running(self.make_manager()) as manager:
            await manager.save_history(_command("one", user_id=None), _ANSWER)
            loaded = await manager.load_history(_command(user_id=user_id))

        assert list(loaded) == _pair("one"), f"{user_id!r} is taken for another user"

    @pytest.mark.parametrize("result", _NOTHING_TO_KEEP, ids=["empty", "blank", "failed"])
    async def test_no_answer_leaves_no_orphaned_question(self, result: AgentResult) -> None:
        """Of a blank answer, and of a failed run unless the settings say otherwise."""
        async with running(self.make_manager()) as manager:
            await manager.save_history(_command(), result)
            if result.success:
                await manager.save_streaming_history(_command(), result.content or "")
            loaded = await manager.load_history(_command())

        assert list(loaded) == [], "a question without an answer was kept"

    async def test_a_run_is_kept_once(self) -> None:
        """Saved again, as after a crash, it adds nothing; a run of another id does."""
        async with running(self.make_manager()) as manager:
            for run_id in ("r1", "r1", "r2"):
                result = AgentResult(success=True, content="answer", run_id=run_id)
                await manager.save_history(_command(run_id), result)
            loaded = await manager.load_history(_command())

        assert list(loaded) == [*_pair("r1"), *_pair("r2")], "a run was kept twice, or not at all"

    async def test_concurrent_runs_stay_in_pairs(self) -> None:
        """Whatever is loaded of runs that end at once, an answer follows its own question."""
        async with running(self.make_manager()) as manager:
            await call_together(
                manager.save_history(_command(f"{n}"), AgentResult(success=True, content=f"re {n}"))
                for n in range(_AT_ONCE)
            )
            loaded = list(await manager.load_history(_command()))

        first = next(i for i, message in enumerate(loaded) if isinstance(message, UserMessage))
        questions, answers = loaded[first::2], loaded[first + 1 :: 2]
        assert len(questions) == len(answers), "a question or an answer is missing"
        for question, answer in zip(questions, answers, strict=True):
            assert isinstance(question, UserMessage), "pairs are mixed up"
            assert answer == AssistantMessage(f"re {question.content}"), "pairs are mixed up"

    async def test_a_cancelled_save_is_cancelled(self) -> None:
        """A cancellation leaves the manager."""
        async with running(self.make_manager()) as manager:
            await check_cancellation_leaves(manager.save_history(_command(), _ANSWER))


def _command(
    prompt: str = "question",
    *,
    user_id: str | None = "ann",
    tenant_id: str | None = None,
    session_id: str = "session",
) -> AgentCommand:
    return AgentCommand(
        user_prompt=prompt, user_id=user_id, tenant_id=tenant_id, session_id=session_id
    )


def _pair(question: str) -> Sequence[Message]:
    return [UserMessage(question), AssistantMessage("answer")]
