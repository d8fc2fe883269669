"""What components are told of a run, and how they reach its components."""

import copy
import pickle
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    ConfigurationError,
    GuardRequest,
    HookContext,
    RunContext,
    ToolContext,
)
from arc_core.engine.run_state import ActiveRun
from arc_core.testing import FixedRunScope, FixedRunScopes

CONTEXTS: list[Any] = [
    HookContext(run_id="1", user_id="ann", user_prompt="Hi", started_at=datetime.now(UTC)),
    GuardRequest(text="Hi", user_id="ann"),
    ToolContext(run_id="1", call_id="2", user_id="ann"),
    RunContext(run_id="1"),
]


@pytest.mark.parametrize("context", CONTEXTS, ids=lambda context: type(context).__name__)
class TestContext:
    """Of each kind."""

    async def test_one_made_by_hand_says_that_there_is_no_run(self, context: Any) -> None:
        """And what to write in a test."""
        with pytest.raises(ConfigurationError) as raised:
            await context.get(dict)

        assert "belongs to no run" in str(raised.value)
        assert f"{type(context).__name__}(…, scope=FixedRunScope({{dict: …}}))" in str(raised.value)

    async def test_its_scope_finds_components(self, context: Any) -> None:
        """A copy with another text has the same."""
        scoped = replace(context, scope=FixedRunScope({dict: {"a": 1}}))

        assert await scoped.get(dict) == {"a": 1}
        assert await replace(scoped).get(dict) == {"a": 1}

    async def test_its_scope_is_not_shown_and_not_compared(self, context: Any) -> None:
        """It is not a fact about the run."""
        scoped = replace(context, scope=FixedRunScope())

        assert scoped == context
        assert repr(scoped) == repr(context)


async def test_a_copy_of_a_context_belongs_to_no_run() -> None:
    """It may outlive the run, in a queue or a log."""
    context = ActiveRun.of(AgentCommand(user_prompt="Hi"), scopes=FixedRunScopes()).hook_context

    assert copy.deepcopy(context).scope is None
    assert pickle.loads(pickle.dumps(context)).scope is None
    assert asdict(context)["scope"] is None


async def test_a_run_opens_its_scope_once_it_is_asked() -> None:
    """And never after its end."""
    scopes = FixedRunScopes({dict: {}})
    run, late = (ActiveRun.of(AgentCommand(user_prompt="Hi"), scopes=scopes) for _ in range(2))
    assert late.scope.end() is None

    await run.hook_context.get(dict)
    await run.hook_context.get(dict)
    with pytest.raises(ConfigurationError, match="after the end of the run"):
        await late.hook_context.get(dict)

    assert scopes.opened == [run.scope.end()]


async def test_a_run_without_components_says_so() -> None:
    """As in an engine that was made by hand."""
    with pytest.raises(ConfigurationError, match="has no components of its own"):
        await ActiveRun.of(AgentCommand(user_prompt="Hi")).hook_context.get(dict)
