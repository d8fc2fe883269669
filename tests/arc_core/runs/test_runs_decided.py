"""Who decides about the runs of a served application, by the rights of keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from arc_core import ToolCall, tool
from tests.serving import KEY, client_of, serving


@tool(needs_approval=True)
async def refund(amount: int) -> str:
    """Give money back."""
    return f"refunded {amount}"


REFUND = [ToolCall("1", "refund", '{"amount": 160}')]


def key(name: str, **binding: Any) -> dict[str, Any]:
    """A key of the settings."""
    return {"name": name, "key": f"{KEY}-{name}", **binding}


ANN = key("ann-key", tenant="acme", users=["ann"])


class Desk:
    """A served application in which ann has asked for a refund that waits."""

    def __init__(self, address: str, request: dict[str, Any]) -> None:
        self.address, self.request = address, request

    async def decide(self, name: str, **body: Any) -> httpx2.Response:
        """Approve with a key."""
        async with client_of(self.address, f"{KEY}-{name}") as client:
            where = f"/api/runs/{self.request['run_id']}/decisions"
            return await client.post(where, json={"key": "approve/0", "approve": True, **body})

    async def listed(self, name: str) -> list[dict[str, Any]]:
        """What waits, as a key sees it."""
        async with client_of(self.address, f"{KEY}-{name}") as client:
            found: list[dict[str, Any]] = (await client.get("/api/approvals")).json()["requests"]
            return found


@asynccontextmanager
async def desk(*keys: dict[str, Any], **settings: Any) -> AsyncIterator[Desk]:
    """Serve with ann's key, which asks, and others."""
    first = keys[0]
    async with serving(
        REFUND, "Done.", register=[refund], server={"api_keys": keys}, **settings
    ) as address:
        async with client_of(address, f"{KEY}-{first['name']}") as client:
            asked = {"message": "Refund", "user_id": "ann", "session_id": "t"}
            started = await client.post("/api/chat", json=asked)
        (request,) = started.json()["waiting"]
        yield Desk(address, request)


async def test_a_customer_may_not_approve_their_own_refund() -> None:
    """A key bound to users has no right to decide, and the refusal says where it is given."""
    async with desk(ANN) as served:
        refused = await served.decide("ann-key")
        async with client_of(served.address, f"{KEY}-ann-key") as client:
            found = await client.get(f"/api/runs/{served.request['run_id']}")

    assert (refused.status_code, found.json()["state"]) == (403, "waiting")
    assert "decide = true" in refused.json()["error"]["message"]
    assert "server.api_keys" in refused.json()["error"]["message"]


KEYS = [
    ANN,
    key("desk", tenant="acme", users=["dora"], decide=True),
    key("boss", tenant="acme"),
    key("ann", tenant="acme"),
    key("closed", tenant="acme", decide=False),
    key("agents", tenant="acme", agents=["default"]),
    key("self", tenant="acme", users=["ann"], decide="own"),
    key("elsewhere", tenant="globex", decide=True),
    key("ann-too", tenant="acme", users=["ann", "bob"], decide=True),
]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("desk", 200), ("boss", 200), ("self", 200), ("ann", 403), ("closed", 403), ("agents", 403),
        ("ann-too", 403), ("elsewhere", 404),
    ],
)  # fmt: skip
async def test_the_right_to_decide_is_that_of_the_key(name: str, status: int) -> None:
    """A key of a tenant alone has it, and one with bindings if it says so; not for its own runs."""
    async with desk(*KEYS) as served:
        listed = await served.listed(name)
        answer = await served.decide(name)

    assert answer.status_code == status
    assert [each["may_decide"] for each in listed] == ([] if status == 404 else [status == 200])
    assert [each["tool"] for each in listed] == ([] if status == 404 else ["refund"])


async def test_a_refused_decision_leaves_the_request_to_others() -> None:
    """The run waits on, and who has the right decides it."""
    async with desk(ANN, key("boss", tenant="acme")) as served:
        refused = await served.decide("ann-key")
        decided = await served.decide("boss")

    assert (refused.status_code, decided.status_code) == (403, 200)


FINANCE = [
    key("asker", tenant="acme", users=["ann"], decide="own"),
    key("carol", tenant="acme", groups=["finance"]),
    key("dave", tenant="acme", groups=["finance"]),
    key("erin", tenant="acme"),
]


async def test_only_the_group_that_is_named_decides() -> None:
    """A key outside of it is told which group, and in which setting it is named."""
    rules = [{"tools": ["ref*"], "deciders": ["finance", "frank"]}, {"deciders": ["erin"]}]
    async with desk(*FINANCE, approvals={"by": rules}) as served:
        refused = [await served.decide(name) for name in ("asker", "erin")]
        may = {name: (await served.listed(name))[0]["may_decide"] for name in ("erin", "carol")}
        decided = await served.decide("carol")

    assert [each.status_code for each in (*refused, decided)] == [403, 403, 200]
    assert may == {"erin": False, "carol": True}
    message = refused[1].json()["error"]["message"]
    assert "finance or frank" in message
    assert "approvals.by" in message


async def test_four_eyes_approve() -> None:
    """The first approval is kept and shown, one key does not count twice, another one does."""
    rules = [{"tools": ["refund"], "people": 2}]
    async with desk(*FINANCE, approvals={"by": rules}) as served:
        first = await served.decide("carol", arguments={"amount": 50})
        again = await served.decide("carol", arguments={"amount": 50})
        (shown,) = await served.listed("carol")
        (others,) = await served.listed("dave")
        second = await served.decide("dave", arguments={"amount": 50})

    assert [each.status_code for each in (first, again, second)] == [202, 409, 200]
    assert first.json()["request"]["approvals"][0]["by"] == "carol"
    assert "another person has to approve it" in again.json()["error"]["message"]
    assert (shown["may_decide"], others["may_decide"]) == (False, True)
    assert others["approvals"][0]["answer"]["arguments"] == {"amount": 50}


def decisions_of(run_id: str) -> dict[str, dict[str, Any]]:
    """An approval in the words of each protocol, by its path."""
    question = f"{run_id}#approve/0#1"
    part = {
        "type": "tool-refund",
        "state": "approval-responded",
        "input": {"amount": 160},
        "approval": {"id": question, "approved": True},
    }
    sent = {"messageId": "m", "role": "ROLE_USER", "taskId": run_id, "parts": [{"text": "approve"}]}
    answer = {"interruptId": question, "status": "resolved", "payload": {"approved": True}}
    empty: dict[str, Any] = {"messages": [], "tools": [], "context": [], "state": {}}
    return {
        "/ag-ui": {
            **empty,
            "threadId": "t",
            "runId": "r2",
            "forwardedProps": {},
            "resume": [answer],
        },
        "/ai-sdk": {"id": "t", "messages": [{"role": "assistant", "parts": [part]}]},
        "/a2a": {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": sent}},
        f"/api/runs/{run_id}/decisions": {"key": "approve/0", "approve": True},
    }


async def post_with(address: str, name: str, path: str, body: dict[str, Any]) -> httpx2.Response:
    """Send a body with a key."""
    async with client_of(address, f"{KEY}-{name}") as client:
        return await client.post(path, json=body, headers={"a2a-version": "1.0"})


@pytest.mark.parametrize("place", range(4))
async def test_no_protocol_lets_a_customer_approve(place: int) -> None:
    """The refusal names the right, in the form of the protocol; a key with the right is taken."""
    async with desk(ANN, key("boss", tenant="acme", users=["ann"], decide="own")) as served:
        path, body = list(decisions_of(served.request["run_id"]).items())[place]
        refused = await post_with(served.address, "ann-key", path, body)
        (waits,) = await served.listed("boss")
        taken = await post_with(served.address, "boss", path, body)

    assert waits["key"] == "approve/0"
    assert "decide = true" in refused.text.replace("\\", "")
    assert taken.status_code == 200
    assert '"error"' not in taken.text
