"""Budgets and runs that outlive their process: nothing is counted twice, and nothing stays held."""

import asyncio
import json
import subprocess
import sys
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentResult, Approve, ReportsBudgets, ToolCall, tool
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.runs.budgeted_program import TENANT_KEY
from tests.arc_plugins.redis_server import redis_url
from tests.architecture.source import ROOT

pytest.importorskip("croniter", reason="needs the extra durable")
pytest.importorskip("redis", reason="needs the extra redis")

_CALL = 15
_AT_MOST_S = 40
_PROGRAM = "tests.arc_autoconfig.runs.budgeted_program"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server."""
    with redis_url(tmp_path_factory.mktemp("redis")) as address:
        yield address


def budget(url: str, **more: Any) -> dict[str, Any]:
    """A budget in Redis, whose reservations end after a second."""
    return {
        "user_tokens_per_day": 100_000, "backend": "redis", "redis_url": url, "reservation_s": 1,
        **more,
    }  # fmt: skip


async def standing(url: str, tenant: str) -> tuple[Decimal, Decimal]:
    """What is spent and what is reserved."""
    app = Application(ArcSettings.model_validate({"budget": budget(url)}))
    async with app:
        budgets = app.container.budgets()
        assert isinstance(budgets, ReportsBudgets)
        [state] = await budgets.states(tenant_id=tenant, user_id="ann")
        return state.spent, state.reserved


def program(settings: dict[str, Any], place: str) -> "subprocess.Popen[str]":
    """A process with the run."""
    command = [sys.executable, "-m", _PROGRAM, json.dumps(settings), "r", place]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "sent_in_vain"), [("tool", False), ("model", True)])
def test_a_killed_run_is_counted_once(
    url: str, tmp_path: Path, place: str, *, sent_in_vain: bool
) -> None:
    """What was recorded counts once, and of a call that was under way what was sent."""
    tenant = uuid.uuid4().hex
    settings = {
        "durable": {"enabled": True, "url": f"sqlite:///{tmp_path / 'runs.db'}"},
        "budget": budget(url), TENANT_KEY: tenant,
    }  # fmt: skip
    with program(settings, place) as first:
        assert first.stdout is not None
        assert any(line.startswith("stopped") for line in first.stdout)
        first.kill()
    with program(settings, "nowhere") as second:
        told, _ = second.communicate(timeout=_AT_MOST_S)

    with asyncio.Runner() as runner:  # by now, what the first process held has ended by itself
        spent, reserved = runner.run(standing(url, tenant))

    assert told.splitlines()[-1] == f"ended Seen. {2 * _CALL}"
    assert (spent > 2 * _CALL) == sent_in_vain
    assert spent < 2 * _CALL + 100
    assert reserved == 0


async def test_a_run_that_waits_for_a_person_holds_nothing() -> None:
    """What it has spent is counted; when it goes on, it reserves anew."""

    @tool(needs_approval=True)
    async def pay() -> str:
        """Pay."""
        return "paid"

    model = ScriptedChatModel([[ToolCall("1", "pay", "{}")], "Done."])
    settings = ArcSettings.model_validate({"budget": {"user_tokens_per_day": 100_000}})
    async with Application(settings, register=[model, pay]) as app:
        result = await app.execute("Pay.")
        waiting = await app.container.budgets().states()
        await app.decide(result.run_id, result.waiting[0].key, Approve(), by="boss")
        async with app.attach(result.run_id) as run:
            ended = await run.result()
        after = await app.container.budgets().states()

    assert isinstance(ended, AgentResult)
    assert ended.content == "Done."
    assert [(int(each.spent), int(each.reserved)) for each in waiting] == [(_CALL, 0)]
    assert [(int(each.spent), int(each.reserved)) for each in after] == [(2 * _CALL, 0)]
