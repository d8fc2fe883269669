"""The ids of runs, which each tenant chooses for itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from arc_core import ToolCall, tool
from arc_core.errors import ConfigurationError
from arc_core.runs.run_ids import RunIds
from tests.serving import KEY, client_of, events_in, serving

TENANTS = ("acme", "umbrella")
KEYS = [
    {"name": name, "key": f"{KEY}-{name}", "tenant": name, "decide": "own"} for name in TENANTS
] + [{"name": "ops", "key": f"{KEY}-ops"}]
PAY = [ToolCall("c1", "pay", "{}")]


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


@asynccontextmanager
async def serving_tenants(*turns: Any) -> AsyncIterator[list[httpx2.AsyncClient]]:
    """Clients of two tenants, and one of an operator."""
    async with serving(*turns, register=[pay], server={"api_keys": KEYS}) as address:
        clients = [client_of(address, each["key"]) for each in KEYS]
        try:
            yield clients
        finally:
            for client in clients:
                await client.aclose()


def ag_ui(prompt: str) -> dict[str, Any]:
    """The body of a run that both tenants give the same ids."""
    messages = [{"id": "1", "role": "user", "content": prompt}]
    empty: dict[str, Any] = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
    return {"threadId": "t", "runId": "run-1", "messages": messages, **empty}


async def test_tenants_choose_the_same_id() -> None:
    """Each gets its own run by it, begun, submitted and read again, and is told that id alone."""
    async with serving_tenants("For acme.", "For umbrella.") as clients:
        told = [(await each.post("/ag-ui", json=ag_ui("Hi"))).text for each in clients[:2]]
        again = [(await each.post("/ag-ui", json=ag_ui("Hi"))).text for each in clients[:2]]
        shown = [(await each.get("/api/runs/run-1")).json() for each in clients[:2]]
        followed = [await each.get("/api/runs/run-1/events") for each in clients[:2]]
        unknown = await clients[2].get("/api/runs/run-1")

    for name, first, second, run, events in zip(TENANTS, told, again, shown, followed, strict=True):
        assert f"For {name}." in "".join(first.split('"delta":"')) or name in first
        assert first.count("run-1") == second.count("run-1") >= 2
        assert run["run_id"] == run["result"]["run_id"] == "run-1"
        assert run["result"]["content"] == f"For {name}."
        assert events.status_code == 200
        for text in (first, second, events.text, str(run)):
            assert "~run-1" not in text
    assert unknown.status_code == 404


async def test_a_run_of_a_tenant_is_approved_and_cancelled_by_its_id() -> None:
    """The requests have it, too; an operator sees all runs under the ids that tell them apart."""
    body = {"user_prompt": "Pay.", "run_id": "run-1", "respond": "submit"}
    async with serving_tenants(PAY, PAY, "Paid.") as (acme, umbrella, ops):
        for each in (acme, umbrella):
            assert (await each.post("/api/runs", json=body)).json() == {"run_id": "run-1"}
            await events_in(await each.get("/api/runs/run-1/events"))
        [request] = (await acme.get("/api/approvals")).json()["requests"]
        kept = [each["run_id"] for each in (await ops.get("/api/approvals")).json()["requests"]]
        decision = {"key": request["key"], "approve": True}
        decided = await acme.post("/api/runs/run-1/decisions", json=decision)
        names = await events_in(await acme.get("/api/runs/run-1/events"))
        cancelled = await umbrella.post("/api/runs/run-1/cancel")
        ends = [(await each.get("/api/runs/run-1")).json()["result"] for each in (acme, umbrella)]
        seen = [(await ops.get(f"/api/runs/{each}")).json()["run_id"] for each in kept]

    assert (request["run_id"], decided.json()["run_id"]) == ("run-1", "run-1")
    assert names[-1][1] == "done"
    assert cancelled.status_code == 202
    assert [each["content"] for each in ends] == ["Paid.", None]
    assert len(set(kept)) == 2
    assert seen == kept


def test_an_id_of_a_tenant_is_not_chosen_by_others() -> None:
    """Neither by those without a tenant nor by another one."""
    kept = RunIds("acme").choose("run-1")

    with pytest.raises(ConfigurationError):
        RunIds(None).choose(kept)
    assert RunIds("umbrella").choose(kept) != kept


@pytest.mark.parametrize("run_id", ["a" * 190, "a\nb"])
def test_what_cannot_be_an_id(run_id: str) -> None:
    """The bound that is told leaves room for the tenant."""
    with pytest.raises(ConfigurationError, match="182 letters"):
        RunIds("acme").choose(run_id)
