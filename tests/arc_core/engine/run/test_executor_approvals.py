"""What an agent says at its start of calls that may wait for people."""

import pytest

from arc_core import tool
from arc_core.testing import ScriptedChatModel, scripted_agent


@pytest.mark.parametrize("is_marked", [True, False])
async def test_runs_that_would_be_lost_while_they_wait_are_warned_of(
    caplog: pytest.LogCaptureFixture, *, is_marked: bool
) -> None:
    """If calls may wait and nothing outlives the process."""

    @tool(needs_approval=is_marked)
    async def pay() -> str:
        """Pay."""
        return "paid"

    await scripted_agent(ScriptedChatModel([]), tools=(pay,)).start()

    warned = [record for record in caplog.records if "durable.enabled" in record.getMessage()]
    assert len(warned) == is_marked
