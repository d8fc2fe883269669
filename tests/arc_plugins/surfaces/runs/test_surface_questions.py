"""Questions and logins over HTTP: what a client sees of them, and how it answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from arc_core import ToolCall, tool
from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.served_apps import SIZE, issues, order
from tests.serving import KEY, client_of, events_in, serving

KEYS = [
    {"name": "ann", "key": f"{KEY}-ann", "users": ["ann"]},
    {"name": "bob", "key": f"{KEY}-bob", "users": ["bob"], "decide": True},
    {"name": "desk", "key": f"{KEY}-desk", "records": True},
]


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@asynccontextmanager
async def waiting(name: str, arguments: str = "{}") -> AsyncIterator[httpx2.AsyncClient]:
    """A client of ann, whose run waits for what a tool asks."""
    parts = [order, issues, pay, DictCredentials()]
    turns = [ToolCall("c1", name, arguments)], "Done."
    async with (
        serving(*turns, register=parts, server={"api_keys": KEYS}) as address,
        client_of(address, f"{KEY}-desk") as desk,
        client_of(address, f"{KEY}-ann") as client,
    ):
        body = {"user_prompt": "Go", "user_id": "ann", "run_id": "r1"}
        assert (await desk.post("/api/runs", json=body)).status_code == 202
        yield client


async def asked(client: httpx2.AsyncClient) -> dict[str, Any]:
    """The request that waits."""
    (request,) = (await client.get("/api/approvals")).json()["requests"]
    assert isinstance(request, dict)
    return request


async def test_a_question_is_listed_with_its_schema_and_answered() -> None:
    """Its kind is said, and the tool gets the values; the next answer comes too late."""
    async with waiting("order") as client:
        request = await asked(client)
        decision = {"key": request["key"], "answer": {"size": 40}}
        answered = await client.post("/api/runs/r1/decisions", json=decision)
        events = await events_in(await client.get("/api/runs/r1/events"))
        second = await client.post("/api/runs/r1/decisions", json=decision)

    assert (request["kind"], request["text"], request["may_decide"]) == (
        "question", "Which size?", True,
    )  # fmt: skip
    assert request["schema"] == SIZE
    assert answered.status_code == 200, answered.text
    assert "question" in [name for _, name, _ in events]
    assert any("ordered size 40" in data for _, name, data in events if name == "tool_end")
    assert (second.status_code, "ann has answered it" in second.text) == (409, True)


async def test_a_login_is_listed_with_its_address_and_only_declined() -> None:
    """It ends by itself once the user has logged in."""
    async with waiting("issues") as client:
        request = await asked(client)
        claimed = {"key": request["key"], "answer": {}}
        refused = await client.post("/api/runs/r1/decisions", json=claimed)
        denial = {"key": request["key"], "approve": False, "reason": "no"}
        declined = await client.post("/api/runs/r1/decisions", json=denial)

    assert (request["kind"], request["service"], request["url"][:8]) == (
        "login", "github", "https://",
    )  # fmt: skip
    assert refused.status_code == 422
    assert refused.json()["error"]["param"] == "answer"
    assert "ends once its url was opened" in refused.json()["error"]["message"]
    assert declined.status_code == 200


@pytest.mark.parametrize(
    ("decision", "param", "message"),
    [
        ({"answer": {"size": "hunter2"}}, "answer", "size: it is not of type 'integer'"),
        ({"answer": {}}, "answer", "'size' is a required property"),
        ({"approve": True}, "approve", 'a question: send {"key": …, "answer": {…}}'),
        ({"answer": {"size": 1}, "approve": True}, "the body", 'send "approve" for an approval'),
        ({}, "the body", '"answer" for a question'),
        ({"answer": {"size": 1}, "reason": "so"}, "the body", "stands alone"),
        ({"answer": [1]}, "answer", "dictionary"),
        ({"answer": {}, "key": "a\x00"}, "key", "key has 1 to 200 characters"),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused(
    decision: dict[str, Any], param: str, message: str
) -> None:
    """The field and the remedy are named, the value is not; the question waits on."""
    async with waiting("order") as client:
        body = {"key": "ask/0/1", **decision}
        refused = await client.post("/api/runs/r1/decisions", json=body)
        left = await asked(client)

    error = refused.json()["error"]
    assert (refused.status_code, error["param"]) == (422, param)
    assert message in error["message"]
    assert "hunter2" not in refused.text
    assert left["key"] == "ask/0/1"


async def test_an_approval_takes_no_answer() -> None:
    """Its kind is said in the list of runs, too, and changed arguments have to fit."""
    async with waiting("pay", '{"amount": 3}') as client:
        desk = {"authorization": f"Bearer {KEY}-desk"}
        (run,) = (await client.get("/api/runs", headers=desk)).json()["runs"]
        decisions = [
            {"key": "approve/0", "answer": {"amount": 3}},
            {"key": "approve/0", "approve": True, "arguments": {"amount": "x"}},
        ]
        refused = [
            await client.post("/api/runs/r1/decisions", json=each, headers=desk)
            for each in decisions
        ]

    assert [each["kind"] for each in run["requests"]] == ["approval"]
    assert [each.status_code for each in refused] == [422, 422]
    assert [each.json()["error"]["param"] for each in refused] == ["answer", "arguments"]


async def test_another_user_neither_sees_nor_answers_a_question() -> None:
    """Not even with a right to decide about tool calls."""
    async with waiting("order") as client:
        bob = {"authorization": f"Bearer {KEY}-bob"}
        listed = (await client.get("/api/approvals", headers=bob)).json()["requests"]
        body = {"key": "ask/0/1", "answer": {"size": 40}}
        refused = await client.post("/api/runs/r1/decisions", json=body, headers=bob)

    assert listed == []
    assert refused.status_code == 403
