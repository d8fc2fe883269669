"""Forks of runs that a database keeps."""

import json

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import ForkError, RunStore, UnknownRunError
from arc_core.testing.conformance.run_journal.rules import end_of
from tests.arc_plugins.journals.sql.layouts.shop import open_shop

pytestmark = pytest.mark.slow


async def test_a_fork_goes_on_after_recorded_steps(database: str) -> None:
    """With the parts that they name, which stay as long as either of the two runs."""
    async with open_shop(database) as app:
        store = app.component(RunStore)
        await app.agent("clerk").submit("parallel", run_id="first")
        await end_of(store, "first")
        async with app.fork("first", after="tool/0", user_id="ann") as fork:
            result = await fork.result()
        await store.forget("first")
        forked = await store.recording(fork.id)

    assert result.success
    assert forked.command.user_id == "ann"
    request = json.loads(forked.steps["model/1"])["value"]["request"]
    [prompt] = [each["digest"] for each in request["parts"] if each.get("kind") == "system_prompt"]
    assert forked.parts[prompt] == '"You sell."'


async def test_what_cannot_be_forked_is_said(database: str) -> None:
    """Of which run and which step there is none."""
    async with open_shop(database) as app:
        await app.submit("plain", run_id="r")
        await end_of(app.component(RunStore), "r")
        with pytest.raises(UnknownRunError):
            await app.fork("s", after="enter").open()
        with pytest.raises(ForkError, match="no step 'tool/7'"):
            await app.fork("r", after="tool/7").open()
