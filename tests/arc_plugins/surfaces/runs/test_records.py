"""Lists of runs, and their steps, for callers with the right to see them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, ToolCall, tool
from arc_core.testing import ScriptedChatModel
from tests.serving import KEY, client_of, serving_app

MAIL = "ann@example.com"
LONG = "word " * 10_000
PRICE = {"input": "1000", "output": "1000"}
ADMIN = {"name": "admin", "key": KEY}
KEYS: dict[str, dict[str, Any]] = {
    "ann": {"name": "ann", "key": "ann-" + KEY, "users": ["ann"]},
    "seeing": {"name": "seeing", "key": "seeing-" + KEY, "users": ["ann"], "records": True},
    "acme": {"name": "acme", "key": "acme-" + KEY, "tenant": "acme"},
    "blind": {"name": "blind", "key": "blind-" + KEY, "records": False},
}


@tool
async def find_order(order: str) -> str:
    """Find an order."""
    return f"{order} goes to {MAIL}."


def call() -> list[ToolCall]:
    """A turn that calls the tool."""
    return [ToolCall("1", "find_order", f'{{"order": "7 of {MAIL}"}}')]


@asynccontextmanager
async def serving(*turns: Any, record: bool = True, **settings: Any) -> AsyncIterator[str]:
    """The address of an application that records its runs."""
    app = Application(
        ArcSettings(_isolated=True, **settings),
        register=[find_order, Agent("clerk")],
        plugins=False,
        record=record,
    )
    app.container.chat_model.override(ScriptedChatModel(list(turns)))
    async with serving_app(app.asgi()) as address:
        yield address


@asynccontextmanager
async def serving_keys() -> AsyncIterator[str]:
    """The address of an application with all keys, and a run of each of three owners."""
    keys = {"api_keys": [ADMIN, *KEYS.values()]}
    async with serving(*["Hello."] * 3, server=keys) as address, client_of(address, KEY) as admin:
        for run_id, owner in (
            ("of-ann", {"user_id": "ann"}),
            ("of-bob", {"user_id": "bob"}),
            ("of-acme", {"user_id": "ann", "tenant_id": "acme"}),
        ):
            await ask(admin, run_id=run_id, **owner)
        yield address


async def ask(client: httpx2.AsyncClient, **fields: Any) -> None:
    """Have a run made."""
    response = await client.post("/api/runs", json={"user_prompt": f"I am {MAIL}.", **fields})
    assert response.status_code in {200, 202, 503}, response.text


async def listed(client: httpx2.AsyncClient, **query: Any) -> list[str]:
    """The ids of the runs of a list."""
    response = await client.get("/api/runs", params=query)
    assert response.status_code == 200, response.text
    return [each["run_id"] for each in response.json()["runs"]]


async def test_a_list_says_where_each_run_is_and_what_it_has_cost() -> None:
    """Newest first; what was asked and answered is not in it."""
    async with serving("Hello.", llm={"price": PRICE}) as address, client_of(address) as client:
        await ask(client, run_id="r1", user_id="ann", agent="clerk")
        response = await client.get("/api/runs")

    [run] = response.json()["runs"]
    assert (run["run_id"], run["state"], run["agent"]) == ("r1", "finished", "clerk")
    assert (run["user_id"], run["error_code"], run["waiting"]) == ("ann", None, 0)
    assert float(run["cost"]) > 0
    assert run["since"] <= run["finished_at"] <= datetime.now(UTC).isoformat()
    assert MAIL not in response.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, ["r2", "r1"]),
        ({"agent": "clerk"}, ["r1"]),
        ({"user_id": "bob"}, ["r2"]),
        ({"state": "finished", "failed": "true"}, ["r2"]),
        ({"failed": "false"}, ["r1"]),
        ({"state": "waiting"}, []),
        ({"since": "2100-01-01T00:00:00Z"}, []),
        ({"until": "2100-01-01T00:00:00+01:00"}, ["r2", "r1"]),
        ({"min_cost": "0.001"}, ["r1"]),
    ],
)
async def test_a_list_is_filtered(query: Mapping[str, str], found: list[str]) -> None:
    """By where a run is, who was asked, for whom, when it began and what it has cost."""
    turns = "Hello.", RuntimeError("broken")
    async with (
        serving(*turns, llm={"price": PRICE}, retry={"max_attempts": 1}) as address,
        client_of(address) as client,
    ):
        await ask(client, run_id="r1", user_id="ann", agent="clerk")
        await client.post("/api/runs", json={"user_prompt": "Hi", "run_id": "r2", "user_id": "bob"})

        assert await listed(client, **query) == found


async def test_a_list_goes_on_behind_each_page() -> None:
    """`next` of an answer is `after` of the next request; the last page has none."""
    async with serving(*["Hello."] * 3) as address, client_of(address) as client:
        for number in range(3):
            await ask(client, run_id=f"r{number}")
        first = (await client.get("/api/runs", params={"limit": 2})).json()
        second = (await client.get("/api/runs", params={"limit": 2, "after": first["next"]})).json()

    pages = [[each["run_id"] for each in page["runs"]] for page in (first, second)]
    assert pages == [["r2", "r1"], ["r0"]]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"limit": "0"}, "limit"),
        ({"state": "lost"}, "state"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
        ({"min_cost": "NaN"}, "min_cost"),
        ({"after": "yesterday"}, "after"),
        ({"order": "cost"}, "order"),
    ],
)
async def test_a_wrong_filter_is_refused(query: dict[str, str], param: str) -> None:
    """With the name of the field."""
    async with serving() as address, client_of(address) as client:
        response = await client.get("/api/runs", params=query)

    assert (response.status_code, response.json()["error"]["param"]) == (422, param)


@pytest.mark.parametrize("path", ["/api/runs", "/api/runs/of-ann/steps", "/api/runs/no/steps"])
@pytest.mark.parametrize("name", ["ann", "blind"])
async def test_a_key_without_the_right_gets_nothing(name: str, path: str) -> None:
    """Not even how many there are, nor if a run exists; keys for users do not have the right."""
    async with serving_keys() as address, client_of(address, KEYS[name]["key"]) as client:
        response = await client.get(path)

    assert response.status_code == 403
    assert [*response.json()] == ["error"]
    assert "records = true" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("name", "found"), [("seeing", {"of-ann", "of-acme"}), ("acme", {"of-acme"})]
)
async def test_a_key_sees_the_runs_that_it_is_for(name: str, found: set[str]) -> None:
    """Those of its users and its tenant; a run of others is as unknown as one that is not."""
    async with serving_keys() as address, client_of(address, KEYS[name]["key"]) as client:
        seen = {each.partition("~")[2] or each for each in await listed(client)}
        foreign = await client.get("/api/runs/of-bob/steps")
        missing = await client.get("/api/runs/nothing/steps/enter")

    assert seen == found
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.json()["error"]["code"] == "not_found"


async def test_another_tenant_cannot_be_asked_for() -> None:
    """The list of a key for a tenant is empty then."""
    async with serving_keys() as address, client_of(address, KEYS["acme"]["key"]) as client:
        assert await listed(client, tenant_id="other") == []
        assert await listed(client, user_id="bob") == []


async def test_the_steps_of_a_run_are_masked() -> None:
    """As in an export: in the prompt, in arguments and results, and in a step as a whole."""
    async with serving(call(), f"Ask {MAIL}.") as address, client_of(address) as client:
        await ask(client, run_id="r1")
        steps = await client.get("/api/runs/r1/steps")
        whole = [await client.get(f"/api/runs/r1/steps/{name}") for name in ("enter", "tool/0")]

    assert MAIL not in steps.text + whole[0].text + whole[1].text
    found = {each["name"]: each for each in steps.json()["steps"]}
    assert steps.json()["prompt"] == "I am [email]."
    assert found["tool/0"]["arguments"] == '{"order": "7 of [email]"}'
    assert found["model/2"]["text"] == "Ask [email]."
    assert whole[1].json()["value"]["result"]["name"] == "find_order"


async def test_a_long_text_is_cut_among_all_steps_and_whole_in_its_own() -> None:
    """How much is left out stands beside it."""
    async with serving(LONG) as address, client_of(address) as client:
        await ask(client, run_id="r1")
        steps = (await client.get("/api/runs/r1/steps")).json()["steps"]
        whole = (await client.get("/api/runs/r1/steps/model/1")).json()

    [answer] = [each for each in steps if each["kind"] == "model"]
    assert (len(answer["text"]), answer["left_out"]["text"]) == (20_000, len(LONG) - 20_000)
    assert whole["value"]["response"]["message"]["content"] == LONG


async def test_who_asks_again_is_told_that_nothing_is_new() -> None:
    """By 304, for a list and for the steps of a run, until something has happened."""
    async with serving("Hello.", "Hello.") as address, client_of(address) as client:
        await ask(client, run_id="r1")
        for path in ("/api/runs", "/api/runs/r1/steps"):
            first = await client.get(path)
            again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
        known = (await client.get("/api/runs")).headers["etag"]
        await ask(client, run_id="r2")
        changed = await client.get("/api/runs", headers={"if-none-match": known})

    assert changed.status_code == 200


async def test_runs_that_are_not_recorded_are_listed_all_the_same() -> None:
    """Their steps are refused with what to set."""
    async with serving("Hello.", record=False) as address, client_of(address) as client:
        await ask(client, run_id="r1")
        found = await listed(client)
        steps = await client.get("/api/runs/r1/steps")

    assert found == ["r1"]
    assert (steps.status_code, steps.json()["error"]["code"]) == (501, "not_recorded")
    assert "durable.enabled" in steps.json()["error"]["message"]


async def test_a_step_that_is_not_there_is_not_found() -> None:
    """It is named."""
    async with serving("Hello.") as address, client_of(address) as client:
        await ask(client, run_id="r1")
        response = await client.get("/api/runs/r1/steps/model/9")

    assert response.status_code == 404
    assert "model/9" in response.json()["error"]["message"]
