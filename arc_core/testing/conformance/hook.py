"""Rules of every `Hook` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Callable, Coroutine
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core.errors import AgentErrorCode
from arc_core.interfaces.hook import (
    Continue,
    Hook,
    HookContext,
    Reject,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.messages import ToolOutcome
from arc_core.result import AgentResult
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_names,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.measurements import check_loop_is_free
from arc_core.usage import TokenUsage

_AT_ONCE = 50
_RESPONSES = {
    "success": AgentResult(success=True, content="Fine.", token_usage=TokenUsage(1, 1)),
    "broken off": AgentResult(success=False, partial_content="Fi"),
    **{code.value: AgentResult(success=False, error_code=code) for code in AgentErrorCode},
}

_METHODS = (
    *("before_agent_start", "before_tool_call", "after_tool_call", "after_agent_complete"),
    *("before_agent_resume", "after_agent_suspend"),
)
_Moment = Callable[[Hook], Coroutine[Any, Any, object]]


class HookConformance(AsyncSuite):
    """Inherit from it and say how your hook is made."""

    @abstractmethod
    def make_hook(self) -> Hook:
        """A new hook, not started."""

    async def test_it_is_a_hook(self) -> None:
        """It inherits from `Hook`, and its order and policy are of the right types."""
        hook = self.make_hook()

        check_names(hook, Hook)
        assert isinstance(hook, Hook), f"{type(hook).__name__} does not inherit from Hook"
        assert type(hook.order) is int, "order is a whole number"
        assert type(hook.fail_on_error) is bool, "fail_on_error is True or False"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_it_bears_any_text(self, text: str) -> None:
        """No prompt, argument, result or answer makes it raise, and its answers are answers."""
        async with running(self.make_hook()) as hook:
            answers = [await moment(hook) for moment in _moments(text)]

        for answer in answers[:2]:
            assert answer is None or isinstance(answer, Continue | Reject), f"it returned {answer}"
            if isinstance(answer, Reject):
                assert answer.reason.strip(), "a rejection has a reason"

    @pytest.mark.parametrize("outcome", ToolOutcome)
    async def test_it_bears_every_outcome_of_a_tool_call(self, outcome: ToolOutcome) -> None:
        """Tool calls fail in many ways, and hooks are told of all."""
        result = ToolCallResult(outcome=outcome, content="", duration_ms=0)

        async with running(self.make_hook()) as hook:
            await hook.after_tool_call(_call("hello"), result)

    @pytest.mark.parametrize("response", _RESPONSES.values(), ids=_RESPONSES)
    async def test_it_bears_every_end_of_a_run(self, response: AgentResult) -> None:
        """Runs end in many ways, cancelled ones too, and hooks are told of all."""
        async with running(self.make_hook()) as hook:
            await hook.after_agent_complete(_run("hello"), response)

    async def test_it_leaves_the_arguments_alone(self) -> None:
        """The arguments are those the tool gets."""
        arguments = {"to": "bob@example.com", "parts": [{"api_key": "sk-1", "text": "hi"}]}
        call = _call("hello", arguments=deepcopy(arguments))

        async with running(self.make_hook()) as hook:
            await hook.before_tool_call(call)
            await hook.after_tool_call(call, _result("sent"))

        assert call.arguments == arguments, "the hook has changed the tool's arguments"

    async def test_it_serves_many_runs_at_once(self) -> None:
        """Runs share their hooks."""
        moments = [each for number in range(_AT_ONCE) for each in _moments(f"Run {number}")]
        async with running(self.make_hook()) as hook:
            await call_together(moment(hook) for moment in moments)

    @pytest.mark.parametrize("moment", range(len(_METHODS)), ids=_METHODS)
    async def test_a_hook_leaves_the_loop_to_others(self, moment: int) -> None:
        """Every run waits while a hook blocks the event loop."""
        async with running(self.make_hook()) as hook:
            await check_loop_is_free(lambda: _moments("hello")[moment](hook))

    @pytest.mark.parametrize("moment", range(len(_METHODS)), ids=_METHODS)
    async def test_a_cancellation_leaves_the_hook(self, moment: int) -> None:
        """A cancelled run does not wait for its hooks, and hooks do not hide that."""
        async with running(self.make_hook()) as hook:
            await check_cancellation_leaves(_moments("hello")[moment](hook))


def _moments(text: str) -> tuple[_Moment, ...]:
    """The four calls of a run, in their order, and those of one that goes on elsewhere."""
    run, call = _run(text), _call(text)
    return (
        lambda hook: hook.before_agent_start(run),
        lambda hook: hook.before_tool_call(call),
        lambda hook: hook.after_tool_call(call, _result(text)),
        lambda hook: hook.after_agent_complete(run, AgentResult(success=True, content=text)),
        lambda hook: hook.before_agent_resume(run),
        lambda hook: hook.after_agent_suspend(run),
    )


def _run(text: str) -> HookContext:
    return HookContext(
        run_id="run-1", user_id="ann", user_prompt=text, started_at=datetime.now(UTC)
    )


def _call(text: str, *, arguments: dict[str, Any] | None = None) -> ToolCallContext:
    return ToolCallContext(
        agent_context=_run(text),
        tool_name="send_mail",
        arguments={"body": text} if arguments is None else arguments,
        call_index=0,
    )


def _result(text: str) -> ToolCallResult:
    return ToolCallResult(outcome=ToolOutcome.SUCCESS, content=text, duration_ms=1.5)
