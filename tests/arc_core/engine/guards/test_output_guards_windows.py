"""How much of a stream is held back for guards whose window was said of another check."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    Allowed,
    GuardResult,
    OutputGuard,
    OutputGuardRequest,
    Rejected,
    RejectionCategory,
    TextDelta,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.testing import scripted_agent
from tests.arc_core.engine.output_guarding import SECRET, PieceModel

COMMAND = AgentCommand(user_prompt="Hello")


class Narrow(OutputGuard):
    """Looks at each piece on its own."""

    window_chars = 0

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed()


class Wide(Narrow):
    """Must see more, and inherits that it need not."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if SECRET in request.text:
            return Rejected("A key would have left.", RejectionCategory.SENSITIVE_DATA)
        return Allowed()


class Passing:
    """Has all but its check of the guard that it wraps."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Narrow(), name)

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return await Wide().check(request)


@pytest.mark.parametrize("guard", [Wide(), Passing()])
async def test_a_window_that_was_said_of_another_check_lets_nothing_leave(guard: Any) -> None:
    """A stream is held back to its end, since the guard may have to see all of it."""
    model = PieceModel([SECRET[:5], SECRET[5:], " and more"])
    agent = scripted_agent(model, output_guards=[guard])

    events = [event async for event in agent.stream_events(COMMAND)]

    assert not [event for event in events if isinstance(event, TextDelta)]
    assert getattr(events[-1], "result").error_code is AgentErrorCode.OUTPUT_REJECTED  # noqa: B009


def test_a_subclass_keeps_the_window_of_the_check_that_it_inherits() -> None:
    """It has no code of its own about which nothing was said."""
    guards = OutputGuards([type("Named", (Narrow,), {"order": 3})()], boundary=Boundary())

    assert guards.window_chars == 0
