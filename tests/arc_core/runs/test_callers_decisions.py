"""The right to decide, wherever a decision comes from."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Approve, Caller, DecisionRightError, Request, ToolCall, tool
from arc_core.testing import ScriptedChatModel

KEY = "a-key-of-at-least-16-characters"
KEYS = [
    {"name": "shop", "key": f"{KEY}-shop", "tenant": "acme", "users": ["ann"]},
    {"name": "globex", "key": f"{KEY}-globex", "tenant": "globex"},
]


@tool(needs_approval=True)
async def refund() -> str:
    """Give money back."""
    return "refunded"


@asynccontextmanager
async def waiting() -> AsyncIterator[tuple[Application, Request]]:
    """An application in which ann of acme has asked for a refund."""
    model = ScriptedChatModel([[ToolCall("1", "refund", "{}")], "Done."])
    settings = ArcSettings(_isolated=True, server={"api_keys": KEYS})
    async with Application(settings, register=[model, refund], plugins=False) as app:
        result = await app.execute("Refund", user_id="ann", tenant_id="acme")
        yield app, result.waiting[0]


@pytest.mark.parametrize(
    ("by", "problem"),
    [
        ("shop", "decide = true"),
        ("globex", "another tenant"),
        ("ann", 'decide = "own"'),
        (Caller(name="ann", user_ids=frozenset({"ann"})), "decide = true"),
        (Caller(name="desk", user_ids=frozenset({"ann", "bob"}), decide=True), "its own"),
    ],
)
async def test_a_name_without_the_right_is_refused(by: str | Caller, problem: str) -> None:
    """A name of a key has the key's rights, and the run waits on; the refusal says what to do."""
    async with waiting() as (app, request):
        with pytest.raises(DecisionRightError, match=problem):
            await app.decide(request.run_id, request.key, Approve(), by=by)
        left = await app.waiting()

    assert list(left) == [request]


@pytest.mark.parametrize(
    "by",
    [
        "carol",
        Caller(name="carol", user_ids=frozenset({"carol"}), decide=True),
        Caller(name="ann", user_ids=frozenset({"ann"}), decide="own"),
    ],
)
async def test_a_name_with_the_right_decides(by: str | Caller) -> None:
    """Any name without a key, and a caller that a program has given the right."""
    async with waiting() as (app, request):
        await app.decide(request.run_id, request.key, Approve(), by=by)
        async with app.attach(request.run_id) as run:
            result = await run.result()

    assert result.content == "Done."
