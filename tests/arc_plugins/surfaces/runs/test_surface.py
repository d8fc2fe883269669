"""Runs as resources."""

import asyncio
import json
from typing import Any

import pytest

from arc_core import Agent, ToolCall, tool
from arc_core.errors import ModelOverloadedError, RateLimitError
from tests.serving import client_of, events_in, serving, serving_long_run

LONG = " ".join(f"word{number}" for number in range(40))


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


PAY = [ToolCall("c1", "pay", '{"amount": 3}')]
ASK = [ToolCall("c1", "ask_refunds", '{"task": "May it be refunded?"}')]
DESK = Agent("desk", tools=[], delegates=["refunds"])
REFUNDS = Agent("refunds", description="Decides about refunds.")


async def test_a_stream_tells_everything_and_done_last() -> None:
    """Each event has its number, and the text is the answer's."""
    async with serving(LONG) as address, client_of(address) as client:
        response = await client.post("/api/chat/stream", json={"message": "Hi"})
        events = await events_in(response)

    text = "".join(json.loads(data)["text"] for _, name, data in events if name == "message")
    assert text == LONG
    assert [number for number, _, _ in events] == [str(n + 1) for n in range(len(events))]
    assert [name for _, name, _ in events].index("done") == len(events) - 1


async def test_events_of_a_delegated_run_have_names_of_their_own() -> None:
    """So `message` is the answer's alone, and `done` comes once, as the last event."""
    turns = [ASK, "They may.", "It will be refunded."]
    async with serving(*turns, register=[DESK, REFUNDS]) as address, client_of(address) as client:
        body = {"message": "Hi", "agent": "desk"}
        events = await events_in(await client.post("/api/chat/stream", json=body))

    names = [name for _, name, _ in events]
    assert (names.count("done"), names[-1]) == (1, "done")
    assert names.count("delegated_done") == 1
    assert get_text(events, "message") == "It will be refunded."
    assert get_text(events, "delegated_message") == "They may."


async def test_a_failed_delegated_run_is_not_the_error_of_its_caller() -> None:
    """The caller's run goes on and ends well, so its stream has no `error`."""
    turns = [ASK, RateLimitError("secret"), "I could not ask."]
    once = {"max_attempts": 1}
    async with (
        serving(*turns, register=[DESK, REFUNDS], retry=once) as address,
        client_of(address) as client,
    ):
        body = {"message": "Hi", "agent": "desk"}
        events = await events_in(await client.post("/api/chat/stream", json=body))

    assert [name for _, name, _ in events if name in {"error", "done"}] == ["done"]
    assert get_text(events, "message") == "I could not ask."


async def test_an_approval_below_a_delegated_run_keeps_its_name() -> None:
    """A person is asked by the run that the caller knows."""
    turns = [ASK, PAY]
    async with (
        serving(*turns, register=[DESK, REFUNDS, pay]) as address,
        client_of(address) as client,
    ):
        body = {"message": "Hi", "agent": "desk"}
        events = await events_in(await client.post("/api/chat/stream", json=body))

    asked = [json.loads(data) for _, name, data in events if name == "approval"]
    assert [name for _, name, _ in events][-1] == "done"
    assert [each["request"]["run_id"] for each in asked] == [json.loads(events[-1][2])["run_id"]]


async def test_room_that_was_made_in_the_window_is_an_event() -> None:
    """It has a name of its own and a number, and a client may read on behind it."""
    async with serving_long_run("Done.") as address, client_of(address) as client:
        body = {"message": "Hi"}
        events = await events_in(await client.post("/api/chat/stream", json=body))
        number, _, data = next(each for each in events if each[1] == "context_compacted")
        where = f"/api/runs/{json.loads(data)['run_id']}/events"
        rest = await events_in(await client.get(where, headers={"last-event-id": number}))

    told = json.loads(data)
    assert told["cleared"] > 0
    assert told["tokens_before"] > 1500 > told["tokens_after"]
    assert rest == events[int(number) :]


async def test_a_client_reconnects_to_a_submitted_run_after_each_event() -> None:
    """A reader that lost its connection after any event gets the rest, once."""
    async with serving(LONG) as address, client_of(address) as client:
        body = {"user_prompt": "Hi", "respond": "submit"}
        started = await client.post("/api/runs", json=body)
        where = f"{started.headers['location']}/events"
        whole = await events_in(await client.get(where))
        rest = [
            await events_in(await client.get(where, headers={"last-event-id": number}))
            for number, _, _ in whole
        ]

    assert started.status_code == 202
    assert all(part == whole[place + 1 :] for place, part in enumerate(rest[:-1]))


@pytest.mark.parametrize("position", ["-1", "x", "99999", "1e3", "7.x"])
async def test_a_position_that_no_event_has_is_refused(position: str) -> None:
    """Of the future, or not a number."""
    async with serving("Hi.") as address, client_of(address) as client:
        run_id = (await client.post("/api/chat", json={"message": "Hi"})).json()["run_id"]
        headers = {"last-event-id": position}
        response = await client.get(f"/api/runs/{run_id}/events", headers=headers)

    assert response.status_code == 400
    assert response.json()["error"]["param"] == "Last-Event-ID"


async def test_a_run_that_waits_is_approved_with_other_arguments() -> None:
    """It answers 202, goes on once it is decided, and the second decision is refused."""
    async with serving(PAY, "Done.", register=[pay]) as address, client_of(address) as client:
        waiting = await client.post("/api/chat", json={"message": "Pay"})
        (request,) = (await client.get("/api/approvals")).json()["requests"]
        where = f"/api/runs/{request['run_id']}"
        decision = {"key": request["key"], "approve": True, "arguments": {"amount": 2}}
        decided = await client.post(f"{where}/decisions", json=decision)
        events = await events_in(await client.get(f"{where}/events"))
        second = await client.post(f"{where}/decisions", json=decision)

    assert (waiting.status_code, decided.status_code, second.status_code) == (202, 200, 409)
    assert any("paid 2" in data for _, name, data in events if name == "tool_end")
    assert "local has approved it already" in second.json()["error"]["message"]


async def test_a_stream_of_a_waiting_run_ends_with_the_request() -> None:
    """`approval` and `done`; what follows the decision is read on."""
    async with serving(PAY, "Done.", register=[pay]) as address, client_of(address) as client:
        events = await events_in(await client.post("/api/chat/stream", json={"message": "Pay"}))
        end = json.loads(events[-1][2])
        (request,) = end["result"]["waiting"]
        where = f"/api/runs/{request['run_id']}"
        denial = {"key": request["key"], "approve": False, "reason": "too much"}
        await client.post(f"{where}/decisions", json=denial)
        after = {"last-event-id": events[-1][0]}
        rest = await events_in(await client.get(f"{where}/events", headers=after))

    assert [name for _, name, _ in events][-2:] == ["approval", "done"]
    assert [name for _, name, _ in rest][-1] == "done"
    assert any("too much" in data for _, _, data in rest)


@pytest.mark.parametrize(
    ("error", "status"), [(RateLimitError(), 429), (ModelOverloadedError(), 503)]
)
async def test_a_failure_has_its_status(error: Exception, status: int) -> None:
    """The message is for people, and the header says when to try again."""
    async with serving(error, retry={"max_attempts": 1}) as address, client_of(address) as client:
        response = await client.post("/api/chat", json={"message": "Hi"})

    assert response.status_code == status
    assert response.headers["retry-after"]


BODIES: list[tuple[Any, int, str]] = [
    (b"{", 400, "not JSON"),
    (b"[]", 422, "not a JSON object"),
    (b'{"message": 1}', 422, "message"),
    (b'{"message": "Hi", "mesage": 1}', 422, "mesage"),
    (b'{"message": "Hi", "agent": "nobody"}', 404, "nobody"),
    (b'{"message": "' + b"x" * 1_100_000 + b'"}', 413, "1048576"),
    (b"[" * 200_000, 400, "not JSON"),
    (b'{"message": "\xff"}', 400, "not JSON"),
]


@pytest.mark.parametrize(("body", "status", "told"), BODIES)
async def test_a_body_that_cannot_be_read_is_explained(body: bytes, status: int, told: str) -> None:
    """It has its status, and the message names what is wrong."""
    async with serving("Hi.") as address, client_of(address) as client:
        headers = {"content-type": "application/json"}
        response = await client.post("/api/chat", content=body, headers=headers)

    assert response.status_code == status
    assert told in response.json()["error"]["message"]


async def test_a_form_from_a_page_is_not_taken_for_json() -> None:
    """A page of another site can send one without being asked first."""
    async with serving("Hi.") as address, client_of(address) as client:
        headers = {"content-type": "text/plain"}
        response = await client.post("/api/chat", content=b'{"message":"Hi"}', headers=headers)

    assert response.status_code == 415


async def test_a_client_that_leaves_cancels_its_run() -> None:
    """A tool that is at work is cancelled, streaming or not."""
    begun, left = asyncio.Event(), asyncio.Event()

    @tool
    async def hang() -> str:
        """Hang."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()
        return ""

    async with serving(*[[ToolCall("c1", "hang", "{}")]] * 2, register=[hang]) as address:
        for path in ("/api/chat/stream", "/api/chat"):
            begun.clear()
            left.clear()
            async with client_of(address) as client:
                asking = asyncio.create_task(client.post(path, json={"message": "Hi"}))
                await begun.wait()
                asking.cancel()
            async with asyncio.timeout(30):
                await left.wait()


def get_text(events: list[tuple[str, str, str]], name: str) -> str:
    """The text in the events of a name."""
    return "".join(json.loads(data)["text"] for _, each, data in events if each == name)


@pytest.mark.parametrize("path", ["/api/chat", "/api/runs", "/v1/chat/completions"])
async def test_retry_after_says_when_the_window_has_room(path: str) -> None:
    """To the second, as the message does, and not a number that is always the same."""
    messages = [{"role": "user", "content": "Hi"}]
    bodies = {"/api/chat": {"message": "Hi"}, "/api/runs": {"user_prompt": "Hi"}}
    body = bodies.get(path, {"model": "default", "messages": messages})
    async with (
        serving("Hi.", guard={"rate_limit_per_minute": 1}) as address,
        client_of(address) as client,
    ):
        await client.post(path, json=body)
        refused = await client.post(path, json=body)

    wait = int(refused.headers["retry-after"])
    assert refused.status_code == 429
    assert 50 < wait <= 60
    assert f"try again in {wait} seconds" in refused.json()["error"]["message"]


async def test_a_session_may_be_named_by_a_number() -> None:
    """As the key of a database is; it is the same session as the text."""
    async with serving("One.", "Two.", "Three.") as address, client_of(address) as client:
        for path, body in (
            ("/api/chat", {"message": "Hi", "session_id": 7}),
            ("/api/runs", {"user_prompt": "Hi", "session_id": 7}),
            ("/api/chat", {"message": "Hi", "session_id": "7"}),
        ):
            assert (await client.post(path, json=body)).status_code == 200, path
        said = (await client.get("/api/conversations/7")).json()["messages"]
        refused = await client.post("/api/chat", json={"message": "Hi", "session_id": True})

    assert len(said) == 6
    assert refused.status_code == 422
