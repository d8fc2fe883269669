"""The journals for tests."""

from datetime import UTC, datetime

import pytest

from arc_core import AgentCommand, ApprovalRequest, RunSuspended, UnknownRunError
from arc_core.runs.requests import find_requests
from arc_core.testing.run_journals import DictRunJournals


async def test_a_run_is_kept_until_it_is_cancelled() -> None:
    """With what it asks people."""
    journals = DictRunJournals()
    await journals.submit(AgentCommand(user_prompt="Pay."), run_id="r")
    request = ApprovalRequest(run_id="r", key="approve/0", tool="pay", since=datetime.now(UTC))
    with pytest.raises(RunSuspended):
        await journals.records["r"].decision("approve/0", request)

    waiting = await find_requests(journals)
    await journals.cancel("r")

    assert waiting == [request]
    with pytest.raises(UnknownRunError):
        await journals.find("r")
